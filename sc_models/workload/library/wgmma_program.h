// Instruction programs of the warps of a product of warpgroups.
#pragma once

#include "sc_models/workload/batched_program.h"
#include "sc_models/workload/library/wgmma_kernel.h"

namespace tessera {

/// A warp of a WgmmaKernel: generates the instructions of one step at a time.
class WgmmaProgram : public BatchedProgram {
public:
    WgmmaProgram(const WgmmaKernel& kernel, CtaId cta);

protected:
    /// Appends the instructions of step `step` of the warp's part of k.
    virtual void make_step(std::uint32_t step) = 0;
    /// Appends those behind the last step, without the exit.
    virtual void make_end() = 0;

    void arrive(std::uint32_t barrier, std::uint32_t bytes = 0);
    void await(std::uint32_t barrier, std::uint32_t phase);
    /// Barrier that a step's bytes complete on, and the one that says its buffer is empty.
    [[nodiscard]] std::uint32_t full(std::uint32_t step) const { return step % stages_; }
    [[nodiscard]] std::uint32_t empty(std::uint32_t step) const { return stages_ + step % stages_; }
    /// k of a step, a multiple of 16, from first_k() on.
    [[nodiscard]] std::uint32_t depth(std::uint32_t step) const;
    [[nodiscard]] std::uint64_t first_k(std::uint32_t step) const {
        return std::uint64_t{first_step_ + step} * shape_.step;
    }
    /// Addresses in shared memory of a step's operands.
    [[nodiscard]] std::uint32_t first_slot(std::uint32_t step) const {
        return step % stages_ * kernel_.step_bytes();
    }
    [[nodiscard]] std::uint32_t second_slot(std::uint32_t step) const {
        return first_slot(step) + kernel_.first_bytes();
    }

    const WgmmaKernel& kernel_;
    const DenseKernel& shape_;
    const WgmmaKernel::Tile tile_;
    const std::uint32_t stages_;
    const std::uint32_t first_step_, steps_;

private:
    void make_batch() override;

    std::uint32_t step_ = 0;
};

/// The producer: one bulk copy of each operand a step, or one for each 64 lines if lines lie next
/// to each other.
class WgmmaProducer : public WgmmaProgram {
public:
    WgmmaProducer(const WgmmaKernel& kernel, CtaId cta)
        : WgmmaProgram(kernel, cta),
          shared_(kernel.shared(cta)),
          half_(cta.value() % 2 == 0 ? BoxRows::kFirstHalf : BoxRows::kSecondHalf) {}

private:
    void make_step(std::uint32_t step) override;
    void make_end() override {}
    std::uint32_t copy(const DenseSide& side, std::uint64_t line, std::uint32_t lines,
                       std::uint32_t step, std::uint32_t slot, bool shared);

    const WgmmaKernel::Shared shared_;
    const BoxRows half_;  ///< that this CTA fetches of a shared operand
};

/// A warp of a consumer warpgroup.
class WgmmaConsumer : public WgmmaProgram {
public:
    WgmmaConsumer(const WgmmaKernel& kernel, CtaId cta, std::uint32_t warp);

private:
    void make_step(std::uint32_t step) override;
    void make_end() override;
    void store_halves(std::uint64_t row, std::uint64_t column, std::uint8_t sums);
    void store_floats(std::uint64_t row, std::uint64_t column, std::uint8_t sums);
    void place(WarpInstruction& store, std::uint32_t most, std::uint64_t row, std::uint64_t column,
               std::uint32_t element_bytes) const;
    [[nodiscard]] std::uint8_t sums(std::uint32_t block, std::uint32_t tile) const;

    const std::uint32_t blocks_;  ///< products of 64 lines for each 16 k
    const std::uint32_t line_;    ///< the warp's first line in the CTA's tile
    std::uint32_t stored_ = 0;
};

}  // namespace tessera
