#include "sc_models/workload/workload.h"

#include <stdexcept>

#include "sc_models/common/error.h"

namespace tessera {

Workload::Workload(std::string name, const WorkloadConfig& config, std::uint64_t seed, bool values)
    : name_(std::move(name)), config_(config), seed_(seed), values_(values) {
    const bool tiled =
        config.kind != WorkloadKind::kDirectConvolution && config.kind != WorkloadKind::kTensor;
    if (values && tiled && !config.tiling.c_traffic) {
        throw ConfigError(
            "workload.tiling.c_traffic: got off, expected on when values are on: without it the "
            "kernel stores no result");
    }
}

const MemoryRegion& Workload::region(const std::string& name) const {
    for (const MemoryRegion& candidate : regions_) {
        if (candidate.name == name) return candidate;
    }
    throw std::logic_error("workload " + name_ + " has no region '" + name + "'");
}

Address Workload::allocate(const std::string& region, std::uint64_t bytes) {
    const Address free =
        regions_.empty() ? config_.first_address : regions_.back().base + regions_.back().bytes;
    regions_.push_back({region, round_up(free, kAlignment), bytes});
    return regions_.back().base;
}

void Workload::add_gemm(std::unique_ptr<GemmKernel> kernel) {
    gemm_ = kernel.get();
    const GemmOperands& shape = kernel->operands();
    product_ = {shape.m,
                shape.d_columns(),
                shape.k,
                shape.d,
                shape.d_columns(),
                [gemm = gemm_](std::uint64_t row, std::uint64_t column) {
                    return gemm->makes(row, column);
                }};
    add(std::move(kernel));
}

std::unique_ptr<Operands> Workload::operands() const {
    throw std::logic_error("workload " + name_ + " is no product of two matrices");
}

VerificationReport Workload::verify(const MemoryReader& read, TensorCoreKind kind) const {
    if (!values_ || !product_) return {};
    return compare_with_golden(kind, *product_, *operands(), read, seed_);
}

}  // namespace tessera
