#include "sc_models/workload/gemm_kernel.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_entries.h"

namespace tessera {
namespace {

constexpr std::uint32_t kTile = kFragmentRows;  // fragments are 16x16
constexpr std::uint32_t kStreamBytes = 4 * kWarpRegisterBytes;
constexpr std::uint32_t kStreamFloats = kStreamBytes / sizeof(float);
constexpr std::uint32_t kStreamRegisters = kStreamBytes / kWarpRegisterBytes;
constexpr std::uint32_t kMaxRegisters = 255;
constexpr std::uint32_t kAccumulatorRowBytes = kTile * sizeof(float);
constexpr std::uint16_t kTileBarrier = 1;  // waits for the tile of C or D in shared memory

/// Division of a warp's tile into fragments and their positions in its registers.
struct RegisterMap {
    std::uint32_t fragments_m, fragments_n, buffers;

    explicit RegisterMap(const TilingConfig& t)
        : fragments_m(t.warp_m / kTile),
          fragments_n(t.warp_n / kTile),
          buffers(t.fragment_buffers) {}

    [[nodiscard]] std::uint32_t a_fragments() const { return fragments_m * buffers; }
    [[nodiscard]] std::uint32_t b_fragments() const { return fragments_n * buffers; }
    [[nodiscard]] std::uint32_t accumulators() const { return fragments_m * fragments_n; }
    [[nodiscard]] std::uint32_t fragments() const {
        return a_fragments() + b_fragments() + accumulators();
    }
    [[nodiscard]] std::uint8_t a(std::uint32_t buffer, std::uint32_t i) const {
        return at(buffer * fragments_m + i);
    }
    [[nodiscard]] std::uint8_t b(std::uint32_t buffer, std::uint32_t j) const {
        return at(a_fragments() + buffer * fragments_n + j);
    }
    [[nodiscard]] std::uint8_t accumulator(std::uint32_t i, std::uint32_t j) const {
        return at(a_fragments() + b_fragments() + i * fragments_n + j);
    }
    /// Number of 512 B streams in flight: the capacity of the accumulators' registers, limited to
    /// the number that one fill() can load and store.
    [[nodiscard]] std::uint32_t streams() const {
        constexpr auto kMost = static_cast<std::uint32_t>(kFillCapacity / 2);
        return std::min(accumulators() * kRegistersPerFragment / kStreamRegisters, kMost);
    }
    [[nodiscard]] std::uint8_t stream(std::uint32_t slot) const {
        return static_cast<std::uint8_t>(accumulator(0, 0) + slot * kStreamRegisters);
    }

private:
    static std::uint8_t at(std::uint32_t fragment) {
        return static_cast<std::uint8_t>(fragment * kRegistersPerFragment);
    }
};

void check(bool good, const char* key, std::uint64_t value, const std::string& expected) {
    if (good) return;
    throw ConfigError(std::string("workload.tiling.") + key + ": got " + std::to_string(value) +
                      ", expected " + expected);
}

class GemmProgram : public WarpProgram {
public:
    GemmProgram(const GemmKernel& kernel, CtaId cta, std::uint32_t warp)
        : operands_(kernel.operands()),
          tiling_(kernel.tiling()),
          map_(tiling_),
          cta_tile_(kernel.tile(cta)),
          warp_tile_(kernel.warp_tile(warp)),
          warp_(warp),
          warps_(kernel.info().warps_per_cta),
          valid_rows_(clipped(operands_.m, cta_tile_.row, tiling_.cta_m)),
          valid_columns_(clipped(operands_.n, cta_tile_.column, tiling_.cta_n)),
          live_fragments_m_(fragments_within(valid_rows_, warp_tile_.row, map_.fragments_m)),
          steps_(live_fragments_m_ == 0 ? 0 : static_cast<std::uint32_t>(operands_.k / kTile)),
          segments_(ceil_div(tiling_.cta_n, kStreamFloats)),
          rows_a_stream_(segments_ > 1 ? 1 : kStreamFloats / tiling_.cta_n),
          streams_total_(ceil_div(tiling_.cta_m, rows_a_stream_) * segments_),
          next_stream_(warp) {}

    std::size_t fill(WarpInstruction* out, std::size_t /*capacity*/) override {
        out_ = out;
        while (out_ == out && phase_ != Phase::kDone) advance();
        return static_cast<std::size_t>(out_ - out);
    }

private:
    enum class Phase {
        kReadC,
        kReadBarrier,
        kLoadAccumulators,
        kLeadingLoads,
        kSteps,
        kStoreAccumulators,
        kWriteD,
        kExit,
        kDone
    };
    enum class Direction { kGlobalToShared, kSharedToGlobal };

    static std::uint32_t clipped(std::uint64_t size, std::uint64_t begin, std::uint32_t extent) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(size - begin, extent));
    }

    /// Number of fragments that start above row `end`, out of `fragments` from row `begin` on.
    static std::uint32_t fragments_within(std::uint32_t end, std::uint64_t begin,
                                          std::uint32_t fragments) {
        if (begin >= end) return 0;
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(ceil_div<std::uint64_t>(end - begin, kTile), fragments));
    }

    /// Emits the next few instructions, or none if it only changes the phase.
    void advance() {
        switch (phase_) {
            case Phase::kReadC:
                if (!tiling_.c_traffic) {
                    clear_accumulators();
                    phase_ = Phase::kLeadingLoads;
                } else if (!copy_tile(Direction::kGlobalToShared)) {
                    phase_ = Phase::kReadBarrier;
                }
                break;
            case Phase::kReadBarrier:
                emit(Opcode::kBarrier).set_barrier(kTileBarrier);
                phase_ = Phase::kLoadAccumulators;
                break;
            case Phase::kLoadAccumulators:
                move_accumulators(Opcode::kLoadShared);
                phase_ = Phase::kLeadingLoads;
                break;
            case Phase::kLeadingLoads:
                if (step_ + 1 < tiling_.fragment_buffers && step_ < steps_) {
                    load_step(step_++);
                } else {
                    step_ = 0;
                    phase_ = Phase::kSteps;
                }
                break;
            case Phase::kSteps:
                if (step_ < steps_) {
                    run_step(step_++);
                } else {
                    phase_ = tiling_.c_traffic ? Phase::kStoreAccumulators : Phase::kExit;
                }
                break;
            case Phase::kStoreAccumulators:
                move_accumulators(Opcode::kStoreShared);
                emit(Opcode::kBarrier).set_barrier(kTileBarrier);
                next_stream_ = warp_;
                phase_ = Phase::kWriteD;
                break;
            case Phase::kWriteD:
                if (!copy_tile(Direction::kSharedToGlobal)) phase_ = Phase::kExit;
                break;
            case Phase::kExit:
                emit(Opcode::kExit);
                phase_ = Phase::kDone;
                break;
            case Phase::kDone:
                break;
        }
    }

    WarpInstruction& emit(Opcode opcode) { return *out_++ = WarpInstruction(opcode); }

    void clear_accumulators() {
        WarpInstruction& alu = emit(Opcode::kAlu);
        alu.dst = map_.accumulator(0, 0);
        alu.count = alu.moves().zero_fill =
            static_cast<std::uint8_t>(map_.accumulators() * kRegistersPerFragment);
    }

    /// Copies up to map_.streams() pieces of the C or D tile, first all loads, then all stores;
    /// warps take the tile's pieces in turn. Returns false if no piece was left.
    bool copy_tile(Direction direction) {
        const std::uint32_t first = next_stream_;
        std::uint32_t end = first;
        std::uint32_t slots = 0;
        for (; end < streams_total_ && slots < map_.streams(); end += warps_, ++slots) {
            copy_piece(end, map_.stream(slots), direction, true);
        }
        slots = 0;
        for (std::uint32_t piece = first; piece < end; piece += warps_, ++slots) {
            copy_piece(piece, map_.stream(slots), direction, false);
        }
        next_stream_ = end;
        return first < streams_total_;
    }

    /// Emits one side of the copy of piece `piece` of the tile. Pieces outside D are omitted.
    void copy_piece(std::uint32_t piece, std::uint8_t registers, Direction direction, bool load) {
        const std::uint32_t row = piece / segments_ * rows_a_stream_;
        const std::uint32_t column = piece % segments_ * kStreamFloats;
        if (row >= valid_rows_ || column >= valid_columns_) return;
        const std::uint32_t width = std::min(tiling_.cta_n - column, kStreamFloats);
        const bool global = load == (direction == Direction::kGlobalToShared);
        WarpInstruction& w = emit(load ? (global ? Opcode::kLoadGlobal : Opcode::kLoadShared)
                                       : (global ? Opcode::kStoreGlobal : Opcode::kStoreShared));
        (load ? w.dst : w.src_a) = registers;
        const std::uint32_t rows = std::min(valid_rows_ - row, rows_a_stream_);
        RegisterPlace& place = w.registers();
        place.pitch_bytes = static_cast<std::uint16_t>(width * sizeof(float));
        if (!global) {
            w.memory().set_rows((std::uint64_t{row} * tiling_.cta_n + column) * sizeof(float), rows,
                                width * sizeof(float), tiling_.cta_n * sizeof(float));
            return;
        }
        const std::uint32_t valid = std::min(valid_columns_ - column, width);
        place.zero_fill = load && valid < width ? kAccessRegisters : std::uint8_t{0};
        const std::uint64_t pitch = operands_.d_columns();
        const std::uint64_t first = cta_tile_.group * operands_.n + cta_tile_.column;
        w.memory().set_rows((direction == Direction::kGlobalToShared ? operands_.c : operands_.d) +
                                ((cta_tile_.row + row) * pitch + first + column) * sizeof(float),
                            rows, valid * sizeof(float), pitch * sizeof(float));
    }

    void move_accumulators(Opcode opcode) {
        for (std::uint32_t i = 0; i < map_.fragments_m; ++i) {
            for (std::uint32_t j = 0; j < map_.fragments_n; ++j) {
                WarpInstruction& w = emit(opcode);
                (opcode == Opcode::kLoadShared ? w.dst : w.src_a) = map_.accumulator(i, j);
                w.memory().set_rows(
                    ((warp_tile_.row + i * kTile) * tiling_.cta_n + warp_tile_.column + j * kTile) *
                        sizeof(float),
                    kTile, kAccumulatorRowBytes, tiling_.cta_n * sizeof(float));
                w.registers().pitch_bytes = kAccumulatorRowBytes;
                w.registers().role = FragmentRole::kAccumulator;
            }
        }
    }

    void load_fragment(FragmentRole role, std::uint8_t dst, Address address, std::uint32_t pitch) {
        WarpInstruction& w = emit(Opcode::kLoadFragment);
        w.dst = dst;
        w.memory().set_rows(address, kTile, kFragmentRowBytes, pitch);
        w.registers().pitch_bytes = kFragmentRowBytes;
        w.registers().role = role;
    }

    void load_step(std::uint32_t step) {
        const std::uint32_t buffer = step % map_.buffers;
        const std::uint64_t k_bytes = std::uint64_t{step} * kFragmentRowBytes;
        const std::uint64_t row = cta_tile_.group * operands_.m + cta_tile_.row + warp_tile_.row;
        const std::uint64_t column =
            cta_tile_.group * operands_.n + cta_tile_.column + warp_tile_.column;
        for (std::uint32_t i = 0; i < live_fragments_m_; ++i) {
            load_fragment(FragmentRole::kA, map_.a(buffer, i),
                          operands_.a + (row + i * kTile) * operands_.a_pitch_bytes + k_bytes,
                          operands_.a_pitch_bytes);
        }
        for (std::uint32_t j = 0; j < map_.fragments_n; ++j) {
            load_fragment(FragmentRole::kB, map_.b(buffer, j),
                          operands_.b + (column + j * kTile) * operands_.b_pitch_bytes + k_bytes,
                          operands_.b_pitch_bytes);
        }
    }

    void run_step(std::uint32_t step) {
        const std::uint32_t ahead = step + map_.buffers - 1;
        if (ahead < steps_) load_step(ahead);
        if (tiling_.loop_overhead_instructions > 0) {
            emit(Opcode::kAlu).count =
                static_cast<std::uint16_t>(tiling_.loop_overhead_instructions);
        }
        const std::uint32_t buffer = step % map_.buffers;
        for (std::uint32_t i = 0; i < live_fragments_m_; ++i) {
            for (std::uint32_t j = 0; j < map_.fragments_n; ++j) {
                WarpInstruction& w = emit(Opcode::kMma);
                w.dst = map_.accumulator(i, j);
                w.src_a = map_.a(buffer, i);
                w.src_b = map_.b(buffer, j);
            }
        }
    }

    const GemmOperands& operands_;
    const TilingConfig& tiling_;
    const RegisterMap map_;
    const GemmKernel::Tile cta_tile_;
    const GemmKernel::Tile warp_tile_;
    const std::uint32_t warp_, warps_;
    const std::uint32_t valid_rows_, valid_columns_;  // of the CTA's tile within D
    const std::uint32_t live_fragments_m_;            // rows of fragments of the warp that touch D
    const std::uint32_t steps_;
    const std::uint32_t segments_;       // 512-byte pieces per row of the C tile
    const std::uint32_t rows_a_stream_;  // rows of the C tile in one piece
    const std::uint32_t streams_total_;  // pieces of the CTA's tile
    std::uint32_t next_stream_;
    std::uint32_t step_ = 0;
    Phase phase_ = Phase::kReadC;
    WarpInstruction* out_ = nullptr;
};

}  // namespace

void check_tiling(const TilingConfig& t) {
    const auto multiple = [](std::uint32_t n, std::uint32_t of) { return n > 0 && n % of == 0; };
    check(multiple(t.warp_m, kTile), "warp_m", t.warp_m, "a multiple of 16");
    check(multiple(t.warp_n, kTile), "warp_n", t.warp_n, "a multiple of 16");
    check(multiple(t.cta_m, t.warp_m), "cta_m", t.cta_m,
          "a multiple of warp_m = " + std::to_string(t.warp_m));
    check(multiple(t.cta_n, t.warp_n), "cta_n", t.cta_n,
          "a multiple of warp_n = " + std::to_string(t.warp_n));
    check(t.fragment_buffers > 0, "fragment_buffers", t.fragment_buffers, "at least 1");
    // 64 bits prevent huge tiles from wrapping around to valid ones.
    const std::uint64_t rows = t.warp_m / kTile;
    const std::uint64_t columns = t.warp_n / kTile;
    const std::uint64_t registers =
        kRegistersPerFragment * ((rows + columns) * t.fragment_buffers + rows * columns) +
        t.overhead_registers;
    check(registers <= kMaxRegisters, "warp_m", t.warp_m,
          "a warp tile that needs at most 255 registers a thread (this one, with its buffers and "
          "overhead: " +
              std::to_string(registers) + ")");
}

GemmKernel::GemmKernel(std::string name, const GemmOperands& operands, const TilingConfig& tiling)
    : operands_(operands), tiling_(tiling) {
    check_tiling(tiling);
    if (operands.groups == 0 || operands.m == 0 || operands.n == 0 || operands.k == 0 ||
        operands.k % kTile != 0) {
        throw std::logic_error("GemmKernel: groups, m, n and k must not be 0, k a multiple of 16");
    }
    tiles_m_ = ceil_div(operands.m, std::uint64_t{tiling.cta_m});
    tiles_n_ = ceil_div(operands.n, std::uint64_t{tiling.cta_n});
    const std::uint64_t ctas = operands.groups * tiles_m_ * tiles_n_;
    check(ctas < std::numeric_limits<std::uint32_t>::max(), "cta_m", tiling.cta_m,
          "a tile that cuts D into less than 2^32 CTAs");
    const RegisterMap map(tiling);
    info_.name = std::move(name);
    info_.ctas = static_cast<std::uint32_t>(ctas);
    info_.row_ctas = static_cast<std::uint32_t>(order().period());
    if (tiling.cta_limit > 0) info_.ctas = std::min(info_.ctas, tiling.cta_limit);
    info_.warps_per_cta = (tiling.cta_m / tiling.warp_m) * (tiling.cta_n / tiling.warp_n);
    info_.registers_per_thread =
        round_up(map.fragments() * kRegistersPerFragment + tiling.overhead_registers, 8U);
    info_.shared_memory_bytes = tiling.cta_m * tiling.cta_n * sizeof(float);
    info_.forced_ctas_per_sm = tiling.ctas_per_sm;
    info_.convolution_packet = operands.convolution_packet;
    info_.first_a_register = map.a(0, 0);
    info_.a_fragments = map.a_fragments();
    for (std::uint32_t warp = 0; warp < info_.warps_per_cta; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
    }
}

GemmKernel::Tile GemmKernel::tile(CtaId cta) const {
    const std::uint64_t tiles = tiles_m_ * tiles_n_;
    const TileOrder::Tile at = order().tile(cta.value() % tiles);
    return {at.m * tiling_.cta_m, at.n * tiling_.cta_n, cta.value() / tiles};
}

GemmKernel::Tile GemmKernel::warp_tile(std::uint32_t warp) const {
    const std::uint32_t warps_m = tiling_.cta_m / tiling_.warp_m;
    const std::uint32_t warps_n = tiling_.cta_n / tiling_.warp_n;
    const bool apart = tiling_.warp_map == WarpMap::kNNeighboursApart;
    const std::uint32_t m = apart ? warp / warps_n : warp % warps_m;
    const std::uint32_t n = apart ? warp % warps_n : warp / warps_m;
    return {std::uint64_t{m} * tiling_.warp_m, std::uint64_t{n} * tiling_.warp_n};
}

bool GemmKernel::makes(std::uint64_t row, std::uint64_t column) const {
    const std::uint64_t m = row / tiling_.cta_m;
    const std::uint64_t n = column % operands_.n / tiling_.cta_n;
    return ran(column / operands_.n * tiles_m_ * tiles_n_ + order().index(m, n));
}

std::uint64_t GemmKernel::rows_read() const {
    const std::uint64_t whole_groups = info_.ctas / (tiles_m_ * tiles_n_);
    const std::uint64_t ctas = info_.ctas % (tiles_m_ * tiles_n_);  // in the group after them
    const std::uint64_t rows = order().rows_of_first(ctas) * tiling_.cta_m;
    return whole_groups * operands_.m + std::min(rows, operands_.m);
}

std::unique_ptr<WarpProgram> GemmKernel::program(CtaId cta, std::uint32_t warp) const {
    return std::make_unique<GemmProgram>(*this, cta, warp);
}

}  // namespace tessera
