// Module of Duplo's detection unit: the load filter of A fragments.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "sc_models/config/rtl_maker.h"
#include "sc_models/duplo/detection_unit.h"
#include "sc_models/duplo/shell/id_generator_module.h"
#include "sc_models/duplo/shell/load_history_buffer_module.h"
#include "sc_models/duplo/shell/rename_table_module.h"
#include "sc_models/sm/load_filter.h"

namespace tessera {

/// Detection unit of an SM between LDST unit and L1 (Duplo IV-A, IV-B): a hit renames and sends
/// nothing below the L1. The L1 is probed at the same time, so a hit still takes its slot unless
/// `hit_frees_slot`. Kernels without a convolution packet leave the unit off.
///
/// A module under the LDST unit, with a child for each block. The unit calls the cores of these
/// blocks as functions; the modules own them, their statistics and their traces.
class DetectionModule : public sc_core::sc_module, public LoadFilter {
public:
    /// `rtl` chooses model or RTL of each block. Throws like it and like the constructor of
    /// DetectionUnit.
    DetectionModule(sc_core::sc_module_name name, const DuploConfig& config,
                    std::uint32_t sub_cores, const RtlMaker& rtl);

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

    void dump(std::ostream& out) const override;

private:
    void trace(std::uint32_t unit, Cycle now, const UnitOutcome& outcome);

    IdGeneratorModule ids_;
    LoadHistoryBufferModule history_;
    RenameTableModule rename_;
    std::unique_ptr<CoreDevice> core_;  ///< null: none beside the blocks
    DetectionUnit unit_;
    const std::uint32_t latency_cycles_;
    const bool hit_frees_slot_;
    const bool limited_;
    ActiveLoad active_;
    std::uint32_t warps_ = 0;
    std::uint32_t a_fragments_ = 0;
    std::uint8_t first_a_register_ = 0;
    std::uint32_t registers_per_fragment_ = kRegistersPerFragment;

    struct Traces {
        WaveRecorder* wave = nullptr;
        WaveRecorder::Signal lookups = WaveRecorder::kNoSignal, bypasses = WaveRecorder::kNoSignal,
                             zeros = WaveRecorder::kNoSignal;
    } traces_;
};

}  // namespace tessera
