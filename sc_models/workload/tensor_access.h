// How a warp loads and stores a chunk of a tensor.
#pragma once

#include <deque>
#include <vector>

#include "sc_models/isa/coalescer.h"
#include "sc_models/workload/tensor_layout.h"
#include "sc_models/workload/tensor_plan.h"

namespace tessera {

/// Warp registers that a chunk lies in, linearly.
inline constexpr std::uint32_t kChunkRegisters = 4;
/// Registers that a load of a chunk may name: one for each of at most eight instructions, which
/// would wait for each other with one name, and behind them the chunk itself.
inline constexpr std::uint32_t kMostAccesses = 8;
inline constexpr std::uint32_t kSlotRegisters = kMostAccesses + kChunkRegisters;

/// Rows of a tile of neighbouring kept elements, one row a stretch of `lanes` lanes. Lane l of
/// stretch j has the vector l of row `row` + j.
struct LaneTile {
    std::uint64_t first = 0;  ///< kept element
    std::uint32_t n = 0;      ///< kept elements, whole vectors
    std::uint64_t row = 0;    ///< reduced index
    std::uint32_t rows = 1;
    std::uint32_t vector = 1, lanes = kWarpLanes;
};

/// Accesses to one tensor of a part. Lanes take as wide a vector as alignment lets all of them
/// take; where elements of a vector are one and the same, lanes load that. A chunk of narrower
/// vectors takes more instructions. Loads whose lanes do not lie side by side are coalesced to
/// sectors.
class TensorAccess {
public:
    /// `base` is the tensor's address. `along_kept`: chunks are of neighbouring kept elements.
    /// Elements of a view of indices take as many bytes as it says. `most`: of a lane's vector, in
    /// elements.
    TensorAccess(const TensorPart& part, const TensorView& view, TensorType type, Address base,
                 bool along_kept, const AccessGranularity& granularity, bool values,
                 std::uint32_t most = kVectorBytes);

    /// Appends the loads of `n` elements from `first` on to the slot of kSlotRegisters at `slot`,
    /// where element i will be i elements into the last kChunkRegisters. What is outside is not
    /// loaded. `lanes` keeps what they point at.
    void load(std::uint64_t first, std::uint64_t fixed, std::uint32_t n, std::uint8_t slot,
              std::vector<WarpInstruction>& out, std::deque<LaneAccess>& lanes) const;
    /// The same of stores from the chunk at `src`. Nothing of a result is outside.
    void store(std::uint64_t first, std::uint64_t fixed, std::uint32_t n, std::uint8_t src,
               std::vector<WarpInstruction>& out, std::deque<LaneAccess>& lanes) const;

    /// The same of a tile, whose element e of lane l lies l vectors and e elements into the last
    /// registers of the slot, kMostAccesses behind its first, or into those from `src` on.
    void load_tile(const LaneTile& tile, std::uint8_t slot, std::vector<WarpInstruction>& out,
                   std::deque<LaneAccess>& lanes) const;
    void store_tile(const LaneTile& tile, std::uint8_t src, std::vector<WarpInstruction>& out,
                    std::deque<LaneAccess>& lanes) const;

    /// Elements of a lane's vector.
    [[nodiscard]] std::uint32_t width() const { return width_; }
    [[nodiscard]] bool has_outside() const { return has_outside_; }
    /// Integer instructions of a thread to find its first address: a division for each axis but
    /// one, chosen.
    [[nodiscard]] std::uint32_t index_instructions() const;

private:
    template <class Use>
    void each_vector(const LaneTile& tile, std::uint32_t begin, const Use& use) const;
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
