// Kernel that computes input offsets before a convolution.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/isa/kernel.h"

namespace tessera {

/// Writes a table of 32-bit offsets, one per step of 32 k, like cuDNN 7 before an implicit GEMM
/// (IMPLICIT_PRECOMP_GEMM; computeOffsetsKernel in profiles). Only its time matters: the kernels of
/// this project compute their input positions themselves. A thread computes four offsets.
class OffsetsKernel : public Kernel {
public:
    OffsetsKernel(std::string name, Address table, std::uint64_t offsets);

    [[nodiscard]] static std::uint64_t table_bytes(std::uint64_t offsets) {
        return offsets * sizeof(std::uint32_t);
    }
    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    Address table_;
    std::uint64_t bytes_;
    KernelInfo info_;
};

}  // namespace tessera
