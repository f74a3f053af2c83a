#include <fmt/format.h>
#include <cstring>

#include "sc_models/sm/sub_core.h"
#include "sc_models/sm/tensor_core_pair.h"
#include "sc_models/sparse/bitmap_matrix.h"

// Tensor-core instructions of a sub-core.

namespace tessera {

void SubCore::issue_mma(std::uint32_t slot, const WarpInstruction& instruction, Cycle start) {
    Warp& warp = warps_[slot];
    Cycle done = 0, read = 0;
    if (calls_directly(to_tensor)) {
        const TensorCorePair::MmaTimes times =
            tensor_cores_->multiply_without_values(arrival(start));
        done = times.written;
        read = times.free_at;
    } else {
        if (registers_.holds_values()) {
            const std::byte* b[2];
            registers_.read_fragment(warp_id(slot), instruction.src_a, gathered_a_, operands_->a);
            registers_.read_fragment(warp_id(slot), instruction.src_b, gathered_b_, b);
            operands_->b = b[0];
            operands_->c = registers_.at(warp_id(slot), instruction.dst);
        }
        done = send(to_tensor, mma_payload_, start);
        if (!mma_payload_.is_response_ok()) {
            SC_REPORT_FATAL(name(), "the tensor core refused an MMA");
        }
        read = operands_->free_at;
    }
    ++mmas_;
    free_at(Unit::kTensor) = read;
    warp.scoreboard.write(instruction.dst, done, Producer::kTensor);
    for (const std::uint8_t source : {instruction.src_a, instruction.src_b}) {
        warp.scoreboard.read(source, read);
    }
    trace_tensor(slot, "mma", start, read);
}

SpwmmaTile SubCore::sparse_tile(const SparseSide& side) {
    const BitmapMatrix& matrix = side.matrix;
    SpwmmaTile operand{matrix.masks(side.tile), matrix.counts(side.tile), nullptr,
                       matrix.tile_nonfinite(side.tile)};
    if (!registers_.holds_values()) return operand;
    constexpr std::size_t kBitmapBytes = kSpwmmaDepth * sizeof(std::uint32_t);
    if (side.bitmaps != nullptr && !matrix.tile_empty(side.tile) &&
        std::memcmp(side.bitmaps, operand.masks, kBitmapBytes) != 0) {
        SC_REPORT_FATAL(
            name(),
            fmt::format("the bitmaps in registers are not those of tile {}", side.tile).c_str());
    }
    operand.values = reinterpret_cast<const HalfBits*>(side.values);
    if (side.line_bytes > 0) {
        HalfBits* next = by_k_.data();
        for (std::uint32_t k = 0; k < kSparseTileK; ++k) {
            for (std::uint32_t lines = operand.masks[k]; lines != 0; lines &= lines - 1) {
                const auto line = static_cast<std::uint32_t>(__builtin_ctz(lines));
                std::memcpy(
                    next++,
                    side.values + std::size_t{line} * side.line_bytes + k * sizeof(HalfBits),
                    sizeof(HalfBits));
            }
        }
        operand.values = by_k_.data();
    }
    return operand;
}

/// Gathers the 32 lines of two A fragments, renamed or not.
const std::byte* SubCore::gather_a_lines(WarpId warp, const WarpInstruction& instruction) {
    constexpr std::size_t kBytes = std::size_t{kFragmentRows} * kFragmentRowBytes;
    const std::byte* copies[2];
    std::byte* next = a_lines_.data();
    for (const std::uint8_t fragment : {instruction.src_a, instruction.src_c}) {
        registers_.read_fragment(warp, fragment, gathered_a_, copies);
        std::memcpy(next, copies[0], kBytes);
        next += kBytes;
    }
    return a_lines_.data();
}

void SubCore::issue_sparse(std::uint32_t slot, const WarpInstruction& instruction, Cycle start) {
    Warp& warp = warps_[slot];
    const WarpId id = warp_id(slot);
    const bool flush = instruction.opcode == Opcode::kSparseFlush;
    const bool values = registers_.holds_values();
    sparse_->a = {};
    sparse_->b = {};
    if (!flush) {
        constexpr std::size_t kBitmapBytes = kSpwmmaDepth * sizeof(std::uint32_t);
        const auto at = [&](std::uint8_t reg, std::size_t offset) -> const std::byte* {
            return values && reg != kNoRegister ? registers_.at(id, reg) + offset : nullptr;
        };
        const SpwmmaSources sources = instruction.spwmma();
        SparseSide a{*sources.matrices->a, sources.tile_a, nullptr, nullptr, 0};
        if (instruction.role != FragmentRole::kA) {
            a.bitmaps = at(instruction.src_c, sources.bitmaps_a * kBitmapBytes);
            a.values = at(instruction.src_a, sources.values_a_offset_bytes);
            a.line_bytes = sources.line_bytes_a;
        } else if (values) {
            a.values = gather_a_lines(id, instruction);
            a.line_bytes = kFragmentRowBytes;
        }
        sparse_->a = sparse_tile(a);
        sparse_->b = sparse_tile({*sources.matrices->b, sources.tile_b,
                                  at(instruction.src_d, sources.bitmaps_b * kBitmapBytes),
                                  at(instruction.src_b, sources.values_b_offset_bytes), 0});
    }
    sparse_->warp = id;
    sparse_->accumulators = instruction.dst;
    sparse_->sums = values ? registers_.at(id, instruction.dst) : nullptr;
    const Cycle done = send(to_tensor, sparse_payload_, start);
    if (!sparse_payload_.is_response_ok()) {
        SC_REPORT_FATAL(name(), "the tensor cores have no SpWMMA (tensor_core.kind)");
    }
    const Cycle read = sparse_->free_at;
    free_at(Unit::kTensor) = read;
    // An SpWMMA on the same sums may follow at once; readers of the sums flush first.
    warp.scoreboard.write(instruction.dst, flush ? done : read, Producer::kTensor);
    for (const std::uint8_t source : sources_of(instruction)) {
        if (source != kNoRegister) warp.scoreboard.read(source, read);
    }
    if (sparse_->swapped > 0) {
        trace_tensor(slot, "swap", start, start + sparse_->swapped);
        if (ports_.modelled()) read_swapped_sums(start);
    }
    if (!flush) trace_tensor(slot, "spwmma", start + sparse_->swapped, read);
}

void SubCore::show_tensor(std::uint32_t slot, std::string_view what, Cycle begin, Cycle end) {
    if (observers_.wave != nullptr) {
        observers_.wave->pulse(traces_.mma, begin, end - begin);
        observers_.wave->set(traces_.mma_warp, begin, warp_id(slot).value());
    }
    if (observers_.timeline != nullptr) {
        observers_.timeline->span(traces_.tensor_track, what, begin, end,
                                  fmt::format(R"({{"warp":{}}})", warp_id(slot).value()));
    }
}

}  // namespace tessera
