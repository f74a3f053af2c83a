// How fast is the memory hierarchy on the machine it runs on? Time of one transaction from an L1
// socket.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <random>

#include "tests/support/memory_rig.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint32_t kSms = 80;

/// The Titan V, and one payload that is used again and again, as the LDST unit does.
class Bench {
public:
    Bench()
        : rig_(
              [] {
                  RigConfig config;
                  config.sms = kSms;
                  config.core_clock_mhz = 1200;
                  config.dram = DramConfig{};
                  return config;
              }(),
              false) {
        payload_.set_data_ptr(data_);
        payload_.set_data_length(32);
        payload_.set_streaming_width(32);
        payload_.set_extension(&info_);
    }
    ~Bench() { payload_.clear_extension(&info_); }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    Cycle access(tlm::tlm_command command, std::uint32_t sm, Address address) {
        payload_.set_command(command);
        payload_.set_address(address);
        sc_core::sc_time delay;
        rig_.drivers[sm]->socket->b_transport(payload_, delay);
        return info_.accepted;
    }
    /// Time passes, so that reservation tables and miss registers see their usual load.
    void tick(Cycle cycles) { rig_.run_to(now_ += cycles); }

    static Bench& instance() {
        static Bench bench;  // a process can elaborate one hierarchy only
        return bench;
    }

private:
    MemoryRig rig_;
    Cycle now_ = 0;
    unsigned char data_[128] = {};
    AccessInfo info_;
    tlm::tlm_generic_payload payload_;
};

void l1_hit(benchmark::State& state) {
    Bench& bench = Bench::instance();
    for (Address a = 0; a < 16 * 1024; a += 32) bench.access(tlm::TLM_READ_COMMAND, 0, a);
    bench.tick(10'000);
    Address address = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(bench.access(tlm::TLM_READ_COMMAND, 0, address));
        address = (address + 32) % (16 * 1024);
    }
}
BENCHMARK(l1_hit);

/// All SMs together, a line (four transactions) each every `cycles_a_round` cycles; `footprint`
/// decides who has the data.
void traffic(benchmark::State& state, tlm::tlm_command command, Address footprint,
             Cycle cycles_a_round) {
    Bench& bench = Bench::instance();
    const Address base = Address{1} << 32U;
    Address offset = 0;
    std::uint32_t sm = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(bench.access(command, sm, base + offset));
        offset = (offset + 32) % footprint;
        if (offset % 128 == 0 && ++sm == kSms) {
            sm = 0;
            bench.tick(cycles_a_round);
        }
    }
}
// 80 x 128 B every 16 cycles = 640 B a cycle of the 1536 B of all slices; DRAM's 544 B take 20
// cycles.
BENCHMARK_CAPTURE(traffic, l2_hit, tlm::TLM_READ_COMMAND, Address{4} << 20U, 16);
BENCHMARK_CAPTURE(traffic, dram, tlm::TLM_READ_COMMAND, Address{4} << 30U, 24);
BENCHMARK_CAPTURE(traffic, dram_saturated, tlm::TLM_READ_COMMAND, Address{4} << 30U, 16);
BENCHMARK_CAPTURE(traffic, write, tlm::TLM_WRITE_COMMAND, Address{4} << 20U, 16);

/// Everything at random: the worst for the caches of the host as well.
void scattered(benchmark::State& state) {
    Bench& bench = Bench::instance();
    std::mt19937_64 random(1);
    std::uint32_t sm = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            bench.access(tlm::TLM_READ_COMMAND, sm, random() % (Address{1} << 32U) & ~Address{31}));
        if (++sm == kSms) {
            sm = 0;
            bench.tick(20);
        }
    }
}
BENCHMARK(scattered);

}  // namespace

int sc_main(int argc, char** argv) {
    init_time_resolution();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

int main(int argc, char** argv) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    return sc_core::sc_elab_and_sim(argc, argv);
}
