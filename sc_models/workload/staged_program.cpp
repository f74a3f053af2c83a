#include "sc_models/workload/staged_program.h"

#include <algorithm>

#include "sc_models/workload/gathered_operand.h"

namespace tessera {
namespace {

constexpr std::uint32_t kFragment = kFragmentRows;  // edge of a fragment
constexpr std::uint32_t kAccessBytes = 4 * kWarpRegisterBytes;
constexpr std::uint32_t kLanes = 32;

/// Line tiles of a CTA that begins at `first`, of a matrix of `lines` lines.
std::uint32_t live_tiles(std::uint64_t first, std::uint32_t tiles, std::uint64_t lines) {
    const std::uint64_t left = ceil_div(lines - first, std::uint64_t{kLineTile});
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(tiles, left));
}

/// Steps over `k`.
std::uint32_t steps_of(const StagedProduct& product, std::uint64_t k) {
    return static_cast<std::uint32_t>(ceil_div(k, std::uint64_t{product.depth_tiles} * kDepthTile));
}

std::uint64_t elements_of(const StagedProduct& product) {
    return product.places != nullptr ? product.elements : product.m * product.n;
}

}  // namespace

StagedProgram::StagedProgram(const StagedProductKernel& kernel, StagedScratch& scratch, CtaId cta,
                             std::uint32_t warp)
    : kernel_(kernel),
      scratch_(scratch),
      product_(kernel.product()),
      registers_(kernel.registers()),
      warp_(warp),
      tile_(kernel.tile(cta)),
      m_(kernel.member(tile_.member).m),
      k_(kernel.member(tile_.member).k),
      row_(tile_.row),
      column_(tile_.column),
      warp_row_(warp / (product_.tiling.cta_n / product_.tiling.warp_n) * product_.tiling.warp_m),
      warp_column_(warp % (product_.tiling.cta_n / product_.tiling.warp_n) *
                   product_.tiling.warp_n),
      first_step_(std::min(tile_.part * product_.steps_per_part, steps_of(product_, k_))),
      end_step_(kernel.parts() > 1
                    ? std::min(first_step_ + product_.steps_per_part, steps_of(product_, k_))
                    : steps_of(product_, k_)),
      d_(product_.d + Address{tile_.part} * elements_of(product_) * sizeof(float)),
      step_(first_step_) {}

void StagedProgram::make_step() {
    pending_.clear();
    gathers_.clear();
    lanes_used_ = 0;
    next_ = 0;
    while (pending_.empty() && phase_ != Phase::kDone) make_more();
}

InstructionBatch StagedProgram::next(WarpInstruction* /*room*/) {
    if (next_ == pending_.size()) make_step();
    const InstructionBatch batch{pending_.data() + next_, pending_.size() - next_};
    next_ = pending_.size();
    return batch;
}

std::size_t StagedProgram::fill(WarpInstruction* out, std::size_t capacity) {
    if (next_ == pending_.size()) make_step();
    const std::size_t count = std::min(capacity, pending_.size() - next_);
    std::copy_n(pending_.begin() + static_cast<std::ptrdiff_t>(next_), count, out);
    next_ += count;
    return count;
}

void StagedProgram::make_more() {
    switch (phase_) {
        case Phase::kBegin:
            read_c();
            if (first_step_ == end_step_) {
                phase_ = Phase::kEnd;
                break;
            }
            if (product_.skip_unmet_tiles) copy_first_descriptors();
            load_copies(first_step_);
            store_copies();
            if (kernel_.sparse() != nullptr && kernel_.steps() > 1) load_copies(1);
            barrier();
            phase_ = Phase::kSteps;
            break;
        case Phase::kSteps:
            run_step(step_);
            if (++step_ == end_step_) phase_ = Phase::kEnd;
            break;
        case Phase::kEnd:
            multiply_waiting();
            write_d();
            emit().opcode = Opcode::kExit;
            phase_ = Phase::kDone;
            break;
        case Phase::kDone:
            break;
    }
}

WarpInstruction& StagedProgram::emit() {
    return pending_.emplace_back();
}

void StagedProgram::emit_alu(std::uint32_t count) {
    if (count == 0) return;
    emit().count = static_cast<std::uint16_t>(count);
}

void StagedProgram::read_c() {
    if (!product_.reads_c || product_.halves) {
        WarpInstruction& alu = emit();
        alu.dst = registers_.sum(0, 0);
        alu.zero_fill = static_cast<std::uint8_t>(registers_.sums_m * registers_.sums_n *
                                                  registers_.sum_registers());
        alu.count = alu.zero_fill;
        return;
    }
    for (std::uint32_t i = 0; i < registers_.sums_m; ++i) {
        for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
            move_sums(Opcode::kLoadGlobal, product_.c, i, j);
        }
    }
}

/// What is read besides comes by the time the last products are done. Rows that lie side by side in
/// D are written together.
void StagedProgram::write_halves() {
    load_columns();
    const std::uint32_t ahead = registers_.strips_ahead();
    for (std::uint32_t i = 0; i < ahead; ++i) load_strip(i);
    for (std::uint32_t i = 0; i < registers_.sums_m; ++i) {
        for (std::uint32_t j = 0; summed_ && j < registers_.sums_n; ++j) flush(i, j);
        add_c(i);
        run_epilogue(i);
        round_strip(i);
        move_halves(Opcode::kStoreGlobal, d_, i, halves(i));
        if (i + ahead < registers_.sums_m) load_strip(i + ahead);
    }
}

/// One half a column of the warp's tile, for all its rows.
void StagedProgram::load_columns() {
    const std::uint64_t column = column_ + warp_column_;
    if (product_.epilogue.empty() || column >= product_.n) return;
    const std::vector<ProductEpilogue::Operand>& operands = product_.epilogue.epilogue->operands();
    const std::uint64_t first =
        product_.places != nullptr
            ? product_.places->element(tile_.member, 0) % product_.epilogue.pitch
            : 0;
    std::uint32_t loaded = 0;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        if (operands[k].place != ProductEpilogue::Place::kColumns) continue;
        WarpInstruction& w = emit();
        w.opcode = Opcode::kLoadGlobal;
        w.dst = registers_.column_value(loaded++);
        w.zero_fill = kAccessRegisters;
        w.rows = 1;
        w.row_bytes = static_cast<std::uint16_t>(
            std::min<std::uint64_t>(product_.tiling.warp_n, product_.n - column) *
            sizeof(HalfBits));
        w.address = product_.epilogue.operands[k] + (first + column) * sizeof(HalfBits);
    }
}

/// What lies as D does, C first.
void StagedProgram::load_strip(std::uint32_t i) {
    std::uint32_t slot = 0;
    if (product_.reads_c) {
        move_halves(Opcode::kLoadGlobal, product_.c, i, registers_.slot(i, slot++));
    }
    if (product_.epilogue.empty()) return;
    const std::vector<ProductEpilogue::Operand>& operands = product_.epilogue.epilogue->operands();
    for (std::size_t k = 0; k < operands.size(); ++k) {
        if (operands[k].place != ProductEpilogue::Place::kElements) continue;
        move_halves(Opcode::kLoadGlobal, product_.epilogue.operands[k], i,
                    registers_.slot(i, slot++));
    }
}

void StagedProgram::add_c(std::uint32_t i) {
    if (!product_.reads_c) return;
    for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
        if (rows_of_floats()) {
            change_floats(FloatOperation::kAddHalves, i, j);
            continue;
        }
        WarpInstruction& w = emit();
        w.opcode = Opcode::kOperation;
        w.operation = Operation::kFp32;
        w.count = static_cast<std::uint16_t>(instructions_of_tile());
        w.dst = w.src_b = registers_.sum(i, j);
        w.src_a = registers_.slot(i, 0);
        w.row_pitch_bytes = StagedEpilogue::kAddC;
        w.address = j;
        w.set_function(&kernel_.epilogue(),
                       static_cast<std::uint16_t>(registers_.slot_registers()));
    }
}

/// Step by step, tiles of sums side by side: a step waits for no other of the strip.
void StagedProgram::run_epilogue(std::uint32_t i) {
    if (product_.epilogue.empty()) return;
    const ProductEpilogue& epilogue = *product_.epilogue.epilogue;
    const auto before = [&](std::int32_t operand, ProductEpilogue::Place place) {
        return static_cast<std::uint32_t>(std::count_if(
            epilogue.operands().begin(), epilogue.operands().begin() + operand,
            [place](const ProductEpilogue::Operand& other) { return other.place == place; }));
    };
    for (std::size_t step = 0; step < epilogue.steps().size(); ++step) {
        const ProductEpilogue::Operand* const operand = epilogue.operand_of(step);
        const std::int32_t which = epilogue.steps()[step].operand;
        for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
            WarpInstruction w;
            w.dst = w.src_a = registers_.sum(i, j);
            w.row_pitch_bytes = static_cast<std::uint32_t>(StagedEpilogue::kStep + step);
            w.address = j;
            std::uint32_t sources = 1;
            if (operand != nullptr && operand->place == ProductEpilogue::Place::kColumns) {
                w.src_a = registers_.column_value(before(which, operand->place));
                w.src_b = w.dst;
            } else if (operand != nullptr && operand->place == ProductEpilogue::Place::kElements) {
                w.src_a =
                    registers_.slot(i, (product_.reads_c ? 1 : 0) + before(which, operand->place));
                w.src_b = w.dst;
                sources = registers_.slot_registers();
            }
            append_step(epilogue, step, registers_.sum_edge * registers_.sum_edge, w,
                        &kernel_.epilogue(), static_cast<std::uint16_t>(sources), pending_);
        }
    }
}

void StagedProgram::round_strip(std::uint32_t i) {
    if (rows_of_floats()) {
        for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
            change_floats(FloatOperation::kRound, i, j);
        }
        return;
    }
    // What a store writes at a time.
    const std::uint32_t rows = kAccessBytes / registers_.halves_pitch_bytes;
    for (std::uint32_t row = 0; row < registers_.sum_edge; row += rows) {
        WarpInstruction& w = emit();
        w.opcode = Opcode::kOperation;
        w.operation = Operation::kFp32;
        w.count = static_cast<std::uint16_t>(
            ceil_div(rows * registers_.sum_edge * registers_.sums_n, kLanes));
        w.dst = static_cast<std::uint8_t>(halves(i) + row / rows * kAccessRegisters);
        w.src_a = registers_.sum(i, 0);
        w.rows = static_cast<std::uint16_t>(rows);
        w.row_pitch_bytes = StagedEpilogue::kRound;
        w.address = row;
        w.set_function(&kernel_.epilogue(),
                       static_cast<std::uint16_t>(registers_.sums_n * registers_.sum_registers()));
    }
}

void StagedProgram::change_floats(FloatOperation what, std::uint32_t i, std::uint32_t j) {
    WarpInstruction& w = emit();
    w.opcode = Opcode::kFloats;
    w.set_float_operation(what);
    const bool rounds = what == FloatOperation::kRound;
    w.dst = rounds ? halves(i) : registers_.sum(i, j);
    w.src_a = rounds ? registers_.sum(i, j) : halves(i);
    w.rows = kFragment;
    w.count = kRegistersPerFragment;
    w.register_pitch_bytes = static_cast<std::uint16_t>(registers_.halves_pitch_bytes);
    w.register_offset_bytes = static_cast<std::uint16_t>(j * kFragmentRowBytes);
}

/// Loads a strip of the warp's tile of what lies at `base` as D does, or stores that of D.
void StagedProgram::move_halves(Opcode opcode, Address base, std::uint32_t i, std::uint8_t reg) {
    const std::uint32_t pitch = registers_.halves_pitch_bytes;
    const std::uint32_t rows = kAccessBytes / pitch;
    const std::uint64_t column = column_ + warp_column_;
    if (column >= product_.n) return;
    const bool load = opcode == Opcode::kLoadGlobal;
    const std::uint64_t width =
        std::min<std::uint64_t>(product_.tiling.warp_n, product_.n - column);
    for (std::uint32_t piece = 0; piece * rows < registers_.sum_edge; ++piece) {
        const std::uint64_t first =
            row_ + warp_row_ + std::uint64_t{i} * registers_.sum_edge + piece * rows;
        if (first >= m_) return;
        WarpInstruction& w = emit();
        w.opcode = opcode;
        (load ? w.dst : w.src_a) = static_cast<std::uint8_t>(reg + piece * kAccessRegisters);
        w.rows = static_cast<std::uint16_t>(std::min<std::uint64_t>(rows, m_ - first));
        const bool partly = width < product_.tiling.warp_n || w.rows < rows;
        w.zero_fill = load && partly ? kAccessRegisters : std::uint8_t{0};
        w.row_bytes = static_cast<std::uint16_t>(width * sizeof(HalfBits));
        w.register_pitch_bytes = static_cast<std::uint16_t>(pitch);
        place_rows(w, base, sizeof(HalfBits), first, column);
    }
}

void StagedProgram::flush(std::uint32_t i, std::uint32_t j) {
    WarpInstruction& w = emit();
    w.opcode = Opcode::kSparseFlush;
    w.dst = registers_.sum(i, j);
}

void StagedProgram::write_d() {
    if (product_.halves) {
        if (product_.writes_d) write_halves();
        return;
    }
    for (std::uint32_t i = 0; i < registers_.sums_m; ++i) {
        for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
            if (summed_) flush(i, j);
            if (product_.writes_d) move_sums(Opcode::kStoreGlobal, d_, i, j);
        }
    }
}

/// Loads or stores the part of a tile of sums that lies in D. The piece with the tile's first
/// register, which stands for the tile in the scoreboard, is loaded last and stored first.
void StagedProgram::move_sums(Opcode opcode, Address base, std::uint32_t i, std::uint32_t j) {
    const std::uint32_t edge = registers_.sum_edge;
    const std::uint32_t row_bytes = edge * sizeof(float);
    const std::uint32_t rows = kAccessBytes / row_bytes;
    const std::uint64_t row = row_ + warp_row_ + std::uint64_t{i} * edge;
    const std::uint64_t column = column_ + warp_column_ + std::uint64_t{j} * edge;
    if (column >= product_.n) return;
    const std::uint64_t width = std::min<std::uint64_t>(edge, product_.n - column);
    const std::uint32_t pieces = edge / rows;
    for (std::uint32_t p = 0; p < pieces; ++p) {
        const std::uint32_t piece = opcode == Opcode::kLoadGlobal ? pieces - 1 - p : p;
        const std::uint64_t first = row + std::uint64_t{piece} * rows;
        if (first >= m_) continue;
        WarpInstruction& w = emit();
        w.opcode = opcode;
        const auto reg = static_cast<std::uint8_t>(registers_.sum(i, j) + piece * 4);
        (opcode == Opcode::kLoadGlobal ? w.dst : w.src_a) = reg;
        const bool partly = width < edge || m_ - first < rows;
        w.zero_fill = opcode == Opcode::kLoadGlobal && partly ? kAccessRegisters : std::uint8_t{0};
        w.rows = static_cast<std::uint16_t>(std::min<std::uint64_t>(rows, m_ - first));
        w.row_bytes = static_cast<std::uint16_t>(width * sizeof(float));
        w.register_pitch_bytes = static_cast<std::uint16_t>(row_bytes);
        place_rows(w, base, sizeof(float), first, column);
    }
}

/// Where the rows of an access lie in memory, from `row` and `column` of the member's result on.
void StagedProgram::place_rows(WarpInstruction& w, Address base, std::uint32_t element_bytes,
                               std::uint64_t row, std::uint64_t column) {
    if (product_.places == nullptr) {
        w.row_pitch_bytes = static_cast<std::uint32_t>(product_.n * element_bytes);
        w.address = base + (row * product_.n + column) * element_bytes;
        return;
    }
    LaneAccess& lanes = spare_lanes();
    lanes.pieces.clear();
    for (std::uint32_t i = 0; i < w.rows; ++i) {
        const std::uint64_t element = product_.places->element(tile_.member, row + i) + column;
        lanes.pieces.push_back({static_cast<std::int64_t>(base + element * element_bytes),
                                w.row_bytes, i * std::uint32_t{w.register_pitch_bytes}});
    }
    set_pieces(w, lanes);
    if (w.has_lanes()) ++lanes_used_;
}

LaneAccess& StagedProgram::spare_lanes() {
    if (lanes_used_ == lanes_.size()) lanes_.emplace_back();
    return lanes_[lanes_used_];
}

void StagedProgram::load_copies(std::uint32_t step) {
    std::vector<StagedCopy>& all = scratch_.all_copies;
    all.clear();
    const std::uint32_t first = step * product_.depth_tiles;
    const std::uint32_t buffer = step % 2;
    const std::uint32_t a_live = live_tiles(row_, kernel_.a_tiles(), m_);
    const std::uint32_t b_live = live_tiles(column_, kernel_.b_tiles(), product_.n);
    const auto a_tile = static_cast<std::uint32_t>(row_ / kLineTile);
    const auto b_tile = static_cast<std::uint32_t>(column_ / kLineTile);
    kernel_.a().copies_of_cta({a_tile, a_tile + a_live, tile_.member}, first, product_.depth_tiles,
                              kernel_.slot(buffer, 0), kernel_.a_slot_bytes(), all);
    const std::size_t of_a = all.size();
    kernel_.b().copies_of_cta({b_tile, b_tile + b_live, tile_.member}, first, product_.depth_tiles,
                              kernel_.slot(buffer, kernel_.a_tiles()), kernel_.b_slot_bytes(), all);
    if (product_.skip_unmet_tiles) {
        add_descriptors(step + 2);
        look_at_descriptors(step);
    }
    take_share(all, of_a);
}

/// Every copy of a step is made by the warp that has the fewest registers under way. Of those of A,
/// the first `of_a`, a warp that leaves some out tests each of its own.
void StagedProgram::take_share(const std::vector<StagedCopy>& all, std::size_t of_a) {
    std::vector<std::uint32_t>& held = scratch_.held;
    held.assign(kernel_.info().warps_per_cta, 0);
    copies_.clear();
    std::uint32_t mine = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto least = std::min_element(held.begin(), held.end());
        *least += all[i].registers();
        if (least - held.begin() != static_cast<std::ptrdiff_t>(warp_)) continue;
        StagedCopy copy = all[i];
        const bool tested = product_.skip_unmet_tiles && i < of_a;
        if (tested) {
            emit_alu(1);
            pending_.back().src_a = registers_.first_descriptor();
            if (!copy.cut_to(scratch_.needed)) continue;
        }
        const StagedOperand& operand = i < of_a ? kernel_.a() : kernel_.b();
        const auto reg = static_cast<std::uint8_t>(registers_.first_copy() + mine);
        pending_.push_back(operand.load(copy, reg, spare_lanes()));
        if (product_.convolution_packet != 0 && i < of_a) name_as_a(pending_.back(), reg);
        if (pending_.back().has_lanes()) ++lanes_used_;
        mine += copy.registers();
        copies_.push_back(copy);
    }
}

/// Whoever renames what copies of A bring has to see each of them, one without a lane, too.
void StagedProgram::name_as_a(WarpInstruction& load, std::uint8_t reg) {
    if (load.opcode != Opcode::kLoadGlobal) {
        LaneAccess& none = spare_lanes();
        none.pieces.clear();
        none.bytes = 0;
        none.has_places = true;
        load = WarpInstruction();
        load.opcode = Opcode::kLoadGlobal;
        load.dst = reg;
        load.zero_fill = kCopyRegisters;
        load.set_lanes(&none);
    }
    load.role = FragmentRole::kA;
}

void StagedProgram::store_copies() {
    std::uint32_t held = 0;
    for (const StagedCopy& copy : copies_) {
        WarpInstruction& w = emit();
        w.opcode = Opcode::kStoreShared;
        w.src_a = static_cast<std::uint8_t>(registers_.first_copy() + held);
        held += copy.registers();
        w.rows = static_cast<std::uint16_t>(copy.stored_rows());
        w.row_bytes = static_cast<std::uint16_t>(copy.stored_row_bytes());
        w.row_pitch_bytes = copy.shared_pitch;
        w.register_pitch_bytes = w.row_bytes;
        w.address = copy.shared;
    }
}

void StagedProgram::run_step(std::uint32_t step) {
    const bool more = step + 1 < end_step_;
    if (kernel_.sparse() != nullptr) {
        run_sparse(step, step % 2);
        if (more) merge_copies(step);
        return;
    }
    if (more) {
        load_copies(step + 1);
        take_pending(scratch_.loads);
    }
    run_fragments(step);
    if (!more) return;
    spread_loads();
    store_copies();
    barrier();
}

/// What the program has so far, to be put in another order.
void StagedProgram::take_pending(std::vector<WarpInstruction>& instructions) {
    instructions.assign(pending_.begin(), pending_.end());
    pending_.clear();
}

void StagedProgram::barrier() {
    emit().opcode = Opcode::kBarrier;
    pending_.back().count = 0;
}

/// Puts the loads for the next step among the first half of this step's instructions: all at once
/// they would fill the way to L2 and hold up the LDST unit.
void StagedProgram::spread_loads() {
    const std::vector<WarpInstruction>&computation = scratch_.computation, &loads = scratch_.loads;
    take_pending(scratch_.computation);
    const std::size_t half = computation.size() / 2;
    std::size_t done = 0;
    for (std::size_t i = 0; i < computation.size(); ++i) {
        while (done < loads.size() && done * half <= i * loads.size()) {
            pending_.push_back(loads[done++]);
        }
        pending_.push_back(computation[i]);
    }
    pending_.insert(pending_.end(), loads.begin() + static_cast<std::ptrdiff_t>(done), loads.end());
}

void StagedProgram::load_shared(std::uint32_t address, std::uint32_t bytes, std::uint8_t dst) {
    for (std::uint32_t at = 0; at < bytes; at += kAccessBytes) {
        WarpInstruction& w = emit();
        w.opcode = Opcode::kLoadShared;
        w.dst = static_cast<std::uint8_t>(dst + at / kWarpRegisterBytes);
        w.rows = 1;
        w.row_bytes = static_cast<std::uint16_t>(std::min(kAccessBytes, bytes - at));
        w.address = address + at;
    }
}

void StagedProgram::load_fragment(FragmentRole role, std::uint32_t slot,
                                  const StagedOperand::Fragment& fragment, std::uint8_t dst) {
    WarpInstruction& w = emit();
    w.opcode = Opcode::kLoadShared;
    w.role = role;
    w.dst = dst;
    w.rows = kFragment;
    w.row_bytes = kFragmentRowBytes;
    w.row_pitch_bytes = fragment.pitch_bytes;
    w.register_pitch_bytes = kFragmentRowBytes;
    w.address = slot + fragment.offset;
    if (fragment.transposed) w.set_transposed();
}

/// From global memory. Lines are allocated up to whole line tiles.
void StagedProgram::load_a_fragment(std::uint64_t line, std::uint32_t tile, std::uint8_t dst) {
    if (line >= round_up(product_.m, std::uint64_t{kLineTile})) return;
    WarpInstruction& w = emit();
    w.opcode = Opcode::kLoadFragment;
    w.role = FragmentRole::kA;
    w.dst = dst;
    w.rows = kFragment;
    w.row_bytes = kFragmentRowBytes;
    w.row_pitch_bytes = product_.a_line_bytes;
    w.register_pitch_bytes = kFragmentRowBytes;
    w.address = product_.a_lines + line * product_.a_line_bytes + Address{tile} * kFragmentRowBytes;
}

void StagedProgram::run_fragments(std::uint32_t step) {
    const std::uint32_t buffer = step % 2;
    const auto left = static_cast<std::uint32_t>(ceil_div(k_, std::uint64_t{kDepthTile}) -
                                                 std::uint64_t{step} * product_.depth_tiles);
    const std::uint32_t depth = std::min(product_.depth_tiles, left);
    for (std::uint32_t tile = 0; tile < depth; ++tile) {
        if (tile % product_.fragment_skip != 0) continue;
        emit_alu(product_.tiling.loop_overhead_instructions);
        const std::uint32_t set = tile / product_.fragment_skip % registers_.buffers;
        const auto a_value = [&](std::uint32_t i) {
            return registers_.a_value(set * registers_.sums_m + i);
        };
        const auto b_value = [&](std::uint32_t j) {
            return registers_.b_value(set * registers_.sums_n + j);
        };
        for (std::uint32_t i = 0; i < registers_.sums_m; ++i) {
            const std::uint32_t line = warp_row_ + i * kFragment;
            if (product_.a_lines != 0) {
                load_a_fragment(row_ + line, step * product_.depth_tiles + tile, a_value(i));
                continue;
            }
            load_fragment(FragmentRole::kA, kernel_.slot(buffer, 0),
                          kernel_.a().fragment(line, tile, product_.depth_tiles), a_value(i));
        }
        for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
            const std::uint32_t line = warp_column_ + j * kFragment;
            load_fragment(FragmentRole::kB, kernel_.slot(buffer, kernel_.a_tiles()),
                          kernel_.b().fragment(line, tile, product_.depth_tiles), b_value(j));
        }
        for (std::uint32_t i = 0; i < registers_.sums_m; ++i) {
            for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
                WarpInstruction& w = emit();
                w.opcode = Opcode::kMma;
                w.dst = registers_.sum(i, j);
                w.src_a = a_value(i);
                w.src_b = b_value(j);
            }
        }
    }
}

}  // namespace tessera
