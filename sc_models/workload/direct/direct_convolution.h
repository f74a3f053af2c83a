// A pass of a convolution layer as a direct convolution in FP32.
#pragma once

#include <vector>

#include "sc_models/workload/direct/direct_convolution_kernel.h"
#include "sc_models/workload/value_generator.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// One kernel; regions "input", "weights" and "output" have the layout of DirectGeometry. Input and
/// filters have the patterns workload.activations and workload.weights; the incoming gradient of a
/// backward pass has the pattern of the activations.
///
/// Verified against the definition of the pass, output by output: with both patterns dyadic every
/// sum is exact and the output must be equal bit for bit, whatever the order; otherwise within the
/// bound of summing n products in any order, n * 2^-23 times the sum of their magnitudes.
class DirectConvolution : public Workload {
public:
    DirectConvolution(const WorkloadConfig& config, std::uint64_t seed, bool values,
                      const AccessGranularity& granularity);

    void initialise(const MemoryWriter& write) const override;
    [[nodiscard]] VerificationReport verify(const MemoryReader& read,
                                            TensorCoreKind kind) const override;
    [[nodiscard]] std::vector<Reference> references() const override;

    [[nodiscard]] const DirectGeometry& geometry() const { return geometry_; }
    [[nodiscard]] const DirectConvolutionKernel& kernel() const { return *kernel_; }
    /// The layer's own tensors, in NCHW and KCHW order: input and filters.
    [[nodiscard]] const ValueGenerator& activations() const { return activations_; }
    [[nodiscard]] const ValueGenerator& filters() const { return filters_; }

    /// Exact result of an output: the sum of its products and of their magnitudes.
    struct Expected {
        double sum = 0, magnitude = 0;
        std::uint64_t products = 0;
    };
    /// Result by image, output plane, row and column (the image is ignored for weight gradients).
    [[nodiscard]] Expected expected(std::uint32_t image, std::uint32_t plane, std::uint32_t y,
                                    std::uint32_t x) const;

private:
    /// Elements of the layer's own tensors, by index; 0 outside.
    [[nodiscard]] float input(std::uint32_t n, std::uint32_t c, std::int64_t y,
                              std::int64_t x) const;
    [[nodiscard]] float filter(std::uint32_t o, std::uint32_t c, std::uint32_t y,
                               std::uint32_t x) const;
    [[nodiscard]] float gradient(std::uint32_t n, std::uint32_t o, std::int64_t y,
                                 std::int64_t x) const;
    [[nodiscard]] std::vector<float> input_image(std::uint32_t n) const;
    [[nodiscard]] std::vector<float> weights() const;

    DirectGeometry geometry_;
    std::uint32_t forward_height_, forward_width_;  ///< of the forward pass's output
    ValueGenerator activations_, filters_, gradients_;
    const DirectConvolutionKernel* kernel_ = nullptr;
};

}  // namespace tessera
