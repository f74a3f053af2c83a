// ID generator of Duplo: maps addresses of A-fragment loads to identities of their data.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/duplo/data_id.h"
#include "sc_models/duplo/exact_divider.h"
#include "sc_models/duplo/keys/duplo_config.h"
#include "sc_models/isa/convolution_packet.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// ID generator (Duplo III-B, III-C, IV-A), programmed by a convolution packet.
///
/// The corrected id of a chunk is the linear NHWC index of its first half in the padded,
/// zero-inserted input image, ((y*S + fy)*Wp + x*S)*C + o; together with the image number it is
/// unique. The printed formulas are supported in their charitable reading (channels and upsampling
/// inserted where the text omits them): they divide by the output's height, use the unpadded width
/// and, `kPaper`, omit the stride along a row.
///
/// Four divisors (row pitch, Ho*Wo, Wo, filter row) take one exact division each for the first row
/// of a fragment; the rows below follow by counting.
class IdGenerator {
public:
    /// Programs the generator; throws ConfigError for a packet that fails its `check`.
    /// `recurrence`: ids have DataId::recurs set.
    void program(const ConvolutionPacket& packet, IdFormula formula, bool recurrence = false);
    [[nodiscard]] const ConvolutionPacket& packet() const { return packet_; }

    /// Generates the ids of the 16 / `group_rows` row groups of a fragment with row 0 at `address`
    /// and rows `row_pitch_bytes` apart. `group_rows` is 1, 8 or 16.
    void generate(Address address, std::uint32_t row_pitch_bytes, std::uint32_t group_rows,
                  DataId* out) const;
    /// Generates the ids of the 16 chunks at `rows`, for a packet with is_by_place().
    void generate_by_place(const Address* rows, DataId* out) const;

private:
    /// Position in the workspace: output position of its row, position of its chunk in the filter.
    struct ChunkPlace {
        std::uint32_t row = 0, batch = 0, y = 0, x = 0;
        std::uint32_t fy = 0, offset = 0;
        BypassReason bypass = BypassReason::kNone;  ///< bypass of the chunk column
    };

    /// Offset to another occurrence of a chunk's data further along k: output rows up and columns
    /// left, and correspondingly filter rows down and halves right.
    struct LaterPlace {
        std::int64_t up = 0, left = 0;
        std::int64_t filter_rows = 0, halves = 0;
    };

    template <std::uint32_t kRows>
    void walk(Address address, std::uint32_t row_pitch_bytes, DataId* out) const;
    template <std::uint32_t kRows>
    [[nodiscard, gnu::always_inline]] inline DataId identify(const ChunkPlace& place) const;
    template <std::uint32_t kRows>
    [[nodiscard]] bool recurs(const ChunkPlace& place) const;
    template <std::uint32_t kRows>
    void advance(ChunkPlace& place) const;
    [[nodiscard]] BypassReason region_check(Address address) const;
    [[nodiscard]] ChunkPlace locate(Address address) const;
    [[nodiscard]] std::uint64_t element_of(const ChunkPlace& place) const;
    [[nodiscard]] bool zero_chunk(const ChunkPlace& place) const;
    void find_later_places();
    [[nodiscard]] std::uint32_t wrap_tag(const ChunkPlace& place, std::uint32_t rows) const;

    ConvolutionPacket packet_;
    IdFormula formula_ = IdFormula::kCorrected;
    ExactDivider by_pitch_, by_image_, by_width_, by_height_, by_filter_row_, by_channels_;
    Address pitch_bytes_ = 0;       ///< of the workspace; a load's pitch has 32 bits
    std::uint32_t total_rows_ = 0;  ///< rows of all images
    std::uint32_t image_rows_ = 0;
    // Steps of an element id.
    std::uint64_t step_x_ = 0, step_y_ = 0, step_filter_y_ = 0;
    std::vector<LaterPlace> later_;  ///< empty: recurrence is not computed
    std::int64_t last_offset_ = 0;   ///< last offset of a whole chunk in a filter row
    /// Zero rule: padded input rows and columns that hold only zeros.
    std::vector<std::uint8_t> zero_row_, zero_column_;
};

}  // namespace tessera
