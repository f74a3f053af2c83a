// How a warp loads and stores a chunk of a tensor.
#pragma once

#include <deque>
#include <vector>

#include "sc_models/isa/coalescer.h"
#include "sc_models/workload/tensor_plan.h"

namespace tessera {

/// What a lane accesses at once at most: 128 bits.
inline constexpr std::uint32_t kVectorBytes = 16;
/// Elements of a chunk: such a vector for each lane.
[[nodiscard]] constexpr std::uint32_t chunk_elements(TensorType type) {
    return kWarpLanes * kVectorBytes / (type == TensorType::kFp32 ? 4U : 2U);
}
/// Warp registers that a chunk lies in, linearly.
inline constexpr std::uint32_t kChunkRegisters = 4;
/// Registers that a load of a chunk may name: one for each of at most eight instructions, which
/// would wait for each other with one name, and behind them the chunk itself.
inline constexpr std::uint32_t kMostAccesses = 8;
inline constexpr std::uint32_t kSlotRegisters = kMostAccesses + kChunkRegisters;

/// Accesses to one tensor of a part. Lanes take as wide a vector as alignment lets all of them
/// take; where elements of a vector are one and the same, lanes load that. A chunk of narrower
/// vectors takes more instructions. Loads whose lanes do not lie side by side are coalesced to
/// sectors.
class TensorAccess {
public:
    /// `base` is the tensor's address. `along_kept`: chunks are of neighbouring kept elements.
    /// Elements of a view of indices take as many bytes as it says.
    TensorAccess(const TensorPart& part, const TensorView& view, TensorType type, Address base,
                 bool along_kept, const AccessGranularity& granularity, bool values);

    /// Appends the loads of `n` elements from `first` on to the slot of kSlotRegisters at `slot`,
    /// where element i will be i elements into the last kChunkRegisters. What is outside is not
    /// loaded. `lanes` keeps what they point at.
    void load(std::uint64_t first, std::uint64_t fixed, std::uint32_t n, std::uint8_t slot,
              std::vector<WarpInstruction>& out, std::deque<LaneAccess>& lanes) const;
    /// The same of stores from the chunk at `src`. Nothing of a result is outside.
    void store(std::uint64_t first, std::uint64_t fixed, std::uint32_t n, std::uint8_t src,
               std::vector<WarpInstruction>& out, std::deque<LaneAccess>& lanes) const;

    /// Elements of a lane's vector.
    [[nodiscard]] std::uint32_t width() const { return width_; }
    [[nodiscard]] bool has_outside() const { return has_outside_; }
    /// Integer instructions of a thread to find its first address: a division for each axis but
    /// one, chosen.
    [[nodiscard]] std::uint32_t index_instructions() const;

private:
    [[nodiscard]] std::uint32_t widest() const;
    [[nodiscard]] bool is_aligned(std::uint32_t width) const;
    [[nodiscard]] bool is_plain() const;
    [[nodiscard]] Address plain_address(std::uint64_t first, std::uint64_t fixed) const;

    const TensorPart& part_;
    const TensorView& view_;
    Address base_;
    std::uint32_t bytes_;  ///< of an element
    bool along_kept_;
    AccessGranularity granularity_;
    bool values_;
    bool repeats_ = false;  ///< the elements of a vector are one and the same
    bool has_outside_;
    std::uint32_t width_;
    bool plain_;  ///< neighbours along the index are neighbours in memory
};

}  // namespace tessera
