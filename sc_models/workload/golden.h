// Scalar golden model of a matrix product in the tensor cores' numerics and order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sc_models/common/types.h"
#include "sc_models/config/tensor_core_config.h"
#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/product_shape.h"

namespace tessera {

/// Reads `bytes` bytes of global memory; memory never written reads as zero.
using MemoryReader = std::function<void(Address, void* data, std::size_t bytes)>;

/// Operands whose zeros are not multiplied.
enum class ZeroSkipping { kNone, kOfB, kOfBoth };

/// A and B of a matrix product according to the definition of the layer, independent of the
/// kernels' memory contents.
class Operands {
public:
    virtual ~Operands() = default;
    /// Row `row` of A: k halves.
    virtual void a_row(std::uint64_t row, HalfBits* out) const = 0;
    /// Column `column` of B: k halves.
    virtual void b_column(std::uint64_t column, HalfBits* out) const = 0;
    /// The zeros that the machine skips, which is visible opposite infinities and NaNs.
    [[nodiscard]] virtual ZeroSkipping skipping() const { return ZeroSkipping::kNone; }
};

/// Outcome of the comparison of D with the golden model, bit for bit.
struct VerificationReport {
    bool checked = false;  ///< false: the run moved no values
    std::uint64_t outputs = 0;
    std::uint64_t mismatches = 0;
    /// Outputs also computed one product at a time, and the number of them that differ from the
    /// golden model.
    std::uint64_t scalar_samples = 0;
    std::uint64_t scalar_mismatches = 0;
    std::string first_mismatch;  ///< "D[row][column]: expected ..., got ..."; empty if none

    [[nodiscard]] bool passed() const { return mismatches == 0 && scalar_mismatches == 0; }
    /// Adds the counts of a part of the whole; `which` precedes its first mismatch.
    void add(const VerificationReport& part, const std::string& which);
};

/// Computes one element of D by the scalar method, k ascending: four products at a time through
/// fedp4() (others than FP16: fedp4_bf16() and its like), or one at a time through fp32_add(),
/// omitting the zeros of `skipping` (not with FEDP). `a` and `b` hold `k` units of 2 bytes, a
/// multiple of 4 elements.
[[nodiscard]] float golden_element(TensorCoreKind kind, const HalfBits* a, const HalfBits* b,
                                   std::uint64_t k, float c,
                                   ZeroSkipping skipping = ZeroSkipping::kNone,
                                   OperandType type = OperandType::kFp16);

/// Computes the launch's part of D = A x B (all of D unless limited) and compares it with D in
/// memory, bit for bit, in the numerics of `kind` and the order of `shape`. Every kScalarSample-th
/// output on average (chosen by `seed`) is also computed by golden_element(). Memory: B, and 16
/// rows of A. Products of INT8 are all computed one product at a time, in 64 bits, of which D has
/// the low 32, or of which it has bytes (ProductShape::requantization). Bytes that are known have
/// to be those of the golden model, too. Memory: B.
[[nodiscard]] VerificationReport compare_with_golden(TensorCoreKind kind, const ProductShape& shape,
                                                     const Operands& operands,
                                                     const MemoryReader& read, std::uint64_t seed);

inline constexpr std::uint64_t kScalarSample = 100;

}  // namespace tessera
