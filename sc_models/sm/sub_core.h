// Processing block of an SM: warp slots, scheduler, scoreboard, issue port.
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
#include "sc_models/isa/register_reads.h"
#include "sc_models/sm/ldst_unit.h"
#include "sc_models/sm/local_time.h"
#include "sc_models/sm/operand_ports.h"
#include "sc_models/sm/register_file.h"
#include "sc_models/sm/register_scoreboard.h"
#include "sc_models/sm/stall_reason.h"
#include "sc_models/sm/vector_unit.h"
#include "sc_models/sm/warp_port.h"
#include "sc_models/sparse/bitmap_matrix.h"
#include "sc_models/tlm/lt/lt_link.h"
#include "sc_models/tlm/lt/run_ahead.h"

namespace tessera {

class TensorCorePair;

/// Interface through which a sub-core notifies its SM.
class WarpListener {
public:
    virtual ~WarpListener() = default;
    /// A warp of CTA slot `cta` reached named barrier `barrier` at cycle `at`.
    virtual void on_barrier(std::uint32_t cta, std::uint32_t barrier, Cycle at) = 0;
    /// A warp of CTA slot `cta` ended at cycle `at`; its slot is free.
    virtual void on_exit(std::uint32_t cta, WarpId warp, Cycle at) = 0;
    /// A store was accepted by the memory below at cycle `at`.
    virtual void on_store_accepted(Cycle at) = 0;
};

/// Position of a sub-core in its SM, and its wake-up cycle in the SM's list.
struct SubCorePlace {
    SmId sm;
    SubCoreId sub_core;
    std::uint32_t first_warp = 0;  ///< SM-wide slot number of this sub-core's warp slot 0
    std::uint32_t warp_slots = 0;
    /// First cycle at which a warp can issue an instruction that needs no grant (kNever: none can).
    /// The SM stores these contiguously, as it scans all of them in each cycle.
    Cycle& wake_at;
};

/// Register reads of a dense product, and the cycles for which it occupies the tensor cores.
struct ProductOperands {
    ProductReads reads;
    Cycle span = 0;
};

/// Sub-core of an SM (Volta processing block, Duplo Table III): issues at most one instruction a
/// cycle, in order within a warp, greedy-then-oldest (or loose round-robin) among its warps.
///
/// Loosely timed: units respond at once with the cycle of the result, so the earliest issue of
/// every warp is known and the SM runs the sub-core only when something can issue. Memory
/// instructions issue when the arbiter of the LDST unit grants them. A scoreboard holds, for the
/// first register of each operand, when it is written (read-after-write) and until when it is read
/// (write-after-read).
class SubCore : public sc_core::sc_module, private LdstClient {
public:
    LtInitiatorSocket<SubCore> to_ldst{"to_ldst"};
    LtInitiatorSocket<SubCore> to_tensor{"to_tensor"};

    /// `ldst` arbitrates; instructions go through `to_ldst`.
    SubCore(sc_core::sc_module_name name, const SmConfig& config, const SubCorePlace& place,
            const ClockDomain& clock, const LocalTime& time, LdstUnit& ldst,
            RegisterFile& registers, WarpListener& listener, StatGroup& statistics,
            Observers observers);
    SubCore(const SubCore&) = delete;
    SubCore& operator=(const SubCore&) = delete;

    /// Sets the register reads of the tensor cores' products; once, before the first kernel.
    void attach(const ProductOperands& product) { product_ = product; }
    /// Connects the tensor cores at the other end of `to_tensor`; once, before the first kernel.
    void attach(TensorCorePair& tensor_cores) { tensor_cores_ = &tensor_cores; }
    /// Lets the SM's turns run ahead of SystemC's time; once, before the first kernel.
    void attach(RunAhead& ahead) { ahead_ = &ahead; }
    /// Resumes warps after all ldst_answered() calls of a turn that ran ahead.
    void ldst_settled();
    /// Prepares the warp slots for a kernel that starts at cycle `now`.
    void start_kernel(const KernelInfo& info, Cycle now);
    /// Prefetches into the host's caches, overlapping the misses, the state that a turn of the SM
    /// up to cycle `end` needs, since other SMs' state has evicted it: first the state every turn
    /// reads, then the warps that can issue, then their instructions.
    void warm_host_state() const;
    void warm_host_warps(Cycle end) const;
    void warm_host_instructions(Cycle end) const;
    /// Issues the instruction that can issue at the SM's local time without a grant of the LDST
    /// unit.
    void evaluate();
    /// Returns the cycle until which the issue port is taken.
    [[nodiscard]] Cycle port_free() const { return port_free_; }
    [[nodiscard]] std::uint32_t free_slots() const { return place_.warp_slots - resident_; }
    /// Puts a warp into a free slot; it may issue from cycle `at` on. `age` counts launches over
    /// the SM.
    void launch(std::unique_ptr<WarpProgram> program, std::uint32_t cta, std::uint64_t age,
                Cycle at);
    /// Releases the warps of CTA slot `cta` at named barrier `barrier`; they continue from cycle
    /// `at`.
    void release_barrier(std::uint32_t cta, std::uint32_t barrier, Cycle at);
    /// Completes, at the SM's local time, a memory instruction of `warp` that the LDST unit
    /// deferred; `reg` (kNoRegister: none) has its data.
    void ldst_done(WarpId warp, std::uint8_t reg);
    /// Sends vector operations to `unit` from now on and, with `runs_assistant`, runs the unit's
    /// assistant warp (if any) in issue slots no other warp can use; once, before the first kernel.
    void attach(VectorUnit& unit, bool runs_assistant);
    /// Resolves the pending vector operation of `warp`.
    void decide_vector_op(WarpId warp, const VectorDecision& decision);
    /// Reschedules, since the assistant warp may have work.
    void wake_assistant();
    /// Aborts the current operation of the assistant warp.
    void stop_assistant();
    /// Accounts the cycles since the last issue up to `now`; call when a kernel ends.
    void settle(Cycle now);

    /// Cycles by stall reason over all kernels; once settled they sum to the kernels' cycles.
    [[nodiscard]] const std::array<std::uint64_t, kStallReasons>& slots() const { return slots_; }
    /// Appends a line for each resident warp with the reason why it waits.
    void describe_waiting(std::vector<std::string>& lines) const;

private:
    using Producer = RegisterScoreboard::Producer;
    struct Warp {
        std::unique_ptr<WarpProgram> program;
        const WarpInstruction* head = nullptr;  ///< next instruction
        const WarpInstruction* end = nullptr;   ///< end of the current batch
        std::uint32_t cta = 0;
        std::uint64_t age = 0;
        Cycle undecided = 0;  ///< earliest end of a kVectorOp that awaits its decision; 0: none
        RegisterScoreboard scoreboard;
    };
    using Room = std::array<WarpInstruction, kFillCapacity>;
    /// Execution unit of an instruction.
    enum class Unit : std::uint8_t { kNone, kAlu, kFp32, kFp64, kSfu, kBranch, kTensor, kLdst };
    static constexpr std::size_t kUnits = 8;
    /// Scheduling state of a warp, separate from the rest so that a scan stays in cache.
    struct Next {
        /// Cycle at which the operands of the next instruction are there; kNever: at a barrier, or
        /// unknown.
        Cycle ready = 0;
        StallReason wait = StallReason::kLaunch;  ///< stall reason until `ready`
        Unit unit = Unit::kNone;
    };

    std::optional<Claim> ldst_claim(Cycle now) const override;
    void ldst_grant(Cycle now) override;
    void ldst_answered(const Answer& answer) override;

    /// Returns the slot to issue from at `now`, or -1; memory instructions only if `ldst_granted`.
    [[nodiscard]] int select(Cycle now, bool ldst_granted);
    /// select() without a grant; schedule() has usually computed the result already.
    [[nodiscard]] int select_ungranted(Cycle now) {
        return now == place_.wake_at && !has_assistant_ ? next_slot_ : select(now, false);
    }
    /// Scheduling rank: of warps that can issue in the same cycle the lowest rank goes first; ties
    /// go to the oldest.
    [[nodiscard]] std::uint32_t rank_of(std::uint32_t slot) const {
        if (greedy_) return static_cast<int>(slot) == last_issued_ ? 0 : 1;
        const auto behind = static_cast<std::uint32_t>(last_issued_ + 1);
        return slot >= behind ? slot - behind : slot + place_.warp_slots - behind;
    }
    template <class CanIssue>
    [[nodiscard]] int select_warp(const CanIssue& can_issue) const;
    [[nodiscard]] bool memory_ready(std::uint32_t slot, Cycle now) const {
        return next_[slot].unit == Unit::kLdst && next_[slot].ready <= now;
    }
    void issue(std::uint32_t slot, Cycle now);
    void issue_memory(std::uint32_t slot, const WarpInstruction& instruction, Cycle now);
    /// Below, `start` is the cycle at which the operands are there.
    void issue_mma(std::uint32_t slot, const WarpInstruction& instruction, Cycle start);
    void issue_sparse(std::uint32_t slot, const WarpInstruction& instruction, Cycle start);
    /// Operand of an SpWMMA: its tile, and its location in registers.
    struct SparseSide {
        const BitmapMatrix& matrix;
        std::uint64_t tile;
        const std::byte* bitmaps;  ///< null: without values, or all elements are stored
        const std::byte* values;
        std::uint32_t line_bytes;  ///< 0: tile layout
    };
    [[nodiscard]] SpwmmaTile sparse_tile(const SparseSide& side);
    [[nodiscard]] const std::byte* gather_a_lines(WarpId warp, const WarpInstruction& instruction);
    /// Traces cycles in which the tensor cores are busy.
    void trace_tensor(std::uint32_t slot, std::string_view what, Cycle begin, Cycle end) {
        if (observers_.wave != nullptr || observers_.timeline != nullptr) {
            show_tensor(slot, what, begin, end);
        }
    }
    void show_tensor(std::uint32_t slot, std::string_view what, Cycle begin, Cycle end);
    /// Returns whether the unit is called directly, without a payload: nothing lies in between and
    /// no values are carried.
    [[nodiscard]] bool calls_directly(const LtInitiatorSocket<SubCore>& unit) const {
        return unit.leads_to_ours() && !registers_.holds_values();
    }
    /// Returns the arrival, at a directly called unit, of an instruction issued at `at`.
    [[nodiscard]] Cycle arrival(Cycle at) {
        call_time_.look();
        return std::max(at, call_time_.now());
    }
    /// Sends `payload` to a unit, to arrive at `at`; returns its completion cycle.
    Cycle send(LtInitiatorSocket<SubCore>& unit, tlm::tlm_generic_payload& payload, Cycle at) {
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        call_time_.look();
        return unit.transport(payload, nullptr, at, call_time_);
    }
    void exit_warp(std::uint32_t slot, Cycle now);
    /// Moves to the next instruction and computes when its operands are there, not before `from`.
    void advance(std::uint32_t slot, Cycle from);
    void find_ready(std::uint32_t slot, Cycle from);
    /// Returns whether the warp has arrived at a barrier and not been released.
    [[nodiscard]] bool at_barrier(std::uint32_t slot) const {
        return next_[slot].ready == kNever && next_[slot].wait == StallReason::kBarrier;
    }
    [[nodiscard]] static Unit unit_of(const WarpInstruction& instruction);
    [[nodiscard]] Cycle& free_at(Unit unit) { return free_at_[static_cast<std::size_t>(unit)]; }
    /// Clears and moves registers for an instruction of the CUDA cores (with values).
    void move_registers(std::uint32_t slot, const WarpInstruction& instruction);
    Cycle issue_operation(std::uint32_t slot, const WarpInstruction& instruction, Cycle start);
    void count_hmmas(const WarpInstruction& instruction, Cycle cycles);
    Cycle issue_floats(std::uint32_t slot, const WarpInstruction& instruction, Cycle start);
    /// Returns the cycle at which an instruction issued at `now` has its operands: later than `now`
    /// by the delay beyond an idle register file.
    [[nodiscard]] Cycle collect_operands(std::uint32_t slot, const WarpInstruction& instruction,
                                         Cycle now);
    /// Returns the delay of the operands, in cycles.
    [[nodiscard]] Cycle read_operands(std::uint32_t slot, const WarpInstruction& instruction,
                                      Cycle now);
    /// Blocks the issue port until a collector is free.
    void wait_for_collector();
    /// Reads the sums that are swapped into the accumulation buffer from `now` on.
    void read_swapped_sums(Cycle now);
    /// Records that an instruction writes `reg` at `written`.
    void write(Warp& warp, std::uint8_t reg, Cycle written, Producer producer) {
        if (reg != kNoRegister) warp.scoreboard.write(reg, written, producer);
    }
    /// Sets the wake-up cycle: the first at or after `from` at which some warp can issue.
    void schedule(Cycle from) {
        free_at(Unit::kLdst) = ldst_.free_at();
        schedule_beside_ldst(from);
    }
    /// schedule() without refreshing the LDST unit's free cycle.
    void schedule_beside_ldst(Cycle from);
    /// Returns whether the warp's next instruction waits for a promise.
    [[nodiscard]] bool awaits_promise(std::uint32_t slot) const {
        return next_[slot].ready == kNever && !at_barrier(slot);
    }
    /// Returns whether the current stall reason depends on promises.
    [[nodiscard]] bool reason_hangs_on_promises() const;
    /// Returns the stall reason when no warp has a known issue cycle: LDST busy if a warp is ready,
    /// otherwise the reason of the youngest warp that is not at a barrier.
    [[nodiscard]] StallReason unknown_wait() const;
    void account(Cycle until);
    /// Returns false if the warp has to wait for the decision; otherwise may raise `next_issue`.
    [[nodiscard]] bool issue_vector_op(std::uint32_t slot, Cycle& next_issue);
    /// Returns whether the assistant warp can issue at `now`; starts an operation if it is idle.
    [[nodiscard]] bool assistant_ready(Cycle now, bool ldst_granted);
    /// Updates the wake-up and memory-ready cycles, taking the assistant warp into account.
    void schedule_assistant(Cycle from, Cycle earliest, Cycle& wake, Cycle& memory);
    [[nodiscard]] bool is_assistant(std::uint32_t slot) const {
        return slot == place_.warp_slots;  // behind the other slots
    }
    [[nodiscard]] bool assistant_holds_port() const {
        return assistant_busy_ && vector_unit_->assistant_goes_first();
    }
    [[nodiscard]] WarpId warp_id(std::uint32_t slot) const {
        return WarpId(is_assistant(slot) ? config_.max_warps.get() : place_.first_warp + slot);
    }

    // State read in every turn, kept contiguous from the beginning of a host cache line.
    alignas(64) std::vector<std::uint32_t> oldest_;  ///< resident slots, oldest first
    std::vector<Next> next_;                         ///< indexed by slot
    std::vector<Warp> warps_;                        ///< indexed by slot
    /// First cycle at which each unit takes an instruction; a copy for the LDST unit.
    std::array<Cycle, kUnits> free_at_{};
    Cycle port_free_ = 0;
    Cycle accounted_until_ = 0;
    const SubCorePlace place_;
    const LocalTime& time_;
    LdstUnit& ldst_;
    RegisterFile& registers_;
    TensorCorePair* tensor_cores_ = nullptr;
    VectorUnit* vector_unit_ = nullptr;  ///< null: no vector unit
    Observers observers_;
    std::uint32_t resident_ = 0;
    int last_issued_ = -1;
    int last_memory_ = -1;  ///< slot served last by the LDST unit
    int next_slot_ = -1;    ///< slot to issue from at wake_at, unless an assistant may
    const bool greedy_;     ///< greedy-then-oldest policy
    bool has_assistant_ = false, assistant_busy_ = false;
    bool answered_ = false;  ///< an ldst_answered() came since the last ldst_settled()
    StallReason pending_reason_ = StallReason::kNoWarp;
    // Results of the latest schedule(), for turns that run ahead.
    Cycle scheduled_from_ = 0, earliest_ = 0;
    RunAhead* ahead_ = nullptr;  ///< null: no turn runs ahead
    std::uint64_t settled_cycles_ = 0;
    std::uint64_t instructions_ = 0;
    std::uint64_t loads_ = 0, stores_ = 0, mmas_ = 0;
    std::uint64_t hmma_cycles_ = 0, hmmas_ = 0, hmma_steps_ = 0;
    std::array<std::uint64_t, kStallReasons> slots_{};
    OperandPorts ports_;

    LtTime call_time_;  // members from here on are rarely accessed in a turn
    const SmConfig& config_;
    WarpListener& listener_;
    ProductOperands product_;
    std::vector<Room> rooms_;          ///< instruction buffers of programs that need them, by slot
    std::vector<Cycle> from_;          ///< earliest `ready`, by slot; with ahead_
    std::vector<std::uint32_t> free_;  ///< empty slots
    tlm::tlm_generic_payload access_payload_;
    tlm::tlm_generic_payload mma_payload_;
    WarpAccess* access_ = nullptr;     ///< owned by access_payload_
    MmaOperands* operands_ = nullptr;  ///< owned by mma_payload_
    tlm::tlm_generic_payload sparse_payload_;
    SpwmmaOperands* sparse_ = nullptr;  ///< owned by sparse_payload_
    std::array<std::byte, kFragmentBytes> gathered_a_{}, gathered_b_{};  ///< renamed fragments
    std::array<std::byte, kSparseTileElements * sizeof(HalfBits)> a_lines_{};
    std::array<HalfBits, kSparseTileElements> by_k_{};  ///< tile converted from line to k order

    struct Traces {
        WaveRecorder::Signal issue = WaveRecorder::kNoSignal, opcode = WaveRecorder::kNoSignal,
                             warp = WaveRecorder::kNoSignal, stall = WaveRecorder::kNoSignal,
                             resident = WaveRecorder::kNoSignal, mma = WaveRecorder::kNoSignal,
                             mma_warp = WaveRecorder::kNoSignal;
        TimelineRecorder::Track issue_track = 0, tensor_track = 0;
    } traces_;
};

}  // namespace tessera
