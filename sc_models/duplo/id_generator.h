// Turns addresses of A-fragment loads into identities of the data there.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/config/duplo_config.h"
#include "sc_models/duplo/data_id.h"
#include "sc_models/duplo/exact_divider.h"
#include "sc_models/isa/convolution_packet.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// ID generator (Duplo III-B, III-C, IV-A), programmed by a convolution packet.
///
/// The corrected id of a chunk is the linear NHWC index of its first half in the padded,
/// zero-inserted input image, ((y*S + fy)*Wp + x*S)*C + o, which with the image's number tells any
/// two data apart. The printed formulas are kept, read charitably (channels and upsampling put in
/// where the text forgets them): they divide by the output's height, use the unpadded width and,
/// `kPaper`, forget the stride along a row.
///
/// Four divisors (row pitch, Ho*Wo, Wo, filter row) make one exact division each for the first row
/// of a fragment; the rows below follow by counting.
class IdGenerator {
public:
    /// Refuses (ConfigError) a packet that fails its `check`. `recurrence`: ids say whether they
    /// recur.
    void program(const ConvolutionPacket& packet, IdFormula formula, bool recurrence = false);
    [[nodiscard]] const ConvolutionPacket& packet() const { return packet_; }

    /// Ids of the 16 / `group_rows` groups of rows of a fragment whose row 0 lies at `address` and
    /// whose rows lie `row_pitch_bytes` apart. `group_rows` is 1, 8 or 16.
    void generate(Address address, std::uint32_t row_pitch_bytes, std::uint32_t group_rows,
                  DataId* out) const;
    /// Ids of the 16 chunks at `rows`, of a packet that is by place.
    void generate_by_place(const Address* rows, DataId* out) const;

private:
    /// A place in the workspace: output position of its row, place of its chunk in the filter.
    struct ChunkPlace {
        std::uint32_t row = 0, batch = 0, y = 0, x = 0;
        std::uint32_t fy = 0, offset = 0;
        BypassReason bypass = BypassReason::kNone;  ///< of the chunk column
    };

    /// Where else the data of a chunk lie, further along k: so many output rows above and columns
    /// to the left, and in the filter as much below and to the right.
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
    std::uint32_t pitch_bytes_ = 0;
    std::uint32_t total_rows_ = 0;  ///< of all images
    std::uint32_t image_rows_ = 0;
    // Steps of an element id.
    std::uint64_t step_x_ = 0, step_y_ = 0, step_filter_y_ = 0;
    std::vector<LaterPlace> later_;  ///< empty: not asked for
    std::int64_t last_offset_ = 0;   ///< of a whole chunk in a filter row
    /// Zero rule: input rows and columns (padded) that hold zeros only.
    std::vector<std::uint8_t> zero_row_, zero_column_;
};

}  // namespace tessera
