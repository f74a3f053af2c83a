#include "sc_models/workload/attention/flash_program.h"

#include <algorithm>

#include "sc_models/isa/coalescer.h"
#include "sc_models/workload/attention/flash_result.h"

namespace tessera {
namespace {

constexpr std::uint32_t kBeginInstructions = 40;  // chosen: addresses of a CTA's tensors
constexpr std::uint32_t kBlockInstructions = 8;   // chosen: addresses and tests of a block's copies
constexpr std::uint32_t kPageInstructions = 6;    // chosen: address of an entry, and of its page
constexpr std::uint32_t kRowsOfCopy = 4;          // a LDGSTS: 16 bytes a lane
constexpr std::uint32_t kCopyRowBytes = 128;

}  // namespace

FlashProgram::FlashProgram(const FlashKernel& kernel, CtaId cta, std::uint32_t warp)
    : kernel_(kernel),
      problem_(kernel.problem()),
      registers_(kernel.registers()),
      part_(kernel.part(cta)),
      warp_(warp),
      blocks_(problem_.blocks(part_.row_tile, part_.split)),
      emitter_(kernel, own_),
      block_(blocks_.end - 1) {}

std::size_t FlashProgram::fill(WarpInstruction* out, std::size_t capacity) {
    advance();
    const std::size_t count = std::min(capacity, count_ - given_);
    std::copy_n(segment_ + given_, count, out);
    given_ += count;
    return count;
}

InstructionBatch FlashProgram::next(WarpInstruction* /*room*/) {
    advance();
    const InstructionBatch batch{segment_ + given_, count_ - given_};
    given_ = count_;
    return batch;
}

void FlashProgram::advance() {
    while (given_ == count_ && stage_ != Stage::kDone) {
        own_.clear();
        given_ = 0;
        make_segment();
    }
}

void FlashProgram::make_segment() {
    const auto give = [&](const std::vector<WarpInstruction>& instructions) {
        segment_ = instructions.data();
        count_ = instructions.size();
    };
    switch (stage_) {
        case Stage::kBegin:
            begin();
            stage_ = Stage::kValues;
            break;
        case Stage::kValues:
            if (problem_.masked) store_mask();
            await();
            copy_block(problem_.values_at, kernel_.values_slot(), block_ + 1 == blocks_.end);
            commit();
            stage_ = Stage::kScores;
            break;
        case Stage::kScores:
            stage_ = Stage::kMask;
            return give(kernel_.scores(warp_));
        case Stage::kMask:
            if (problem_.masked) emitter_.add_mask(kernel_.mask_slot());
            if (blocks_.end - block_ <= problem_.masked_blocks()) mask();
            stage_ = Stage::kKeys;
            break;
        case Stage::kKeys:
            await();
            if (block_ > blocks_.first) {
                --block_;
                copy_block(problem_.keys_at, kernel_.keys_slot(), false);
                ++block_;
                commit();
                if (problem_.masked) load_mask(block_ - 1);
            }
            stage_ = Stage::kUpdate;
            break;
        case Stage::kUpdate: {
            const bool first = block_ + 1 == blocks_.end;
            stage_ = block_ > blocks_.first ? Stage::kValues : Stage::kEnd;
            if (block_ > blocks_.first) --block_;
            return give(kernel_.update(first));
        }
        case Stage::kEnd:
            end();
            emit(Opcode::kExit);
            stage_ = Stage::kDone;
            break;
        case Stage::kDone:
            break;
    }
    give(own_);
}

std::uint32_t FlashProgram::live_rows(std::uint32_t strip) const {
    const std::uint32_t row = first_row(strip);
    return row >= problem_.rows ? 0 : std::min(kFragmentRows, problem_.rows - row);
}

void FlashProgram::integer(std::uint32_t count) {
    WarpInstruction& w = emit(Opcode::kOperation);
    w.count = static_cast<std::uint16_t>(count);
}

void FlashProgram::begin() {
    integer(kBeginInstructions);
    copy_queries();
    copy_block(problem_.keys_at, kernel_.keys_slot(), false);
    commit();
    if (problem_.masked) load_mask(block_);
    WarpInstruction& clear = emit(Opcode::kAlu);
    clear.dst = registers_.output(0, 0);
    clear.count = clear.moves().zero_fill =
        static_cast<std::uint8_t>(registers_.output_registers());
    for (std::uint32_t strip = 0; strip < registers_.strips; ++strip) {
        emitter_.begin(strip);
    }
}

void FlashProgram::await() {
    emit(Opcode::kWaitCopies);
    emit(Opcode::kBarrier);
}

/// Copies `rows` rows of a head to shared memory, as they lie, by as many instructions as it takes.
void FlashProgram::copy_rows(Address from, std::uint32_t to, std::uint32_t rows,
                             std::uint64_t pitch) {
    for (std::uint32_t at = 0; at < kernel_.row_bytes(); at += kCopyRowBytes) {
        WarpInstruction& w = emit(Opcode::kCopyAsync);
        w.memory().set_rows(from + at, rows, kCopyRowBytes, pitch);
        w.shared().set_rows(to + at, kernel_.row_bytes());
        w.shared().bypass_l1 = true;
    }
}

void FlashProgram::clear_rows(std::uint32_t to, std::uint32_t rows) {
    for (std::uint32_t at = 0; at < kernel_.row_bytes(); at += kCopyRowBytes) {
        WarpInstruction& w = emit(Opcode::kStoreShared);
        w.src_a = registers_.ring(0);
        w.memory().set_rows(to + at, rows, kCopyRowBytes, kernel_.row_bytes());
        w.registers().pitch_bytes = kCopyRowBytes;
    }
}

/// Rows of the tile go to the warps four at a time.
void FlashProgram::copy_queries() {
    const std::uint32_t begin = part_.row_tile * problem_.tile.rows;
    for (std::uint32_t r = warp_ * kRowsOfCopy; r < problem_.tile.rows;
         r += kFlashWarps * kRowsOfCopy) {
        if (begin + r >= problem_.rows) return;
        copy_rows(problem_.queries.at(part_.sequence, begin + r, part_.head),
                  r * kernel_.row_bytes(), std::min(kRowsOfCopy, problem_.rows - begin - r),
                  problem_.queries.row_bytes);
    }
}

/// Loads the entry of the page of `key`, which has to be there before the copy.
void FlashProgram::find_page(std::uint32_t key) {
    const std::uint32_t page = key / problem_.page_tokens;
    WarpInstruction& load = emit(Opcode::kLoadGlobal);
    load.dst = registers_.ring(1);
    load.memory().set_rows(
        problem_.page_table +
            (std::uint64_t{part_.sequence} * problem_.pages() + page) * sizeof(std::uint32_t),
        1, sizeof(std::uint32_t));
    WarpInstruction& address = emit(Opcode::kOperation);
    address.count = kPageInstructions;
    address.src_a = registers_.ring(1);
}

/// Copies the rows of block_ that are the warp's; with `clears` rows behind the end become zero.
void FlashProgram::copy_block(const HeadTensor& tensor, std::uint32_t slot, bool clears) {
    integer(kBlockInstructions);
    const std::uint32_t begin = block_ * problem_.tile.keys;
    clears = clears && begin + problem_.tile.keys > problem_.keys;
    if (clears) {
        WarpInstruction& zero = emit(Opcode::kAlu);
        zero.dst = registers_.ring(0);
        zero.count = zero.moves().zero_fill = kAccessRegisters;
    }
    for (std::uint32_t r = warp_ * kRowsOfCopy; r < problem_.tile.keys;
         r += kFlashWarps * kRowsOfCopy) {
        const std::uint32_t key = begin + r;
        const std::uint32_t left = key >= problem_.keys ? 0 : problem_.keys - key;
        const std::uint32_t live = std::min(kRowsOfCopy, left);
        const std::uint32_t to = slot + r * kernel_.row_bytes();
        if (live > 0) {
            if (problem_.page_tokens > 0) find_page(key);
            copy_rows(problem_.cached_row(tensor, part_.sequence, key, head_of_keys()), to, live,
                      tensor.row_bytes);
        }
        if (clears && live < kRowsOfCopy) {
            clear_rows(to + live * kernel_.row_bytes(), kRowsOfCopy - live);
        }
    }
}

/// Loads the warp's part of the mask of a block.
void FlashProgram::load_mask(std::uint32_t block) {
    const std::uint32_t part = problem_.tile.keys / kFlashWarps;
    const std::uint32_t key = block * problem_.tile.keys + warp_ * part;
    if (key >= problem_.keys) return;
    WarpInstruction& load = emit(Opcode::kLoadGlobal);
    load.dst = registers_.mask();
    load.memory().set_rows(problem_.mask_at(part_.sequence, key), 1,
                           std::min(part, problem_.keys - key) * FlashProblem::kMaskBytes);
}

/// Stores it to shared memory. Nobody reads the mask of the block before any more: a barrier lies
/// between.
void FlashProgram::store_mask() {
    const std::uint32_t bytes = kernel_.mask_bytes() / kFlashWarps;
    WarpInstruction& store = emit(Opcode::kStoreShared);
    store.src_a = registers_.mask();
    store.memory().set_rows(kernel_.mask_slot() + warp_ * bytes, 1, bytes);
}

void FlashProgram::mask() {
    for (std::uint32_t strip = 0; strip < registers_.strips; ++strip) {
        emitter_.mask(strip, first_row(strip), std::uint64_t{block_} * problem_.tile.keys);
    }
}

void FlashProgram::end() {
    for (std::uint32_t strip = 0; strip < registers_.strips; ++strip) {
        emitter_.divide(strip);
        if (problem_.splits > 1) {
            store_sums(strip, live_rows(strip));
        } else {
            emitter_.round(strip);
        }
    }
    if (problem_.splits > 1) return;
    const std::uint32_t row_bytes = kernel_.row_bytes();
    for (const Opcode opcode : {Opcode::kStoreShared, Opcode::kLoadShared}) {
        for (std::uint32_t strip = 0; strip < registers_.strips; ++strip) {
            move_rows(own_, opcode, registers_.result(strip),
                      Address{strip * kFlashWarps + warp_} * kFragmentRows * row_bytes,
                      kFragmentRows, row_bytes, row_bytes);
        }
        if (opcode == Opcode::kStoreShared) emit(Opcode::kBarrier);
    }
    for (std::uint32_t strip = 0; strip < registers_.strips; ++strip) {
        move_rows(own_, Opcode::kStoreGlobal, registers_.result(strip),
                  problem_.result.at(part_.sequence, first_row(strip), part_.head),
                  live_rows(strip), row_bytes, problem_.result.row_bytes);
    }
}

/// Stores a strip's output in FP32, and the logarithms of its sums of weights.
void FlashProgram::store_sums(std::uint32_t strip, std::uint32_t live) {
    if (live == 0) return;
    const std::uint64_t row =
        ((std::uint64_t{part_.split} * problem_.batch + part_.sequence) * problem_.heads +
         part_.head) *
            problem_.rows +
        first_row(strip);
    constexpr std::uint32_t kRows = 8;  // of a store
    const std::uint32_t pitch = problem_.head_size * std::uint32_t{sizeof(float)};
    for (std::uint32_t tile = 0; tile < registers_.output_tiles; ++tile) {
        for (std::uint32_t r = 0; r < live; r += kRows) {
            WarpInstruction& w = emit(Opcode::kStoreGlobal);
            w.src_a = static_cast<std::uint8_t>(registers_.output(strip, tile) +
                                                r / kRows * kAccessRegisters);
            w.memory().set_rows(problem_.sums + (row + r) * pitch +
                                    tile * std::uint64_t{kFragmentRows} * sizeof(float),
                                std::min(kRows, live - r), kFloatRowBytes, pitch);
            w.registers().pitch_bytes = kFloatRowBytes;
        }
    }
    WarpInstruction& w = emit(Opcode::kStoreGlobal);
    w.src_a = registers_.maxima();
    w.memory().set_rows(problem_.logs + row * sizeof(float), 1, live * sizeof(float));
    w.registers().offset_bytes = static_cast<std::uint16_t>(strip * kFloatRowBytes);
}

}  // namespace tessera
