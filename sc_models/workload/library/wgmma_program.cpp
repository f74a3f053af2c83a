#include "sc_models/workload/library/wgmma_program.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::uint32_t kElementBytes = sizeof(HalfBits);
constexpr std::uint32_t kBoxBytes = 128;  // inner side of a box, as wide as the swizzle
constexpr std::uint32_t kWarpgroupWarps = 4, kWarpgroupLines = 64;
constexpr std::uint32_t kStagedHalves = 4;  // registers of 16x16 halves

std::uint32_t part_steps(const WgmmaKernel& kernel, std::uint32_t first) {
    const std::uint32_t of_part = kernel.product().steps_per_part;
    const std::uint32_t left = kernel.steps() - std::min(first, kernel.steps());
    return of_part == 0 ? left : std::min(of_part, left);
}

/// Bytes between lines in shared memory, or, of lines aside, between k.
std::uint16_t shared_pitch(const DenseSide& side, const DenseKernel& kernel, std::uint32_t lines) {
    return static_cast<std::uint16_t>((side.aside ? lines : kernel.step) * kElementBytes);
}

/// Offset in a slot of line `line` and `k`.
std::uint32_t offset(const DenseSide& side, std::uint32_t pitch, std::uint32_t line,
                     std::uint32_t k) {
    return side.aside ? k * pitch + line * kElementBytes : line * pitch + k * kElementBytes;
}

}  // namespace

WgmmaProgram::WgmmaProgram(const WgmmaKernel& kernel, CtaId cta)
    : kernel_(kernel),
      shape_(*kernel.product().kernel),
      tile_(kernel.tile(cta)),
      stages_(shape_.stages),
      first_step_(tile_.part * kernel.product().steps_per_part),
      steps_(part_steps(kernel, first_step_)) {}

void WgmmaProgram::make_batch() {
    if (step_ < steps_) return make_step(step_++);
    make_end();
    exit();
}

std::uint32_t WgmmaProgram::depth(std::uint32_t step) const {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(shape_.step, kernel_.product().k - first_k(step)));
}

void WgmmaProgram::arrive(std::uint32_t barrier, std::uint32_t bytes) {
    emit(Opcode::kArrive).arrival() = {static_cast<std::uint16_t>(barrier), bytes};
}

void WgmmaProgram::await(std::uint32_t barrier, std::uint32_t phase) {
    emit(Opcode::kAwaitPhase).wait() = {static_cast<std::uint16_t>(barrier), phase};
}

void WgmmaProducer::make_step(std::uint32_t step) {
    if (step >= stages_) await(empty(step), step / stages_ - 1);
    arrive(full(step));
    const std::size_t expecting = batch().size() - 1;
    const WgmmaProduct& product = kernel_.product();
    using Shared = WgmmaKernel::Shared;
    const std::uint32_t bytes = copy(product.first, tile_.column, shape_.cta_m, step,
                                     first_slot(step), shared_ == Shared::kFirst) +
                                copy(product.second, tile_.row, shape_.cta_n, step,
                                     second_slot(step), shared_ == Shared::kSecond);
    batch()[expecting].arrival().expected_bytes = bytes;
}

/// Emits the copies of `lines` lines of an operand from line `line` on, as far as it has them;
/// returns their bytes.
std::uint32_t WgmmaProducer::copy(const DenseSide& side, std::uint64_t line, std::uint32_t lines,
                                  std::uint32_t step, std::uint32_t slot, bool shared_by_two) {
    const std::uint64_t left = side.lines - line;
    const auto live = static_cast<std::uint32_t>(std::min<std::uint64_t>(lines, left));
    const std::uint32_t k_bytes = depth(step) * kElementBytes;
    const auto pitch = static_cast<std::uint32_t>(side.pitch_bytes());
    const std::uint16_t shared = shared_pitch(side, shape_, lines);
    std::uint32_t bytes = 0;
    const auto box = [&](std::uint32_t rows, std::uint32_t row_bytes, Address from,
                         std::uint32_t to) {
        WarpInstruction& w = emit(Opcode::kBulkCopy);
        w.memory().set_rows(from, rows, row_bytes, pitch);
        SharedPlace& place = w.shared();
        place.set_rows(to, shared);
        place.barrier = static_cast<std::uint8_t>(full(step));
        place.bypass_l1 = true;
        if (shared_by_two) place.fetched = half_;
        bytes += rows * row_bytes;
    };
    if (!side.aside) {
        box(live, k_bytes, side.base + line * pitch + first_k(step) * kElementBytes, slot);
        return bytes;
    }
    constexpr std::uint32_t kAligned = kPieceBytes / kElementBytes;
    const std::uint32_t all = round_up(live, kAligned) * kElementBytes;
    for (std::uint32_t at = 0; at < all; at += kBoxBytes) {
        box(depth(step), std::min(kBoxBytes, all - at),
            side.base + first_k(step) * pitch + line * kElementBytes + at, slot + at);
    }
    return bytes;
}

WgmmaConsumer::WgmmaConsumer(const WgmmaKernel& kernel, CtaId cta, std::uint32_t warp)
    : WgmmaProgram(kernel, cta),
      blocks_(shape_.warp_m / kFragmentRows),
      line_(warp / kWarpgroupWarps * blocks_ * kWarpgroupLines +
            warp % kWarpgroupWarps * kFragmentRows) {}

std::uint8_t WgmmaConsumer::sums(std::uint32_t block, std::uint32_t tile) const {
    const std::uint32_t tiles = shape_.cta_n / kFragmentRows;
    return static_cast<std::uint8_t>((block * tiles + tile) * kRegistersPerFragment);
}

void WgmmaConsumer::make_step(std::uint32_t step) {
    const WgmmaProduct& product = kernel_.product();
    const std::uint16_t first_pitch = shared_pitch(product.first, shape_, shape_.cta_m);
    const std::uint16_t second_pitch = shared_pitch(product.second, shape_, shape_.cta_n);
    await(full(step), step / stages_);
    for (std::uint32_t k = 0; k < depth(step); k += kDepthTile) {
        for (std::uint32_t block = 0; block < blocks_; ++block) {
            WarpInstruction& w = emit(Opcode::kWarpgroupMma);
            w.dst = sums(block, 0);
            w.warpgroup() = {
                {first_slot(step) +
                     offset(product.first, first_pitch, line_ + block * kWarpgroupLines, k),
                 second_slot(step) + offset(product.second, second_pitch, 0, k), first_pitch,
                 second_pitch, product.first.aside, product.second.aside, step == 0 && k == 0},
                static_cast<std::uint16_t>(shape_.cta_n),
                warpgroup_shape_of(product.operands)};
        }
    }
    emit(Opcode::kCommitProducts);
    if (step == 0) return;
    emit(Opcode::kWaitProducts).set_groups_left(1);
    arrive(empty(step - 1));
}

void WgmmaConsumer::make_end() {
    emit(Opcode::kWaitProducts);
    const WgmmaProduct& product = kernel_.product();
    for (std::uint32_t block = 0; block < blocks_; ++block) {
        const std::uint64_t column = tile_.column + line_ + block * kWarpgroupLines;
        if (column >= product.first.lines) continue;
        for (std::uint32_t tile = 0; tile * kFragmentRows < shape_.cta_n; ++tile) {
            const std::uint64_t row = tile_.row + std::uint64_t{tile} * kFragmentRows;
            if (row >= product.second.lines) break;
            if (product.halves) {
                store_halves(row, column, sums(block, tile));
            } else {
                store_floats(row, column, sums(block, tile));
            }
        }
    }
}

/// Rounds a tile of sums and stores it, its registers in rotation.
void WgmmaConsumer::store_halves(std::uint64_t row, std::uint64_t column, std::uint8_t sums) {
    constexpr std::uint32_t kRotation = 4;
    const auto halves =
        static_cast<std::uint8_t>(this->sums(blocks_, 0) + stored_++ % kRotation * kStagedHalves);
    WarpInstruction& round = emit(Opcode::kFloats);
    round.dst = halves;
    round.src_a = sums;
    round.count = kRegistersPerFragment;
    round.floats() = {kFragmentRows, 0, kFragmentRowBytes, FloatOperation::kRound,
                      format_of(kernel_.product().operands)};
    WarpInstruction& store = emit(Opcode::kStoreGlobal);
    store.src_a = halves;
    store.registers().pitch_bytes = kFragmentRowBytes;
    place(store, kFragmentRows, row, column, kElementBytes);
}

void WgmmaConsumer::store_floats(std::uint64_t row, std::uint64_t column, std::uint8_t sums) {
    constexpr std::uint32_t kRows = 8;
    for (std::uint32_t first = 0; first < kFragmentRows; first += kRows) {
        if (row + first >= kernel_.product().second.lines) return;
        WarpInstruction& store = emit(Opcode::kStoreGlobal);
        store.src_a = static_cast<std::uint8_t>(sums + first / kRows * kAccessRegisters);
        store.registers().pitch_bytes = kFloatRowBytes;
        place(store, kRows, row + first, column, sizeof(float));
    }
}

/// Sets up to `most` rows of a store of 16 columns of D, as far as D has them.
void WgmmaConsumer::place(WarpInstruction& store, std::uint32_t most, std::uint64_t row,
                          std::uint64_t column, std::uint32_t element_bytes) const {
    const WgmmaProduct& product = kernel_.product();
    const std::uint64_t columns = product.first.lines, rows = product.second.lines;
    const std::uint64_t elements = tile_.part * rows * columns;
    store.memory().set_rows(
        product.d + (elements + row * columns + column) * element_bytes,
        std::min<std::uint64_t>(most, rows - row),
        std::min<std::uint64_t>(kFragmentRows, columns - column) * element_bytes,
        columns * element_bytes);
}

}  // namespace tessera
