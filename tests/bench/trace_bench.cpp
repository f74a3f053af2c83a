// How many instructions a second does the trace reader parse, decode and write?
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "sc_models/trace/sass_gemm.h"
#include "sc_models/trace/trace_file.h"

namespace tessera {
namespace {

/// A file that is gone when the benchmark ends.
class TemporaryTrace {
public:
    explicit TemporaryTrace(const std::string& extension)
        : path_(std::filesystem::temp_directory_path() /
                fmt::format("tessera_trace_bench_{}{}", getpid(), extension)) {}
    ~TemporaryTrace() { std::filesystem::remove(path_); }
    TemporaryTrace(const TemporaryTrace&) = delete;
    TemporaryTrace& operator=(const TemporaryTrace&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// 567,028 instructions, 43 MB of text.
const SassGemm& gemm() {
    static const SassGemm kGemm(3200, 64, 576);
    return kGemm;
}

void read_file(benchmark::State& state, const std::string& path) {
    std::uint64_t instructions = 0;
    std::uint64_t bytes = 0;
    for (auto _ : state) {
        TraceFile file(path);
        for (ThreadBlock block; file.next_thread_block(block);) {
            instructions += block.instructions();
            bytes += block.memory_bytes();
        }
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
    state.counters["bytes_an_instruction"] =
        static_cast<double>(bytes) / static_cast<double>(instructions);
}

void parse_gemm(benchmark::State& state) {
    const TemporaryTrace trace(state.range(0) != 0 ? ".traceg.xz" : ".traceg");
    gemm().write(trace.path());
    read_file(state, trace.path().string());
}
BENCHMARK(parse_gemm)->ArgName("xz")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// Nothing but loads, each with lanes that go somewhere else: every line is parsed in full.
void parse_gathers(benchmark::State& state) {
    TraceHeader header;
    header.name = "gathers";
    const SassMnemonic ldg = parse_sass_mnemonic("LDG.E");
    const SassMnemonic exit = parse_sass_mnemonic("EXIT");
    StaticInstruction load;
    load.mnemonic = &ldg;
    load.memory_width = 4;
    load.destinations = load.sources = 1;
    StaticInstruction end;
    end.mnemonic = &exit;
    const TemporaryTrace trace(".traceg");
    TraceWriter out(trace.path(), header);
    out.begin_thread_block({0, 0, 0});
    out.begin_warp(0);
    LaneAddresses addresses{};
    for (std::uint64_t i = 0; i < 100000; ++i) {
        for (std::uint64_t lane = 0; lane < kThreadsPerWarp; ++lane) {
            addresses[lane] = 0x7f0000000000 + mix_hash(i, lane) % 0x10000000;
        }
        out.write(load, 0xffffffff, addresses);
    }
    out.write(end, 0xffffffff, {});
    out.end_thread_block();
    out.commit();
    read_file(state, trace.path().string());
}
BENCHMARK(parse_gathers)->Unit(benchmark::kMillisecond);

void decode_gemm(benchmark::State& state) {
    const TemporaryTrace trace(".traceg");
    gemm().write(trace.path());
    TraceFile file(trace.path().string());
    ThreadBlock block;
    if (!file.next_thread_block(block)) state.SkipWithError("no thread block");
    std::uint64_t instructions = 0;
    for (auto _ : state) {
        for (std::uint32_t w = 0; w < block.warps(); ++w) {
            WarpTrace::Cursor cursor = block.warp(w).cursor();
            for (TraceInstruction i; cursor.next(i); ++instructions) {
                benchmark::DoNotOptimize(i);
            }
        }
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
}
BENCHMARK(decode_gemm);

void write_gemm(benchmark::State& state) {
    const TemporaryTrace trace(state.range(0) != 0 ? ".traceg.xz" : ".traceg");
    const std::uint64_t warps = gemm().header().grid.count() * gemm().header().warps_per_cta();
    for (auto _ : state) gemm().write(trace.path());
    state.SetItemsProcessed(state.iterations() *
                            static_cast<std::int64_t>(warps * gemm().instructions_per_warp()));
}
BENCHMARK(write_gemm)->ArgName("xz")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera

BENCHMARK_MAIN();
