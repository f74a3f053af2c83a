// Workload of a single non-GEMM operator of a network.
#pragma once

#include "sc_models/workload/tensor/tensor_golden.h"
#include "sc_models/workload/tensor/tensor_kernels.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// Rounds the elements of a tensor and writes them to memory.
void write_tensor(const MemoryWriter& write, Address base, TensorType type,
                  const std::vector<float>& elements);
[[nodiscard]] std::vector<float> read_tensor(const MemoryReader& read, Address base,
                                             TensorType type, std::uint64_t elements);

/// Compares results in memory with tensor_golden(), bit for bit, and each (for a large result an
/// evenly spread part of them) with TensorDefinition within tensor_bound(); elements beyond the
/// bound count as scalar mismatches.
[[nodiscard]] VerificationReport verify_tensor(const TensorOperation& operation,
                                               const TensorPlan& plan, const TensorValues& operands,
                                               const std::vector<Address>& results,
                                               const MemoryReader& read);

/// One TensorOperation with seeded operands: the first has the pattern of workload.activations, the
/// others that of workload.weights; operands that must not be negative (log, sqrt, pow, variances)
/// take the magnitude. Regions: operand0, operand1, ..., result0, ....
class TensorWorkload : public Workload {
public:
    TensorWorkload(const WorkloadConfig& config, std::uint64_t seed, bool values,
                   const TargetMachine& machine);
    /// Accepts any operation, including those that the keys cannot describe. If `config` has a
    /// given layer, the operands are its tensors.
    TensorWorkload(const TensorOperation& operation, const WorkloadConfig& config,
                   std::uint64_t seed, bool values, const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    using Workload::verify;
    [[nodiscard]] VerificationReport verify(const MemoryReader& read,
                                            TensorCoreKind kind) const override;

    [[nodiscard]] const TensorOperation& operation() const { return operation_; }
    /// Generated anew by each call.
    [[nodiscard]] TensorValues operand_values() const;

private:
    TensorOperation operation_;
    TensorPlan plan_;
    TensorAddresses addresses_;
};

}  // namespace tessera
