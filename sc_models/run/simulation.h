// Simulation of a whole run: workload, machine, checks and report.
#pragma once

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/config/config.h"
#include "sc_models/energy/energy_account.h"
#include "sc_models/gpu/gpu.h"
#include "sc_models/run/kernel_limits.h"
#include "sc_models/run/mechanisms.h"
#include "sc_models/sm/stall_reason.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// One kernel of a run and the statistics of its own cycles.
// nlohmann::json moves without throwing, but is not declared noexcept.
struct KernelReport {  // NOLINT(bugprone-exception-escape)
    KernelResult result;
    /// Sub-core cycles by the state of the issue slot (sc_models/sm/stall_reason.h).
    std::array<std::uint64_t, kStallReasons> issue_slots{};
    KernelLimits limits;
    /// Key figures (docs/output.md lists them).
    nlohmann::ordered_json metrics;
    nlohmann::ordered_json statistics;
    std::string statistics_text;
    std::string statistics_csv;
    std::optional<EnergyAccount> energy;  ///< empty if gpu.energy_table is none
};

/// Outcome of a run. All members except `host_*` depend only on configuration and seed.
struct RunReport {  // NOLINT(bugprone-exception-escape): as above
    std::string workload;
    bool complete = false;              ///< false: interrupted
    std::vector<KernelReport> kernels;  ///< from the last repetition
    /// Key figures of the main kernel, usually the matrix product.
    nlohmann::ordered_json metrics;
    std::optional<EnergyAccount> energy;      ///< of all kernels, if all have accounts
    std::string above_power_limit;            ///< a sentence if the mean power is above the card's
    std::vector<MechanismFigure> mechanisms;  ///< enabled ones, over all kernels
    VerificationReport verification;
    std::vector<std::string> violations;  ///< invariants that do not hold
    /// Keys set by the user but never read (with --allow-unused); written to host.json.
    std::vector<std::string> unread_keys;

    double host_seconds = 0;
    std::uint64_t host_peak_memory_bytes = 0;
    std::uint64_t host_warp_instructions = 0;
    std::uint64_t host_events = 0;
    std::uint32_t host_threads = 1;

    /// Whether some kernel skipped CTAs.
    [[nodiscard]] bool sampled() const {
        return std::any_of(kernels.begin(), kernels.end(),
                           [](const KernelReport& kernel) { return kernel.result.sampled(); });
    }
    /// Whether all checks that ran passed.
    [[nodiscard]] bool good() const { return violations.empty() && verification.passed(); }
};

/// Parameters of the machine for which kernels are made.
[[nodiscard]] TargetMachine target_machine(const Config& config);

/// Runs the configured workload on the configured GPU. SystemC allows one instance per process.
class Simulation {
public:
    /// Throws ConfigError for errors that appear only when the workload is made, and for an energy
    /// table that cannot be read.
    Simulation(Config config, const RunObservers& observers, ProgressListener* progress = nullptr,
               const MachineSeams& seams = {});

    /// Throws ConfigError (a CTA that fits no SM), DeadlockError, CheckError.
    RunReport run();
    /// Number of times that run() launches all kernels in sequence (workload.repeat).
    [[nodiscard]] std::uint32_t repetitions() const;

    [[nodiscard]] const Workload& workload() const { return *workload_; }
    /// Copies contents of global memory, for external checkers.
    void read_memory(Address address, void* to, std::size_t bytes) {
        gpu_.read_memory(address, to, bytes);
    }

private:
    void require_fault_noticed() const;
    /// Runs all kernels of the workload once.
    void run_kernels(RunReport& report, MechanismTotals& totals, const Config& for_page);
    void refuse_sample() const;
    [[nodiscard]] KernelExtent extent_of(const Kernel& kernel) const;
    void note_sample(Kernel& kernel, const KernelResult& result);
    /// Metrics of the last of `kernels`. Call right after it has run.
    [[nodiscard]] nlohmann::ordered_json metrics(const std::vector<KernelReport>& kernels) const;
    /// Prices the events of `kernel`, the last one that ran. `config` is an untracked copy whose
    /// reads do not mark keys as used.
    void account_energy(const Config& config, KernelReport& kernel, RunReport& report) const;

    Config config_;
    StatGroup statistics_;
    std::optional<EnergyTable> energy_table_;
    std::unique_ptr<Workload> workload_;
    Gpu gpu_;
    std::vector<std::uint64_t>
        link_flits_before_;  ///< of the mesh, at the start of the last kernel
};

}  // namespace tessera
