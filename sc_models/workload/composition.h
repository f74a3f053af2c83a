// One layer computed by several methods in sequence on one machine.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sc_models/workload/workload.h"

namespace tessera {

/// The layer of workload.layer three times in one run: lowered with fragments from global memory
/// (the input of a Duplo detection unit), as a product of sparse matrices through shared memory
/// (SpWMMAs of dual-side sparse tensor cores), and directly in FP32 (vector operations, which
/// opportunistic computing offloads from warps). Each method has its own operands and results,
/// placed behind those of the previous one, and is verified as in a run of its own; its name
/// prefixes those of its regions ("sparse.d").
class Composition : public Workload {
public:
    /// Creates the workload of one method: a workload of a kind other than composition.
    using Maker = std::function<std::unique_ptr<Workload>(const WorkloadConfig&)>;

    Composition(const WorkloadConfig& config, std::uint64_t seed, bool values, const Maker& make);

    void initialise(const MemoryWriter& write) const override;
    [[nodiscard]] VerificationReport verify(const MemoryReader& read,
                                            TensorCoreKind kind) const override;
    [[nodiscard]] std::vector<Reference> references() const override;

private:
    std::vector<std::unique_ptr<Workload>> ways_;
};

}  // namespace tessera
