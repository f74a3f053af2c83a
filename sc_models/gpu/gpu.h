// The GPU: SMs, the memory behind them, and the CTA dispatcher.
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
#include "sc_models/sm/turn_pool.h"
#include "sc_models/tlm/cycle_ticker.h"
#include "sc_models/tlm/island_crew.h"
#include "sc_models/tlm/protocol_checker.h"

namespace tessera {

/// What one kernel took.
struct KernelResult {
    std::string name;
    std::uint32_t ctas = 0;
    Occupancy occupancy;
    /// From launch to the last warp's end and the last store's arrival at L2; with skipped waves an
    /// estimate.
    Cycle cycles = 0;
    Cycle launch_cycles = 0;         ///< of these, before the first CTA is assigned
    Cycle queued_launch_cycles = 0;  ///< the same of this kernel behind another
    bool finished = false;
    Cycle simulated_cycles = 0;          ///< the same of what was simulated
    std::optional<KernelSample> sample;  ///< nothing: none was asked for

    /// Whether CTAs were left out.
    [[nodiscard]] bool sampled() const { return sample && sample->skipped_waves > 0; }
};

/// Whether a kernel may be sampled, if the configuration asks for samples.
enum class KernelExtent { kFull, kMayBeSample };

/// Watches a run: called after every finished CTA; with host.threads on any thread, one at a time.
class ProgressListener {
public:
    virtual ~ProgressListener() = default;
    virtual void on_progress(const std::string& kernel, std::uint32_t done,
                             std::uint32_t total) = 0;
};

/// What a machine takes from outside, in place of parts that it would make itself.
struct MachineSeams {
    PartsFactory make_parts;  ///< of SMs; empty: MachineParts
    ForeignMemory memory;
};

/// Titan V-like GPU (Duplo Table III). CTAs go to the SMs round-robin until those are full, then to
/// whichever SM finishes one.
class Gpu : public sc_core::sc_module, private CtaListener, private LinkBinder {
public:
    /// Throws ConfigError on a configuration that cannot be built (see the parts).
    Gpu(sc_core::sc_module_name name, const Config& config, StatGroup& statistics,
        const RunObservers& observers, ProgressListener* progress = nullptr,
        const MachineSeams& seams = {});
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    /// Runs a kernel to its end (drives sc_start). If the run is interrupted the result says not
    /// finished. Throws ConfigError if a CTA fits no SM, DeadlockError if work is left that cannot
    /// go on.
    KernelResult run(const Kernel& kernel, KernelExtent extent = KernelExtent::kMayBeSample);
    /// Whether the kernel that ran last launched CTA `cta`.
    [[nodiscard]] bool launched(std::uint32_t cta) const { return order_.runs(cta); }

    /// Copies contents of global memory, between kernels; takes no simulated time. Those of a
    /// foreign memory move by transport_dbg. Throws ConfigError if it does not hold the addresses.
    void read_memory(Address address, void* to, std::size_t bytes);
    void write_memory(Address address, const void* from, std::size_t bytes);
    /// The SM's end of the mesh for messages between SMs; only in a machine with `noc.kind: mesh`.
    [[nodiscard]] MeshPort& mesh_port(SmId sm) { return *mesh_ports_[sm.value()]; }
    /// Counters of the mesh; null: the machine has none.
    [[nodiscard]] const MeshStatistics* mesh_statistics() const {
        return memory_->messages() == nullptr ? nullptr : &memory_->messages()->mesh_statistics();
    }
    /// What stands in front of the L1s, which are all alike; null: nothing does.
    [[nodiscard]] const LoadFilter* load_filter() const {
        return sms_.front()->ldst().load_filter();
    }
    /// Threads of the host that simulate it.
    [[nodiscard]] std::uint32_t threads() const {
        return pool_ ? pool_->workers() + 1 : island_crew_ ? island_crew_->threads() : 1;
    }
    /// Appends what is inconsistent; call between kernels.
    void check(std::vector<std::string>& violations) const;

private:
    void on_cta_done(SmId sm, Cycle at) override;
    void launch_next(SmId sm, Cycle at);
    /// Binds a link, with a protocol checker in between if wanted.
    void bind(tlm::tlm_base_initiator_socket<>& initiator,
              tlm::tlm_base_target_socket_b<>& target) override;
    template <class Initiator>
    void link(Initiator& initiator, tlm::tlm_base_target_socket_b<>& target);
    void employ_threads(bool foreign);
    void stop_running_ahead();
    [[nodiscard]] std::string_view why_one_thread(bool foreign) const;
    void add_mesh_port(SmId sm, StatGroup& statistics);
    static void elaborate();
    void simulate();
    /// Whether all CTAs that the kernel launches have been launched and have ended.
    [[nodiscard]] bool all_ended() const;
    [[nodiscard]] bool nothing_to_do() const;
    void debug_transport(tlm::tlm_command command, Address address, unsigned char* data,
                         std::size_t bytes);
    /// The cycle the SM that is furthest has got to.
    [[nodiscard]] Cycle latest() const;
    [[nodiscard]] Cycle last_activity() const;
    void check_hits(std::vector<std::string>& violations) const;
    [[nodiscard]] std::string who_waits() const;

    const Config& config_;
    ClockDomain clock_;
    const RunObservers observers_;
    ProgressListener* progress_;
    std::unique_ptr<SmParts> parts_;
    std::unique_ptr<CycleTicker> ticker_;      ///< null: loosely timed
    std::unique_ptr<IslandCrew> island_crew_;  ///< runs the ticker's islands; null: one thread does
    std::unique_ptr<MemorySystem> memory_;
    std::vector<std::unique_ptr<ProtocolChecker>> checkers_;  ///< on every link, if wanted
    std::uint64_t checked_calls_ = 0;
    std::unique_ptr<TurnCrew> crew_;  ///< of the SMs, if loosely timed
    std::vector<std::unique_ptr<StreamingMultiprocessor>> sms_;
    std::unique_ptr<TurnPool> pool_;  ///< takes their turns, too; null: one thread does
    std::vector<std::unique_ptr<MeshPort>> mesh_ports_;  ///< by SM; empty: no mesh

    const Kernel* kernel_ = nullptr;
    CtaOrder order_;
    std::uint64_t kernels_ = 0;     ///< run so far
    std::uint64_t launch_key_ = 0;  ///< of the random numbers of the kernel's CTAs
    std::uint32_t ctas_done_ = 0;
    Cycle end_of_last_kernel_ = 0;
    Cycle kernel_cycles_ = 0;   ///< of all kernels so far
    std::exception_ptr error_;  ///< what ended a process
};

}  // namespace tessera
