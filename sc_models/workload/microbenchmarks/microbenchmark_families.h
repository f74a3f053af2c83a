// Families of microbenchmarks, each a function that adds its benchmarks for a machine.
#pragma once

#include "sc_models/workload/microbenchmarks/microbenchmark_builder.h"
#include "sc_models/workload/workload.h"

namespace tessera {

// Benchmarks that tables of real cards cover.
void add_latencies(MicrobenchmarkBuilder& builder, const TargetMachine& machine);
void add_tensor_cores(MicrobenchmarkBuilder& builder, const TargetMachine& machine);
void add_bandwidths(MicrobenchmarkBuilder& builder, const TargetMachine& machine);

// Further instructions of kernels and traces.
void add_arithmetic(MicrobenchmarkBuilder& builder, const TargetMachine& machine);
void add_memory_instructions(MicrobenchmarkBuilder& builder, const TargetMachine& machine);
void add_synchronisation(MicrobenchmarkBuilder& builder, const TargetMachine& machine);
void add_sparse_products(MicrobenchmarkBuilder& builder, const TargetMachine& machine);

// Instructions of Ampere.
void add_shapes(MicrobenchmarkBuilder& builder, const TargetMachine& machine);
void add_asynchronous_copies(MicrobenchmarkBuilder& builder, const TargetMachine& machine);

// Instructions of Hopper.
void add_warpgroup_products(MicrobenchmarkBuilder& builder, const TargetMachine& machine);
void add_bulk_copies(MicrobenchmarkBuilder& builder, const TargetMachine& machine);

}  // namespace tessera
