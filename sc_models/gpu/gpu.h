// The GPU: SMs, the memory behind them, and the CTA dispatcher.
#pragma once

#include <exception>
#include <memory>
#include <systemc>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/config/config.h"
#include "sc_models/gpu/machine_parts.h"
#include "sc_models/gpu/memory_system.h"
#include "sc_models/gpu/memory_system_at.h"
#include "sc_models/gpu/occupancy.h"
#include "sc_models/noc/core/mesh_port.h"
#include "sc_models/sm/streaming_multiprocessor.h"
#include "sc_models/tlm/protocol_checker.h"

namespace tessera {

/// What one kernel took.
struct KernelResult {
    std::string name;
    std::uint32_t ctas = 0;
    Occupancy occupancy;
    Cycle cycles = 0;  ///< from launch to the last warp's end and the last store's arrival at L2
    bool finished = false;
};

/// Watches a run: called after every finished CTA.
class ProgressListener {
public:
    virtual ~ProgressListener() = default;
    virtual void on_progress(const std::string& kernel, std::uint32_t done,
                             std::uint32_t total) = 0;
};

/// Titan V-like GPU (Duplo Table III). CTAs go to the SMs round-robin until those are full, then to
/// whichever SM finishes one.
class Gpu : public sc_core::sc_module, private CtaListener, private LinkBinder {
public:
    /// `make_parts` makes the parts of its SMs; empty: MachineParts.
    Gpu(sc_core::sc_module_name name, const Config& config, StatGroup& statistics,
        Observers observers, ProgressListener* progress = nullptr,
        const PartsFactory& make_parts = {});
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    /// Runs a kernel to its end (drives sc_start). If the run is interrupted the result says not
    /// finished. Throws ConfigError if a CTA fits no SM, DeadlockError if work is left that cannot
    /// go on.
    KernelResult run(const Kernel& kernel);

    /// Contents of global memory.
    [[nodiscard]] MemoryImage& image() { return memory_ ? memory_->image() : memory_at_->image(); }
    /// The SM's end of the mesh for messages between SMs; only in a machine with `noc.kind: mesh`.
    [[nodiscard]] MeshPort& mesh_port(SmId sm) { return *mesh_ports_[sm.value()]; }
    /// Counters of the mesh; null: the machine has none.
    [[nodiscard]] const MeshStatistics* mesh_statistics() const;
    /// What stands in front of the L1s, which are all alike; null: nothing does.
    [[nodiscard]] const LoadFilter* load_filter() const {
        return sms_.front()->ldst().load_filter();
    }
    /// Appends what is inconsistent; call between kernels.
    void check(std::vector<std::string>& violations) const;

private:
    void on_cta_done(SmId sm, Cycle at) override;
    void launch_next(SmId sm, Cycle at);
    /// Binds a link, with a protocol checker in between if wanted.
    void bind(tlm::tlm_base_initiator_socket<>& initiator,
              tlm::tlm_base_target_socket_b<>& target) override;
    template <class Initiator, class Target>
    void link(Initiator& initiator, Target& target);
    void add_mesh_port(SmId sm, StatGroup& statistics);
    /// The cycle the SM that is furthest has got to.
    [[nodiscard]] Cycle latest() const;
    [[nodiscard]] Cycle last_activity() const;
    void check_hits(std::vector<std::string>& violations) const;
    [[nodiscard]] std::string who_waits() const;

    const Config& config_;
    ClockDomain clock_;
    const Observers observers_;
    ProgressListener* progress_;
    std::unique_ptr<SmParts> parts_;
    std::unique_ptr<MemorySystem> memory_;  ///< loosely timed, or
    std::unique_ptr<CycleTicker> ticker_;   ///< approximately
    std::unique_ptr<PayloadPool> payloads_;
    std::unique_ptr<MemorySystemAt> memory_at_;
    std::vector<std::unique_ptr<ProtocolChecker>> checkers_;  ///< on every link, if wanted
    std::uint64_t checked_calls_ = 0;
    std::unique_ptr<TurnCrew> crew_;  ///< of the SMs, if loosely timed
    std::vector<std::unique_ptr<StreamingMultiprocessor>> sms_;
    std::vector<std::unique_ptr<MeshPort>> mesh_ports_;  ///< by SM; empty: no mesh

    const Kernel* kernel_ = nullptr;
    std::uint32_t next_cta_ = 0;
    std::uint64_t kernels_ = 0;     ///< run so far
    std::uint64_t launch_key_ = 0;  ///< of the random numbers of the kernel's CTAs
    std::uint32_t ctas_done_ = 0;
    Cycle end_of_last_kernel_ = 0;
    Cycle kernel_cycles_ = 0;   ///< of all kernels so far
    std::exception_ptr error_;  ///< what ended a process
};

}  // namespace tessera
