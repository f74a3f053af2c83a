// Shared memory: bank conflicts, and contents where values are simulated.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "sc_models/common/divisor.h"
#include "sc_models/common/types.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// The shared-memory part of the unified L1: 4-byte banks, one wavefront a cycle, and a region for
/// each resident CTA.
class SharedMemory {
public:
    explicit SharedMemory(std::uint32_t banks) : banks_(banks), load_(banks) {}

    /// Contents for `ctas` CTAs of `bytes_per_cta`, cleared; only needed where values are
    /// simulated.
    void configure_values(std::uint32_t ctas, std::uint32_t bytes_per_cta);

    /// Cycles the banks are busy with one warp instruction: the largest number of different words
    /// that fall into one bank. At least 1.
    [[nodiscard]] std::uint32_t wavefronts(const WarpInstruction& access);

    /// Byte `address` of the region of CTA slot `cta`.
    [[nodiscard]] std::byte* at(std::uint32_t cta, Address address) {
        return bytes_.data() + std::size_t{cta} * bytes_per_cta_ + address;
    }

private:
    /// Of the 16-byte pieces in a mask.
    [[nodiscard]] std::uint32_t wavefronts_of_pieces(std::uint32_t pieces);

    /// Of more than one row, the slow way.
    [[nodiscard]] std::uint32_t wavefronts_of_rows(const WarpInstruction& access);

    /// What decides how many wavefronts rows take. Kernels repeat few such patterns.
    struct Pattern {
        std::uint32_t pitch_bytes = 0;
        std::uint16_t rows = 0, row_bytes = 0;
        std::uint32_t begin = 0;  ///< byte in a turn of the banks

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
    std::vector<std::uint16_t> load_;  ///< words a bank must deliver, scratch of wavefronts()
    std::size_t bytes_per_cta_ = 0;
    std::vector<std::byte> bytes_;
};

}  // namespace tessera
