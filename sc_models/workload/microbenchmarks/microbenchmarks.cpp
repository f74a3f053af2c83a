#include "sc_models/workload/microbenchmarks/microbenchmarks.h"

#include <memory>
#include <utility>

#include "sc_models/workload/microbenchmarks/microbenchmark_families.h"

namespace tessera {
namespace {

bool has_shape(const TargetMachine& machine, MmaShape shape) {
    return machine.mma_shapes[static_cast<std::size_t>(shape)];
}

/// Whether a machine has tensor cores with rows of its own shapes.
bool is_later(const TargetMachine& machine) {
    return !machine.sparse_tensor_cores && !has_shape(machine, MmaShape::kHmma884);
}

/// Benchmarks of some instructions, and the machines that have these.
struct Family {
    void (*add)(MicrobenchmarkBuilder&, const TargetMachine&) = nullptr;
    bool (*is_on)(const TargetMachine&) = [](const TargetMachine&) { return true; };
};

/// All families, in the order in which they run.
constexpr Family kFamilies[] = {
    {add_latencies},
    {add_tensor_cores},
    {add_bandwidths},
    {[](MicrobenchmarkBuilder& builder, const TargetMachine&) { builder.launch(); }},
    {add_arithmetic},
    {add_memory_instructions},
    {add_synchronisation},
    {add_sparse_products, [](const TargetMachine& machine) { return machine.sparse_tensor_cores; }},
    {add_shapes, is_later},
    {add_asynchronous_copies,
     [](const TargetMachine& machine) {
         return is_later(machine) && has_shape(machine, MmaShape::kHmma16816);
     }},
    {add_warpgroup_products, is_later},
    {add_bulk_copies,
     [](const TargetMachine& machine) { return is_later(machine) && machine.bulk_copies; }},
};

}  // namespace

MicrobenchmarkWorkload::MicrobenchmarkWorkload(const WorkloadConfig& config, std::uint64_t seed,
                                               const TargetMachine& machine)
    : Workload("microbenchmarks", config, seed, false) {
    MicrobenchmarkBuilder builder;
    for (const Family& family : kFamilies) {
        if (family.is_on(machine)) family.add(builder, machine);
    }
    for (std::unique_ptr<Kernel>& kernel : builder.take_kernels()) add(std::move(kernel));
    benchmarks_ = builder.take_benchmarks();
}

}  // namespace tessera
