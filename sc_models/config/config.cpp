#include "sc_models/config/config.h"

#include <algorithm>
#include <limits>
#include <thread>

#include "sc_models/config/key_conditions.h"

namespace tessera {
namespace {

constexpr KeyCondition kAccountsEnergy = {
    "another gpu.energy_table than none",
    [](const Config& c) { return c.gpu.energy_table != kNoEnergyTable; }};

}  // namespace

void GpuConfig::bind(ConfigVisitor& v) {
    v.integer("sms", sms, 1, 1024, "Streaming multiprocessors (Duplo Table III: 80).");
    v.integer("core_clock_mhz", core_clock_mhz, 1, 20000,
              "Clock of SMs, network and L2 (Duplo Table III: 1200 MHz).");
    v.integer("kernel_launch_cycles", kernel_launch_cycles, 0, 10'000'000,
              "Delay from one kernel to the next (7258 measured on a Titan V; the paper counts "
              "none).");
    v.integer_or("queued_launch_cycles", queued_launch_cycles, 0, 10'000'000, "as_first",
                 kLaunchAsFirst,
                 "Delay of a kernel that was launched while the one before ran; as_first: "
                 "kernel_launch_cycles once more.");
    v.integer_or("short_launch_cycles", short_launch_cycles, 0, 10'000'000, "as_queued",
                 kLaunchAsQueued,
                 "The same of a kernel of so few instructions that fetching them takes no time to "
                 "speak of, as the kernels that work out a convolution's offsets; as_queued: "
                 "queued_launch_cycles.");
    v.integer("cta_launch_cycles", cta_launch_cycles, 0, 1'000'000,
              "Assignment of a CTA to an SM until its first instruction may issue.");
    v.integer(
        "cta_launch_jitter_cycles", cta_launch_jitter_cycles, 0, 1'000'000,
        "Up to so many more, drawn for each CTA with the seed: runs that differ in their seed "
        "alone show how much of a time is chance (Alameldeen and Wood, HPCA 2003).");
    v.acts_if(acts::kLooselyTimed)
        .integer("quantum_cycles", quantum_cycles, 1, 1'000'000,
                 "An SM may run less than so far ahead of the others before they catch up (TLM-2.0 "
                 "temporal "
                 "decoupling); 1 keeps all in step and is slower.");
    v.text("energy_table", energy_table,
           "Prices of the energy account: a file of configs/energy by its name, a YAML file, or "
           "none for no account (docs/energy.md).");
    v.acts_if(kAccountsEnergy)
        .integer_or(
            "power_limit_w", power_limit_w, 1, 100'000, "none", kNoPowerLimit,
            "Power of the whole card at which it lowers its clock. The model keeps the clock; a "
            "run whose mean power is above says so.");
}

void LoggingConfig::bind(ConfigVisitor& v) {
    v.text("level", level,
           "Least severe messages that are shown: trace, debug, info, warn, error or off.");
    v.text_map("modules", modules, "Levels of single modules, by name, over the general one.");
}

std::uint32_t HostConfig::thread_count() const {
    if (threads != kAllCores) return threads;
    return std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
}

void HostConfig::bind(ConfigVisitor& v) {
    v.integer_or("threads", threads, 1, kMostThreads, "auto", kAllCores,
                 "Threads that simulate one run: SMs run on them side by side, and results are "
                 "the same; auto: one for each core of the simulating machine.");
}

void StatisticsConfig::bind(ConfigVisitor& v) {
    v.boolean("full_detail", full_detail,
              "Whether results list every SM and slice on its own instead of their sums.");
}

void Config::bind(ConfigVisitor& v) {
    v.integer("seed", seed, 0, std::numeric_limits<std::uint64_t>::max(),
              "Seed of every generated value; equal configurations give equal bytes.");
    v.choice(
        "timing", timing, {{"lt", Timing::kLooselyTimed}, {"at", Timing::kApproximatelyTimed}},
        "Fidelity: lt is loosely timed, one call a request, with contention reserved ahead; at "
        "is approximately timed, four phases a request, with bounded queues.");
    v.boolean("protocol_check", protocol_check,
              "Whether every link of the memory is watched for violations of the TLM-2.0 base "
              "protocol.");
    v.boolean("values", values,
              "Whether real FP16 and FP32 data moves end to end and is checked, instead of "
              "addresses and sizes only.");
    v.section("gpu", "The chip.", [&] { gpu.bind(v); });
    v.section("sm", "A streaming multiprocessor.", [&] { sm.bind(v); });
    v.section("tensor_core", "Its tensor cores.", [&] { tensor_core.bind(v); });
    v.section("ldst", "Its load/store unit.", [&] { ldst.bind(v); });
    v.section("l1", "Its L1 data cache.", [&] { l1.bind(v); });
    v.section("tlb", "Its first TLB, between the L1 and the network.", [&] { tlb.bind(v); });
    v.section("noc", "The network between SMs and L2 slices.", [&] { noc.bind(v); });
    v.section("l2", "The L2 cache.", [&] { l2.bind(v); });
    v.section("dram", "DRAM channels (HBM2).", [&] { dram.bind(v); });
    bind_mechanisms(v);
    v.section("impl", "Blocks that run as Verilated RTL inside the machine.",
              [&] { impl.bind(v); });
    v.section("workload", "What runs on the machine.", [&] { workload.bind(v); });
    v.section("sample", "Runs of some CTAs that stand for all of a kernel's.",
              [&] { sample.bind(v); });
    v.section("statistics", "How results are written.", [&] { statistics.bind(v); });
    v.section("host", "The simulating machine; never part of a result.", [&] { host.bind(v); });
    v.section("logging", "Messages on the terminal; never part of a result.",
              [&] { logging.bind(v); });
}

}  // namespace tessera
