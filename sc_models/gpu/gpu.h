// GPU: SMs, the memory system behind them, and the CTA dispatcher.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <systemc>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/config/config.h"
#include "sc_models/gpu/cta_order.h"
#include "sc_models/gpu/machine_parts.h"
#include "sc_models/gpu/memory_system.h"
#include "sc_models/gpu/occupancy.h"
#include "sc_models/noc/core/mesh_port.h"
#include "sc_models/sm/streaming_multiprocessor.h"
#include "sc_models/sm/worker_pool.h"
#include "sc_models/tlm/at/cycle_ticker.h"
#include "sc_models/tlm/at/partition_workers.h"
#include "sc_models/tlm/protocol_checker.h"

namespace tessera {

/// Result of one kernel.
struct KernelResult {
    std::string name;
    std::uint32_t ctas = 0;
    Occupancy occupancy;
    /// From launch to the last warp's end and the last store's arrival at L2; an estimate if waves
    /// were skipped.
    Cycle cycles = 0;
    Cycle launch_cycles = 0;         ///< part before the first CTA is assigned
    Cycle queued_launch_cycles = 0;  ///< launch_cycles of this kernel when queued behind another
    bool finished = false;
    Cycle simulated_cycles = 0;          ///< cycles that were simulated
    std::optional<KernelSample> sample;  ///< empty: no sampling

    /// Returns whether CTAs were skipped.
    [[nodiscard]] bool sampled() const { return sample && sample->skipped_waves > 0; }
};

/// Whether a kernel may be sampled if the configuration enables sampling.
enum class KernelExtent { kFull, kMayBeSample };

/// Progress callback, called after every finished CTA; with host.threads on any thread, one at a
/// time.
class ProgressListener {
public:
    virtual ~ProgressListener() = default;
    virtual void on_progress(const std::string& kernel, std::uint32_t done,
                             std::uint32_t total) = 0;
};

/// External replacements of parts of a machine.
struct MachineSeams {
    PartsFactory make_parts;  ///< parts of SMs; empty: MachineParts
    ForeignMemory memory;
    LinkBinder* links = nullptr;  ///< binds all links; null: the machine, by `protocol_check`
};

/// Titan V-like GPU (Duplo Table III). CTAs go to the SMs round-robin until those are full, then to
/// the SM that finishes one.
class Gpu : public sc_core::sc_module, private CtaListener, private LinkBinder {
public:
    /// Throws ConfigError on a configuration that cannot be built (see the parts).
    Gpu(sc_core::sc_module_name name, const Config& config, StatGroup& statistics,
        const RunObservers& observers, ProgressListener* progress = nullptr,
        const MachineSeams& seams = {});
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    /// Runs a kernel to its end (calls sc_start). The result of an interrupted run is not finished.
    /// Throws ConfigError if a CTA fits no SM, DeadlockError if work is left that cannot progress.
    KernelResult run(const Kernel& kernel, KernelExtent extent = KernelExtent::kMayBeSample);
    /// Starts a kernel without simulated time. Several machines of one program run at the same time
    /// if each has started before sc_start(); finish() of each returns its result. Throws
    /// ConfigError like run().
    void start(const Kernel& kernel, KernelExtent extent = KernelExtent::kMayBeSample);
    /// Ends the kernel started last, when no event is left. Throws DeadlockError like run().
    [[nodiscard]] KernelResult finish();
    /// Returns whether the last kernel launched CTA `cta`.
    [[nodiscard]] bool launched(std::uint32_t cta) const { return order_.runs(cta); }

    /// Copies contents of global memory between kernels, without simulated time; a foreign memory
    /// is accessed by transport_dbg. Throws ConfigError if it does not hold the addresses.
    void read_memory(Address address, void* to, std::size_t bytes);
    void write_memory(Address address, const void* from, std::size_t bytes);
    /// Returns the mesh port of an SM for messages between SMs; only with `noc.kind: mesh`.
    [[nodiscard]] MeshPort& mesh_port(SmId sm) { return *mesh_ports_[sm.value()]; }
    /// Returns the counters of the mesh; null: no mesh.
    [[nodiscard]] const MeshStatistics* mesh_statistics() const {
        return memory_->messages() == nullptr ? nullptr : &memory_->messages()->mesh_statistics();
    }
    /// Returns the load filter of the first SM (all SMs have the same kind); null: none.
    [[nodiscard]] const LoadFilter* load_filter() const {
        return sms_.front()->ldst().load_filter();
    }
    /// Returns the parts of the SMs.
    [[nodiscard]] const SmParts& parts() const { return *parts_; }
    /// Returns the number of host threads that simulate the machine.
    [[nodiscard]] std::uint32_t threads() const {
        return worker_pool_         ? worker_pool_->workers() + 1
               : partition_workers_ ? partition_workers_->threads()
                                    : 1;
    }
    /// Appends inconsistencies; call between kernels.
    void check(std::vector<std::string>& violations) const;

private:
    void on_cta_done(SmId sm, Cycle at) override;
    void launch_next(SmId sm, Cycle at);
    /// Binds a link, through a protocol checker if configured.
    void bind(tlm::tlm_base_initiator_socket<>& initiator,
              tlm::tlm_base_target_socket_b<>& target) override;
    void bind(OptionalInitiator& initiator, tlm::tlm_base_target_socket_b<>& target) override;
    template <class Initiator>
    void link(Initiator& initiator, tlm::tlm_base_target_socket_b<>& target);
    void start_workers(bool foreign);
    void stop_look_ahead();
    [[nodiscard]] std::string_view why_one_thread(bool foreign) const;
    void add_mesh_port(SmId sm, StatGroup& statistics);
    static void elaborate();
    void simulate();
    /// Returns whether all CTAs that the kernel launches have been launched and have ended.
    [[nodiscard]] bool all_ended() const;
    [[nodiscard]] bool nothing_to_do() const;
    void debug_transport(tlm::tlm_command command, Address address, unsigned char* data,
                         std::size_t bytes);
    /// Returns the local cycle of the SM that is furthest ahead.
    [[nodiscard]] Cycle latest() const;
    [[nodiscard]] Cycle last_activity() const;
    void check_hits(std::vector<std::string>& violations) const;
    [[nodiscard]] std::string who_waits() const;

    const Config& config_;
    ClockDomain clock_;
    const RunObservers observers_;
    ProgressListener* progress_;
    LinkBinder* const links_;  ///< null: the machine binds its links
    std::unique_ptr<SmParts> parts_;
    std::unique_ptr<CycleTicker> ticker_;                  ///< null: loosely timed
    std::unique_ptr<PartitionWorkers> partition_workers_;  ///< null: single thread
    std::unique_ptr<MemorySystem> memory_;
    std::vector<std::unique_ptr<ProtocolChecker>> checkers_;  ///< one for every link, if configured
    std::uint64_t checked_calls_ = 0;
    std::unique_ptr<SmWorkers> sm_workers_;  ///< null: approximately timed
    std::vector<std::unique_ptr<StreamingMultiprocessor>> sms_;
    std::unique_ptr<WorkerPool> worker_pool_;  ///< runs quanta of SMs ahead; null: single thread
    std::vector<std::unique_ptr<MeshPort>> mesh_ports_;  ///< by SM; empty: no mesh

    /// A kernel between start() and finish().
    struct StartedKernel {
        KernelResult result;
        Cycle begin = 0;
    };
    const Kernel* kernel_ = nullptr;
    StartedKernel started_;
    CtaOrder order_;
    std::uint64_t kernels_ = 0;     ///< kernels run so far
    std::uint64_t launch_key_ = 0;  ///< key of the kernel's CTA launch jitter
    std::uint32_t ctas_done_ = 0;
    Cycle end_of_last_kernel_ = 0;
    Cycle kernel_cycles_ = 0;   ///< total of all kernels so far
    std::exception_ptr error_;  ///< exception that ended a process
};

}  // namespace tessera
