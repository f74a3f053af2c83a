// Identity of workspace data, as produced by the ID generator.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tessera {

/// Reason why a load goes to memory without a lookup in the load history buffer.
enum class BypassReason : std::uint8_t {
    kNone,              ///< it has an id
    kOff,               ///< no packet, or a store into the workspace switched detection off
    kAsleep,            ///< the unit is still waking up
    kOutsideWorkspace,  ///< address outside the programmed region
    kUnaligned,         ///< not at a 32-byte chunk
    kCrossing,          ///< dense K: the chunk crosses from one filter row into the next
    kRowTail,           ///< in the padding behind the last filter row
    kBatchTail,         ///< a workspace row behind the last image
    kPitch,             ///< half-tile or tile whose rows are not neighbouring workspace rows
};
inline constexpr std::size_t kBypassReasons = 9;
/// Names of the reasons in statistics.
inline constexpr std::array<std::string_view, kBypassReasons> kBypassNames = {
    "none",     "off",        "asleep", "outside_workspace", "unaligned", "crossing",
    "row_tail", "batch_tail", "pitch"};

/// Identity of one 32-byte chunk, or of a group of 8 or 16 rows of them.
struct DataId {
    std::uint64_t element = 0;  ///< id of the first half; full width, no bits dropped
    std::uint32_t batch = 0;    ///< image
    std::uint32_t extra =
        0;  ///< position of the wrap in a group that wraps an output row; 0: no wrap
    BypassReason bypass = BypassReason::kNone;
    bool zero = false;  ///< zero rule on, and every half known to be zero
    /// Computed on request: a chunk further along k has the same id (another filter offset of an
    /// output pixel above or to the left).
    bool recurs = false;

    [[nodiscard]] bool valid() const { return bypass == BypassReason::kNone; }
};

}  // namespace tessera
