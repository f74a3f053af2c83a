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
    void place_cache(bool heads_first);
    [[nodiscard]] HeadTensor tensor_of(std::uint32_t heads, std::uint64_t tokens,
                                       bool heads_first) const;
    /// Rows of a head in one sequence of a given layer's operand, side by side.
    [[nodiscard]] std::vector<HalfBits> given_rows(const HeadTensor& tensor, std::size_t operand,
                                                   std::uint32_t rows, std::uint32_t sequence,
                                                   std::uint32_t head) const;
    /// Rows of a head of keys or values of one sequence, side by side.
    [[nodiscard]] std::vector<HalfBits> cached(std::uint32_t sequence, std::uint32_t head,
                                               bool of_values) const;
    [[nodiscard]] std::vector<HalfBits> queries(std::uint32_t sequence, std::uint32_t head) const;
    /// Mask of a sequence; empty if there is none.
    [[nodiscard]] std::vector<HalfBits> mask(std::uint32_t sequence) const;
    /// The element of the result at this address as a given layer has it; golden's if none has.
    [[nodiscard]] HalfBits expected(Address address, HalfBits golden) const;

    FlashProblem problem_;
    std::uint32_t kv_heads_ = 0;
};

}  // namespace tessera
