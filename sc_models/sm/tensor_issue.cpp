#include "sc_models/sm/tensor_issue.h"

#include <fmt/format.h>
#include <cstring>
#include <string>

namespace tessera {
namespace {

constexpr std::size_t kBitmapBytes = kSpwmmaDepth * sizeof(std::uint32_t);

}  // namespace

TensorIssue::TensorIssue(UnitSocket& to_tensor, RegisterFile& registers,
                         SharedMemory& shared_memory, const TraceScope& scope,
                         StatGroup& statistics)
    : to_tensor_(to_tensor),
      registers_(registers),
      shared_memory_(shared_memory),
      wave_(scope.observers.wave),
      timeline_(scope.observers.timeline),
      mma_payload_(mma_pool_.acquire(tlm::TLM_IGNORE_COMMAND,
                                     reinterpret_cast<unsigned char*>(gathered_a_.data()),
                                     kFragmentBytes)),
      sparse_payload_(sparse_pool_.acquire(tlm::TLM_IGNORE_COMMAND,
                                           reinterpret_cast<unsigned char*>(gathered_a_.data()),
                                           kFragmentBytes)),
      warpgroup_payload_(warpgroup_pool_.acquire(
          tlm::TLM_IGNORE_COMMAND, reinterpret_cast<unsigned char*>(gathered_a_.data()),
          kFragmentBytes)),
      operands_(&mma_payload_.extension),
      sparse_(&sparse_payload_.extension) {
    statistics.counter("hmma_cycles", hmma_cycles_, "cycles",
                       "cycles the tensor cores were busy with single HMMA steps (traces)");
    statistics.counter("hmmas", hmmas_, "count", "single HMMA instructions issued (traces)");
    statistics.counter("hmma_steps", hmma_steps_, "count",
                       "multiply-adds of single HMMAs, in steps of 256");
    statistics.counter("mmas", mmas_, "count", "16x16x16 matrix multiply-accumulates issued");
    statistics.counter("structured_mmas", structured_mmas_, "count",
                       "those of them with a 2:4 operand, which stand for 16x16x32");
    statistics.counter("warpgroup_mmas", warpgroup_mmas_, "count",
                       "shares of a warp in products of a warpgroup (wgmma)");
    statistics.counter("warpgroup_products", warpgroup_products_, "count",
                       "multiply-adds of these");
    if (wave_ != nullptr) {
        const std::string name =
            fmt::format("sm{}.tensor{}", scope.sm.value(), scope.sub_core.value());
        busy_ = wave_->add(name, "busy", 1);
        warp_ = wave_->add(name, "warp", scope.warp_bits);
    }
    if (timeline_ != nullptr) {
        track_ = timeline_->add_track(fmt::format("SM {}", scope.sm.value()),
                                      fmt::format("sub-core {} tensor", scope.sub_core.value()));
        if (track_ == TimelineRecorder::kNoTrack) timeline_ = nullptr;
    }
}

Cycle TensorIssue::issue_mma(const IssuedInstruction& issued) {
    const WarpInstruction& instruction = issued.instruction;
    operands_->product = instruction.fragment_product();
    const bool structured = operands_->product == FragmentProduct::kStructured;
    operands_->is_unsigned = instruction.mma().operands == OperandType::kUint8;
    if (registers_.holds_values()) {
        const MmaRegisters& mma = instruction.mma();
        if (mma.single_copies) {
            operands_->a[0] = operands_->a[1] = registers_.at(issued.warp, instruction.src_a);
            if (structured) {
                operands_->a[1] = registers_.at(issued.warp, instruction.src_d);
                operands_->metadata =
                    registers_.at(issued.warp, instruction.src_c) + mma.metadata_offset_bytes;
            }
            operands_->b = registers_.at(issued.warp, instruction.src_b);
        } else {
            const std::byte* b[2];
            registers_.read_fragment(issued.warp, instruction.src_a, gathered_a_, operands_->a);
            registers_.read_fragment(issued.warp, instruction.src_b, gathered_b_, b);
            operands_->b = b[0];
        }
        operands_->c = registers_.at(issued.warp, instruction.dst);
    }
    const Cycle written =
        to_tensor_.send(mma_payload_, issued.start, "the tensor core refused an MMA");
    const Cycle free = operands_->free_at;
    ++mmas_;
    structured_mmas_ += structured ? 1 : 0;
    issued.scoreboard.write(instruction.dst, written, RegisterScoreboard::Producer::kTensor);
    for (const std::uint8_t source : sources_of(instruction)) {
        if (source != kNoRegister) issued.scoreboard.read(source, free);
    }
    trace(issued.warp, "mma", issued.start, free);
    return free;
}

TensorIssue::WarpgroupTiming TensorIssue::issue_warpgroup(const IssuedInstruction& issued,
                                                          std::uint32_t cta) {
    constexpr std::uint32_t kColumns = 8;  // of MmaShapeText::products
    const WarpInstruction& instruction = issued.instruction;
    const WarpgroupProduct& product = instruction.warpgroup();
    const WarpgroupSources& sources = product.sources;
    WarpgroupOperands& operands = warpgroup_payload_.extension;
    operands.shape = product.shape;
    operands.columns = product.columns;
    operands.sources = sources;
    const bool in_registers = instruction.src_a != kNoRegister;
    operands.read_by = shared_memory_.read_operands(
        issued.start,
        shared_memory_.operand_wavefronts(in_registers ? 0 : kFragmentRows, product.columns));
    if (registers_.holds_values()) {
        operands.first = in_registers ? registers_.at(issued.warp, instruction.src_a)
                                      : shared_memory_.at(cta, sources.first);
        operands.second = shared_memory_.at(cta, sources.second);
        operands.sums = registers_.at(issued.warp, instruction.dst);
    }
    const Cycle end = to_tensor_.send(warpgroup_payload_, issued.start,
                                      "the tensor cores have no rate for a product of a "
                                      "warpgroup (sm.tensor_rates.hgmma_16)");
    ++warpgroup_mmas_;
    warpgroup_products_ +=
        std::uint64_t{text_of(product.shape).products} * product.columns / kColumns;
    trace(issued.warp, "wgmma", issued.start, operands.free_at);
    return {operands.free_at, end};
}

SpwmmaTile TensorIssue::sparse_tile(const SparseSide& side) {
    const BitmapMatrix& matrix = side.matrix;
    SpwmmaTile operand{matrix.masks(side.tile), matrix.counts(side.tile), nullptr,
                       matrix.tile_nonfinite(side.tile)};
    if (!registers_.holds_values()) return operand;
    if (side.bitmaps != nullptr && !matrix.tile_empty(side.tile) &&
        std::memcmp(side.bitmaps, operand.masks, kBitmapBytes) != 0) {
        SC_REPORT_FATAL(
            to_tensor_.owner(),
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
const std::byte* TensorIssue::gather_a_lines(const IssuedInstruction& issued) {
    constexpr std::size_t kBytes = std::size_t{kFragmentRows} * kFragmentRowBytes;
    const std::byte* copies[2];
    std::byte* next = a_lines_.data();
    for (const std::uint8_t fragment : {issued.instruction.src_a, issued.instruction.src_c}) {
        registers_.read_fragment(issued.warp, fragment, gathered_a_, copies);
        std::memcpy(next, copies[0], kBytes);
        next += kBytes;
    }
    return a_lines_.data();
}

/// Sets the two tiles of an SpWMMA.
void TensorIssue::set_sparse_operands(const IssuedInstruction& issued) {
    const WarpInstruction& instruction = issued.instruction;
    const bool values = registers_.holds_values();
    const auto at = [&](std::uint8_t reg, std::size_t offset) -> const std::byte* {
        return values && reg != kNoRegister ? registers_.at(issued.warp, reg) + offset : nullptr;
    };
    const SpwmmaSources& sources = instruction.spwmma();
    SparseSide a{*sources.matrices->a, sources.tile_a, nullptr, nullptr, 0};
    if (!sources.a_in_fragments) {
        a.bitmaps = at(instruction.src_c, sources.bitmaps_a * kBitmapBytes);
        a.values = at(instruction.src_a, sources.values_a_offset_bytes);
        a.line_bytes = sources.line_bytes_a;
    } else if (values) {
        a.values = gather_a_lines(issued);
        a.line_bytes = kFragmentRowBytes;
    }
    sparse_->a = sparse_tile(a);
    sparse_->b = sparse_tile({*sources.matrices->b, sources.tile_b,
                              at(instruction.src_d, sources.bitmaps_b * kBitmapBytes),
                              at(instruction.src_b, sources.values_b_offset_bytes), 0});
}

TensorIssue::SparseTiming TensorIssue::issue_sparse(const IssuedInstruction& issued) {
    const WarpInstruction& instruction = issued.instruction;
    const bool flush = instruction.opcode() == Opcode::kSparseFlush;
    sparse_->a = {};
    sparse_->b = {};
    if (!flush) set_sparse_operands(issued);
    sparse_->warp = issued.warp;
    sparse_->accumulators = instruction.dst;
    sparse_->sums =
        registers_.holds_values() ? registers_.at(issued.warp, instruction.dst) : nullptr;
    const Cycle done = to_tensor_.send(sparse_payload_, issued.start,
                                       "the tensor cores have no SpWMMA (tensor_core.kind)");
    const Cycle free = sparse_->free_at;
    const Cycle swapped = sparse_->swapped;
    // An SpWMMA on the same sums may follow at once; readers of the sums flush first.
    issued.scoreboard.write(instruction.dst, flush ? done : free,
                            RegisterScoreboard::Producer::kTensor);
    issued.read_sources(free);
    if (swapped > 0) trace(issued.warp, "swap", issued.start, issued.start + swapped);
    if (!flush) trace(issued.warp, "spwmma", issued.start + swapped, free);
    return {free, swapped};
}

void TensorIssue::count_hmmas(const WarpInstruction& instruction, Cycle cycles) {
    constexpr std::uint32_t kStepsOfF16 = 2;  // HMMA.884 with sums of 16 bits: 8 make a product
    hmma_cycles_ += cycles;
    hmmas_ += instruction.count;
    hmma_steps_ += std::uint64_t{instruction.count} * instruction.hmma_steps() *
                   (instruction.operation() == Operation::kHmmaF16 ? kStepsOfF16 : 1);
}

void TensorIssue::show(WarpId warp, std::string_view operation, Cycle begin, Cycle end) {
    if (wave_ != nullptr) {
        wave_->pulse(busy_, begin, end - begin);
        wave_->set(warp_, begin, warp.value());
    }
    if (timeline_ != nullptr) {
        timeline_->span(track_, operation, begin, end,
                        fmt::format(R"({{"warp":{}}})", warp.value()));
    }
}

}  // namespace tessera
