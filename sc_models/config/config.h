// Configuration of a run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/config/engine/config_visitor.h"
#include "sc_models/config/impl_config.h"
#include "sc_models/config/ldst_config.h"
#include "sc_models/config/mechanism_keys.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/config/noc_config.h"
#include "sc_models/config/sample_config.h"
#include "sc_models/config/sm_config.h"
#include "sc_models/config/tensor_core_config.h"
#include "sc_models/config/workload_config.h"

namespace tessera {

enum class Timing { kLooselyTimed, kApproximatelyTimed };

/// Value of gpu.energy_table for runs without an account.
inline constexpr std::string_view kNoEnergyTable = "none";

/// The GPU as a whole: number of SMs, their clock, and the launch of kernels and CTAs.
struct GpuConfig {
    std::uint32_t sms = 80;
    std::uint32_t core_clock_mhz = 1200;
    std::uint32_t kernel_launch_cycles = 0;
    static constexpr std::uint32_t kLaunchAsFirst = ~0U;
    std::uint32_t queued_launch_cycles = kLaunchAsFirst;
    static constexpr std::uint32_t kLaunchAsQueued = ~0U;
    std::uint32_t short_launch_cycles = kLaunchAsQueued;  ///< for KernelInfo::short_code
    std::uint32_t cta_launch_cycles = 20;
    std::uint32_t cta_launch_jitter_cycles = 0;  ///< maximum of the extra cycles drawn
                                                 ///< for each CTA
    std::uint32_t quantum_cycles = 32;  ///< exclusive limit of an SM's look-ahead over the others
    std::string energy_table{"volta_12nm"};  ///< price table of the energy account
    static constexpr std::uint32_t kNoPowerLimit = ~0U;
    std::uint32_t power_limit_w = kNoPowerLimit;  ///< of the whole card

    /// Launch cycles of a kernel behind another.
    [[nodiscard]] std::uint32_t launch_behind() const {
        return queued_launch_cycles == kLaunchAsFirst ? kernel_launch_cycles : queued_launch_cycles;
    }
    /// Launch cycles of a kernel with short code behind another.
    [[nodiscard]] std::uint32_t short_launch_behind() const {
        return short_launch_cycles == kLaunchAsQueued ? launch_behind() : short_launch_cycles;
    }

    void bind(ConfigVisitor& v);
};

/// Levels of log messages; not part of a configuration's hash.
struct LoggingConfig {
    std::string level{"info"};
    std::vector<std::pair<std::string, std::string>> modules;  ///< level by module name

    void bind(ConfigVisitor& v);
};

/// Host settings of a simulation; they affect neither results nor the configuration's hash.
struct HostConfig {
    static constexpr std::uint32_t kAllCores = 0;
    static constexpr std::uint32_t kMostThreads = 256;
    std::uint32_t threads = 1;

    /// Number of threads; auto: one per core.
    [[nodiscard]] std::uint32_t thread_count() const;

    void bind(ConfigVisitor& v);
};

/// Level of detail of a run's statistics.
struct StatisticsConfig {
    bool full_detail = false;  ///< lists every SM and slice instead of their sums

    void bind(ConfigVisitor& v);
};

/// Complete configuration of a run. Two runs of equal Config give the same bytes.
struct Config : MechanismKeys {
    std::uint64_t seed = 1;
    Timing timing = Timing::kLooselyTimed;
    bool values = false;
    bool protocol_check = false;
    GpuConfig gpu;
    SmConfig sm;
    TensorCoreConfig tensor_core;
    LdstConfig ldst;
    L1Config l1;
    TlbConfig tlb;
    NocConfig noc;
    L2Config l2;
    DramConfig dram;
    ImplConfig impl;
    WorkloadConfig workload;
    SampleConfig sample;
    StatisticsConfig statistics;
    HostConfig host;
    LoggingConfig logging;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
