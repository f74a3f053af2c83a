// Fused attention as a workload.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/workload/attention/flash_problem.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// Attention of the tokens of workload.attention to their context and themselves, of prefill or
/// decode. Regions: queries and result (sequences x tokens x heads x head_size halves), keys and
/// values (sequences x tokens x kv_heads x head_size, or pages of tokens), or packed in place of
/// these three (sequences x tokens x (heads + 2 kv_heads) x head_size), mask (sequences x
/// tokens), page_table, and with splits sums and logs.
class FlashAttention : public Workload {
public:
    FlashAttention(const WorkloadConfig& config, std::uint64_t seed, bool values,
                   const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    using Workload::verify;
    /// Compares the result with golden_row(), bit for bit, and each golden element, and that of a
    /// given layer's result, with defined_row() within its bound.
    [[nodiscard]] VerificationReport verify(const MemoryReader& read,
                                            TensorCoreKind kind) const override;

    [[nodiscard]] const FlashProblem& problem() const { return problem_; }

private:
    void place(const AttentionConfig& attention);
    void place_cache();
    /// Queries, keys or values of a given layer.
    struct GivenTensor {
        std::size_t operand = 0;
        std::uint64_t first = 0;              ///< element of the first token's first head
        std::uint32_t pitch = 0, tokens = 0;  ///< elements of a token, tokens of a sequence
    };
    [[nodiscard]] GivenTensor given_queries() const;
    [[nodiscard]] GivenTensor given_keys(bool of_values) const;
    [[nodiscard]] std::vector<HalfBits> given_rows(const GivenTensor& tensor,
                                                   std::uint32_t sequence,
                                                   std::uint32_t head) const;
    /// Rows of a head of keys or values of one sequence, side by side.
    [[nodiscard]] std::vector<HalfBits> cached(std::uint32_t sequence, std::uint32_t head,
                                               bool of_values) const;
    [[nodiscard]] std::vector<HalfBits> queries(std::uint32_t sequence, std::uint32_t head) const;
    /// Mask of a sequence; empty if there is none.
    [[nodiscard]] std::vector<HalfBits> mask(std::uint32_t sequence) const;
    /// Number of an element of a given layer's result.
    [[nodiscard]] std::uint64_t result_element(std::uint32_t sequence, std::uint32_t row,
                                               std::uint32_t head) const;
    /// An element of the result as a given layer has it, in place of golden's where there is none.
    [[nodiscard]] HalfBits expected(std::uint64_t element, HalfBits golden) const;

    FlashProblem problem_;
    std::uint32_t kv_heads_ = 0;
};

}  // namespace tessera
