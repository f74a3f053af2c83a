// Depthwise convolutions of DNN libraries on the CUDA cores.
#pragma once

#include "sc_models/workload/depthwise/depthwise_kernel.h"
#include "sc_models/workload/value_generator.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// Chooses the tile with wide warps that still occupy all SMs. Throws ConfigError if no tile fits
/// an SM.
[[nodiscard]] DepthwiseTile choose_depthwise_tile(const ConvolutionPass& pass,
                                                  const DepthwiseOperands& operands,
                                                  const TargetMachine& machine);

/// Forward pass of workload.layer, whose groups are its channels, with a DepthwiseKernel. Input and
/// output have the layout of a LibraryConvolution; filters are stored tap by tap. Operands and
/// results are halves, sums FP32. An epilogue of the configuration applies to the layer's output.
///
/// Verified bit for bit against the definition of the layer, summed in the kernel's order.
class DepthwiseConvolution : public Workload {
public:
    /// Throws ConfigError if the layer does not suit the kernel.
    DepthwiseConvolution(const WorkloadConfig& config, std::uint64_t seed, bool values,
                         const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    using Workload::verify;
    [[nodiscard]] VerificationReport verify(const MemoryReader& read,
                                            TensorCoreKind kind) const override;
    [[nodiscard]] std::vector<Reference> references() const override;

    [[nodiscard]] const ConvolutionPass& pass() const { return pass_; }
    [[nodiscard]] const DepthwiseTile& tile() const { return tile_; }

private:
    ConvolutionPass pass_;
    DepthwiseTile tile_;
    ValueGenerator activations_, weights_;
    Address output_ = 0;
};

}  // namespace tessera
