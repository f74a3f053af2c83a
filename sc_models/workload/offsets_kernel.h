// The kernel before a convolution that works out where the inputs of its steps lie.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/isa/kernel.h"

namespace tessera {

/// A table of 32-bit offsets, one for a step of 32 k, as cuDNN 7 makes it before an implicit GEMM
/// (IMPLICIT_PRECOMP_GEMM; computeOffsetsKernel in profiles). Only its time is of interest: the
/// kernels of this project find their inputs themselves. A thread makes four offsets.
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
