// The whole configuration of a run.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/config/config_visitor.h"
#include "sc_models/config/duplo_config.h"
#include "sc_models/config/impl_config.h"
#include "sc_models/config/knob.h"
#include "sc_models/config/ldst_config.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/config/noc_config.h"
#include "sc_models/config/opportunistic_config.h"
#include "sc_models/config/sample_config.h"
#include "sc_models/config/sm_config.h"
#include "sc_models/config/tensor_core_config.h"
#include "sc_models/config/workload_config.h"

namespace tessera {

enum class Timing { kLooselyTimed, kApproximatelyTimed };

/// The GPU as a whole: how many SMs, their clock, and how kernels and CTAs are launched.
struct GpuConfig {
    Knob<std::uint32_t> sms = 80;
    Knob<std::uint32_t> core_clock_mhz = 1200;
    Knob<std::uint32_t> kernel_launch_cycles = 0;
    static constexpr std::uint32_t kLaunchAsFirst = ~0U;
    Knob<std::uint32_t> queued_launch_cycles = kLaunchAsFirst;
    static constexpr std::uint32_t kLaunchAsQueued = ~0U;
    Knob<std::uint32_t> short_launch_cycles = kLaunchAsQueued;  ///< of KernelInfo::short_code
    Knob<std::uint32_t> cta_launch_cycles = 20;
    Knob<std::uint32_t> cta_launch_jitter_cycles = 0;  ///< at most so many more, drawn for each CTA
    Knob<std::uint32_t> quantum_cycles =
        32;  ///< an SM may run less than so far ahead of the others
    Knob<std::string> energy_table{"volta_12nm"};  ///< prices of the energy account

    /// What a kernel waits behind another.
    [[nodiscard]] std::uint32_t launch_behind() const {
        return queued_launch_cycles.peek() == kLaunchAsFirst ? kernel_launch_cycles.peek()
                                                             : queued_launch_cycles.peek();
    }
    /// What a kernel with short code waits behind another.
    [[nodiscard]] std::uint32_t short_launch_behind() const {
        return short_launch_cycles.peek() == kLaunchAsQueued ? launch_behind()
                                                             : short_launch_cycles.peek();
    }

    void bind(ConfigVisitor& v);
};

/// What the log says; no part of a configuration's hash.
struct LoggingConfig {
    Knob<std::string> level{"info"};
    std::vector<std::pair<std::string, std::string>> modules;  ///< level by module name

    void bind(ConfigVisitor& v);
};

/// How the simulating machine simulates a run. No part of a result, nor of its configuration's
/// hash.
struct HostConfig {
    static constexpr std::uint32_t kAllCores = 0;
    static constexpr std::uint32_t kMostThreads = 256;
    Knob<std::uint32_t> threads = 1;

    /// As many as there are cores, if there are to be.
    [[nodiscard]] std::uint32_t thread_count() const;

    void bind(ConfigVisitor& v);
};

/// How much detail the statistics of a run have.
struct StatisticsConfig {
    Knob<bool> full_detail = false;  ///< every SM and slice on its own instead of their sums

    void bind(ConfigVisitor& v);
};

/// Everything a run depends on. Two runs of equal Config give the same bytes.
struct Config {
    Knob<std::uint64_t> seed = 1;
    Knob<Timing> timing = Timing::kLooselyTimed;
    Knob<bool> values = false;
    Knob<bool> protocol_check = false;
    GpuConfig gpu;
    SmConfig sm;
    TensorCoreConfig tensor_core;
    LdstConfig ldst;
    L1Config l1;
    TlbConfig tlb;
    NocConfig noc;
    L2Config l2;
    DramConfig dram;
    DuploConfig duplo;
    OpportunisticConfig opportunistic;
    ImplConfig impl;
    WorkloadConfig workload;
    SampleConfig sample;
    StatisticsConfig statistics;
    HostConfig host;
    LoggingConfig logging;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
