// Duplo as a load filter of A fragments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sc_models/duplo/detection_unit.h"
#include "sc_models/sm/load_filter.h"

namespace tessera {

/// Detection unit of an SM between LDST unit and L1 (Duplo IV-A, IV-B): a hit renames and sends
/// nothing below the L1. The L1 is probed at the same time, so a hit still takes its slot unless
/// `hit_frees_slot`. Kernels without a convolution packet leave the unit off.
class DuploFilter : public LoadFilter {
public:
    /// Throws like the constructor of DetectionUnit.
    DuploFilter(const DuploConfig& config, std::uint32_t sub_cores, DetectionDevices devices = {});

    [[nodiscard]] FilterTraits traits() const override;

    /// The program is the kernel's convolution packet.
    Program start_kernel(const KernelInfo& kernel, std::uint32_t warps) override;
    void program(const std::vector<std::byte>& bytes, Cycle arrival) override;
    void on_program(Cycle arrival) override { unit_.wake(arrival); }
    void end_kernel() override;

    [[nodiscard]] bool wants(FragmentRole role) const override {
        return role == FragmentRole::kA && unit_.powered();
    }
    void begin(Cycle now, const FilteredLoad& load) override;
    [[nodiscard]] Cycle open_at(Cycle now) const override { return unit_.open_at(now, active_); }
    [[nodiscard]] FilterAnswer look_up(Cycle now, std::uint32_t unit) override;
    void skip(Cycle now, std::uint32_t unit) override { unit_.skip(now, active_, unit); }
    [[nodiscard]] Cycle late() const override { return unit_.late(); }
    void set_ready(PhysRegId phys, Cycle cycle) override { unit_.set_ready(phys, cycle); }
    void note_store(Address address, std::uint64_t bytes) override {
        unit_.note_store(address, bytes);
    }
    void release_warp(std::uint32_t warp, Cycle now) override;

    void watch(WaveRecorder& wave, const std::string& sm) override;
    void add_statistics(StatGroup& ldst) override;
    void add_metrics(const StatGroup& machine, nlohmann::ordered_json& metrics) const override;
    void check(std::string_view ldst, std::vector<std::string>& violations) const override;
    [[nodiscard]] FilterValueId value_id(std::uint32_t unit) const override;
    [[nodiscard]] std::string describe(const FilterValueId& value) const override;

private:
    void trace(std::uint32_t unit, Cycle now, const UnitOutcome& outcome);

    DetectionUnit unit_;
    const std::uint32_t latency_cycles_;
    const bool hit_frees_slot_;
    const bool limited_;
    ActiveLoad active_;
    std::uint32_t warps_ = 0;
    std::uint32_t a_fragments_ = 0;
    std::uint8_t first_a_register_ = 0;
    std::uint32_t registers_per_fragment_ = kRegistersPerFragment;

    /// Width of the physical-unit signal; all ones: none.
    static constexpr std::uint32_t kPhysicalUnitBits = 20;
    struct Traces {
        WaveRecorder* wave = nullptr;
        WaveRecorder::Signal lookups = WaveRecorder::kNoSignal, bypasses = WaveRecorder::kNoSignal,
                             zeros = WaveRecorder::kNoSignal, hits = WaveRecorder::kNoSignal,
                             misses = WaveRecorder::kNoSignal, element = WaveRecorder::kNoSignal,
                             batch = WaveRecorder::kNoSignal, hit_class = WaveRecorder::kNoSignal,
                             entries = WaveRecorder::kNoSignal, physical = WaveRecorder::kNoSignal,
                             architectural = WaveRecorder::kNoSignal;
    } traces_;
};

}  // namespace tessera
