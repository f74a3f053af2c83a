// One layer computed in several ways, one after the other on one machine.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sc_models/workload/workload.h"

namespace tessera {

/// The layer of workload.layer three times in one run: lowered with fragments from global memory
/// (what a Duplo detection unit acts on), as a product of sparse matrices through shared memory
/// (SpWMMAs of dual-side sparse tensor cores), and directly in FP32 (vector operations, which
/// opportunistic computing takes off warps). Each way has operands and results of its own, behind
/// those of the way before, and is verified as it is alone; regions have the way's name before
/// theirs ("sparse.d").
class Composition : public Workload {
public:
    /// Makes one of the ways: the workload of a kind other than composition.
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
