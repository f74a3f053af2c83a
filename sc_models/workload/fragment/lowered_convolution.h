// Convolution layer as an explicit im2col workspace and a tensor-core matrix product.
#pragma once

#include <vector>

#include "sc_models/isa/convolution_packet.h"
#include "sc_models/workload/fragment/convolution_geometry.h"
#include "sc_models/workload/fragment/im2col_kernel.h"
#include "sc_models/workload/value_generator.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// Geometry of a workspace at `base` for the detection unit.
[[nodiscard]] LoweredGeometry lowered_geometry(const ConvolutionGeometry& geometry, Address base,
                                               const PacketOptions& options);

/// Explicit GEMM convolution (Duplo II-B): with im2col timed a kernel that writes the workspace,
/// then the matrix product over it, or one per group. With im2col functional the workspace is in
/// memory from the start. The convolution packet describes groups as images (ConvolutionGeometry);
/// a layer with more images than a packet can count has no packet, so that detection stays off.
class LoweredConvolution : public Workload {
public:
    LoweredConvolution(const WorkloadConfig& config, std::uint64_t seed, bool values,
                       const PacketOptions& packet);

    void initialise(const MemoryWriter& write) const override;
    /// Operands of a layer of one group. Several groups have separate matrices, which verify()
    /// iterates over.
    [[nodiscard]] std::unique_ptr<Operands> operands() const override;
    [[nodiscard]] std::vector<Reference> references() const override;
    using Workload::verify;
    [[nodiscard]] VerificationReport verify(const MemoryReader& read,
                                            TensorCoreKind kind) const override;

    [[nodiscard]] const ConvolutionGeometry& geometry() const { return geometry_; }
    /// The layer's own tensors, without padding: input in NHWC, filters in KHWC order (transposed
    /// layers: those of the equivalent convolution of stride 1).
    [[nodiscard]] const ValueGenerator& activations() const { return activations_; }
    [[nodiscard]] const ValueGenerator& weights() const { return weights_; }

private:
    /// A line of pixels of the raw input in memory layout.
    [[nodiscard]] std::vector<HalfBits> input_line(std::uint64_t line) const;
    void write_input(const MemoryWriter& write) const;
    void write_filters(const MemoryWriter& write) const;
    void write_workspace(const MemoryWriter& write) const;

    ConvolutionGeometry geometry_;
    ValueGenerator activations_, weights_;
    ConvolutionPacket::Bytes packet_{};
};

}  // namespace tessera
