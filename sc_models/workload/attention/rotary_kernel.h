// Rotary embedding of queries and keys in place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/isa/coalescer.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/isa/mma_shape.h"

namespace tessera {

/// Sizes and addresses of a rotary embedding. A row of `rows` holds the heads of queries, of keys
/// and of values of one token, side by side.
struct RotaryProblem {
    std::uint32_t tokens = 0;  ///< of all sequences
    std::uint32_t heads = 0, kv_heads = 0;
    std::uint32_t head_size = 0;  ///< even
    std::uint32_t first_position = 0;
    std::uint32_t tokens_of_sequence = 1;  ///< positions begin anew with each sequence
    Float16 format = Float16::kFp16;       ///< of the halves
    Address rows = 0;                      ///< halves
    Address positions = 0;                 ///< 64-bit integers, by token
    Address cache = 0;  ///< halves: by position, head_size / 2 cosines, then as many sines

    [[nodiscard]] std::uint64_t row_elements() const {
        return std::uint64_t{heads + 2 * kv_heads} * head_size;
    }
    [[nodiscard]] std::uint64_t position(std::uint64_t token) const {
        return first_position + token % tokens_of_sequence;
    }
};

/// rotary_embedding_kernel of vLLM (csrc/pos_encoding_kernels.cu, form of GPT-NeoX): a CTA for each
/// token, of up to 512 threads. A thread takes every 512th pair of elements of the queries, then of
/// the keys: element i of a head and element i + head_size / 2. It loads both, the cosine and the
/// sine of the token's position, two bytes a lane, and stores x cos - y sin and y cos + x sin. Each
/// product and sum is rounded to the format, as c10::Half and c10::BFloat16 do.
///
/// The index arithmetic of a pair takes 58 integer instructions (rotary_kernel.cpp), more than the
/// rotation. It bounds the kernel.
class RotaryKernel : public Kernel {
public:
    RotaryKernel(std::string name, const RotaryProblem& problem,
                 const AccessGranularity& granularity, bool values);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    RotaryProblem problem_;
    AccessGranularity granularity_;
    bool values_;
    KernelInfo info_;
};

/// A pair of elements of a head, and cosine and sine of its angle.
struct RotaryPair {
    float x = 0, y = 0, cosine = 0, sine = 0;

    /// x cos - y sin, rounded to the format after each operation.
    [[nodiscard]] float first(Float16 format) const;
    /// y cos + x sin, rounded likewise.
    [[nodiscard]] float second(Float16 format) const;
};

}  // namespace tessera
