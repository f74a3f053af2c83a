// Streaming multiprocessor: four sub-cores context one LDST unit and L1.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "sc_models/memory/l1.h"
#include "sc_models/memory/lt/l1_cache.h"
#include "sc_models/sm/arrival_barrier.h"
#include "sc_models/sm/bulk_copy_unit.h"
#include "sc_models/sm/ldst_unit.h"
#include "sc_models/sm/ldst_unit_at.h"
#include "sc_models/sm/ldst_unit_lt.h"
#include "sc_models/sm/local_time.h"
#include "sc_models/sm/register_file.h"
#include "sc_models/sm/shared_memory.h"
#include "sc_models/sm/sm_parts.h"
#include "sc_models/sm/sm_plan.h"
#include "sc_models/sm/sm_workers.h"
#include "sc_models/sm/sub_core.h"
#include "sc_models/sm/tensor_core_pair.h"
#include "sc_models/sm/worker_pool.h"
#include "sc_models/tlm/at/at_context.h"
#include "sc_models/tlm/lt/link_binder.h"
#include "sc_models/tlm/lt/look_ahead.h"

namespace tessera {

/// Interface through which an SM notifies the CTA dispatcher.
class CtaListener {
public:
    virtual ~CtaListener() = default;
    /// A CTA of SM `sm` ended at cycle `at`; its slot is free.
    virtual void on_cta_done(SmId sm, Cycle at) = 0;
};

/// Context of an SM: the blocks and services it is connected to.
struct SmContext {
    const ClockDomain& clock;
    CtaListener& listener;
    SmParts& parts;
    StatGroup& statistics;
    Observers observers;
    LinkBinder* binder = nullptr;  ///< binds the links inside the SM; null: directly
    /// Non-null: the SM is approximately timed, as a partition of its own; null: loosely timed.
    CycleTicker* ticker = nullptr;
    MeshPort* mesh_port = nullptr;  ///< mesh port of the SM; null with a crossbar
    /// Runs the quanta of loosely-timed SMs; null: the SM creates its own.
    SmWorkers* workers = nullptr;
    /// Runs quanta of a loosely-timed SM ahead of SystemC's time; null: none. Excludes observers, a
    /// vector unit, and a memory that waits.
    WorkerPool* pool = nullptr;
    /// Least latency of a read below the L1, in cycles; used with a pool.
    Cycle least_below_cycles = 0;
};

/// Streaming multiprocessor (Duplo Table III): sub-cores with their tensor cores, the shared LDST
/// unit with its load filter, the L1, shared memory and register file, CTA slots and barriers. One
/// process runs all blocks, up to a quantum ahead of SystemC's time. Approximately timed, the SM is
/// a block of its partition and never runs ahead.
///
/// With a pool of host threads a quantum may run ahead of its SystemC time: it begins with the
/// state left by the previous quantum, and its memory requests are deferred until then (LookAhead).
/// The result equals that of a quantum run in time, for any number of threads.
///
/// Loosely timed, a thread runs the quanta, so that any standard TLM target may be connected below
/// the L1: a target that waits in b_transport stalls the SM, which continues from the time after
/// the wait.
class StreamingMultiprocessor : public sc_core::sc_module,
                                private WarpListener,
                                private LdstListener,
                                private QuantumRunner,
                                private Clocked,
                                private VectorUnitHost {
public:
    StreamingMultiprocessor(sc_core::sc_module_name name, SmId id, const SmPlan& plan,
                            const SmContext& context);
    StreamingMultiprocessor(const StreamingMultiprocessor&) = delete;
    StreamingMultiprocessor& operator=(const StreamingMultiprocessor&) = delete;

    /// Initiator socket of the L1, to be bound to the crossbar.
    [[nodiscard]] tlm::tlm_base_initiator_socket<>& to_memory() { return l1_->to_memory(); }
    [[nodiscard]] const LdstUnit& ldst() const { return *ldst_; }

    /// Prepares for `kernel`, with `ctas` resident at once, at cycle `now`.
    void start_kernel(const Kernel& kernel, std::uint32_t ctas, Cycle now);
    /// Starts CTA `cta` in a free slot; its warps may issue from cycle `at` on.
    void launch(CtaId cta, Cycle at);
    /// Schedules the SM's process for its first activity; call once the first CTAs are launched.
    void schedule();
    /// Accounts all cycles up to the end of the kernel (or of an interrupted one).
    void account_until(Cycle end);
    /// Ends the kernel; nothing of it may be left. Throws CheckError if renamed registers leaked.
    void end_kernel();

    /// Returns the SM's local cycle.
    [[nodiscard]] Cycle now() const { return time_.now(); }
    [[nodiscard]] bool idle() const { return resident_ctas_ == 0; }
    /// Returns the number of payloads in flight; 0 if loosely timed.
    [[nodiscard]] std::size_t live_payloads() const {
        return partition_ ? partition_->payloads.live() : 0;
    }
    /// Ends a quantum that runs ahead of time; call when the simulation stops.
    void stop_look_ahead();
    /// Returns the number of quanta run.
    [[nodiscard]] std::uint64_t activations() const { return activations_; }
    /// Returns the cycle after the last issue, assistant warps included, or of the last accepted
    /// store, whichever is later.
    [[nodiscard]] Cycle last_activity() const;
    void describe_waiting(std::vector<std::string>& lines) const;
    /// Appends inconsistencies after kernels of `cycles` cycles in total: issue slots with another
    /// sum, leaked registers, lost requests.
    void check(Cycle cycles, std::vector<std::string>& violations) const;

private:
    static constexpr std::uint32_t kBarriers = 16;  ///< named barriers of a CTA (PTX bar.sync a)
    struct CtaSlot {
        CtaId cta;
        std::uint32_t running = 0;                       ///< warps that have not exited
        std::array<std::uint32_t, kBarriers> waiting{};  ///< warps waiting at each named barrier
        Cycle launched = 0;
    };

    /// Returns the position of a CTA in slot `slot` among those of the machine.
    [[nodiscard]] CtaPlace place_of(std::uint32_t slot) const;

    /// A quantum that runs ahead of time.
    class LookAheadQuantum : public LookAhead, public WorkerPool::Quantum {
    public:
        LookAheadQuantum(StreamingMultiprocessor& sm, WorkerPool& pool) : sm_(sm), pool_(pool) {
            pool.add(*this);
        }
        /// Posts the quantum, from its first cycle on; no response comes before `bound`.
        void post(Cycle bound) {
            begin(bound);
            pool_.post(*this);
        }
        /// Completes the quantum at its SystemC time; returns false if it had not begun.
        [[nodiscard]] bool finish();
        [[nodiscard]] bool posted() const { return pool_.posted(*this); }

    private:
        void run() override { sm_.issue_until_end(); }
        void wait_for_time() override { pool_.wait_for_time(*this); }

        StreamingMultiprocessor& sm_;
        WorkerPool& pool_;
    };

    void connect(SubCoreId id, LinkBinder* binder);
    void run();
    void run_quantum() override;
    void evaluate() override {
        issue_until_end();
        schedule();
    }
    void issue_until_end();
    void resolve_futures();
    /// Returns the first cycle at which a sub-core or the LDST arbiter has work.
    [[nodiscard]] Cycle next_activity() const;
    void on_barrier(std::uint32_t cta, std::uint32_t barrier, Cycle at) override;
    /// Releases every barrier at which all running warps of the CTA have arrived.
    void release_full_barriers(std::uint32_t cta, Cycle at);
    void on_exit(std::uint32_t cta, WarpId warp, Cycle at) override;
    void on_store_accepted(Cycle at) override { last_activity_ = std::max(last_activity_, at); }
    void on_memory_response(SubCoreId sub_core, WarpId warp, std::uint8_t reg, bool store) override;
    void on_arrival(std::uint32_t cta, std::uint32_t barrier, std::uint32_t bytes,
                    Cycle at) override;
    void on_bulk_copy(std::uint32_t cta, const WarpInstruction& instruction, Cycle at) override;
    void on_bytes(std::uint32_t cta, std::uint32_t barrier, std::uint32_t bytes, Cycle at,
                  bool resolves) override;
    void on_bulk_response(std::uint32_t cta, std::uint32_t barrier, std::uint32_t bytes) override;
    [[nodiscard]] Cycle phase_end(std::uint32_t cta, std::uint32_t barrier,
                                  std::uint32_t phase) const override;
    /// Returns an arrival barrier of the kernel; one that it does not have is fatal.
    [[nodiscard]] const ArrivalBarrier& arrival_barrier(std::uint32_t cta,
                                                        std::uint32_t barrier) const;
    [[nodiscard]] ArrivalBarrier& arrival_barrier(std::uint32_t cta, std::uint32_t barrier) {
        const StreamingMultiprocessor& self = *this;
        return const_cast<ArrivalBarrier&>(self.arrival_barrier(cta, barrier));
    }
    void end_phase(std::uint32_t cta);
    void on_ldst_free() override { schedule(); }
    void wake_assistant() override;
    [[nodiscard]] Cycle present() const override { return std::max(time_.now(), clock_.now()); }
    void on_vector_decided(WarpId warp, const VectorDecision& decision) override;
    void on_vector_activity(Cycle at) override { on_store_accepted(at); }

    const SmId id_;
    const SmPlan config_;
    const ClockDomain clock_;
    CtaListener& listener_;
    std::unique_ptr<PartitionContext> partition_;  ///< null: loosely timed
    Observers observers_;

    sc_core::sc_time quantum_time_;  ///< its SystemC time; with a pool only
    LocalTime time_;
    Cycle quantum_;
    std::unique_ptr<CycleAlarm> alarm_;  ///< null: loosely timed
    std::unique_ptr<SmWorkers> own_workers_;
    SmWorkers* workers_ = nullptr;  ///< null: approximately timed
    bool in_quantum_ = false;
    bool program_due_ = false;  ///< the load filter's program has yet to be loaded
    std::uint64_t activations_ = 0;

    RegisterFile registers_;
    SharedMemory shared_memory_;
    std::unique_ptr<L1> l1_;
    L1Cache* l1_lt_ = nullptr;  ///< concrete type of l1_; null: approximately timed
    std::unique_ptr<LdstUnit> ldst_;
    LdstUnitLt* ldst_lt_ = nullptr;  ///< concrete type of ldst_; null: approximately timed
    std::vector<std::unique_ptr<TensorCorePair>> tensor_cores_;
    std::vector<std::unique_ptr<SubCore>> sub_cores_;
    std::unique_ptr<BulkCopyUnit> bulk_copies_;  ///< null: the machine has none
    std::vector<ArrivalBarrier> arrivals_;       ///< by CTA slot, then barrier
    std::vector<Cycle> wakes_;                   ///< SubCoreContext::wake_at, by sub-core
    std::unique_ptr<VectorUnit> vector_unit_;    ///< null: no vector unit

    const Kernel* kernel_ = nullptr;
    std::vector<CtaSlot> cta_slots_;
    std::vector<std::uint32_t> free_ctas_;
    std::uint32_t resident_ctas_ = 0;
    Cycle last_activity_ = 0;
    std::uint64_t ctas_done_ = 0;
    std::uint64_t next_age_ = 0;
    std::vector<TimelineRecorder::Track> cta_tracks_;
    std::optional<LookAheadQuantum> ahead_;  ///< empty: no quantum runs ahead of time
};

}  // namespace tessera
