// Loads and stores of a chunk of a tensor by a warp.
#pragma once

#include <deque>
#include <vector>

#include "sc_models/isa/coalescer.h"
#include "sc_models/isa/warp_instruction.h"
#include "sc_models/workload/tensor/tensor_layout.h"
#include "sc_models/workload/tensor/tensor_plan.h"

namespace tessera {

/// Warp registers of a chunk, which is stored linearly.
inline constexpr std::uint32_t kChunkRegisters = 4;
/// Registers that a load of a chunk may name: one for each of at most eight instructions, which
/// would wait for each other if they shared one, followed by the chunk itself.
inline constexpr std::uint32_t kMostAccesses = 8;
inline constexpr std::uint32_t kSlotRegisters = kMostAccesses + kChunkRegisters;

/// Rows of a tile of neighbouring kept elements, one row per group of `lanes` lanes. Lane l of
/// group j has vector l of row `row` + j.
struct LaneTile {
    std::uint64_t first = 0;  ///< kept element
    std::uint32_t n = 0;      ///< kept elements, whole vectors
    std::uint64_t row = 0;    ///< reduced index
    std::uint32_t rows = 1;
    std::uint32_t vector = 1, lanes = kWarpLanes;
};

/// A tensor in memory and the view of it that a part has.
struct StoredTensor {
    const TensorView& view;  ///< must outlive the accesses
    TensorType type = TensorType::kFp16;
    Address base = 0;
};

/// Accesses to one tensor of a part. Lanes take the widest vector that alignment permits for all of
/// them; if the elements of a vector are identical, lanes load that element. A chunk of narrower
/// vectors takes more instructions. Loads whose lanes are not contiguous are coalesced to sectors.
class TensorAccess {
public:
    /// `along_kept`: chunks consist of neighbouring kept elements.
    /// Elements of a view of indices take the bytes that the view specifies. `most`: maximum
    /// elements of a lane's vector.
    TensorAccess(const TensorPart& part, const StoredTensor& tensor, bool along_kept,
                 const AccessGranularity& granularity, bool values,
                 std::uint32_t most = kVectorBytes);

    /// Appends the loads of `n` elements from `first` on to the slot of kSlotRegisters at `slot`,
    /// with element i at position i of the last kChunkRegisters. Elements outside are not loaded.
    /// `lanes` owns the lane accesses of the instructions.
    void load(std::uint64_t first, std::uint64_t fixed, std::uint32_t n, std::uint8_t slot,
              std::vector<WarpInstruction>& out, std::deque<LaneAccess>& lanes) const;
    /// Appends the stores of the chunk at `src` likewise. No element of a result is outside.
    void store(std::uint64_t first, std::uint64_t fixed, std::uint32_t n, std::uint8_t src,
               std::vector<WarpInstruction>& out, std::deque<LaneAccess>& lanes) const;

    /// Load and store a tile likewise. Element e of lane l is at l vectors and e elements into the
    /// slot's last registers, kMostAccesses behind its first, or into the registers from `src` on.
    void load_tile(const LaneTile& tile, std::uint8_t slot, std::vector<WarpInstruction>& out,
                   std::deque<LaneAccess>& lanes) const;
    void store_tile(const LaneTile& tile, std::uint8_t src, std::vector<WarpInstruction>& out,
                    std::deque<LaneAccess>& lanes) const;

    /// Elements of a lane's vector.
    [[nodiscard]] std::uint32_t width() const { return width_; }
    [[nodiscard]] bool has_outside() const { return has_outside_; }
    /// Integer instructions of a thread to compute its first address: a division for each axis
    /// except one, chosen.
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
    bool repeats_ = false;  ///< the elements of a vector are identical
    bool has_outside_;
    std::uint32_t width_ = 0;
    bool plain_;  ///< neighbouring indices are neighbours in memory
};

}  // namespace tessera
