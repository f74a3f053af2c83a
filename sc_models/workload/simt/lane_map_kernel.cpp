#include "sc_models/workload/simt/lane_map_kernel.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/workload/batched_program.h"
#include "sc_models/workload/register_values.h"

namespace tessera {
namespace {

constexpr std::uint32_t kFloat = sizeof(float);
constexpr std::uint32_t kWarps = 8;               // of a CTA: chosen
constexpr std::uint32_t kIndexInstructions = 12;  // which thread computes what: chosen
constexpr std::uint32_t kOtherRegisters = 16;     // addresses and indices: chosen
constexpr std::uint32_t kInputs = 0;
constexpr std::uint32_t kFewestFloats = 16;  // that have registers, each way: chosen

using Places = std::array<std::int64_t, kWarpLanes>;

/// Whether lanes 0 to `lanes` - 1 have neighbouring floats.
bool are_neighbours(const Places& places, std::uint32_t lanes) {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if (places[lane] == LaneMap::kOutside || places[lane] != places[0] + lane) return false;
    }
    return true;
}

/// A warp of the map. The program is the function of its operations.
class LaneMapProgram : public BatchedProgram, public RegisterFunction {
public:
    LaneMapProgram(const LaneMapTask& task, std::uint32_t outputs, std::uint64_t first)
        : task_(task), map_(*task.map), outputs_(outputs), first_(first) {
        const std::uint64_t threads = map_.threads();
        if (first < threads) {
            lanes_ =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(kWarpLanes, threads - first));
        }
    }

    void apply(const WarpInstruction& w, std::byte* registers) const override {
        const LaneMap::Step step = map_.step(w.call().variant);
        std::array<float, LaneMap::kMostFloats> in{};
        std::array<float, LaneMap::kMostFloats> out{};
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            for (std::uint32_t i = 0; i < step.inputs; ++i) {
                in.at(i) = single(registers, kInputs + i, lane);
            }
            map_.compute(w.call().variant, in.data(), out.data());
            for (std::uint32_t i = 0; i < step.outputs; ++i) {
                set_single(registers, outputs_ + i, lane, out.at(i));
            }
        }
    }

private:
    void integer(std::uint32_t count) {
        if (count > 0) emit(Opcode::kAlu).count = static_cast<std::uint16_t>(count);
    }

    void make_batch() override {
        if (lanes_ == 0 || step_ == map_.steps()) {
            exit();
            return;
        }
        if (step_ == 0) integer(kIndexInstructions);
        const LaneMap::Step step = map_.step(step_);
        integer(step.integers);
        for (std::uint32_t i = 0; i < step.inputs; ++i) load(i);
        if (step.fp32 > 0) {
            WarpInstruction& w = emit(Opcode::kOperation);
            w.set_operation(Operation::kFp32);
            w.count = static_cast<std::uint16_t>(step.fp32);
            w.dst = static_cast<std::uint8_t>(outputs_);
            w.src_a = kInputs;
            w.set_function(this, step.inputs).variant = step_;
            WarpInstruction& wait = emit(Opcode::kOperation);  // for all results
            wait.set_operation(Operation::kMove);
            wait.src_a = static_cast<std::uint8_t>(outputs_);
            wait.set_function(nullptr, step.outputs);
        }
        for (std::uint32_t i = 0; i < step.outputs; ++i) {
            store(i, (step.fp32 > 0 ? outputs_ : kInputs) + i);
        }
        ++step_;
    }

    void load(std::uint32_t i) {
        Places places{};
        bool outside = false, inside = false;
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            places[lane] = map_.source(first_ + lane, step_, i);
            (places[lane] == LaneMap::kOutside ? outside : inside) = true;
        }
        const auto reg = static_cast<std::uint8_t>(kInputs + i);
        if (outside) {
            WarpInstruction& clear = emit(Opcode::kAlu);
            clear.dst = reg;
            clear.moves().zero_fill = 1;
        }
        if (!inside) return;
        WarpInstruction w(Opcode::kLoadGlobal);
        w.dst = reg;
        if (are_neighbours(places, lanes_)) {
            w.memory().set_rows(task_.source + static_cast<Address>(places[0]) * kFloat, 1,
                                lanes_ * kFloat);
            batch().push_back(w);
            return;
        }
        LaneOffsets offsets;
        offsets.access_bytes = kFloat;
        std::vector<LaneAccess::Piece> wanted;
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            if (places[lane] == LaneMap::kOutside) continue;
            offsets.mask |= 1U << lane;
            offsets.offset[lane] = places[lane] * static_cast<std::int64_t>(kFloat);
            if (!task_.values) continue;
            wanted.push_back({offsets.offset[lane], kFloat, lane * kFloat});
        }
        LaneAccess& kept = keep(coalesce_global(offsets, task_.source, task_.granularity));
        kept.wanted = std::move(wanted);
        w.memory().address = task_.source;
        w.memory().lanes = &kept;
        batch().push_back(w);
    }

    void store(std::uint32_t i, std::uint32_t reg) {
        Places places{};
        bool inside = false;
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            places[lane] = map_.result(first_ + lane, step_, i);
            inside = inside || places[lane] != LaneMap::kOutside;
        }
        if (!inside) return;
        WarpInstruction w(Opcode::kStoreGlobal);
        w.src_a = static_cast<std::uint8_t>(reg);
        if (are_neighbours(places, lanes_)) {
            w.memory().set_rows(task_.result + static_cast<Address>(places[0]) * kFloat, 1,
                                lanes_ * kFloat);
            batch().push_back(w);
            return;
        }
        LaneAccess& pieces = keep({});
        pieces.has_places = true;
        for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
            if (places[lane] == LaneMap::kOutside) continue;
            const std::int64_t offset = places[lane] * static_cast<std::int64_t>(kFloat);
            const std::uint32_t place = lane * kFloat;
            pieces.bytes += kFloat;
            if (!pieces.pieces.empty()) {
                LaneAccess::Piece& last = pieces.pieces.back();
                if (last.offset + last.bytes == offset && last.place + last.bytes == place) {
                    last.bytes += kFloat;
                    continue;
                }
            }
            pieces.pieces.push_back({offset, kFloat, place});
        }
        w.memory().address = task_.result;
        w.memory().lanes = &pieces;
        batch().push_back(w);
    }

    const LaneMapTask& task_;
    const LaneMap& map_;
    const std::uint32_t outputs_;  ///< first register
    const std::uint64_t first_;    ///< thread of lane 0
    std::uint32_t lanes_ = 0;      ///< with a thread
    std::uint32_t step_ = 0;
};

}  // namespace

LaneMapKernel::LaneMapKernel(LaneMapTask task) : task_(std::move(task)) {
    const std::uint64_t ctas =
        ceil_div<std::uint64_t>(task_.map->threads(), std::uint64_t{kWarps} * kWarpLanes);
    if (ctas > std::numeric_limits<std::uint32_t>::max() / 2) {
        throw ConfigError("workload.layer: got a kernel of " + std::to_string(ctas) +
                          " CTAs, expected at most 2^31");
    }
    info_.name = task_.name;
    info_.ctas = static_cast<std::uint32_t>(ctas);
    info_.warps_per_cta = kWarps;
    std::uint32_t inputs = kFewestFloats, outputs = kFewestFloats;
    for (std::uint32_t step = 0; step < task_.map->steps(); ++step) {
        inputs = std::max(inputs, task_.map->step(step).inputs);
        outputs = std::max(outputs, task_.map->step(step).outputs);
    }
    outputs_ = kInputs + inputs;
    info_.scoreboard_registers = outputs_ + outputs;
    info_.registers_per_thread = info_.scoreboard_registers + kOtherRegisters;
    for (std::uint32_t warp = 0; warp < kWarps; ++warp) info_.sub_core_of_warp.push_back(warp);
}

std::unique_ptr<WarpProgram> LaneMapKernel::program(CtaId cta, std::uint32_t warp) const {
    const std::uint64_t index = std::uint64_t{cta.value()} * kWarps + warp;
    return std::make_unique<LaneMapProgram>(task_, outputs_, index * kWarpLanes);
}

}  // namespace tessera
