// How many units a second do the cores of the detection unit look up?
#include <benchmark/benchmark.h>

#include <array>

#include "sc_models/duplo/detection_unit.h"

namespace tessera {
namespace {

/// YOLO C3 of Duplo Table I: 56 x 56 x 64 under 3 x 3, batch 8.
LoweredGeometry layer() {
    LoweredGeometry g;
    g.base = 0x40000000;
    g.batch = 8;
    g.input_height = g.input_width = g.output_height = g.output_width = 56;
    g.channels = 64;
    g.filter_height = g.filter_width = 3;
    g.pad = 1;
    g.filter_row_chunks = 12;
    g.row_pitch_chunks = 36;
    g.n_chunks = 8 * 56 * 56 * 36;
    g.index_shift = 4;
    return g;
}

constexpr std::uint32_t kWarps = 24;
constexpr std::uint32_t kSubCores = 4;
constexpr std::uint32_t kFragments = 4;  // two rows of fragments, double-buffered

/// 24 warps of three CTAs sweep K; pairs of warps load the same rows. Time is that of one unit.
void access(benchmark::State& state, DuploConfig config) {
    const LoweredGeometry g = layer();
    DetectionUnit unit(config, kSubCores);
    const ConvolutionPacket packet = ConvolutionPacket::make(g);
    unit.launch(packet, kWarps, kFragments, 0);
    Cycle now = unit.awake_at();
    ActiveLoad active;
    FragmentLoad load;
    load.row_pitch_bytes = g.row_pitch_chunks * 32;
    const std::uint32_t rows = packet.rows();
    std::uint32_t first_row = 0;
    std::uint64_t units = 0;
    for (auto _ : state) {
        for (std::uint32_t kc = 0; kc < g.row_pitch_chunks; ++kc) {
            for (std::uint32_t w = 0; w < kWarps; ++w) {
                for (std::uint32_t f = 0; f < 2; ++f) {
                    load.warp = w;
                    load.sub_core = w / 2 % kSubCores;  // both of a pair
                    load.fragment = kc % 2 * 2 + f;
                    const std::uint32_t row = (first_row + w / 2 * 32 + f * 16) % rows;
                    load.address = g.base + (Address{row} * g.row_pitch_chunks + kc) * 32;
                    unit.begin(now, load, active);
                    for (std::uint32_t u = 0; u < unit.shape().count(); ++u) {
                        const UnitOutcome outcome = unit.access(now, active, u);
                        if (outcome.kind == AccessKind::kMiss ||
                            outcome.kind == AccessKind::kBypass) {
                            unit.set_ready(outcome.phys, now + 200);
                        }
                        benchmark::DoNotOptimize(outcome);
                    }
                    units += unit.shape().count();
                    now += 4;
                }
            }
        }
        first_row = (first_row + kWarps / 2 * 32) % rows;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(units));
    state.counters["hit_percent"] =
        100.0 * static_cast<double>(unit.counters().total_hits()) / static_cast<double>(units);
}

DuploConfig base(std::uint32_t entries) {
    DuploConfig config;
    config.enabled = true;
    config.lhb_entries = entries;
    return config;
}

DuploConfig eight_ways() {
    DuploConfig config = base(1024);
    config.lhb_ways = 8;
    return config;
}

DuploConfig folded() {
    DuploConfig config = base(1024);
    config.lhb_fold = true;
    return config;
}

DuploConfig with_lifetime(Lifetime lifetime) {
    DuploConfig config = base(1024);
    config.lifetime = lifetime;
    return config;
}

DuploConfig at_commit() {
    DuploConfig config = base(1024);
    config.release = ReleasePoint::kCommit;
    return config;
}

DuploConfig tiles() {
    DuploConfig config = folded();
    config.granularity = Granularity::kTile16;
    config.scope = Scope::kSubCore;
    return config;
}

BENCHMARK_CAPTURE(access, direct_mapped_1024, base(1024));
BENCHMARK_CAPTURE(access, direct_mapped_256, base(256));
BENCHMARK_CAPTURE(access, eight_way_1024, eight_ways());
BENCHMARK_CAPTURE(access, folded_1024, folded());
BENCHMARK_CAPTURE(access, infinite, base(DuploConfig::kInfiniteEntries));
BENCHMARK_CAPTURE(access, in_flight_1024, with_lifetime(Lifetime::kInFlight));
BENCHMARK_CAPTURE(access, until_reused_1024, with_lifetime(Lifetime::kUntilReused));
BENCHMARK_CAPTURE(access, forever_1024, with_lifetime(Lifetime::kForever));
BENCHMARK_CAPTURE(access, release_at_commit, at_commit());
BENCHMARK_CAPTURE(access, buildable_tiles, tiles());

void generate_ids(benchmark::State& state) {
    const LoweredGeometry g = layer();
    IdGenerator generator;
    generator.program(ConvolutionPacket::make(g), IdFormula::kCorrected);
    std::array<DataId, kFragmentRows> ids;
    std::uint32_t chunk = 0;
    for (auto _ : state) {
        generator.generate(g.base + Address{chunk} * 32, g.row_pitch_chunks * 32,
                           static_cast<std::uint32_t>(state.range(0)), ids.data());
        benchmark::DoNotOptimize(ids);
        chunk = (chunk + 577) % (g.n_chunks / 2);
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(generate_ids)->Arg(1)->Arg(8)->Arg(16);

}  // namespace
}  // namespace tessera

BENCHMARK_MAIN();
