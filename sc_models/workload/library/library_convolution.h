// Pass of a convolution like those of DNN libraries: implicit GEMM on NHWC tensors.
#pragma once

#include "sc_models/workload/library/convolution_pass.h"
#include "sc_models/workload/library/dense_kernels.h"
#include "sc_models/workload/value_generator.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// Inputs of the kernel choice for a pass.
[[nodiscard]] DenseProblem problem_of(const ConvolutionPass& pass);

/// The same for workload.pass of workload.layer.
[[nodiscard]] DenseProblem problem_of_layer(const WorkloadConfig& config);

/// workload.pass of workload.layer with one of dense_kernels(), cta_m being rows of the pass's
/// products (workload/library/convolution_pass.h) and cta_n columns. OffsetsKernels precede it:
/// one, for a gradient two, for the forward pass of a plain product none; a SplitKReduction follows
/// if k is divided. CTAs gather their operands from the tensors; there is no workspace. If the
/// machine reads a convolution packet and pixels are whole chunks of 32 bytes, the packet describes
/// A's tensor. Operands and results are halves, sums FP32. An epilogue of the configuration applies
/// to the layer's output, or, for a converted transposed layer, to the input's gradient: its
/// columns are channels, its rows pixels of the batch.
///
/// With workload.layer.operands int8 or uint8 (forward, one group) tensors hold integers, two in
/// place of each half; behind the last of odd channels is a zero. The result is INT32, or, with a
/// requantization of the configuration, bytes.
class LibraryConvolution : public Workload {
public:
    /// Throws ConfigError for impossible layers and for a division of k that leaves a part without
    /// a step, and std::logic_error for an epilogue of a gradient of filters.
    LibraryConvolution(const WorkloadConfig& config, std::uint64_t seed, bool values,
                       const PacketOptions& packet, const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    using Workload::verify;
    [[nodiscard]] VerificationReport verify(const MemoryReader& read,
                                            TensorCoreKind kind) const override;
    [[nodiscard]] std::vector<Reference> references() const override;

    [[nodiscard]] const ConvolutionPass& pass() const { return pass_; }
    [[nodiscard]] const DenseChoice& choice() const { return choice_; }

private:
    [[nodiscard]] std::unique_ptr<StagedOperand> operand(const ElementSource& source,
                                                         const DenseSide& side) const;
    [[nodiscard]] const PlacedEpilogue& epilogue_of_pass();
    [[nodiscard]] ValueGenerator values_of(ValueGenerator::Tensor tensor) const;
    void place_sources();
    void add_offsets();
    void place_packet();
    void write_pixels(const MemoryWriter& write, const std::string& region,
                      const ValueGenerator& values, std::uint64_t pixels, std::uint64_t channels,
                      std::uint64_t pitch) const;
    void write_filters(const MemoryWriter& write) const;

    const LayerConfig layer_;  ///< with pairs of integers as channels
    ConvolutionPass pass_;
    DenseChoice choice_;
    ValueGenerator activations_, weights_, gradients_;
    std::unique_ptr<ElementSource> a_, b_;
    Address d_ = 0;
    Address packet_ = 0;  ///< 0: none
    std::uint64_t part_k_ = 0;
};

}  // namespace tessera
