#include "sc_models/workload/staged/spwmma_steps.h"

#include <algorithm>

#include "sc_models/isa/coalescer.h"

namespace tessera {
namespace {

constexpr std::uint32_t kLoweringInstructions = 3;  // shift, mask, add
// Per 32 k of a line tile: a test whether their counts are zero, and the warp's vote on it.
constexpr std::uint32_t kVoteInstructions = 2;

}  // namespace

SpwmmaSteps::Scratch& SpwmmaSteps::scratch_of_thread() {
    thread_local Scratch scratch;
    return scratch;
}

void SpwmmaSteps::begin() {
    if (product_.skip_unmet_tiles) copies_.copy_first_descriptors();
    copies_.load(at_.first_step);
    copies_.store();
    if (kernel_.steps() > 1) copies_.load(1);
    out_.barrier();
}

void SpwmmaSteps::run(std::uint32_t step) {
    multiply(step);
    if (step + 1 < at_.end_step) merge_copies(step);
}

bool SpwmmaSteps::finish() {
    multiply_waiting();
    return summed_;
}

std::uint32_t SpwmmaSteps::a_slot(std::uint32_t buffer, std::uint32_t i) const {
    return kernel_.slot(buffer, at_.warp_row / kLineTile + i);
}

std::uint32_t SpwmmaSteps::b_slot(std::uint32_t buffer, std::uint32_t j) const {
    return kernel_.slot(buffer, kernel_.a_tiles() + at_.warp_column / kLineTile + j);
}

/// Loads first the bitmaps of all line tiles of the warp, which determine the other loads; then,
/// one 32x32 tile after the other, values that meet others, each line tile's once per step. A
/// tile's SpWMMAs follow the loads of the next one, across the end of the step.
void SpwmmaSteps::multiply(std::uint32_t step) {
    const auto& a = static_cast<const BitmapTiles&>(kernel_.a());
    const auto& b = static_cast<const BitmapTiles&>(kernel_.b());
    const std::uint32_t first = step * product_.depth_tiles;
    const std::uint32_t depth = std::min(product_.depth_tiles, a.matrix().k_tiles() - first);
    const auto a_line = static_cast<std::uint32_t>((at_.row + at_.warp_row) / kLineTile);
    const auto b_line = static_cast<std::uint32_t>((at_.column + at_.warp_column) / kLineTile);
    const auto live = [](std::uint32_t line, std::uint32_t tiles, std::uint32_t lines) {
        return line < lines ? std::min(tiles, lines - line) : 0U;
    };
    const std::uint32_t buffer = step % 2;
    scratch_ = &scratch_of_thread();
    SparseStep& plan = scratch_->plan;
    plan.plan(a, a_line, live(a_line, registers_.sums_m, a.matrix().line_tiles()), b, b_line,
              live(b_line, registers_.sums_n, b.matrix().line_tiles()), first, depth);
    emit_alu(product_.tiling.loop_overhead_instructions);
    if (!plan.has_work()) return;

    const std::uint32_t set = step % registers_.buffers;
    if (waiting_.set == set) multiply_waiting();
    for (std::uint32_t i = 0; i < plan.a().size(); ++i) {
        load_bitmaps(plan.a()[i], a_slot(buffer, i), registers_.a_bitmap(set, i));
    }
    for (std::uint32_t j = 0; j < plan.b().size(); ++j) {
        load_bitmaps(plan.b()[j], b_slot(buffer, j), registers_.b_bitmap(set, j));
    }
    multiply_waiting((waiting_.spwmmas.size() - waiting_.given) / 2);
    std::uint8_t predicates = kNoRegister;
    std::uint32_t votes = 0;
    const auto count = [&](const SparseLine& line, std::uint32_t slot, std::uint8_t reg) {
        const std::uint32_t bitmaps = line.bitmaps_read() * kDepthTile;
        if (bitmaps == 0) return;
        if (line.side->lowers()) lower_bitmaps(slot, reg);
        count_bits(bitmaps, reg);
        predicates = reg;
        votes += kVoteInstructions * ceil_div(bitmaps, kWarpLanes);
    };
    for (std::uint32_t i = 0; i < plan.a().size(); ++i) {
        count(plan.a()[i], a_slot(buffer, i), registers_.a_bitmap(set, i));
    }
    for (std::uint32_t j = 0; j < plan.b().size(); ++j) {
        count(plan.b()[j], b_slot(buffer, j), registers_.b_bitmap(set, j));
    }
    if (votes > 0) {
        emit_alu(votes);
        out_.back().src_a = out_.back().dst = predicates;
    }

    std::vector<std::uint8_t> a_values(plan.a().size(), kNoRegister);
    for (std::uint32_t j = 0; j < plan.b().size(); ++j) {
        std::uint8_t b_values = kNoRegister;
        for (std::uint32_t i = 0; i < plan.a().size(); ++i) {
            // Tests which tiles with elements on both sides have a common k.
            const std::uint32_t tests = predicates != kNoRegister ? plan.candidates(i, j) : 0;
            if (tests > 0) {
                emit_alu(tests);
                out_.back().src_a = predicates;
            }
            if (!plan.multiplies(i, j)) continue;
            if (a_values[i] == kNoRegister) {
                a_values[i] = registers_.a_value(a_loads_++ % registers_.a_values);
                if (a_values[i] == waiting_.a_values) multiply_waiting();
                load_a(i, step, a_values[i], predicates);
            }
            if (b_values == kNoRegister) {
                b_values = registers_.b_value(b_loads_++ % registers_.b_values);
                if (b_values == waiting_.b_values) multiply_waiting();
                load_values(plan.b()[j], b_slot(buffer, j), b_values, predicates);
            }
            multiply_waiting();
            waiting_.set = set;
            waiting_.a_values = a_values[i];
            waiting_.b_values = b_values;
            waiting_.a_bitmaps = registers_.a_bitmap(set, i);
            waiting_.b_bitmaps = registers_.b_bitmap(set, j);
            prepare_pair(i, j, waiting_);
        }
    }
}

/// Loads the needed bitmaps, contiguous in registers as the stored ones are in the slot. If some
/// are not needed, lanes first compute their piece.
void SpwmmaSteps::load_bitmaps(const SparseLine& line, std::uint32_t slot, std::uint8_t reg) {
    static_assert(BitmapTiles::kStepTiles * BitmapTiles::kBitmapBytes <= kAccessBytes);
    constexpr std::uint32_t kPieces = BitmapTiles::kBitmapBytes / kPieceBytes;
    const std::uint32_t begin = slot + BitmapTiles::bitmap_offset(0);
    std::uint32_t pieces = 0, stored = 0;
    for (std::uint32_t t = 0; t < line.occupied.size(); ++t) {
        if (!line.stores_bitmaps(t)) continue;
        if (line.reads_bitmaps(t)) pieces |= ((1U << kPieces) - 1) << stored * kPieces;
        ++stored;
    }
    if (pieces == 0) return;
    const std::size_t before = out_.size();
    load_pieces(begin, pieces, stored * BitmapTiles::kBitmapBytes, reg, kNoRegister);
    WarpInstruction& w = out_.back();
    if (w.opcode() == Opcode::kLoadPieces) w.registers().pitch_bytes = kPieceBytes;
    if (line.side->lowers()) gather(line, slot, begin, before, true);
}

/// Converts the loads of a line tile's bitmaps or values at `begin`, from instruction `from` on, to
/// gathering ones.
void SpwmmaSteps::gather(const SparseLine& line, std::uint32_t slot, std::uint32_t begin,
                         std::size_t from, bool bitmaps) {
    constexpr std::uint32_t kByte = 8;
    moves_.clear();
    if (product_.values) {
        const std::uint32_t k_tiles = line.side->matrix().k_tiles();
        line.side->gather(static_cast<std::uint32_t>(line.first / k_tiles),
                          static_cast<std::uint32_t>(line.first % k_tiles), product_.depth_tiles,
                          bitmaps, moves_);
    }
    for (std::size_t i = from; i < out_.size(); ++i) {
        WarpInstruction& w = out_[i];
        if (!is_memory(w.opcode())) continue;
        WarpInstruction gathering(Opcode::kLoadGathered);
        gathering.dst = w.dst;
        gathering.src_b = w.src_b;
        gathering.registers() = w.registers();
        PieceAccess& access = gathering.pieces();
        if (w.opcode() == Opcode::kLoadShared) {
            access.address = w.memory().address;
            access.row_bytes = w.memory().row_bytes;
            access.mask = ~0U >> (kAccessPieces - access.row_bytes / kPieceBytes);
        } else {
            access = w.pieces();
        }
        w = gathering;
        if (!product_.values) continue;
        BitGather& made = out_.add_gather();
        made.unit_bits = bitmaps ? 1 : std::uint32_t{sizeof(HalfBits)} * kByte;
        const auto here = static_cast<std::uint32_t>(access.address - begin) * kByte;
        for (const BitGather::Move& move : moves_) {
            if (move.to < here || move.to >= here + access.row_bytes * kByte) continue;
            made.moves.push_back({move.from + slot * kByte, move.to - here});
        }
        w.pieces().gather = &made;
    }
}

/// Bitmap-based im2col (dual-side sparse tensor core, IV-B) of 32 columns at a time: loads the
/// bitmaps of the map's next tile too, then a shift and a mask, the population before the window
/// and its sum with the tile's offset. Values can be read afterwards; the window's own population
/// is counted like that of other operands.
void SpwmmaSteps::lower_bitmaps(std::uint32_t slot, std::uint8_t reg) {
    const std::uint32_t depth = scratch_->plan.depth();
    const auto next = static_cast<std::uint8_t>(reg + registers_.a_bitmaps / 2);
    load_shared(slot + BitmapTiles::bitmap_offset(0), depth * BitmapTiles::kBitmapBytes, next);
    WarpInstruction& alu = emit(Opcode::kAlu);
    alu.src_a = reg;
    alu.src_b = next;
    alu.dst = next;
    alu.count = static_cast<std::uint16_t>(kLoweringInstructions *
                                           ceil_div(depth * kDepthTile, kWarpLanes));
    count_bits(depth * kDepthTile, next);
}

/// Emits a POPC per 32 bitmaps; the counts replace the bitmaps for later readers.
void SpwmmaSteps::count_bits(std::uint32_t bitmaps, std::uint8_t reg) {
    const std::uint32_t instructions = ceil_div(bitmaps, kWarpLanes);
    for (std::uint32_t i = 0; i < instructions; ++i) {
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(Operation::kSpecialFunction);
        w.src_a = reg;
        if (i + 1 == instructions) w.dst = reg;
    }
}

void SpwmmaSteps::load_values(const SparseLine& line, std::uint32_t slot, std::uint8_t reg,
                              std::uint8_t predicates) {
    line.pieces(scratch_->pieces);
    const std::size_t before = out_.size();
    const std::uint32_t begin = slot + line.side->values_offset(product_.depth_tiles);
    const std::uint32_t bytes = line.side->step_bytes(line.first, scratch_->plan.depth());
    for (std::uint32_t i = 0; i < scratch_->pieces.size(); ++i) {
        if (scratch_->pieces[i] == 0) continue;
        const std::uint32_t at = i * kAccessBytes;
        load_pieces(begin + at, scratch_->pieces[i], std::min(bytes - at, kAccessBytes),
                    static_cast<std::uint8_t>(reg + at / kWarpRegisterBytes), predicates);
    }
    if (line.side->lowers()) gather(line, slot, begin, before, false);
}

/// Loads `pieces` out of `bytes` bytes, at most 512. If these are not all, lanes first test whether
/// theirs is included.
void SpwmmaSteps::load_pieces(std::uint32_t address, std::uint32_t pieces, std::uint32_t bytes,
                              std::uint8_t dst, std::uint8_t predicates) {
    static_assert(kAccessPieces == 32);
    if (pieces == ~0U >> (kAccessPieces - bytes / kPieceBytes)) {
        load_shared(address, bytes, dst);
        return;
    }
    emit_alu(1);
    WarpInstruction& w = emit(Opcode::kLoadPieces);
    w.dst = dst;
    w.src_b = predicates;
    w.pieces().address = address;
    w.pieces().mask = pieces;
    w.pieces().row_bytes = static_cast<std::uint16_t>(bytes);
}

void SpwmmaSteps::load_shared(std::uint32_t address, std::uint32_t bytes, std::uint8_t dst) {
    for (std::uint32_t at = 0; at < bytes; at += kAccessBytes) {
        WarpInstruction& w = emit(Opcode::kLoadShared);
        w.dst = static_cast<std::uint8_t>(dst + at / kWarpRegisterBytes);
        w.memory().set_rows(address + at, 1, std::min(kAccessBytes, bytes - at));
    }
}

/// Loads values of a line tile of A: from shared memory, or the needed tiles as fragments from
/// global memory.
void SpwmmaSteps::load_a(std::uint32_t i, std::uint32_t step, std::uint8_t reg,
                         std::uint8_t predicates) {
    if (product_.a_lines == 0) {
        load_values(scratch_->plan.a()[i], a_slot(step % 2, i), reg, predicates);
        return;
    }
    const std::uint64_t line = at_.row + at_.warp_row + std::uint64_t{i} * kLineTile;
    for (std::uint32_t t = 0; t < scratch_->plan.depth(); ++t) {
        if (scratch_->plan.a()[i].wanted[t] == 0) continue;
        const auto dst = static_cast<std::uint8_t>(reg + t * UnstagedTiles::kTileRegisters);
        load_a_fragment(line, step * product_.depth_tiles + t, dst);
        load_a_fragment(line + kFragmentRows, step * product_.depth_tiles + t,
                        static_cast<std::uint8_t>(dst + kRegistersPerFragment));
    }
}

void SpwmmaSteps::prepare_pair(std::uint32_t i, std::uint32_t j, SparsePair& pair) const {
    const SparseLine& a = scratch_->plan.a()[i];
    const SparseLine& b = scratch_->plan.b()[j];
    const auto offset = [](const SparseLine& line, std::uint32_t tile) {
        const BitmapMatrix& matrix = line.side->matrix();
        return static_cast<std::uint16_t>(matrix.value_offset_bytes(line.first + tile) -
                                          matrix.value_offset_bytes(line.first));
    };
    pair.spwmmas.clear();
    pair.given = 0;
    for (std::uint32_t t = 0; t < scratch_->plan.depth(); ++t) {
        if (scratch_->plan.common(i, j, t) == 0) continue;
        WarpInstruction& w = pair.spwmmas.emplace_back(Opcode::kSparseMma);
        w.dst = registers_.sum(i, j);
        w.src_a = pair.a_values;
        w.src_b = pair.b_values;
        if (a.reads_bitmaps(t)) w.src_c = pair.a_bitmaps;
        if (b.reads_bitmaps(t)) w.src_d = pair.b_bitmaps;
        SpwmmaSources& sources = w.spwmma();
        sources.matrices = kernel_.sparse();
        sources.tile_a = static_cast<std::uint32_t>(a.first + t);
        sources.tile_b = static_cast<std::uint32_t>(b.first + t);
        sources.bitmaps_a = static_cast<std::uint16_t>(a.bitmaps_read(t));
        sources.bitmaps_b = static_cast<std::uint16_t>(b.bitmaps_read(t));
        const std::uint32_t line_bytes = a.side->line_bytes(scratch_->plan.depth());
        sources.line_bytes_a = static_cast<std::uint16_t>(line_bytes);
        sources.values_a_offset_bytes =
            line_bytes > 0 ? static_cast<std::uint16_t>(t * kFragmentRowBytes) : offset(a, t);
        sources.values_b_offset_bytes = offset(b, t);
        if (product_.a_lines != 0) {
            sources.a_in_fragments = true;
            sources.values_a_offset_bytes = 0;
            w.src_a = static_cast<std::uint8_t>(pair.a_values + t * UnstagedTiles::kTileRegisters);
            w.src_c = static_cast<std::uint8_t>(w.src_a + kRegistersPerFragment);
        }
    }
}

void SpwmmaSteps::multiply_waiting(std::size_t keep) {
    for (; waiting_.given + keep < waiting_.spwmmas.size(); ++waiting_.given) {
        out_.add(waiting_.spwmmas[waiting_.given]);
        summed_ = true;
    }
}

/// Interleaves with a step's instructions the stores of the next step's data to shared memory, then
/// the loads for the step after it, which reuse the registers. Loads thus have about a step's time.
void SpwmmaSteps::merge_copies(std::uint32_t step) {
    const std::vector<WarpInstruction>& computation = out_.take_computation();
    copies_.store();
    if (step + 2 < kernel_.steps()) {
        copies_.load(step + 2);
    } else {
        copies_.clear();
    }
    const std::size_t count = out_.size();
    out_.barrier();
    out_.spread(count, computation, computation.size());
}

}  // namespace tessera
