// Rotary embedding of a decoder as a workload.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/attention/rotary_kernel.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// Rotation of the queries and keys of batch x tokens tokens by their positions, context and
/// following, with frequencies 10000^(-2i / head_size). Regions: rows (queries, keys and values of
/// a token side by side, as the product before makes them), positions, cache (cosines and sines).
class RotaryEmbedding : public Workload {
public:
    RotaryEmbedding(const WorkloadConfig& config, std::uint64_t seed, bool values,
                    const AccessGranularity& granularity);

    void initialise(const MemoryWriter& write) const override;
    using Workload::verify;
    /// Compares rows with the golden model, bit for bit, and rotated elements with the rotation in
    /// double precision within the bound of four roundings.
    [[nodiscard]] VerificationReport verify(const MemoryReader& read,
                                            TensorCoreKind kind) const override;

private:
    [[nodiscard]] std::vector<HalfBits> row(std::uint64_t token) const;

    RotaryProblem problem_;
};

/// Angle of pair `i` at `position`.
[[nodiscard]] double rotary_angle(std::uint64_t position, std::uint32_t i, std::uint32_t head_size);

}  // namespace tessera
