// Fused attention as a workload.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/workload/attention/flash_problem.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// Attention of the tokens of workload.attention to their context and themselves, of prefill or
/// decode. Regions: queries and result (sequences x tokens x heads x head_size halves), keys and
/// values (sequences x tokens x kv_heads x head_size, or pages of tokens), page_table, and with
/// splits sums and logs.
class FlashAttention : public Workload {
public:
    FlashAttention(const WorkloadConfig& config, std::uint64_t seed, bool values,
                   const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    using Workload::verify;
    /// Compares the result with golden_row(), bit for bit, and each golden element with
    /// defined_row() within its bound.
    [[nodiscard]] VerificationReport verify(const MemoryReader& read,
                                            TensorCoreKind kind) const override;

    [[nodiscard]] const FlashProblem& problem() const { return problem_; }

private:
    void place(const AttentionConfig& attention);
    /// Rows of a head of keys or values of one sequence, side by side.
    [[nodiscard]] std::vector<HalfBits> cached(std::uint32_t sequence, std::uint32_t head,
                                               bool of_values) const;
    [[nodiscard]] std::vector<HalfBits> queries(std::uint32_t sequence, std::uint32_t head) const;

    FlashProblem problem_;
    std::uint32_t kv_heads_ = 0;
};

}  // namespace tessera
