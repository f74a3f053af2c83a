// Instructions of a warp of a staged product, step by step.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// Instructions of a step of a warp, with the lanes and gathers that they point at. They are made
/// one after the other, then returned in batches: as they were made, or interleaved with
/// instructions that warps share.
class StagedInstructions {
public:
    /// Removes the instructions, to begin the next step. Batches returned before are invalid.
    void clear();
    /// Returns whether the step has no instruction.
    [[nodiscard]] bool empty() const { return pending_.empty() && order_.empty(); }
    /// Ends a step; its instructions can be returned.
    void close();
    /// Returns whether all batches were returned.
    [[nodiscard]] bool all_given() const { return next_ == order_.size(); }
    /// Returns the next batch, or what fill() left of it.
    InstructionBatch next();
    /// Copies instructions to `out`; returns their number, less than `capacity` at the end.
    std::size_t fill(WarpInstruction* out, std::size_t capacity);

    WarpInstruction& emit(Opcode opcode) { return pending_.emplace_back(opcode); }
    void emit_alu(std::uint32_t count);
    void barrier();
    void add(const WarpInstruction& instruction) { pending_.push_back(instruction); }
    [[nodiscard]] WarpInstruction& back() { return pending_.back(); }
    [[nodiscard]] WarpInstruction& operator[](std::size_t index) { return pending_[index]; }
    [[nodiscard]] std::size_t size() const { return pending_.size(); }
    [[nodiscard]] std::vector<WarpInstruction>& pending() { return pending_; }
    /// Returns lanes not yet used by an instruction; the caller calls keep_lanes() if it takes
    /// them.
    [[nodiscard]] LaneAccess& spare_lanes();
    void keep_lanes() { ++lanes_used_; }
    [[nodiscard]] BitGather& add_gather() { return gathers_.emplace_back(); }

    /// Puts the instructions from index `loads` on between those from `products` on, one behind
    /// each.
    void alternate(std::size_t loads, std::size_t products);
    /// Sets the instructions made so far aside as a computation, and returns it.
    const std::vector<WarpInstruction>& take_computation();
    /// Interleaves the first `count` instructions with the first `among` of `computation`, which
    /// must stay until the next step. The other ones follow.
    void spread(std::size_t count, const std::vector<WarpInstruction>& computation,
                std::size_t among);

private:
    std::vector<WarpInstruction> pending_;
    /// Generated instructions in order: parts of `pending_`, of `computation_` and of the kernel's
    /// fragments.
    std::vector<InstructionBatch> order_;
    std::size_t next_ = 0;   ///< index into order_
    std::size_t given_ = 0;  ///< instructions of the current batch returned by fill()
    std::vector<WarpInstruction> computation_;  ///< of a step, if not shared by the kernel
    std::deque<BitGather> gathers_;             ///< of the instructions returned last
    std::deque<LaneAccess> lanes_;              ///< of these, then spare ones
    std::size_t lanes_used_ = 0;
};

}  // namespace tessera
