// Shared memory: bank conflicts, and contents with values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "sc_models/common/divisor.h"
#include "sc_models/common/types.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// Shared-memory part of the unified L1: 4-byte banks, one wavefront a cycle, and one region for
/// each resident CTA.
class SharedMemory {
public:
    explicit SharedMemory(std::uint32_t banks) : banks_(banks), load_(banks) {}

    /// Allocates `ctas` regions of `bytes_per_cta`, cleared; needed only where values are
    /// simulated.
    void configure_values(std::uint32_t ctas, std::uint32_t bytes_per_cta);

    /// Returns the cycles the banks are busy with one warp instruction: the largest number of
    /// different words in one bank, at least 1.
    [[nodiscard]] std::uint32_t wavefronts(const WarpInstruction& access);

    /// Returns the cycles to read the operands of a warp's share of a warpgroup's product:
    /// `own_lines` of its own (none if they are in registers), and a quarter of the lines that the
    /// four warps share.
    [[nodiscard]] Cycle operand_wavefronts(std::uint32_t own_lines,
                                           std::uint32_t shared_lines) const {
        constexpr std::uint32_t kWordBytes = 4, kWarps = 4;
        const std::uint32_t bytes = (own_lines + shared_lines / kWarps) * kFragmentRowBytes;
        return ceil_div(Cycle{bytes}, Cycle{banks_.value()} * kWordBytes);
    }
    /// Takes the port of the tensor cores' operands for `wavefronts` cycles from `start` on, or
    /// once it is free; returns the cycle at which they are read.
    Cycle read_operands(Cycle start, Cycle wavefronts) {
        operands_free_ = std::max(operands_free_, start) + wavefronts;
        return operands_free_;
    }

    /// Returns byte `address` of the region of CTA slot `cta`.
    [[nodiscard]] std::byte* at(std::uint32_t cta, Address address) {
        return bytes_.data() + std::size_t{cta} * bytes_per_cta_ + address;
    }

private:
    /// Wavefronts of the 16-byte pieces in a mask.
    [[nodiscard]] std::uint32_t wavefronts_of_pieces(std::uint32_t pieces);

    /// Wavefronts of several rows, computed word by word.
    [[nodiscard]] std::uint32_t wavefronts_of_rows(const MemoryAccess& access);

    /// Key of the wavefront cache: the properties that determine the wavefronts of an access.
    /// Kernels repeat few patterns.
    struct Pattern {
        std::uint32_t pitch_bytes = 0;
        std::uint16_t rows = 0, row_bytes = 0;
        std::uint32_t begin = 0;  ///< byte offset within one row of the banks

        [[nodiscard]] bool operator==(const Pattern& other) const {
            return pitch_bytes == other.pitch_bytes && rows == other.rows &&
                   row_bytes == other.row_bytes && begin == other.begin;
        }
        [[nodiscard]] std::size_t place() const {
            const std::uint64_t shape =
                std::uint64_t{pitch_bytes} << 32U | std::uint64_t{row_bytes} << 16U | rows;
            return ((shape + begin) * 0x9E3779B97F4A7C15ULL >> 32U) % kPlaces;
        }
    };
    struct Known {
        Pattern pattern;
        std::uint32_t wavefronts = 0;
    };
    static constexpr std::size_t kPlaces = 64;

    std::array<Known, kPlaces> known_{};
    Divisor banks_;
    std::vector<std::uint16_t> load_;  ///< words each bank must deliver; scratch of wavefronts()
    Cycle operands_free_ = 0;
    std::size_t bytes_per_cta_ = 0;
    std::vector<std::byte> bytes_;
};

}  // namespace tessera
