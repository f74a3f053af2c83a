// Does a sparse product cost as much as it has SpWMMAs (non-empty tile steps of 32x32x16)?
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdio>
#include <string>

#include "sc_models/run/simulation.h"
#include "tests/support/in_child.h"

namespace tessera {
namespace {

constexpr double kSparsityOfA = 0.5;

Config config_of(std::uint32_t k, double sparsity_of_b) {
    Config config;
    config.tensor_core.kind = TensorCoreKind::kOuterProduct;
    config.tensor_core.spwmma.accumulation = AccumulationDetail::kMemo;
    WorkloadConfig& w = config.workload;
    w.kind = WorkloadKind::kSparseGemm;
    w.gemm = {1024, 2048, k};
    w.sparse.method = ProductMethod::kDual;
    w.sparse.k_step = SparseConfig::kAutoStep;
    w.sparse.a.sparsity = kSparsityOfA;
    w.sparse.b.sparsity = sparsity_of_b;
    w.tiling.cta_m = 64;
    w.tiling.cta_n = 256;
    w.tiling.warp_m = 32;
    w.tiling.warp_n = 64;
    w.tiling.fragment_buffers = 1;
    w.tiling.overhead_registers = 4;
    return config;
}

/// CPU seconds of this process so far.
double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// The whole machine, operands and SystemC's elaboration included, in a process of its own: CPU
/// seconds, and SpWMMAs as a counter.
void run(benchmark::State& state, std::uint32_t k, double sparsity_of_b) {
    double spwmmas = 0;
    for (auto _ : state) {
        const std::string text = test::in_child([&] {
            const double before = cpu_seconds();
            Simulation simulation(config_of(k, sparsity_of_b), {});
            const RunReport report = simulation.run();
            const auto& sub_core = report.kernels.back().statistics.at("sm").at("sub_core");
            return std::to_string(cpu_seconds() - before) + " " +
                   std::to_string(sub_core.at("tensor").at("spwmmas").get<std::uint64_t>());
        });
        double seconds = 0;
        if (std::sscanf(text.c_str(), "%lf %lf", &seconds, &spwmmas) != 2) {
            state.SkipWithError("the simulation said nothing");
            return;
        }
        state.SetIterationTime(seconds);
    }
    state.counters["SpWMMAs"] = spwmmas;
    state.counters["SpWMMAs_per_second"] =
        benchmark::Counter(spwmmas, benchmark::Counter::kIsIterationInvariantRate);
}

void add(const std::string& name, std::uint32_t k, double sparsity_of_b) {
    benchmark::RegisterBenchmark(name.c_str(), run, k, sparsity_of_b)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace tessera

int sc_main(int argc, char* argv[]) {
    for (const std::uint32_t k : {512U, 1024U, 2048U, 4096U}) {
        tessera::add("1024x2048/k:" + std::to_string(k), k, 0.6);
    }
    for (const double zeros : {0.99, 0.999, 0.9999, 0.99999}) {
        tessera::add("1024x2048x2048/zeros_of_b:" + std::to_string(zeros), 2048, zeros);
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
