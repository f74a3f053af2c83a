#include "sc_models/workload/simt/simt_product_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/workload/batched_program.h"
#include "sc_models/workload/register_values.h"

namespace tessera {
namespace {

constexpr std::uint64_t kFloat = sizeof(float);
constexpr std::uint32_t kDepth = SimtProductKernel::kDepth;
constexpr std::uint32_t kPadding = 4;  // floats between rows of shared memory
constexpr std::uint32_t kQuad = 4;     // floats of an LDS.128, rows and columns of a quarter

// Registers of a warp, as the scoreboard counts them: the 8 x 8 sums of a thread, two sets of
// fragments of 8 + 8 floats, and what a thread carries from global to shared memory.
constexpr std::uint32_t kSums = 0, kSumRegisters = 64;
constexpr std::uint32_t kFragments = kSumRegisters, kFragmentSet = 16;
constexpr std::uint32_t kStaged = kFragments + 2 * kFragmentSet;
constexpr std::uint32_t kMostStaged = 12;
constexpr std::uint32_t kRegistersPerThread = 128;  // sums, fragments, staged and addresses: chosen
constexpr std::uint32_t kFragmentB = 8;             // B behind A in a set

constexpr std::uint32_t kGroups = 4;            // of the multiply-adds of a k
constexpr std::uint32_t kFfmas = 64 / kGroups;  // of a thread in a group
constexpr std::uint32_t kGroupRegisters = kSumRegisters / kGroups;
constexpr std::uint32_t kGroupRows = SimtProductKernel::kWarpRows / kGroups;

// Integer instructions, chosen as the cost of a compiled loop of this kind.
constexpr std::uint32_t kIndexInstructions = 30;  // tile, pointers and bounds of a thread
constexpr std::uint32_t kStepInstructions = 6;    // pointers, buffer and loop of a step

}  // namespace

/// A warp of a CTA's tile. The program is the function of its multiply-adds: the call's
/// variant is the set of fragments, its position the group.
class SimtProductKernel::Program : public BatchedProgram, public RegisterFunction {
public:
    Program(const SimtProductKernel& kernel, CtaId cta, std::uint32_t warp)
        : kernel_(kernel), task_(kernel.task_), warp_(warp), warps_(kernel.info_.warps_per_cta) {
        const std::uint64_t tile = cta.value() % (kernel.tiles_n_ * kernel.tiles_m_);
        batch_ = cta.value() / (kernel.tiles_n_ * kernel.tiles_m_);
        column_ = tile % kernel.tiles_n_ * kernel.cta_columns_;
        row_ = tile / kernel.tiles_n_ * kCtaRows;
        warp_row_ = warp % (kCtaRows / kWarpRows) * kWarpRows;
        warp_column_ = warp / (kCtaRows / kWarpRows) * kWarpColumns;
        steps_ = task_.k / kDepth;
    }

    void apply(const WarpInstruction& w, std::byte* registers) const override {
        const auto fragments = kFragments + w.call().variant * kFragmentSet;
        const auto group = static_cast<std::uint32_t>(w.call().position);
        std::array<float, kWarpColumns> b{};
        for (std::uint32_t c = 0; c < kWarpColumns; ++c) {
            b[c] = half_fragment(registers, fragments + kFragmentB, c, kWarpColumns / 2);
        }
        for (std::uint32_t row = group * kGroupRows; row < (group + 1) * kGroupRows; ++row) {
            const float a = half_fragment(registers, fragments, row, kWarpRows / 2);
            for (std::uint32_t c = 0; c < kWarpColumns; ++c) {
                const std::uint32_t reg = kSums + sum_register(row, c);
                const std::uint32_t lane = row % kQuad * kWarpLanes + c % kWarpLanes;
                set_single(registers, reg, lane, std::fma(a, b[c], single(registers, reg, lane)));
            }
        }
    }

private:
    /// Float `i` of a fragment that two loads of `half` floats fill, four registers apart.
    static float half_fragment(const std::byte* registers, std::uint32_t reg, std::uint32_t i,
                               std::uint32_t half) {
        return single(registers, reg + i / half * kQuad, i % half);
    }
    /// First of the four registers that hold four rows of 32 columns of sums.
    static std::uint32_t sum_register(std::uint32_t row, std::uint32_t column) {
        return (row / kQuad * 2 + column / kWarpLanes) * kQuad;
    }

    void integer(std::uint32_t count) {
        emit(Opcode::kAlu).count = static_cast<std::uint16_t>(count);
    }
    void clear(std::uint32_t reg, std::uint32_t registers) {
        WarpInstruction& w = emit(Opcode::kAlu);
        w.dst = static_cast<std::uint8_t>(reg);
        w.count = w.moves().zero_fill = static_cast<std::uint8_t>(registers);
    }

    void make_batch() override {
        if (!begun_) return begin();
        if (step_ == steps_) return end();
        step();
    }

    void begin() {
        begun_ = true;
        integer(kIndexInstructions);
        clear(kSums, kSumRegisters);
        clear(kStaged, loads_of_warp(kCtaRows) + loads_of_warp(kernel_.cta_columns_));
        load_tiles(0);
        store_tiles(0);
        emit(Opcode::kBarrier);
        load_fragments(0, 0);
    }

    /// Multiplies the 8 k of a step. Other warps overwrite the buffer of the step before only
    /// behind the barrier, which follows the use of the last fragments loaded from it.
    void step() {
        const bool more = step_ + 1 < steps_;
        integer(kStepInstructions);
        if (more) load_tiles(step_ + 1);
        for (std::uint32_t k = 0; k < kDepth; ++k) {
            if (k + 1 < kDepth) load_fragments(step_, k + 1);
            multiply(k, 0);
            if (k + 1 == kDepth && more) {
                store_tiles(step_ + 1);
                emit(Opcode::kBarrier);
                load_fragments(step_ + 1, 0);
            }
            for (std::uint32_t group = 1; group < kGroups; ++group) multiply(k, group);
        }
        ++step_;
    }

    void multiply(std::uint32_t k, std::uint32_t group) {
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(Operation::kFp32);
        w.count = kFfmas;
        w.dst = static_cast<std::uint8_t>(kSums + group * kGroupRegisters);
        w.src_a = static_cast<std::uint8_t>(kFragments + k % 2 * kFragmentSet);
        FunctionCall& call = w.set_function(this, kFragmentSet);
        call.variant = k % 2;
        call.position = group;
    }

    // Global to shared memory

    [[nodiscard]] std::uint32_t loads_of_warp(std::uint32_t rows) const {
        return rows / kRowsOfLoad / warps_;
    }
    void load_tiles(std::uint64_t step) {
        std::uint32_t reg = load_tile(kernel_.loads_a_, task_.a + batch_ * task_.a_batch * kFloat,
                                      task_.a_pitch, row_, task_.m, kCtaRows, step, kStaged);
        load_tile(kernel_.loads_b_, task_.b + batch_ * task_.b_batch * kFloat, task_.b_pitch,
                  column_, task_.n, kernel_.cta_columns_, step, reg);
    }
    /// Loads the warp's rows of a tile that begins at row `first` of `rows`; returns the register
    /// behind its own.
    std::uint32_t load_tile(const Loads& loads, Address base, std::uint64_t pitch,
                            std::uint64_t first, std::uint64_t rows, std::uint32_t tile_rows,
                            std::uint64_t step, std::uint32_t reg) {
        const std::uint32_t count = loads_of_warp(tile_rows);
        for (std::uint32_t i = 0; i < count; ++i, ++reg) {
            const std::uint64_t row = first + (warp_ * count + i) * kRowsOfLoad;
            if (row >= rows) continue;
            const auto present =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(kRowsOfLoad, rows - row));
            WarpInstruction& w = emit(Opcode::kLoadGlobal);
            w.dst = static_cast<std::uint8_t>(reg);
            MemoryAccess& memory = w.memory();
            memory.address = base + (row * pitch + step * kDepth) * kFloat;
            const std::size_t place = memory.address / (kDepth * kFloat) % loads.size();
            memory.lanes = &loads[place][present - 1];
        }
        return reg;
    }

    [[nodiscard]] std::uint32_t pitch_of(std::uint32_t rows) const { return rows + kPadding; }
    /// Address in shared memory of the tile of A or B of a step.
    [[nodiscard]] Address tile_of(bool of_a, std::uint64_t step) const {
        const Address a = Address{kDepth} * pitch_of(kCtaRows);
        const Address b = Address{kDepth} * pitch_of(kernel_.cta_columns_);
        return (step % 2 * (a + b) + (of_a ? 0 : a)) * kFloat;
    }
    void store_tiles(std::uint64_t step) {
        const std::uint32_t reg = store_tile(true, kCtaRows, step, kStaged);
        store_tile(false, kernel_.cta_columns_, step, reg);
    }
    /// Stores what load_tile() loaded, one k a row.
    std::uint32_t store_tile(bool of_a, std::uint32_t rows, std::uint64_t step, std::uint32_t reg) {
        const std::uint32_t count = loads_of_warp(rows);
        for (std::uint32_t i = 0; i < count; ++i, ++reg) {
            WarpInstruction& w = emit(Opcode::kStoreShared);
            w.src_a = static_cast<std::uint8_t>(reg);
            w.memory().set_rows(tile_of(of_a, step) + (warp_ * count + i) * kRowsOfLoad * kFloat,
                                kDepth, kRowsOfLoad * kFloat, pitch_of(rows) * kFloat);
            w.registers().pitch_bytes = w.memory().row_bytes;
        }
        return reg;
    }

    // Shared memory to registers

    /// Loads the fragments of a k: for A and B two LDS.128 each, as quarters are apart.
    void load_fragments(std::uint64_t step, std::uint32_t k) {
        const auto load = [&](bool of_a, std::uint32_t rows, std::uint32_t at, std::uint32_t side,
                              const LaneAccess& access) {
            for (std::uint32_t half = 0; half < 2; ++half) {
                WarpInstruction& w = emit(Opcode::kLoadShared);
                w.dst = static_cast<std::uint8_t>(kFragments + k % 2 * kFragmentSet +
                                                  (of_a ? 0 : kFragmentB) + half * kQuad);
                w.memory().address = tile_of(of_a, step) +
                                     (Address{k} * pitch_of(rows) + at + half * side / 2) * kFloat;
                w.memory().lanes = &access;
            }
        };
        load(true, kCtaRows, warp_row_, kWarpRows, kernel_.fragment_a_);
        load(false, kernel_.cta_columns_, warp_column_, kWarpColumns, kernel_.fragment_b_);
    }

    // Result

    void end() {
        WarpInstruction& wait = emit(Opcode::kOperation);  // for all sums
        wait.set_operation(Operation::kMove);
        wait.src_a = kSums;
        wait.set_function(nullptr, kSumRegisters);
        for (std::uint32_t row = 0; row < kWarpRows; row += kQuad) {
            for (std::uint32_t column = 0; column < kWarpColumns; column += kWarpLanes) {
                store(row, column);
            }
        }
        exit();
    }

    /// Stores four rows of 32 columns by an STG.128.
    void store(std::uint32_t row, std::uint32_t column) {
        const std::uint64_t to_row = row_ + warp_row_ + row;
        const std::uint64_t to_column = column_ + warp_column_ + column;
        const std::uint64_t columns = simt_columns(task_.n);
        if (to_row >= task_.m || to_column >= columns) return;
        WarpInstruction w(Opcode::kStoreGlobal);
        w.src_a = static_cast<std::uint8_t>(kSums + sum_register(row, column));
        w.memory().set_rows(
            task_.d + (batch_ * task_.d_batch + to_row * task_.d_pitch + to_column) * kFloat,
            std::min<std::uint64_t>(kQuad, task_.m - to_row),
            std::min<std::uint64_t>(kWarpLanes, columns - to_column) * kFloat,
            task_.d_pitch * kFloat);
        w.registers().pitch_bytes = kWarpRegisterBytes;
        batch().push_back(w);
    }

    const SimtProductKernel& kernel_;
    const SimtProductTask& task_;
    const std::uint32_t warp_, warps_;
    std::uint64_t batch_, row_, column_;  ///< of the CTA's tile
    std::uint32_t warp_row_, warp_column_;
    std::uint64_t steps_, step_ = 0;
    bool begun_ = false;
};

SimtProductKernel::SimtProductKernel(SimtProductTask task)
    : task_(std::move(task)),
      cta_columns_(task_.n <= kWarpColumns ? kWarpColumns : 2 * kWarpColumns),
      tiles_n_(ceil_div<std::uint64_t>(task_.n, cta_columns_)),
      tiles_m_(ceil_div<std::uint64_t>(task_.m, kCtaRows)),
      loads_a_(make_loads(task_.a_pitch)),
      loads_b_(make_loads(task_.b_pitch)),
      fragment_a_(make_fragment_load(true)),
      fragment_b_(make_fragment_load(false)) {
    const std::uint64_t ctas = tiles_n_ * tiles_m_ * task_.batch;
    if (ctas > std::numeric_limits<std::uint32_t>::max() / 2) {
        throw ConfigError("workload.kernel: got a product of " + std::to_string(ctas) +
                          " CTAs, expected at most 2^31");
    }
    info_.name = task_.name;
    info_.ctas = static_cast<std::uint32_t>(ctas);
    info_.warps_per_cta = kCtaRows / kWarpRows * (cta_columns_ / kWarpColumns);
    info_.registers_per_thread = kRegistersPerThread;
    info_.scoreboard_registers = kStaged + kMostStaged;
    info_.row_ctas = static_cast<std::uint32_t>(tiles_n_);
    info_.shared_memory_bytes =
        static_cast<std::uint32_t>(2 * kDepth * (kCtaRows + cta_columns_ + 2 * kPadding) * kFloat);
    for (std::uint32_t warp = 0; warp < info_.warps_per_cta; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
    }
}

/// Lane 8i + j has k j of row i; it goes to place (j, i) of the register, as shared memory has it.
SimtProductKernel::Loads SimtProductKernel::make_loads(std::uint64_t pitch) const {
    Loads loads;
    for (std::size_t place = 0; place < loads.size(); ++place) {
        for (std::uint32_t rows = 1; rows <= kRowsOfLoad; ++rows) {
            LaneOffsets lanes;
            lanes.access_bytes = kFloat;
            std::vector<LaneAccess::Piece> wanted;
            for (std::uint32_t lane = 0; lane < rows * kDepth; ++lane) {
                const std::uint32_t row = lane / kDepth, k = lane % kDepth;
                lanes.mask |= 1U << lane;
                lanes.offset[lane] = static_cast<std::int64_t>((row * pitch + k) * kFloat);
                if (!task_.values) continue;
                wanted.push_back({lanes.offset[lane], kFloat,
                                  static_cast<std::uint32_t>((k * kRowsOfLoad + row) * kFloat)});
            }
            LaneAccess& access = loads[place][rows - 1];
            access = coalesce_global(lanes, place * kDepth * kFloat, task_.granularity);
            access.wanted = std::move(wanted);
        }
    }
    return loads;
}

/// Lanes are 4 x 8: of A those of a row load the same 16 bytes, of B those of a column.
LaneAccess SimtProductKernel::make_fragment_load(bool of_rows) const {
    constexpr std::uint32_t kLaneColumns = 8;
    LaneOffsets lanes;
    lanes.mask = 0xffffffff;
    lanes.access_bytes = kQuad * kFloat;
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
        const std::uint32_t quad = of_rows ? lane / kLaneColumns : lane % kLaneColumns;
        lanes.offset[lane] = static_cast<std::int64_t>(quad * kQuad * kFloat);
    }
    LaneAccess access = coalesce_shared(lanes, 0, task_.granularity);
    const std::uint32_t floats = (of_rows ? kWarpRows : kWarpColumns) / 2;
    if (task_.values) access.wanted = {{0, static_cast<std::uint32_t>(floats * kFloat), 0}};
    return access;
}

std::unique_ptr<WarpProgram> SimtProductKernel::program(CtaId cta, std::uint32_t warp) const {
    return std::make_unique<Program>(*this, cta, warp);
}

}  // namespace tessera
