// Convolution in FP32 on the CUDA cores: explicit im2col and a matrix product.
#pragma once

#include <memory>
#include <vector>

#include "sc_models/workload/simt/lane_map_kernel.h"
#include "sc_models/workload/simt/simt_geometry.h"
#include "sc_models/workload/simt/simt_product_kernel.h"
#include "sc_models/workload/value_generator.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// Explicit im2col: a thread copies the taps of one channel of an output pixel, up to 16 taps a
/// step, into row `pixel` of a workspace whose columns are (y, x, channel). Neighbouring threads
/// have neighbouring channels. Padding and inserted zeros are written as zeros.
class Im2colMap : public LaneMap {
public:
    explicit Im2colMap(const SimtGeometry& geometry) : geometry_(geometry) {}

    [[nodiscard]] std::uint64_t threads() const override {
        return geometry_.pixels() * geometry_.channels;
    }
    [[nodiscard]] std::uint32_t steps() const override;
    [[nodiscard]] Step step(std::uint32_t step) const override;
    [[nodiscard]] std::int64_t source(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    [[nodiscard]] std::int64_t result(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;

private:
    SimtGeometry geometry_;
};

/// Two kernels: Im2colMap, then one SimtProductKernel of all output pixels by all filters. Regions
/// "input" (NHWC), "filters" (KHWC, a filter's floats rounded up to a multiple of 8), "workspace"
/// (rows of the same length) and "output" (NHWC, a pixel's floats rounded up to a multiple of 4).
/// Values are FP32 and have the patterns workload.activations and workload.weights.
///
/// Verified bit for bit against the sums of the layer's definition, by fused multiply-adds in
/// ascending order of (y, x, channel).
class SimtConvolution : public Workload {
public:
    /// Throws ConfigError for layers that SimtGeometry does not support.
    SimtConvolution(const WorkloadConfig& config, std::uint64_t seed, bool values,
                    const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    using Workload::verify;
    [[nodiscard]] VerificationReport verify(const MemoryReader& read,
                                            TensorCoreKind kind) const override;
    [[nodiscard]] std::vector<Reference> references() const override;

    [[nodiscard]] const SimtGeometry& geometry() const { return geometry_; }

private:
    SimtGeometry geometry_;
    Im2colMap im2col_;
    ValueGenerator activations_, weights_;
};

/// D = A x B of workload.gemm in FP32 with one SimtProductKernel: A by rows, B by columns, their
/// lines rounded up to a multiple of 8 floats, D by rows of a multiple of 4 floats. Verified bit
/// for bit in the kernel's order.
class SimtMatrixProduct : public Workload {
public:
    SimtMatrixProduct(const WorkloadConfig& config, std::uint64_t seed, bool values,
                      const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    using Workload::verify;
    [[nodiscard]] VerificationReport verify(const MemoryReader& read,
                                            TensorCoreKind kind) const override;
    [[nodiscard]] std::vector<Reference> references() const override;

private:
    ValueGenerator activations_, weights_;
};

/// Output `filter` of pixel `pixel` by its definition: the exact sum of its products and the sum of
/// their magnitudes, in double precision.
struct DefinedSum {
    double sum = 0, magnitude = 0;
};
[[nodiscard]] DefinedSum defined_sum(const SimtGeometry& geometry, const ValueGenerator& input,
                                     const ValueGenerator& filters, std::uint64_t pixel,
                                     std::uint64_t filter);

/// Description of the output of a convolution in the layout of SimtGeometry, for oneDNN.
[[nodiscard]] Reference simt_reference(const SimtGeometry& geometry, const LayerConfig& layer,
                                       const ValueGenerator& activations,
                                       const ValueGenerator& weights, Address output);

/// Writes `rows` rows of `columns` floats of a tensor, `pitch` floats apart.
void write_floats(const MemoryWriter& write, Address base, const ValueGenerator& values,
                  std::uint64_t rows, std::uint64_t columns, std::uint64_t pitch);

}  // namespace tessera
