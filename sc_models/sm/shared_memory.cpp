#include "sc_models/sm/shared_memory.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::uint32_t kWordBytes = 4;

}  // namespace

void SharedMemory::configure_values(std::uint32_t ctas, std::uint32_t bytes_per_cta) {
    bytes_per_cta_ = bytes_per_cta;
    bytes_.assign(std::size_t{ctas} * bytes_per_cta, std::byte{0});
}

std::uint32_t SharedMemory::wavefronts(const WarpInstruction& access) {
    if (takes_pieces(access.opcode())) return wavefronts_of_pieces(access.pieces().mask);
    const MemoryAccess& memory = access.memory();
    if (access.opcode() == Opcode::kLoadMatrix || copies_to_shared(access.opcode())) {
        return static_cast<std::uint32_t>(ceil_div<Address>(Address{memory.rows} * memory.row_bytes,
                                                            Address{banks_.value()} * kWordBytes));
    }
    if (memory.rows == 1) {
        const Address words = ceil_div<Address>(memory.address + memory.row_bytes, kWordBytes) -
                              memory.address / kWordBytes;
        return std::max(1U, static_cast<std::uint32_t>((words + banks_.value() - 1) / banks_));
    }
    Address turn = memory.address / kWordBytes;  // word offset within one row of the banks
    turn -= turn / banks_ * banks_.value();
    const Pattern pattern{
        memory.row_pitch_bytes, memory.rows, memory.row_bytes,
        static_cast<std::uint32_t>(turn * kWordBytes + memory.address % kWordBytes)};
    Known& known = known_[pattern.place()];
    if (!(known.pattern == pattern)) known = {pattern, wavefronts_of_rows(memory)};
    return known.wavefronts;
}

std::uint32_t SharedMemory::wavefronts_of_rows(const MemoryAccess& access) {
    std::fill(load_.begin(), load_.end(), std::uint16_t{0});
    std::uint32_t most = 1;
    for (std::uint32_t row = 0; row < access.rows; ++row) {
        const Address first = access.address + Address{row} * access.row_pitch_bytes;
        const Address begin = first / kWordBytes;
        const auto end = ceil_div<Address>(first + access.row_bytes, kWordBytes);
        std::size_t bank = begin % banks_;
        for (Address word = begin; word < end; ++word) {
            most = std::max<std::uint32_t>(most, ++load_[bank]);
            if (++bank == load_.size()) bank = 0;
        }
    }
    return most;
}

/// If the number of banks is a multiple of a piece's words, a piece lies within one group of banks,
/// and only pieces in the same group conflict.
std::uint32_t SharedMemory::wavefronts_of_pieces(std::uint32_t pieces) {
    constexpr std::uint32_t kWords = kPieceBytes / 4;
    std::fill(load_.begin(), load_.end(), std::uint16_t{0});
    const bool whole = banks_.value() % kWords == 0;
    const std::uint32_t step = whole ? kWords : 1;
    std::uint32_t most = 1;
    for (; pieces != 0; pieces &= pieces - 1) {
        const auto first = static_cast<std::uint32_t>(__builtin_ctz(pieces)) * kWords;
        for (std::uint32_t word = first; word < first + kWords; word += step) {
            most = std::max<std::uint32_t>(most, ++load_[word % banks_]);
        }
    }
    return most;
}

}  // namespace tessera
