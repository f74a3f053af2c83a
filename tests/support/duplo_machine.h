// A small machine around a DetectionUnit: warps load fragments of a workspace in random order,
// every physical unit carries the data it was loaded with, and each mapping must show what was
// asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <stdexcept>
#include <vector>

#include "sc_models/duplo/detection_unit.h"
#include "tests/support/duplo_layers.h"

namespace tessera::test {

struct MachineShape {
    std::uint32_t warps = 6;
    std::uint32_t fragments = 2;
    std::uint32_t sub_cores = 2;
    std::uint32_t memory_latency = 40;
};

struct MachineFindings {
    std::uint64_t hits = 0;
    std::uint64_t wrong_hits = 0;       ///< the shared register holds something else
    std::uint64_t wrong_zeros = 0;      ///< not zero after all
    std::uint64_t wrong_registers = 0;  ///< a fragment no longer holds what its last load asked for
    std::uint64_t unexpected =
        0;  ///< R1 and R3 without limit: hit or miss other than the register file says
    [[nodiscard]] std::uint64_t wrong() const {
        return wrong_hits + wrong_zeros + wrong_registers + unexpected;
    }
};

class DuploMachine {
public:
    DuploMachine(const DuploConfig& config, const LoweredGeometry& geometry,
                 const MachineShape& shape = {})
        : config_(config),
          g_(geometry),
          shape_(shape),
          chunks_(workspace_chunks(geometry)),
          unit_(config, shape.sub_cores),
          loaded_(std::size_t{shape.warps} * shape.fragments) {
        unit_.launch(ConvolutionPacket::make(geometry), shape.warps, shape.fragments, 0);
        now_ = unit_.awake_at();
    }

    DetectionUnit& unit() { return unit_; }
    [[nodiscard]] Cycle now() const { return now_; }
    [[nodiscard]] const MachineFindings& findings() const { return findings_; }

    /// One A fragment from workspace row `row`, chunk column `column`.
    void load(std::uint32_t warp, std::uint32_t fragment, std::uint32_t row, std::uint32_t column) {
        FragmentLoad load;
        load.warp = warp;
        load.sub_core = warp % shape_.sub_cores;
        load.fragment = fragment;
        load.row_pitch_bytes = g_.row_pitch_chunks * 32;
        load.address = g_.base + Address{row} * load.row_pitch_bytes + Address{column} * 32;
        unit_.begin(now_, load, active_);
        for (std::uint32_t u = 0; u < unit_.shape().count(); ++u) {
            step(u, row, column);
        }
        loaded_[warp * shape_.fragments + fragment] = {true, row, column};
        ++now_;
    }

    /// Every unit of every fragment against what was last loaded there.
    void check_registers() {
        for (std::uint32_t w = 0; w < shape_.warps; ++w) {
            for (std::uint32_t f = 0; f < shape_.fragments; ++f) {
                const Loaded& record = loaded_[w * shape_.fragments + f];
                for (std::uint32_t u = 0; record.valid && u < unit_.shape().count(); ++u) {
                    const Data data = data_of(u, record.row, record.column);
                    const PhysRegId phys = unit_.mapping(w, f, u);
                    const bool right =
                        phys.valid() ? values_[phys.value()] == data : all_zero(data);
                    findings_.wrong_registers += right ? 0 : 1;
                }
            }
        }
    }

    void exit_warp(std::uint32_t warp) {
        unit_.release_warp(warp, now_);
        for (std::uint32_t f = 0; f < shape_.fragments; ++f) {
            loaded_[warp * shape_.fragments + f] = {};
        }
    }

    void exit_all() {
        for (std::uint32_t w = 0; w < shape_.warps; ++w) {
            exit_warp(w);
        }
    }

    /// `loads` random loads: warps at random, rows mostly near each other, now and then an exit.
    void run(std::uint64_t seed, std::uint32_t loads) {
        std::mt19937_64 rng(seed);
        const std::uint32_t tiles = ceil_div(g_.n_chunks / g_.row_pitch_chunks, 16u);
        for (std::uint32_t i = 0; i < loads; ++i) {
            const auto warp = static_cast<std::uint32_t>(rng() % shape_.warps);
            load(warp, static_cast<std::uint32_t>(rng() % shape_.fragments),
                 static_cast<std::uint32_t>(rng() % tiles % 6) * 16,
                 static_cast<std::uint32_t>(rng() % g_.row_pitch_chunks));
            now_ += rng() % 30;
            if (rng() % 50 == 0) {
                exit_warp(static_cast<std::uint32_t>(rng() % shape_.warps));
            }
            if (rng() % 16 == 0) {
                check_registers();
            }
        }
        check_registers();
    }

private:
    using Data = std::vector<std::uint64_t>;
    struct Loaded {
        bool valid = false;
        std::uint32_t row = 0, column = 0;
    };

    [[nodiscard]] Data data_of(std::uint32_t u, std::uint32_t row, std::uint32_t column) const {
        Data data;
        for (std::uint32_t r = 0; r < unit_.shape().rows(); ++r) {
            const std::size_t at =
                std::size_t{row + unit_.shape().first_row(u) + r} * g_.row_pitch_chunks + column;
            if (at < chunks_.size()) {
                data.insert(data.end(), chunks_[at].begin(), chunks_[at].end());
            } else {
                // Memory behind the workspace: every place has data of its own.
                for (std::uint64_t h = 0; h < 16; ++h) {
                    data.push_back((std::uint64_t{1} << 60) + at * 16 + h);
                }
            }
        }
        return data;
    }

    [[nodiscard]] bool all_zero(const Data& data) const {
        const std::uint64_t width = g_.input_width + 2 * g_.pad;
        const std::uint64_t height = g_.input_height + 2 * g_.pad;
        return std::all_of(data.begin(), data.end(), [&](std::uint64_t half) {
            const std::uint64_t in_image = half / g_.channels % (width * height);
            return half == kZeroHalf ||
                   (half >> 60 == 0 && !real_pixel(g_, static_cast<std::uint32_t>(in_image / width),
                                                   static_cast<std::uint32_t>(in_image % width)));
        });
    }

    /// Whether the register file (R1) or the past (R3) has the data for this unit to share.
    [[nodiscard]] bool expected_hit(std::uint32_t u, const Data& data, std::uint32_t own) {
        if (config_.lifetime == Lifetime::kForever) {
            return !history_.try_emplace(data, true).second;
        }
        const std::uint32_t units = unit_.shape().count();
        for (std::uint32_t w = 0; w < shape_.warps; ++w) {
            for (std::uint32_t f = 0; f < shape_.fragments; ++f) {
                for (std::uint32_t v = 0; v < units; ++v) {
                    const std::uint32_t arch = (w * shape_.fragments + f) * units + v;
                    const PhysRegId phys = unit_.mapping(w, f, v);
                    if (arch == own || !phys.valid() || !entered_[phys.value()] ||
                        values_[phys.value()] != data) {
                        continue;
                    }
                    if (domain_[phys.value()] == domain(own / units / shape_.fragments, u)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    [[nodiscard]] std::uint32_t domain(std::uint32_t warp, std::uint32_t u) const {
        switch (config_.scope) {
            case Scope::kLane:
                return u;
            case Scope::kWarp:
                return warp;
            case Scope::kSubCore:
                return warp % shape_.sub_cores;
            default:
                return 0;
        }
    }

    void step(std::uint32_t u, std::uint32_t row, std::uint32_t column) {
        const Data data = data_of(u, row, column);
        const FragmentLoad& load = active_.load;
        const std::uint32_t own =
            (load.warp * shape_.fragments + load.fragment) * unit_.shape().count() + u;
        const DataId& id = active_.ids[u % (kFragmentRows / unit_.shape().rows())];
        // Exactly predictable: no limit of entries or lookups, every row's id complete, nothing
        // refused.
        const bool predictable =
            config_.lhb_entries == 0 &&
            config_.lookups_per_cycle == DuploConfig::kUnlimitedLookups &&
            config_.granularity == Granularity::kRow16 &&
            config_.id_formula == IdFormula::kCorrected && config_.in_flight_hits &&
            config_.release == ReleasePoint::kIssue && id.valid() && !id.zero &&
            unit_.detecting() &&
            (config_.lifetime == Lifetime::kMapped ||
             (config_.lifetime == Lifetime::kForever && config_.scope == Scope::kSm));
        const bool expected = predictable && expected_hit(u, data, own);
        const UnitOutcome outcome = unit_.access(now_, active_, u);
        if (predictable) {
            findings_.unexpected += (outcome.kind == AccessKind::kHit) != expected ? 1 : 0;
        }
        switch (outcome.kind) {
            case AccessKind::kHit:
                ++findings_.hits;
                findings_.wrong_hits += values_.at(outcome.phys.value()) != data ? 1 : 0;
                break;
            case AccessKind::kZero:
                findings_.wrong_zeros += all_zero(data) ? 0 : 1;
                break;
            default:
                if (outcome.phys.value() >= values_.size()) {
                    values_.resize(outcome.phys.value() + 1);
                    entered_.resize(outcome.phys.value() + 1);
                    domain_.resize(outcome.phys.value() + 1);
                }
                values_[outcome.phys.value()] = data;
                entered_[outcome.phys.value()] = outcome.kind == AccessKind::kMiss;
                domain_[outcome.phys.value()] = domain(load.warp, u);
                unit_.set_ready(outcome.phys, now_ + shape_.memory_latency);
        }
    }

    DuploConfig config_;
    LoweredGeometry g_;
    MachineShape shape_;
    std::vector<Chunk> chunks_;
    DetectionUnit unit_;
    ActiveLoad active_;
    Cycle now_ = 0;
    std::vector<Data> values_;
    std::vector<bool> entered_;
    std::vector<std::uint32_t> domain_;
    std::vector<Loaded> loaded_;
    std::map<Data, bool> history_;
    MachineFindings findings_;
};

}  // namespace tessera::test
