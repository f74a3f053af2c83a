// Kernel that follows a product whose k is divided among CTAs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/product_epilogue.h"
#include "sc_models/workload/requantization.h"

namespace tessera {

/// Operands and result of the reduction.
struct SplitKSums {
    Address parts = 0;           ///< `count` contiguous parts of `elements` floats, or INT32
    std::uint32_t count = 0;     ///< at least 2
    std::uint64_t elements = 0;  ///< of D
    Address c = 0, d = 0;
    bool reads_c = false;
    bool halves = false;        ///< C and D, of the format of `operands`
    PlacedEpilogue epilogue{};  ///< of D with halves
    /// Type of the product; of integers the parts are INT32, and so is D without a requantization.
    OperandType operands = OperandType::kFp16;
    PlacedRequantization requantization{};  ///< to bytes of D
};

class ReductionEpilogue;

/// D = the sum of the parts, first to last, + C, through the epilogue, rounded to halves if D has
/// halves. Sums of INT32 have no C and no epilogue; they are requantised if D has bytes. A warp
/// computes 128 elements of D.
class SplitKReduction : public Kernel {
public:
    SplitKReduction(std::string name, const SplitKSums& sums);
    ~SplitKReduction() override;

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    SplitKSums sums_;
    std::unique_ptr<ReductionEpilogue> epilogue_;
    KernelInfo info_;
};

}  // namespace tessera
