// The benches of the RTL blocks.
#pragma once

#include <memory>

#include "testbenches/cosim/bench.h"

namespace tessera {

[[nodiscard]] std::unique_ptr<CosimBench> make_accumulation_buffer_bench(
    const BenchOptions& options);
[[nodiscard]] std::unique_ptr<CosimBench> make_bitmap_unit_bench(const BenchOptions& options);
[[nodiscard]] std::unique_ptr<CosimBench> make_fedp_bench(const BenchOptions& options);
[[nodiscard]] std::unique_ptr<CosimBench> make_feop_array_bench(const BenchOptions& options);
[[nodiscard]] std::unique_ptr<CosimBench> make_feop_bench(const BenchOptions& options);
[[nodiscard]] std::unique_ptr<CosimBench> make_fp_bench(const BenchOptions& options);
[[nodiscard]] std::unique_ptr<CosimBench> make_id_generator_bench(const BenchOptions& options);
[[nodiscard]] std::unique_ptr<CosimBench> make_load_history_buffer_bench(
    const BenchOptions& options);

}  // namespace tessera
