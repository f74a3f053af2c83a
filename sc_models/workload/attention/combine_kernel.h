// Kernel that joins the parts of an attention whose keys are divided.
#pragma once

#include <memory>
#include <string>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/attention/flash_problem.h"

namespace tessera {

namespace flash {
/// Factors of the parts of a row from the logarithms of their sums: exp(log - log of all), in
/// place. Sums are added in the order of parts.
void factors_of_parts(float* logs, std::uint32_t parts);
}  // namespace flash

/// flash_fwd_splitkv_combine_kernel of FlashAttention-2: a CTA of four warps joins four rows of 128
/// elements, or eight of 64. A warp loads the logarithms of its rows, works out a factor for each
/// part, and adds the parts' outputs times the factors, 16 bytes a lane and part.
///
/// Simplified: a warp loads the logarithms of its own rows, where FlashAttention's CTA exchanges
/// those of all through shared memory.
class CombineKernel : public Kernel {
public:
    CombineKernel(std::string name, const FlashProblem& problem);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    FlashProblem problem_;
    std::unique_ptr<const RegisterFunction> function_;
    KernelInfo info_;
};

}  // namespace tessera
