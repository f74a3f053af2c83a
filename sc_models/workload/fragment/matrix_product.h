// Plain matrix product of seeded values.
#pragma once

#include "sc_models/workload/value_generator.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// D = A x B (C zero) with A m x k row-major and B k x n stored column by column, rows of A and
/// columns of B padded with zeros to a multiple of 16 halves. A takes the activations' pattern, B
/// the weights'.
class MatrixProduct : public Workload {
public:
    MatrixProduct(const WorkloadConfig& config, std::uint64_t seed, bool values);

    void initialise(const MemoryWriter& write) const override;
    [[nodiscard]] std::unique_ptr<Operands> operands() const override;
    [[nodiscard]] std::vector<Reference> references() const override;

    /// Element i * k + l is A[i][l].
    [[nodiscard]] const ValueGenerator& a() const { return a_; }
    /// Element j * k + l is B[l][j].
    [[nodiscard]] const ValueGenerator& b() const { return b_; }

private:
    ValueGenerator a_, b_;
};

}  // namespace tessera
