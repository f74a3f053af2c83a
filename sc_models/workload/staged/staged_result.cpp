#include "sc_models/workload/staged/staged_result.h"

#include <algorithm>

#include "sc_models/isa/coalescer.h"
#include "sc_models/workload/staged/gathered_operand.h"

namespace tessera {

void StagedResult::read_c() {
    if (!product_.reads_c || product_.is_narrow()) {
        WarpInstruction& alu = emit(Opcode::kAlu);
        alu.dst = registers_.sum(0, 0);
        alu.count = alu.moves().zero_fill = static_cast<std::uint8_t>(
            registers_.sums_m * registers_.sums_n * registers_.sum_registers());
        return;
    }
    for (std::uint32_t i = 0; i < registers_.sums_m; ++i) {
        for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
            move_sums(Opcode::kLoadGlobal, product_.c, i, j);
        }
    }
}

/// Writes D as halves or bytes. Other operands arrive by the time the last products are complete.
/// Rows that are contiguous in D are written together.
void StagedResult::write_narrow(bool summed) {
    load_columns();
    const std::uint32_t ahead = registers_.strips_ahead();
    for (std::uint32_t i = 0; i < ahead; ++i) load_strip(i);
    for (std::uint32_t i = 0; i < registers_.sums_m; ++i) {
        for (std::uint32_t j = 0; summed && j < registers_.sums_n; ++j) flush(i, j);
        add_c(i);
        run_epilogue(i);
        requantise(i);
        round_strip(i);
        move_narrow(Opcode::kStoreGlobal, at_.d, i, halves(i));
        if (i + ahead < registers_.sums_m) load_strip(i + ahead);
    }
}

/// Loads what steps and requantization have for each column of the warp's tile, for all its rows.
void StagedResult::load_columns() {
    if (at_.column + at_.warp_column >= product_.n) return;
    if (!product_.requantization.empty()) {
        load_column(product_.requantization.bias, sizeof(std::int32_t), 0);
        load_column(product_.requantization.factors, sizeof(float), 1);
    }
    if (product_.epilogue.empty()) return;
    const std::vector<ProductEpilogue::Operand>& operands = product_.epilogue.epilogue->operands();
    std::uint32_t loaded = 0;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        if (operands[k].place != ProductEpilogue::OperandExtent::kColumns) continue;
        load_column(product_.epilogue.operands[k], sizeof(HalfBits), loaded++);
    }
}

/// Loads one element per column from the tensor at `base`.
void StagedResult::load_column(Address base, std::uint32_t element_bytes, std::uint32_t slot) {
    const std::uint64_t column = at_.column + at_.warp_column;
    const std::uint64_t pitch =
        product_.requantization.empty() ? product_.epilogue.pitch : product_.requantization.pitch;
    const std::uint64_t first =
        product_.places != nullptr ? product_.places->element(at_.tile.member, 0) % pitch : 0;
    WarpInstruction& w = emit(Opcode::kLoadGlobal);
    w.dst = registers_.column_value(slot);
    w.memory().set_rows(
        base + (first + column) * element_bytes, 1,
        std::min<std::uint64_t>(product_.tiling.warp_n, product_.n - column) * element_bytes);
    w.registers().zero_fill = kAccessRegisters;
}

/// Takes the tiles of sums of a strip to the range of bytes.
void StagedResult::requantise(std::uint32_t i) {
    if (product_.requantization.empty()) return;
    for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(Operation::kFp32);
        w.count = static_cast<std::uint16_t>(product_.requantization.rule->cost() *
                                             instructions_of_tile());
        w.dst = w.src_b = registers_.sum(i, j);
        w.src_a = registers_.column_value(0);
        FunctionCall& call = w.set_function(&kernel_.epilogue(), 2 * kAccessRegisters);
        call.variant = StagedEpilogue::kRequantise;
        call.position = j;
    }
}

/// Loads a strip of the operands with the layout of D, C first.
void StagedResult::load_strip(std::uint32_t i) {
    std::uint32_t slot = 0;
    if (product_.reads_c) {
        move_narrow(Opcode::kLoadGlobal, product_.c, i, registers_.slot(i, slot++));
    }
    if (product_.epilogue.empty()) return;
    const std::vector<ProductEpilogue::Operand>& operands = product_.epilogue.epilogue->operands();
    for (std::size_t k = 0; k < operands.size(); ++k) {
        if (operands[k].place != ProductEpilogue::OperandExtent::kElements) continue;
        move_narrow(Opcode::kLoadGlobal, product_.epilogue.operands[k], i,
                    registers_.slot(i, slot++));
    }
}

void StagedResult::add_c(std::uint32_t i) {
    if (!product_.reads_c) return;
    for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
        if (rows_of_floats()) {
            change_floats(FloatOperation::kAddHalves, i, j);
            continue;
        }
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(Operation::kFp32);
        w.count = static_cast<std::uint16_t>(instructions_of_tile());
        w.dst = w.src_b = registers_.sum(i, j);
        w.src_a = registers_.slot(i, 0);
        FunctionCall& call = w.set_function(&kernel_.epilogue(), registers_.slot_registers());
        call.variant = StagedEpilogue::kAddC;
        call.position = j;
    }
}

/// Applies the epilogue step by step to adjacent tiles of sums: no step waits for another of the
/// strip.
void StagedResult::run_epilogue(std::uint32_t i) {
    if (product_.epilogue.empty()) return;
    const ProductEpilogue& epilogue = *product_.epilogue.epilogue;
    const auto before = [&](std::int32_t operand, ProductEpilogue::OperandExtent place) {
        return static_cast<std::uint32_t>(std::count_if(
            epilogue.operands().begin(), epilogue.operands().begin() + operand,
            [place](const ProductEpilogue::Operand& other) { return other.place == place; }));
    };
    for (std::size_t step = 0; step < epilogue.steps().size(); ++step) {
        const ProductEpilogue::Operand* const operand = epilogue.operand_of(step);
        const std::int32_t which = epilogue.steps()[step].operand;
        for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
            WarpInstruction w(Opcode::kOperation);
            w.dst = w.src_a = registers_.sum(i, j);
            std::uint32_t sources = 1;
            if (operand != nullptr && operand->place == ProductEpilogue::OperandExtent::kColumns) {
                w.src_a = registers_.column_value(before(which, operand->place));
                w.src_b = w.dst;
            } else if (operand != nullptr &&
                       operand->place == ProductEpilogue::OperandExtent::kElements) {
                w.src_a =
                    registers_.slot(i, (product_.reads_c ? 1 : 0) + before(which, operand->place));
                w.src_b = w.dst;
                sources = registers_.slot_registers();
            }
            FunctionCall& call = w.set_function(&kernel_.epilogue(), sources);
            call.variant = static_cast<std::uint32_t>(StagedEpilogue::kStep + step);
            call.position = j;
            append_step(epilogue, step, registers_.sum_edge * registers_.sum_edge, w,
                        out_.pending());
        }
    }
}

void StagedResult::round_strip(std::uint32_t i) {
    const bool packs = !product_.requantization.empty();
    if (rows_of_floats() && !packs) {
        for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
            change_floats(FloatOperation::kRound, i, j);
        }
        return;
    }
    // Rows per store.
    const std::uint32_t rows = kAccessBytes / registers_.slot_pitch_bytes;
    for (std::uint32_t row = 0; row < registers_.sum_edge; row += rows) {
        WarpInstruction& w = emit(Opcode::kOperation);
        w.set_operation(Operation::kFp32);
        const std::uint32_t elements = rows * registers_.sum_edge * registers_.sums_n;
        w.count = static_cast<std::uint16_t>(
            ceil_div(elements, kWarpLanes * (packs ? Requantization::kPacked : 1)));
        w.dst = static_cast<std::uint8_t>(halves(i) + row / rows * kAccessRegisters);
        w.src_a = registers_.sum(i, 0);
        FunctionCall& call =
            w.set_function(&kernel_.epilogue(), registers_.sums_n * registers_.sum_registers());
        call.variant = packs ? StagedEpilogue::kPack : StagedEpilogue::kRound;
        call.position = row;
        call.elements = static_cast<std::uint16_t>(rows);
    }
}

void StagedResult::change_floats(FloatOperation what, std::uint32_t i, std::uint32_t j) {
    WarpInstruction& w = emit(Opcode::kFloats);
    const bool rounds = what == FloatOperation::kRound;
    w.dst = rounds ? halves(i) : registers_.sum(i, j);
    w.src_a = rounds ? registers_.sum(i, j) : halves(i);
    w.count = kRegistersPerFragment;
    w.floats() = {kFragmentRows, static_cast<std::uint16_t>(j * kFragmentRowBytes),
                  static_cast<std::uint16_t>(registers_.slot_pitch_bytes), what, product_.format()};
}

/// Loads a strip of the warp's tile from the tensor at `base`, which has the layout and the type of
/// D, or stores that of D.
void StagedResult::move_narrow(Opcode opcode, Address base, std::uint32_t i, std::uint8_t reg) {
    const std::uint32_t pitch = registers_.slot_pitch_bytes;
    const std::uint32_t rows = kAccessBytes / pitch;
    const std::uint64_t column = at_.column + at_.warp_column;
    if (column >= product_.n) return;
    const bool load = opcode == Opcode::kLoadGlobal;
    const std::uint64_t width =
        std::min<std::uint64_t>(product_.tiling.warp_n, product_.n - column);
    for (std::uint32_t piece = 0; piece * rows < registers_.sum_edge; ++piece) {
        const std::uint64_t first =
            at_.row + at_.warp_row + std::uint64_t{i} * registers_.sum_edge + piece * rows;
        if (first >= at_.m) return;
        WarpInstruction& w = emit(opcode);
        (load ? w.dst : w.src_a) = static_cast<std::uint8_t>(reg + piece * kAccessRegisters);
        const bool partly = width < product_.tiling.warp_n || at_.m - first < rows;
        w.registers().zero_fill = load && partly ? kAccessRegisters : std::uint8_t{0};
        w.registers().pitch_bytes = static_cast<std::uint16_t>(pitch);
        w.memory().set_rows(0, std::min<std::uint64_t>(rows, at_.m - first),
                            width * product_.element_bytes());
        place_rows(w, base, product_.element_bytes(), first, column);
    }
}

void StagedResult::flush(std::uint32_t i, std::uint32_t j) {
    WarpInstruction& w = emit(Opcode::kSparseFlush);
    w.dst = registers_.sum(i, j);
}

void StagedResult::write_d(bool summed) {
    if (product_.is_narrow()) {
        if (product_.writes_d) write_narrow(summed);
        return;
    }
    for (std::uint32_t i = 0; i < registers_.sums_m; ++i) {
        for (std::uint32_t j = 0; j < registers_.sums_n; ++j) {
            if (summed) flush(i, j);
            if (product_.writes_d) move_sums(Opcode::kStoreGlobal, at_.d, i, j);
        }
    }
}

/// Loads or stores the part of a tile of sums inside D. The piece with the tile's first register,
/// which represents the tile in the scoreboard, is loaded last and stored first.
void StagedResult::move_sums(Opcode opcode, Address base, std::uint32_t i, std::uint32_t j) {
    const std::uint32_t edge = registers_.sum_edge;
    const std::uint32_t row_bytes = edge * sizeof(float);
    const std::uint32_t rows = kAccessBytes / row_bytes;
    const std::uint64_t row = at_.row + at_.warp_row + std::uint64_t{i} * edge;
    const std::uint64_t column = at_.column + at_.warp_column + std::uint64_t{j} * edge;
    if (column >= product_.n) return;
    const std::uint64_t width = std::min<std::uint64_t>(edge, product_.n - column);
    const std::uint32_t pieces = edge / rows;
    for (std::uint32_t p = 0; p < pieces; ++p) {
        const std::uint32_t piece = opcode == Opcode::kLoadGlobal ? pieces - 1 - p : p;
        const std::uint64_t first = row + std::uint64_t{piece} * rows;
        if (first >= at_.m) continue;
        WarpInstruction& w = emit(opcode);
        const auto reg = static_cast<std::uint8_t>(registers_.sum(i, j) + piece * 4);
        (opcode == Opcode::kLoadGlobal ? w.dst : w.src_a) = reg;
        const bool partly = width < edge || at_.m - first < rows;
        const bool load = opcode == Opcode::kLoadGlobal;
        w.registers().zero_fill = load && partly ? kAccessRegisters : std::uint8_t{0};
        w.registers().pitch_bytes = static_cast<std::uint16_t>(row_bytes);
        w.memory().set_rows(0, std::min<std::uint64_t>(rows, at_.m - first), width * sizeof(float));
        place_rows(w, base, sizeof(float), first, column);
    }
}

/// Sets the addresses of the rows of an access, from `row` and `column` of the member's result on.
void StagedResult::place_rows(WarpInstruction& w, Address base, std::uint32_t element_bytes,
                              std::uint64_t row, std::uint64_t column) {
    MemoryAccess& memory = w.memory();
    if (product_.places == nullptr) {
        memory.row_pitch_bytes = static_cast<std::uint32_t>(product_.n * element_bytes);
        memory.address = base + (row * product_.n + column) * element_bytes;
        return;
    }
    LaneAccess& lanes = out_.spare_lanes();
    lanes.pieces.clear();
    for (std::uint32_t i = 0; i < memory.rows; ++i) {
        const std::uint64_t element = product_.places->element(at_.tile.member, row + i) + column;
        lanes.pieces.push_back({static_cast<std::int64_t>(base + element * element_bytes),
                                memory.row_bytes, i * std::uint32_t{w.registers().pitch_bytes}});
    }
    set_pieces(w, lanes);
    if (w.has_lanes()) out_.keep_lanes();
}

}  // namespace tessera
