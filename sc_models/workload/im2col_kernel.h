// Explicit im2col: the kernel that makes the workspace of a lowered convolution.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/convolution_geometry.h"

namespace tessera {

/// Copies the raw NHWC input into the workspace.
///
/// A workspace row is cut into windows of at most 512 B (whole filter rows where several fit, parts
/// of one filter row otherwise, with inserted zeros parts of whole pixels). A warp handles
/// kWindowsPerWarp consecutive windows, kWindowsInFlight at a time: per window some index
/// arithmetic and one LoadGlobal of the pixels that exist, into cleared registers, at the bytes
/// where the workspace wants them; then one StoreGlobal of the whole window. Windows without any
/// pixel are stored from registers that stay zero. 8 warps a CTA, no shared memory, 32 registers a
/// thread.
class Im2colKernel : public Kernel {
public:
    static constexpr std::uint32_t kWarpsPerCta = 8;
    static constexpr std::uint32_t kWindowsPerWarp = 24;
    static constexpr std::uint32_t kWindowsInFlight = 6;
    static constexpr std::uint32_t kWindowBytes = 512;
    /// Integer instructions of the address arithmetic of one window.
    static constexpr std::uint32_t kIndexInstructions = 4;

    /// What one window of a workspace row holds.
    struct Window {
        std::uint32_t column = 0;          ///< first half within the workspace row
        std::uint32_t halves = 0;          ///< stored
        std::uint32_t filter_row = 0;      ///< first filter row
        std::uint32_t filter_rows = 0;     ///< how many; 0: only the zero tail of a workspace row
        std::uint32_t begin = 0, end = 0;  ///< halves within (each of) the filter rows
    };

    /// `rows`: how many workspace rows to make, from the first on (at most geometry.m).
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
