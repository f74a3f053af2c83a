// Load/store unit of an SM: coalescer, L1 requests, shared memory, and the filter of fragment
// loads.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <array>
#include <memory>
#include <systemc>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/observer.h"
#include "sc_models/common/statistics.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/sm/bank_scheduler.h"
#include "sc_models/sm/filter_timeline.h"
#include "sc_models/sm/ldst_arbiter.h"
#include "sc_models/sm/load_filter.h"
#include "sc_models/sm/local_time.h"
#include "sc_models/sm/register_file.h"
#include "sc_models/sm/shared_memory.h"
#include "sc_models/sm/sm_parts.h"
#include "sc_models/sm/sm_plan.h"
#include "sc_models/sm/warp_port.h"
#include "sc_models/tlm/lt_link.h"

namespace tessera {

/// Load/store unit shared by the sub-cores of an SM, at either level of timing. A warp memory
/// instruction arrives as one payload with a WarpAccess extension; the answer is the cycle at which
/// its data is in registers (for stores: at which the memory below accepted it), or the WarpAccess
/// says that LdstClient::ldst_done will tell. One instruction is in service at a
/// time. Sub-cores say with `request` from when on they have one; the SM runs the arbiter when
/// the unit is free, and that lets the sub-core whose turn it is issue.
///
/// Global accesses are cut into requests of at most one L1 line. A row of a fragment is one 32-byte
/// request. The unit sends up to `sectors_per_cycle` sectors a cycle, one a bank; an L1 without a
/// free MSHR holds it up (`mshr_stall_cycles`, the LDST stall of Duplo V-B).
///
/// The fragments that its load filter wants pass that unit by unit: a hit renames and sends nothing
/// to the L1, but takes the issue slots of its rows unless the filter says otherwise. A unit is
/// looked up in the cycle of its slot; a filter that cannot take it then holds up the unit and all
/// that is behind it (`lookup_stall_cycles`). With values each hit is compared with memory.
class LdstUnit : public sc_core::sc_module, private LtTarget {
public:
    /// What the unit is built into.
    struct Surroundings {
        const ClockDomain& clock;
        const LocalTime& time;
        RegisterFile& registers;
        SharedMemory& shared_memory;
        SmParts& parts;
        StatGroup& statistics;
        Observers observers;
    };

    LtInitiatorSocket<LdstUnit> to_l1{"to_l1"};

    ~LdstUnit() override = default;
    LdstUnit(const LdstUnit&) = delete;
    LdstUnit& operator=(const LdstUnit&) = delete;

    using FromSubCore = LtTargetSocket<tlm_utils::simple_target_socket_tagged<LdstUnit>>;
    [[nodiscard]] FromSubCore& from_sub_core(SubCoreId id) { return *sockets_[id.value()]; }
    /// What these do with a payload that carries `access` and arrives at `arrival`.
    Cycle access(WarpAccess& access, Cycle arrival);

    /// Makes a sub-core known to the arbiter; once, before the simulation starts.
    void attach(SubCoreId id, LdstClient& client) { clients_[id.value()] = &client; }
    /// From cycle `ready` on the sub-core has a memory instruction to issue; kNever: it has none.
    /// Replaces what the sub-core said before.
    void request(SubCoreId id, Cycle ready);
    /// The first cycle at which the unit is free and some sub-core has an instruction; kNever: none
    /// has.
    [[nodiscard]] Cycle arbitration_at() const { return arbitration_at_; }
    /// At the SM's local time: lets the sub-core whose turn it is issue.
    void arbitrate();
    /// The first cycle at which the unit takes another instruction.
    [[nodiscard]] Cycle free_at() const { return free_at_; }

    /// A kernel starts at `now` with `ctas` resident CTAs. Returns whether the load filter has to
    /// be programmed: then load_program() comes before its first instruction.
    [[nodiscard]] bool start_kernel(const KernelInfo& info, std::uint32_t ctas, Cycle now);
    /// Loads what the filter is programmed with.
    void load_program();
    void end_kernel();
    void exit_warp(WarpId warp, Cycle now);

    /// Null: there is none.
    [[nodiscard]] const LoadFilter* load_filter() const { return filter_.get(); }
    /// Hits whose register differed from memory (values only), and the first of them.
    [[nodiscard]] std::uint64_t checked_hits() const { return checked_hits_; }
    [[nodiscard]] std::uint64_t value_mismatches() const { return value_mismatches_; }
    [[nodiscard]] const std::string& first_mismatch() const { return first_mismatch_; }
    /// Contents of memory, without time.
    void peek(Address address, void* data, std::size_t bytes) {
        read_memory(address, static_cast<std::byte*>(data), static_cast<std::uint32_t>(bytes));
    }
    void check(std::vector<std::string>& violations) const;
    /// Appends a line for each reason why an instruction is not over; one that is served at once
    /// has none.
    virtual void describe_waiting(std::vector<std::string>& /*lines*/) const {}

protected:
    /// What became of one instruction.
    struct Service {
        Cycle done = 0;  ///< its data is in registers, or L2 has accepted it; kNever: not known yet
        Cycle end = 0;   ///< the unit takes the next instruction; kNever: not known yet
        Cycle stalled = 0;  ///< cycles of it held up by the L1
    };

    LdstUnit(sc_core::sc_module_name name, SmId sm, const SmPlan& plan, const Surroundings& around);

    /// Serves an instruction for global memory that starts at `start`.
    virtual Service serve_global(const WarpAccess& access, Cycle start) = 0;
    /// Fetches the filter's program; returns when it is there (kNever: LoadFilter::on_program()
    /// will be told).
    virtual Cycle fetch_program(const LoadFilter::Program& program) = 0;
    /// What the L1 sends by itself; a loosely-timed unit is sent nothing.
    virtual tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload,
                                               tlm::tlm_phase& phase, sc_core::sc_time& delay);
    /// What the result of an answered request takes from L2 to the registers beyond the answer;
    /// nothing, if it is no atomic with a result. A memory that has not carried out an atomic is
    /// fatal.
    [[nodiscard]] Cycle return_cycles(const AccessInfo& info, Address address) const {
        return info.atomic == AtomicKind::kNone ? 0 : atomic_return_cycles(info, address);
    }
    [[nodiscard]] Cycle atomic_return_cycles(const AccessInfo& info, Address address) const;
    [[nodiscard]] static AtomicKind atomic_kind_of(const WarpInstruction& instruction) {
        if (instruction.opcode != Opcode::kAtomicGlobal) return AtomicKind::kNone;
        return instruction.dst == kNoRegister ? AtomicKind::kAdd : AtomicKind::kFetchAdd;
    }
    /// What tells request `part` of an access of `warp` to register `dst` from others, and is the
    /// same each time the warp comes back to it: a program counter, as far as there is one.
    [[nodiscard]] static std::uint32_t stream_of(WarpId warp, std::uint8_t dst,
                                                 std::uint32_t part) {
        return (warp.value() << 8U | dst) << 8U | (part & 0xFFU);
    }
    void account(const WarpAccess& access, Cycle start, const Service& service);
    /// The registers that the pieces of lanes have places in, cleared as a load wants it; null
    /// where they have none, or there are no values.
    [[nodiscard]] std::byte* placed_registers(const WarpAccess& access);
    /// Counts the rows of a load of A.
    void note_a_load() {
        a_rows_ += std::uint64_t{2} * kFragmentRows;
        a_row_accesses_ += std::uint64_t{octet_accesses_} * kFragmentRows;
    }
    /// The same of a staged copy, of whose rows those in `present` are loaded.
    void note_a_copy(std::uint32_t present) {
        const auto rows = static_cast<std::uint64_t>(__builtin_popcount(present));
        a_rows_ += rows;
        a_row_accesses_ += rows;
    }
    /// Whether an access of global memory passes the filter: a fragment, or a staged copy that says
    /// whose it is.
    [[nodiscard]] bool is_filtered(const WarpInstruction& instruction) const {
        return filter_ && instruction.role != FragmentRole::kNone &&
               (instruction.opcode == Opcode::kLoadFragment ||
                instruction.opcode == Opcode::kLoadGlobal) &&
               filter_->wants(instruction.role);
    }
    /// Where the 16 rows of a filtered load lie.
    struct Rows {
        std::array<Address, kFragmentRows> address{};
        bool anywhere = false;                              ///< of a staged copy
        std::uint32_t present = (1U << kFragmentRows) - 1;  ///< others are predicated off

        [[nodiscard]] bool has(std::uint32_t row) const { return (present >> row & 1U) != 0; }
    };
    [[nodiscard]] static Rows rows_of(const WarpInstruction& instruction);
    /// When the filter can look up the next unit, whose slot comes at `slot`.
    [[nodiscard]] Cycle look_up_at(Cycle slot) const {
        return traits_.limited ? filter_->open_at(slot) : slot;
    }
    /// The unit whose slot would come at `slot` is looked up at `at`; nothing behind it goes
    /// earlier.
    void wait_for_filter(Cycle slot, Cycle at, BankScheduler& slots) {
        lookup_stall_cycles_ += at - slot;
        slots.hold_until(at);
    }
    /// When the unit just looked up, at `at`, has its answer.
    [[nodiscard]] Cycle answer_at(Cycle at) const {
        return at + traits_.latency_cycles + (traits_.limited ? filter_->late() : 0);
    }
    /// The filter's answer to a look-up of a unit at `now`.
    FilterAnswer look_up(Cycle now, std::uint32_t unit) {
        const FilterAnswer answer = filter_->look_up(now, unit);
        filter_timeline_.note(now, answer.kind);
        return answer;
    }
    /// The filter takes a load up at `now`. `rows` stay until the next one.
    void begin_filtered(const WarpAccess& access, const Rows& rows, Cycle now);
    /// A hit, or a unit known to be zero, to be compared with memory.
    struct Hit {
        std::uint32_t unit = 0;
        PhysRegId phys;
        DatumName datum;
    };
    void check_hit(const Rows& rows, const Hit& hit);
    void read_memory(Address address, std::byte* data, std::uint32_t bytes);
    [[nodiscard]] std::uint64_t& rows_requested(FragmentRole role) {
        return role == FragmentRole::kA ? a_rows_requested_ : b_rows_requested_;
    }
    void schedule_arbitration();
    /// Puts who has an instruction to issue at `now` into inputs_, but for those in `asked`.
    void ask(Cycle now, std::uint32_t asked);
    [[nodiscard]] static bool is_store(Opcode op) {
        return op == Opcode::kStoreGlobal || op == Opcode::kStoreShared ||
               op == Opcode::kAtomicGlobal;
    }
    [[nodiscard]] LdstClient& client(SubCoreId id) { return *clients_[id.value()]; }

private:
    void b_transport(int sub_core, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    /// Returns kNever where the access is deferred.
    Cycle serve(int sub_core, tlm::tlm_generic_payload& payload, AccessInfo* info,
                Cycle arrival) override;
    Service shared_access(const WarpAccess& access, Cycle start);
    void move_shared(const WarpAccess& access);
    void store_shared(const WarpAccess& access, const std::byte* registers);
    void move_wanted(const WarpAccess& access);
    [[nodiscard]] std::uint32_t compact_warp(WarpId warp) const {
        return warp.value() / slots_per_sub_core_ * used_slots_ +
               warp.value() % slots_per_sub_core_;
    }
    void register_statistics(StatGroup& statistics);

protected:
    const SmId sm_;
    const SmPlan config_;
    const ClockDomain& clock_;
    const LocalTime& time_;
    RegisterFile& registers_;
    SharedMemory& shared_memory_;
    Observers observers_;

private:
    // What every arbitration and access looks at lies together, for the host's caches.
    std::vector<LdstClient*> clients_;  ///< by sub-core
    std::vector<Cycle> ready_;          ///< what they last said to request()
    LdstArbiter arbiter_;
    LdstArbiter::Inputs inputs_;
    Cycle arbitration_at_ = kNever;

protected:
    BankMap banks_;
    // What accesses need of the settings.
    const Address sector_bytes_;
    const std::uint32_t sectors_per_cycle_, octet_accesses_;
    Cycle free_at_ = 0;
    const std::unique_ptr<LoadFilter> filter_;  ///< null: none in this machine
    const FilterTraits traits_;

    std::uint64_t instructions_ = 0, busy_cycles_ = 0, mshr_stall_cycles_ = 0,
                  store_stall_cycles_ = 0, lookup_stall_cycles_ = 0, requests_ = 0,
                  request_bytes_ = 0, a_rows_ = 0, a_row_accesses_ = 0, a_rows_requested_ = 0,
                  b_rows_requested_ = 0, shared_wavefronts_ = 0, shared_store_wavefronts_ = 0,
                  checked_hits_ = 0, value_mismatches_ = 0;
    std::string first_mismatch_;

private:
    tlm::tlm_generic_payload debug_payload_;
    std::vector<std::unique_ptr<FromSubCore>> sockets_;
    std::uint32_t slots_per_sub_core_;
    std::uint32_t used_slots_ = 1;  ///< warp slots the kernel uses in each sub-core
    LoadFilter::Program program_;   ///< of the filter, for the kernel under way

    FilterTimeline filter_timeline_;
    struct Traces {
        WaveRecorder::Signal busy = WaveRecorder::kNoSignal, opcode = WaveRecorder::kNoSignal,
                             fragment = WaveRecorder::kNoSignal, warp = WaveRecorder::kNoSignal,
                             address = WaveRecorder::kNoSignal, stall = WaveRecorder::kNoSignal;
        TimelineRecorder::Track track = 0;
    } traces_;
};

}  // namespace tessera
