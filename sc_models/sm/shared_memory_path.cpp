#include "sc_models/sm/shared_memory_path.h"

#include <algorithm>
#include <array>

#include "sc_models/tensor_core/half.h"

namespace tessera {
namespace {

/// Bytes of one of the two octet copies of a fragment.
constexpr std::uint32_t kCopyBytes = kFragmentRows * kFragmentRowBytes;

/// Returns row `row` of the instruction in the shared memory of its CTA.
std::byte* memory_row(const WarpAccess& access, SharedMemory& memory, std::uint32_t row) {
    const MemoryAccess& rows = access.instruction->memory();
    return memory.at(access.cta_slot, rows.address + Address{row} * rows.row_pitch_bytes);
}

/// Gives the second octet the same copy of a fragment as the first.
void copy_octet(std::byte* registers) {
    std::copy_n(registers, kCopyBytes, registers + kCopyBytes);
}

void load_gathered(const WarpAccess& access, SharedMemory& memory, std::byte* registers) {
    const PieceAccess& pieces = access.instruction->pieces();
    if (pieces.gather == nullptr) return;
    std::fill_n(registers, pieces.row_bytes, std::byte{0});
    pieces.gather->apply(memory.at(access.cta_slot, 0), registers);
}

void load_pieces(const WarpAccess& access, SharedMemory& memory, std::byte* registers) {
    const WarpInstruction& instruction = *access.instruction;
    const bool packed = instruction.registers().pitch_bytes > 0;
    const Address first = instruction.pieces().address;
    std::byte* next = registers;
    for (std::uint32_t pieces = instruction.pieces().mask; pieces != 0; pieces &= pieces - 1) {
        const std::uint32_t at = static_cast<std::uint32_t>(__builtin_ctz(pieces)) * kPieceBytes;
        std::copy_n(memory.at(access.cta_slot, first + at), kPieceBytes,
                    packed ? next : registers + at);
        next += kPieceBytes;
    }
}

void load_transposed(const WarpAccess& access, SharedMemory& memory, std::byte* registers) {
    const MemoryAccess& rows = access.instruction->memory();
    const std::uint32_t pitch = access.instruction->registers().pitch_bytes;
    for (std::uint32_t row = 0; row < rows.rows; ++row) {
        const std::byte* const from = memory_row(access, memory, row);
        for (std::uint32_t at = 0; at < rows.row_bytes; at += sizeof(HalfBits)) {
            std::copy_n(from + at, sizeof(HalfBits),
                        registers + at / sizeof(HalfBits) * pitch + row * sizeof(HalfBits));
        }
    }
    if (access.instruction->opcode() != Opcode::kLoadMatrix) copy_octet(registers);
}

void load_rows(const WarpAccess& access, SharedMemory& memory, std::byte* registers) {
    const MemoryAccess& rows = access.instruction->memory();
    const RegisterPlace& place = access.instruction->registers();
    for (std::uint32_t row = 0; row < rows.rows; ++row) {
        std::copy_n(memory_row(access, memory, row), rows.row_bytes,
                    registers + row * place.pitch_bytes);
    }
    const bool octet_copy = place.role == FragmentRole::kA || place.role == FragmentRole::kB;
    if (octet_copy) copy_octet(registers);
}

/// Copies the bytes that the lanes read.
void load_lanes(const WarpAccess& access, SharedMemory& memory, std::byte* registers) {
    const Address base = access.instruction->memory().address;
    for (const LaneAccess::Piece& piece : access.instruction->lanes().wanted) {
        const Address from = base + static_cast<Address>(piece.offset);
        std::copy_n(memory.at(access.cta_slot, from), piece.bytes, registers + piece.place);
    }
}

/// Writes registers to shared memory; the registers of a staged copy may have been renamed.
void store_rows(const WarpAccess& access, SharedMemory& memory, RegisterFile& file,
                const std::byte* registers) {
    const MemoryAccess& rows = access.instruction->memory();
    const RegisterPlace& place = access.instruction->registers();
    std::array<std::byte, kFragmentBytes> scratch;  // NOLINT(*-member-init): scratch of a copy
    if (file.follows_renaming() && place.offset_bytes == 0) {
        registers = file.read_copy(access.warp, access.instruction->src_a, scratch);
    }
    for (std::uint32_t row = 0; row < rows.rows; ++row) {
        std::copy_n(registers + row * place.pitch_bytes, rows.row_bytes,
                    memory_row(access, memory, row));
    }
}

}  // namespace

void move_shared(const WarpAccess& access, SharedMemory& memory, RegisterFile& registers) {
    const WarpInstruction& instruction = *access.instruction;
    const bool store = instruction.opcode() == Opcode::kStoreShared;
    std::byte* const first =
        registers.at(access.warp, store ? instruction.src_a : instruction.dst) +
        instruction.registers().offset_bytes;
    if (instruction.has_lanes()) {
        load_lanes(access, memory, first);
    } else if (instruction.opcode() == Opcode::kLoadGathered) {
        load_gathered(access, memory, first);
    } else if (instruction.opcode() == Opcode::kLoadPieces) {
        load_pieces(access, memory, first);
    } else if (instruction.registers().transposed) {
        load_transposed(access, memory, first);
    } else if (store) {
        store_rows(access, memory, registers, first);
    } else {
        load_rows(access, memory, first);
    }
}

}  // namespace tessera
