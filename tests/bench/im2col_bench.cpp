// How long do the ways of lowering a sparse feature map take (dual-side sparse tensor core, Table
// III)?
#include <benchmark/benchmark.h>

#include <string>

#include "sc_models/study/im2col_methods.h"

namespace tessera {
namespace {

void run(benchmark::State& state, Im2colMethod method, double sparsity) {
    const FeatureMap map(Im2colShape{}, sparsity, 1);
    Lowered lowered;
    for (auto _ : state) {
        lower(method, map, lowered);
        benchmark::DoNotOptimize(lowered.values.data());
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * map.shape().columns() *
                            map.shape().outputs());
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
    for (const tessera::Im2colMethodInfo& info : tessera::kIm2colMethods) {
        for (const double percent : {0.0, 25.0, 50.0, 75.0, 99.0, 99.9}) {
            const std::string name = std::string(info.name) + "/" + std::to_string(percent);
            benchmark::RegisterBenchmark(name.c_str(), tessera::run, info.method, percent / 100)
                ->Unit(benchmark::kMillisecond);
        }
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
}
