// Explicit im2col: the kernel that writes the workspace of a lowered convolution.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/fragment/convolution_geometry.h"

namespace tessera {

/// Copies the raw NHWC input into the workspace.
///
/// A workspace row is divided into windows of at most 512 B (whole filter rows if several fit,
/// otherwise parts of one filter row, with inserted zeros parts of whole pixels). A warp handles
/// kWindowsPerWarp consecutive windows, kWindowsInFlight at a time: per window some index
/// arithmetic and one LoadGlobal of the existing pixels, into cleared registers, at their byte
/// positions in the workspace; then one StoreGlobal of the whole window. Windows without pixels are
/// stored from registers that stay zero. 8 warps per CTA, no shared memory, 32 registers per
/// thread.
class Im2colKernel : public Kernel {
public:
    static constexpr std::uint32_t kWarpsPerCta = 8;
    static constexpr std::uint32_t kWindowsPerWarp = 24;
    static constexpr std::uint32_t kWindowsInFlight = 6;
    static constexpr std::uint32_t kWindowBytes = 512;
    /// Integer instructions of the address arithmetic of one window.
    static constexpr std::uint32_t kIndexInstructions = 4;

    /// One window of a workspace row.
    struct Window {
        std::uint32_t column = 0;          ///< first half within the workspace row
        std::uint32_t halves = 0;          ///< halves stored
        std::uint32_t filter_row = 0;      ///< first filter row
        std::uint32_t filter_rows = 0;     ///< number; 0: only the zero tail of a workspace row
        std::uint32_t begin = 0, end = 0;  ///< halves within (each of) the filter rows
    };

    /// `rows`: number of workspace rows to write, from the first on (at most geometry.m).
    Im2colKernel(std::string name, const ConvolutionGeometry& geometry, Address input,
                 Address workspace, std::uint64_t rows);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

    [[nodiscard]] const ConvolutionGeometry& geometry() const { return geometry_; }
    [[nodiscard]] const std::vector<Window>& windows() const { return windows_; }
    [[nodiscard]] std::uint64_t rows() const { return rows_; }

private:
    friend class Im2colProgram;

    ConvolutionGeometry geometry_;
    Address input_, workspace_;
    std::uint64_t rows_;
    std::vector<Window> windows_;
    KernelInfo info_;
};

}  // namespace tessera
