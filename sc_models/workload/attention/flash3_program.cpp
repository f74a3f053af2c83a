#include "sc_models/workload/attention/flash3_program.h"

#include <algorithm>

#include "sc_models/workload/attention/flash_result.h"

namespace tessera {
namespace {

constexpr std::uint32_t kTileInstructions = 40;  // chosen: addresses and the next tile
constexpr std::uint32_t kBlockInstructions = 8;  // chosen: phases of barriers and tests
constexpr std::uint32_t kBoxBytes = 128;         // inner side of a box, as wide as the swizzle

}  // namespace

Flash3Program::Flash3Program(const Flash3Kernel& kernel, CtaId cta)
    : kernel_(kernel), problem_(kernel.problem()), cta_(cta), tile_(kernel.tile(cta, 0)) {}

void Flash3Program::make_batch() {
    if (!tile_) return exit();
    if (!begun_) {
        begun_ = true;
        block_ = tile_->blocks.end - 1;
        begin_tile();
    }
    make_block();
    ++blocks_;
    if (block_-- > tile_->blocks.first) return;
    end_tile();
    begun_ = false;
    tile_ = kernel_.tile(cta_, ++round_);
}

void Flash3Program::arrive(std::uint32_t barrier, std::uint32_t bytes) {
    emit(Opcode::kArrive).arrival() = {static_cast<std::uint16_t>(barrier), bytes};
}

void Flash3Program::await(std::uint32_t barrier, std::uint32_t phase) {
    emit(Opcode::kAwaitPhase).wait() = {static_cast<std::uint16_t>(barrier), phase};
}

void Flash3Producer::make_block() {
    copy_block(problem_.keys_at, block_, blocks_, Barrier::kKeysFull,
               kernel_.keys_slot(stage(blocks_)));
    if (!first_block()) return copy_values();
    if (round_ > 0) await(Barrier::kQueriesEmpty, round_ - 1);
    const std::uint32_t row = tile_->row_tile * problem_.tile.rows;
    copy(problem_.queries.at(tile_->sequence, row, tile_->head), problem_.queries.row_bytes,
         std::min(problem_.tile.rows, problem_.rows - row), 0, Barrier::kQueriesFull, false);
}

/// Values of the block before block_.
void Flash3Producer::copy_values() {
    const std::uint32_t before = blocks_ - 1;
    copy_block(problem_.values_at, block_ + 1, before, Barrier::kValuesFull,
               kernel_.values_slot(stage(before)));
}

/// Fills the buffer at `slot` once it is empty. The barriers of full buffers begin at `full`, those
/// of empty ones behind them; `count` counts blocks over all tiles.
void Flash3Producer::copy_block(const HeadTensor& tensor, std::uint32_t block, std::uint32_t count,
                                std::uint32_t full, std::uint32_t slot) {
    const std::uint32_t barrier = full + stage(count);
    if (phase(count) > 0) await(barrier + Flash3Kernel::kStages, phase(count) - 1);
    const std::uint32_t key = block * problem_.tile.keys;
    copy(problem_.cached_row(tensor, tile_->sequence, key, tile_->head / problem_.heads_of_keys),
         tensor.row_bytes, std::min(problem_.tile.keys, problem_.keys - key), slot, barrier,
         kernel_.multicast());
}

void Flash3Producer::end_tile() {
    copy_values();
}

void Flash3Producer::copy(Address from, std::uint64_t pitch, std::uint32_t rows, std::uint32_t to,
                          std::uint32_t barrier, bool shared_by_two) {
    const std::uint32_t row_bytes = kernel_.row_bytes();
    arrive(barrier, rows * row_bytes);
    for (std::uint32_t at = 0; at < row_bytes; at += kBoxBytes) {
        WarpInstruction& w = emit(Opcode::kBulkCopy);
        w.memory().set_rows(from + at, rows, kBoxBytes, pitch);
        SharedPlace& place = w.shared();
        place.set_rows(to + at, row_bytes);
        place.barrier = static_cast<std::uint8_t>(barrier);
        place.bypass_l1 = true;
        if (shared_by_two) {
            place.fetched = cta_.value() % 2 == 0 ? BoxRows::kFirstHalf : BoxRows::kSecondHalf;
        }
    }
}

Flash3Consumer::Flash3Consumer(const Flash3Kernel& kernel, CtaId cta, std::uint32_t warp)
    : Flash3Program(kernel, cta),
      registers_(kernel.registers()),
      warp_(warp),
      warpgroup_(warp / kFlashWarps),
      row_(warp * kFragmentRows),
      softmax_(kernel.function(), kernel.registers(), batch()) {}

void Flash3Consumer::begin_tile() {
    emit(Opcode::kOperation).count = kTileInstructions;
    softmax_.begin(0);
    output_begun_ = false;
    if (round_ == 0) {  // the first warpgroup's turn needs no other's products before it
        for (std::uint32_t other = 0; other < warpgroup_; ++other) {
            arrive(Barrier::kTurn + other);
        }
    }
    await(Barrier::kQueriesFull, round_);
}

void Flash3Consumer::make_block() {
    emit(Opcode::kOperation).count = kBlockInstructions;
    await(Barrier::kKeysFull + stage(blocks_), phase(blocks_));
    const bool first = first_block();
    if (!first) await_turn();
    multiply_keys();
    if (!first) {
        multiply_values(blocks_ - 1);
        pass_turn();
    }
    emit(Opcode::kWaitProducts).set_groups_left(first ? 0 : 1);
    arrive(Barrier::kKeysEmpty + stage(blocks_));
    const std::uint32_t row = tile_->row_tile * problem_.tile.rows + row_;
    if (tile_->blocks.end - block_ <= problem_.masked_blocks()) {
        softmax_.mask(0, row, std::uint64_t{block_} * problem_.tile.keys);
    }
    softmax_.maxima(0, first);
    softmax_.weights(false);
    if (!first) {
        emit(Opcode::kWaitProducts);
        arrive(Barrier::kValuesEmpty + stage(blocks_ - 1));
    }
    softmax_.pack();
    if (!first) softmax_.scale_output(0);
}

void Flash3Consumer::end_tile() {
    const std::uint32_t last = blocks_ - 1;
    multiply_values(last);
    emit(Opcode::kWaitProducts);
    arrive(Barrier::kValuesEmpty + stage(last));
    softmax_.divide(0);
    softmax_.round(0);
    store(tile_->row_tile * problem_.tile.rows + row_);
    arrive(Barrier::kQueriesEmpty);
}

void Flash3Consumer::multiply_keys() {
    const std::uint32_t row_bytes = kernel_.row_bytes();
    const auto pitch = static_cast<std::uint16_t>(row_bytes);
    for (std::uint32_t k = 0; k < row_bytes; k += kFragmentRowBytes) {
        WarpInstruction& w = emit(Opcode::kWarpgroupMma);
        w.dst = registers_.score(0, 0);
        w.warpgroup() = {{row_ * row_bytes + k, kernel_.keys_slot(stage(blocks_)) + k, pitch, pitch,
                          false, false, k == 0},
                         static_cast<std::uint16_t>(problem_.tile.keys),
                         warpgroup_shape_of(problem_.operands)};
    }
    emit(Opcode::kCommitProducts);
}

void Flash3Consumer::multiply_values(std::uint32_t block) {
    const std::uint32_t row_bytes = kernel_.row_bytes();
    await(Barrier::kValuesFull + stage(block), phase(block));
    for (std::uint32_t tile = 0; tile < registers_.score_tiles; ++tile) {
        WarpInstruction& w = emit(Opcode::kWarpgroupMma);
        w.dst = registers_.output(0, 0);
        w.src_a = registers_.weight(0, tile);
        w.warpgroup() = {
            {0, kernel_.values_slot(stage(block)) + tile * kFragmentRows * row_bytes,
             kFragmentRowBytes, static_cast<std::uint16_t>(row_bytes), true, true, !output_begun_},
            static_cast<std::uint16_t>(problem_.head_size),
            warpgroup_shape_of(problem_.operands)};
        output_begun_ = true;
    }
    emit(Opcode::kCommitProducts);
}

void Flash3Consumer::await_turn() {
    if (kernel_.warpgroups() > 1) await(Barrier::kTurn + warpgroup_, turns_++);
}

void Flash3Consumer::pass_turn() {
    for (std::uint32_t other = 0; other < kernel_.warpgroups(); ++other) {
        if (other != warpgroup_) arrive(Barrier::kTurn + other);
    }
}

/// Turns the warp's rows of the result in the shared memory of its queries, and stores them.
void Flash3Consumer::store(std::uint32_t row) {
    const std::uint32_t row_bytes = kernel_.row_bytes();
    const std::uint8_t result = registers_.result(0);
    for (const Opcode opcode : {Opcode::kStoreShared, Opcode::kLoadShared}) {
        move_rows(batch(), opcode, result, Address{row_} * row_bytes, kFragmentRows, row_bytes,
                  row_bytes);
    }
    const std::uint32_t live = row >= problem_.rows ? 0 : problem_.rows - row;
    move_rows(batch(), Opcode::kStoreGlobal, result,
              problem_.result.at(tile_->sequence, row, tile_->head), std::min(kFragmentRows, live),
              row_bytes, problem_.result.row_bytes);
}

}  // namespace tessera
