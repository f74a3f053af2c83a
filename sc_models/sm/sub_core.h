// Processing block of an SM: warp slots, and the blocks that schedule and issue their instructions.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/observer.h"
#include "sc_models/common/statistics.h"
#include "sc_models/config/sm_config.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/sm/copy_groups.h"
#include "sc_models/sm/cuda_cores.h"
#include "sc_models/sm/issue_port.h"
#include "sc_models/sm/issued_instruction.h"
#include "sc_models/sm/ldst_arbitration.h"
#include "sc_models/sm/local_time.h"
#include "sc_models/sm/memory_issue.h"
#include "sc_models/sm/operand_collector.h"
#include "sc_models/sm/product_groups.h"
#include "sc_models/sm/register_file.h"
#include "sc_models/sm/register_scoreboard.h"
#include "sc_models/sm/tensor_issue.h"
#include "sc_models/sm/unit_socket.h"
#include "sc_models/sm/vector_unit.h"
#include "sc_models/sm/warp_listener.h"
#include "sc_models/sm/warp_scheduler.h"
#include "sc_models/tlm/lt/look_ahead.h"

namespace tessera {

/// Position of a sub-core in its SM.
struct SubCorePosition {
    SmId sm;
    SubCoreId sub_core;
    std::uint32_t first_warp = 0;  ///< SM-wide slot number of this sub-core's warp slot 0
    std::uint32_t warp_slots = 0;
};

/// Context of a sub-core: the blocks and services of its SM.
struct SubCoreContext {
    const ClockDomain& clock;
    const LocalTime& time;
    const ProductOperands& product;
    RegisterFile& registers;
    SharedMemory& shared_memory;
    WarpListener& listener;
    /// First cycle at which a warp can issue an instruction that needs no grant (kNever: none can).
    /// The SM stores these contiguously, as it scans all of them in each cycle.
    Cycle& wake_at;
    StatGroup& statistics;
    Observers observers;
    bool approximately_timed = false;
    LookAhead* look_ahead = nullptr;  ///< null: no quantum of the SM runs ahead of SystemC's time
};

/// Sub-core of an SM (Volta processing block, Duplo Table III): issues at most one instruction a
/// cycle, in order within a warp. The WarpScheduler selects the warp, the OperandCollector reads
/// the operands, and CudaCores, TensorIssue or MemoryIssue execute the instruction.
///
/// Loosely timed: units respond at once with the cycle of the result, so the earliest issue of
/// every warp is known and the SM runs the sub-core only when something can issue. Memory
/// instructions issue when the arbiter of the LDST unit grants them. A scoreboard for each warp
/// holds, for the first register of each operand, when it is written (read-after-write) and until
/// when it is read (write-after-read).
class SubCore : public sc_core::sc_module, private LdstClient {
public:
    UnitSocket to_ldst, to_tensor;
    sc_core::sc_port<LdstRequests> to_arbiter{"to_arbiter"};  ///< of the LDST unit
    sc_core::sc_export<LdstClient> grants{"grants"};          ///< of the LDST unit's arbiter

    SubCore(sc_core::sc_module_name name, const SmConfig& config, const SubCorePosition& position,
            const SubCoreContext& context);
    SubCore(const SubCore&) = delete;
    SubCore& operator=(const SubCore&) = delete;

    /// Sends vector operations to `unit` from now on and, with `runs_assistant`, runs the unit's
    /// assistant warp (if any) in issue slots no other warp can use; once, before the first kernel.
    void attach(VectorUnit& unit, bool runs_assistant);

    /// Prepares the warp slots for a kernel that starts at cycle `now`.
    void start_kernel(const KernelInfo& info, Cycle now);
    /// Issues the instruction that can issue at the SM's local time without a grant of the LDST
    /// unit.
    void evaluate();
    /// Returns the cycle until which the issue port is taken.
    [[nodiscard]] Cycle port_free() const { return port_.free_at(); }
    [[nodiscard]] std::uint32_t free_slots() const {
        return static_cast<std::uint32_t>(free_slots_.size());
    }
    /// Puts a warp into a free slot; it may issue from cycle `at` on. `age` counts launches over
    /// the SM.
    /// Returns its SM-wide slot number.
    WarpId launch(std::unique_ptr<WarpProgram> program, std::uint32_t cta, std::uint64_t age,
                  Cycle at);
    /// Releases the warps of CTA slot `cta` at named barrier `barrier`; they continue from cycle
    /// `at`.
    void release_barrier(std::uint32_t cta, std::uint32_t barrier, Cycle at);
    /// A phase of an arrival barrier of CTA slot `cta` has ended: warps that wait for it go on.
    void end_phase(std::uint32_t cta);
    /// The same, of a quantum that ran ahead; resume_after_look_ahead() follows.
    void note_phase() { completed_ = true; }
    /// Completes, at the SM's local time, a memory instruction of `warp` that the LDST unit
    /// deferred; `reg` (kNoRegister: none) has its data.
    void ldst_done(WarpId warp, std::uint8_t reg);
    /// Resumes warps after all on_ldst_completed() calls of a quantum that ran ahead.
    void resume_after_look_ahead();
    /// Resolves the pending vector operation of `warp`.
    void decide_vector_op(WarpId warp, const VectorDecision& decision);
    /// Reschedules, since the assistant warp may have work.
    void wake_assistant();
    /// Aborts the current operation of the assistant warp.
    void stop_assistant();
    /// Accounts the cycles since the last issue up to `now`; call when a kernel ends.
    void account_until(Cycle now) { port_.account_until(now); }

    /// Cycles by stall reason over all kernels; once accounted they sum to the kernels' cycles.
    [[nodiscard]] const std::array<std::uint64_t, kStallReasons>& slots() const {
        return port_.slots();
    }
    /// Appends a line for each resident warp with the reason why it waits.
    void describe_waiting(std::vector<std::string>& lines) const;

private:
    struct Warp {
        std::unique_ptr<WarpProgram> program;
        const WarpInstruction* head = nullptr;  ///< next instruction
        const WarpInstruction* end = nullptr;   ///< end of the current batch
        std::uint32_t cta = 0;
        Cycle issue_from = 0;  ///< earliest issue of the next instruction, apart from its operands
        Cycle undecided = 0;   ///< earliest end of a kVectorOp that awaits its decision; 0: none
        RegisterScoreboard scoreboard;
        CopyGroups copies;
        ProductGroups products;
    };
    /// Instruction buffer of a program that needs one.
    using InstructionBuffer = std::array<WarpInstruction, kFillCapacity>;
    /// Effect of an instruction on the issue port and its warp.
    struct Execution {
        std::uint32_t instructions = 1;  ///< number of instructions it stands for
        Cycle next_issue = 0;            ///< first cycle at which the warp may issue again
        bool continues = true;           ///< the warp has a next instruction to issue
    };

    std::optional<LdstRequest> ldst_request(Cycle now) const override;
    void on_ldst_grant(Cycle now) override;
    void on_ldst_completed(const LdstCompletion& completion) override;

    /// Returns the slot to issue from at `now`, or -1; memory instructions only if `ldst_granted`.
    [[nodiscard]] int select(Cycle now, bool ldst_granted);
    /// select() without a grant; schedule() has usually computed the result already.
    [[nodiscard]] int select_ungranted(Cycle now) {
        return now == wake_at_ && !has_assistant_ ? scheduler_.scheduled().slot
                                                  : select(now, false);
    }
    void issue(std::uint32_t slot, Cycle now);
    void add_copy(Warp& warp, WarpInstruction& instruction) const;
    Execution execute(std::uint32_t slot, const IssuedInstruction& issued);
    void issue_memory(std::uint32_t slot, const IssuedInstruction& issued);
    void issue_sparse(const IssuedInstruction& issued);
    Cycle issue_operation(const IssuedInstruction& issued);
    /// Lets the vector unit decide where the operation that begins is computed. The warp continues
    /// at `next_issue` or later; it has no next instruction while the decision is pending.
    [[nodiscard]] Execution issue_vector_op(std::uint32_t slot, std::uint32_t instructions,
                                            Cycle next_issue);
    /// Occupies `unit` and returns the cycle at which the warp continues.
    Cycle occupy(ExecutionUnit unit, const CudaCores::Timing& timing) {
        scheduler_.set_free_at(unit, timing.unit_free);
        return timing.next_issue;
    }
    /// Moves the warp in `slot` on after an instruction of `opcode` (and barrier `barrier`).
    void retire(std::uint32_t slot, const WarpInstruction& instruction, Cycle now);
    void exit_warp(std::uint32_t slot, Cycle now);
    /// Moves to the next instruction and computes when its operands are there, not before `from`.
    void advance(std::uint32_t slot, Cycle from);
    void find_ready(std::uint32_t slot, Cycle from);
    /// Sets the wake-up cycle: the first at or after `from` at which some warp can issue.
    void schedule(Cycle from) {
        scheduler_.set_free_at(ExecutionUnit::kLdst, to_arbiter->free_at());
        reschedule(from);
    }
    /// schedule() once the port is free, from the SM's local time on.
    void schedule_from_now() { schedule(std::max(time_.now(), port_.free_at())); }
    /// schedule() without refreshing the LDST unit's free cycle.
    void reschedule(Cycle from);
    /// Returns whether the current stall reason depends on responses that are not known yet.
    [[nodiscard]] bool reason_depends_on_look_ahead() const;

    /// Returns whether the assistant warp can issue at `now`; starts an operation if it is idle.
    [[nodiscard]] bool assistant_ready(Cycle now, bool ldst_granted);
    /// Updates the wake-up and memory-ready cycles, taking the assistant warp into account.
    void schedule_assistant(Cycle from, Cycle earliest, Cycle& wake, Cycle& memory);
    void retire_assistant(std::uint32_t slot, const Execution& done, Cycle now,
                          std::uint32_t port_cycles);
    [[nodiscard]] bool is_assistant(std::uint32_t slot) const {
        return slot == position_.warp_slots;  // behind the other slots
    }
    [[nodiscard]] bool assistant_holds_port() const {
        return assistant_busy_ && vector_unit_->assistant_goes_first();
    }
    [[nodiscard]] WarpId warp_id(std::uint32_t slot) const {
        return WarpId(is_assistant(slot) ? config_.max_warps : position_.first_warp + slot);
    }

    const SmConfig& config_;
    const SubCorePosition position_;
    const LocalTime& time_;
    WarpListener& listener_;
    Cycle& wake_at_;
    TransactionObserver* const transactions_;  ///< null: none
    LookAhead* const look_ahead_;              ///< null: no quantum runs ahead
    VectorUnit* vector_unit_ = nullptr;        ///< null: no vector unit
    bool has_assistant_ = false, assistant_busy_ = false;
    /// Whether an on_ldst_completed() came since the last resume_after_look_ahead().
    bool completed_ = false;

    WarpScheduler scheduler_;
    std::vector<Warp> warps_;                 ///< indexed by slot
    std::vector<InstructionBuffer> buffers_;  ///< indexed by slot
    std::vector<std::uint32_t> free_slots_;
    std::uint32_t first_copy_entry_ = 0, copy_entries_ = 0;  ///< of the kernel
    OperandCollector collector_;
    IssuePort port_;
    CudaCores cuda_cores_;
    MemoryIssue memory_;
    TensorIssue tensor_;
};

}  // namespace tessera
