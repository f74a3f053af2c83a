// Worked examples of the Duplo paper as data: the convolution of Figure 6 and the loads of Table
// II.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sc_models/common/types.h"
#include "sc_models/isa/convolution_packet.h"

namespace tessera {

/// Convolution of Figure 6 (Duplo III-B): a 4x4 input under a 3x3 filter of stride 1, thus 36
/// workspace elements. The figure has one channel; with 16 `channels`, each of its elements is one
/// 32-byte chunk.
[[nodiscard]] inline LoweredGeometry duplo_figure6(std::uint32_t channels = 1) {
    constexpr std::uint32_t kChunkHalves = 16;
    LoweredGeometry g;
    g.batch = 1;
    g.input_height = g.input_width = 4;
    g.channels = channels;
    g.filter_height = g.filter_width = 3;
    g.stride = 1;
    g.output_height = g.output_width = 2;
    g.dense = channels % kChunkHalves != 0;
    g.filter_row_chunks = ceil_div(g.filter_width * channels, kChunkHalves);
    g.row_pitch_chunks = ceil_div(g.filter_height * g.filter_width * channels, kChunkHalves);
    g.n_chunks = g.row_pitch_chunks * g.output_height * g.output_width;
    g.index_shift = auto_index_shift(g.stride, channels);
    return g;
}

/// Load instruction of Table II (Duplo IV-C) and the entries of its row.
struct DuploTable2Load {
    std::uint32_t architectural;               ///< destination: %r4 is 4
    std::optional<std::uint32_t> array_index;  ///< none: a load of B, outside the workspace
    std::uint32_t element_id, entry;           ///< as printed; unused without an array index
    const char* status;                        ///< as printed: "Miss"
    const char* operation;                     ///< of the buffer, as printed: "Entry allocation"
    std::uint32_t physical;                    ///< register after renaming: %p2 is 2
};

/// Table II: four loads through a direct-mapped load history buffer of `kEntries` entries.
struct DuploTable2 {
    static constexpr std::uint32_t kEntries = 4;
    static constexpr std::uint32_t kArchitectural = 9;  ///< registers %r0 to %r8
    static constexpr std::uint32_t kPhysical = 8;       ///< registers %p0 to %p7

    static constexpr std::array<DuploTable2Load, 4> kLoads = {{
        {4, 2, 2, 2, "Miss", "Entry allocation", 2},
        {2, std::nullopt, 0, 0, "-", "N/A", 1},
        {3, 10, 2, 2, "Hit", "Register reuse", 2},
        {8, 28, 6, 2, "Miss", "Entry replacement", 6},
    }};
    /// Order of the free list in which the table allocates registers.
    static constexpr std::array<std::uint32_t, kPhysical> kFreeOrder = {2, 1, 6, 0, 3, 4, 5, 7};
};

}  // namespace tessera
