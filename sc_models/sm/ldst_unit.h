// Load/store unit of an SM: coalescer, L1 requests, shared memory, and the filter of fragment
// loads.
#pragma once

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
#include "sc_models/sm/ldst_arbitration.h"
#include "sc_models/sm/load_filter.h"
#include "sc_models/sm/local_time.h"
#include "sc_models/sm/register_file.h"
#include "sc_models/sm/shared_memory.h"
#include "sc_models/sm/sm_parts.h"
#include "sc_models/sm/sm_plan.h"
#include "sc_models/sm/warp_port.h"
#include "sc_models/tlm/lt/lt_socket.h"

namespace tessera {

/// Load/store unit shared by the sub-cores of an SM, at either level of timing. A warp memory
/// instruction arrives as one payload with a WarpAccess extension. The response is the cycle at
/// which its data is in registers (for stores: at which the memory below accepted it), or
/// WarpAccess::deferred: completion is then reported by BEGIN_RESP (approximately timed) or
/// LdstClient::on_ldst_completed() (a quantum that runs ahead). One instruction is in service at a
/// time. Sub-cores announce with `request` the cycle from which they have one; the SM runs the
/// arbiter when the unit is free, which lets the granted sub-core issue.
///
/// Global accesses are cut into requests of at most one L1 line. A row of a fragment is one 32-byte
/// request. The unit sends up to `sectors_per_cycle` sectors a cycle, one a bank; an L1 without a
/// free MSHR holds it up (`mshr_stall_cycles`, the LDST stall of Duplo V-B).
///
/// Fragments accepted by the load filter pass it unit by unit: a hit renames and sends nothing to
/// the L1, but takes the issue slots of its rows unless FilterTraits::hit_frees_slot. A unit is
/// looked up in the cycle of its slot; a filter that cannot take it stalls the LDST unit and
/// everything behind it (`lookup_stall_cycles`). With values each hit is compared with memory.
class LdstUnit : public sc_core::sc_module, private LdstRequests {
public:
    /// Context of the unit: the blocks and services it is connected to.
    struct LdstContext {
        const ClockDomain& clock;
        const LocalTime& time;
        RegisterFile& registers;
        SharedMemory& shared_memory;
        SmParts& parts;
        StatGroup& statistics;
        Observers observers;
    };

    /// Target socket of a sub-core. nb_transport_fw completes an instruction or, if it is deferred,
    /// answers END_REQ.
    class FromSubCore : public LtTargetSocket<LdstUnit> {
    public:
        using LtTargetSocket<LdstUnit>::LtTargetSocket;

    private:
        tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) override;
    };
    using ToClient = sc_core::sc_port<LdstClient>;

    LtInitiatorSocket<LdstUnit> to_l1{"to_l1"};
    /// Requests of sub-cores for the unit; grants go out by `client`.
    sc_core::sc_export<LdstRequests> arbiter{"arbiter"};

    ~LdstUnit() override = default;
    LdstUnit(const LdstUnit&) = delete;
    LdstUnit& operator=(const LdstUnit&) = delete;

    [[nodiscard]] FromSubCore& from_sub_core(SubCoreId id) { return *sockets_[id.value()]; }
    /// Returns the arbiter's port to a sub-core.
    [[nodiscard]] ToClient& to_client(SubCoreId id) { return *clients_[id.value()]; }
    /// Returns the first cycle at which the unit is free and some sub-core has an instruction;
    /// kNever: no sub-core has one.
    [[nodiscard]] Cycle arbitration_at() const { return arbitration_at_; }
    /// Lets the granted sub-core issue, at the SM's local time.
    void arbitrate();

    /// Starts a kernel at `now` with `ctas` resident CTAs. Returns whether the load filter has to
    /// be programmed: load_program() must then precede the first instruction.
    [[nodiscard]] bool start_kernel(const KernelInfo& info, std::uint32_t ctas, Cycle now);
    /// Fetches the filter's program and loads it.
    void load_program();
    void end_kernel();
    void exit_warp(WarpId warp, Cycle now);

    /// Returns the load filter; null: none.
    [[nodiscard]] const LoadFilter* load_filter() const { return filter_.get(); }
    /// Hits whose register differed from memory (values only), and the first of them.
    [[nodiscard]] std::uint64_t checked_hits() const { return checked_hits_; }
    [[nodiscard]] std::uint64_t value_mismatches() const { return value_mismatches_; }
    [[nodiscard]] const std::string& first_mismatch() const { return first_mismatch_; }
    /// Reads the contents of memory, without time.
    void peek(Address address, void* data, std::size_t bytes) {
        read_memory(address, static_cast<std::byte*>(data), static_cast<std::uint32_t>(bytes));
    }
    void check(std::vector<std::string>& violations) const;
    /// Appends a line for each reason why an instruction is not complete; a loosely-timed unit has
    /// none.
    virtual void describe_waiting(std::vector<std::string>& /*lines*/) const {}

protected:
    /// Result of serving one instruction.
    struct Service {
        Cycle done =
            0;  ///< cycle at which its data is in registers or L2 has accepted it; kNever: unknown
        Cycle end = 0;      ///< cycle at which the unit takes the next instruction; kNever: unknown
        Cycle stalled = 0;  ///< cycles in which the L1 stalled it
    };

    LdstUnit(sc_core::sc_module_name name, SmId sm, const SmPlan& plan, const LdstContext& context);

    /// Serves an instruction for global memory that starts at `start`.
    virtual Service serve_global(const WarpAccess& access, Cycle start) = 0;
    /// Fetches the filter's program; returns its arrival (kNever: LoadFilter::on_program() is
    /// called then).
    virtual Cycle fetch_program(const LoadFilter::Program& program) = 0;
    /// Backward path from the L1; fatal in a loosely-timed unit.
    virtual tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload,
                                               tlm::tlm_phase& phase, sc_core::sc_time& delay);
    /// Returns the cycles from the response of a request until the result of its atomic is in the
    /// registers; 0 for other requests and atomics without a result. A memory that did not execute
    /// an atomic is fatal.
    [[nodiscard]] Cycle return_cycles(const AccessInfo& info, Address address) const {
        return info.atomic == AtomicKind::kNone ? 0 : atomic_return_cycles(info, address);
    }
    [[nodiscard]] Cycle atomic_return_cycles(const AccessInfo& info, Address address) const;
    [[nodiscard]] static AtomicKind atomic_kind_of(const WarpInstruction& instruction) {
        if (instruction.opcode() != Opcode::kAtomicGlobal) return AtomicKind::kNone;
        return instruction.dst == kNoRegister ? AtomicKind::kAdd : AtomicKind::kFetchAdd;
    }
    /// Stream identifier of request `part` of an access of `warp` to register `dst`: the same each
    /// time the warp repeats the access. It stands in for a program counter.
    [[nodiscard]] static std::uint32_t stream_of(WarpId warp, std::uint8_t dst,
                                                 std::uint32_t part) {
        return (warp.value() << 8U | dst) << 8U | (part & 0xFFU);
    }
    void account(const WarpAccess& access, Cycle start, const Service& service);
    /// Gives the next instruction, or program fetch, an id if accesses are followed.
    void number_access() {
        if (!follows_accesses_) return;
        const std::uint64_t before = std::uint64_t{sm_.value()} << 32U;
        access_id_ = (access_id_ == 0 ? before : access_id_) + 1;
    }
    /// Returns the registers to which the pieces of lanes are placed, zero-filled as the load
    /// specifies; null without places or values.
    [[nodiscard]] std::byte* placed_registers(const WarpAccess& access);
    /// Returns the place of a copy in shared memory; null without values.
    [[nodiscard]] std::byte* copy_target(const WarpAccess& access);
    /// Place of an access's rows in registers, or of a copy's in shared memory; `begin` is null
    /// without values.
    struct RowPlace {
        std::byte* begin = nullptr;
        std::uint32_t offset_bytes = 0, pitch_bytes = 0;
    };
    /// Returns that place, with registers zero-filled as the load specifies.
    [[nodiscard]] RowPlace row_place(const WarpAccess& access);
    /// Counts the shared-memory wavefronts of a copy to shared memory and returns them; 0 for
    /// others. The stages for its sectors and for its wavefronts work side by side, and both at
    /// issue: the unit is busy for the longer of the two.
    [[nodiscard]] Cycle copy_wavefronts(const WarpInstruction& instruction);
    /// Counts the rows of a load of A.
    void note_a_load() {
        a_rows_ += std::uint64_t{2} * kFragmentRows;
        a_row_accesses_ += std::uint64_t{octet_accesses_} * kFragmentRows;
    }
    /// Counts the rows of a staged copy; `present` marks the loaded ones.
    void note_a_copy(std::uint32_t present) {
        const auto rows = static_cast<std::uint64_t>(__builtin_popcount(present));
        a_rows_ += rows;
        a_row_accesses_ += rows;
    }
    /// Returns whether a global-memory access passes the filter: a fragment, or a staged copy with
    /// a fragment role.
    [[nodiscard]] bool is_filtered(const WarpInstruction& instruction) const {
        if (!filter_ || (instruction.opcode() != Opcode::kLoadFragment &&
                         instruction.opcode() != Opcode::kLoadGlobal)) {
            return false;
        }
        const FragmentRole role = instruction.registers().role;
        return role != FragmentRole::kNone && filter_->wants(role);
    }
    /// Addresses of the 16 rows of a filtered load.
    struct Rows {
        std::array<Address, kFragmentRows> address{};
        bool anywhere = false;  ///< rows of a staged copy, at arbitrary addresses
        std::uint32_t present = (1U << kFragmentRows) - 1;  ///< the other rows are predicated off

        [[nodiscard]] bool has(std::uint32_t row) const { return (present >> row & 1U) != 0; }
    };
    [[nodiscard]] static Rows rows_of(const WarpInstruction& instruction);
    /// Returns the cycle at which the filter can look up the next unit, whose slot comes at `slot`.
    [[nodiscard]] Cycle look_up_at(Cycle slot) const {
        return traits_.limited ? filter_->open_at(slot) : slot;
    }
    /// Delays the unit with slot `slot`, and everything behind it, to its lookup at `at`.
    void wait_for_filter(Cycle slot, Cycle at, BankScheduler& slots) {
        lookup_stall_cycles_ += at - slot;
        slots.stall_until(at);
    }
    /// Returns the cycle of the filter's answer to the unit looked up at `at`.
    [[nodiscard]] Cycle answer_at(Cycle at) const {
        return at + traits_.latency_cycles + (traits_.limited ? filter_->late() : 0);
    }
    /// Looks up a unit at `now` and returns the filter's answer.
    FilterAnswer look_up(Cycle now, std::uint32_t unit) {
        const FilterAnswer answer = filter_->look_up(now, unit);
        filter_timeline_.note(now, answer.kind);
        if (observers_.transactions != nullptr) report_look_up(now, unit, answer);
        return answer;
    }
    void report_look_up(Cycle now, std::uint32_t unit, const FilterAnswer& answer);
    /// Begins a load in the filter at `now`. `rows` must stay valid until the next one.
    void begin_filtered(const WarpAccess& access, const Rows& rows, Cycle now);
    /// A hit, or a unit known to be zero, to be compared with memory.
    struct Hit {
        std::uint32_t unit = 0;
        PhysRegId phys;
        FilterValueId value;
    };
    void check_hit(const Rows& rows, const Hit& hit);
    void read_memory(Address address, std::byte* data, std::uint32_t bytes);
    [[nodiscard]] std::uint64_t& rows_requested(FragmentRole role) {
        return role == FragmentRole::kA ? a_rows_requested_ : b_rows_requested_;
    }
    void schedule_arbitration();
    /// Sets the requests in inputs_ at `now`, leaving out the sub-cores in `polled`.
    void poll(Cycle now, std::uint32_t polled);
    [[nodiscard]] static bool is_store(Opcode op) {
        return op == Opcode::kStoreGlobal || op == Opcode::kStoreShared ||
               op == Opcode::kAtomicGlobal;
    }
    [[nodiscard]] LdstClient& client(SubCoreId id) { return *clients_[id.value()]->operator->(); }
    /// Returns the payload of the instruction in service, which comes from a sub-core.
    [[nodiscard]] tlm::tlm_generic_payload& payload_in_service() { return *in_service_; }

private:
    friend LtTargetSocket<LdstUnit>;
    void b_transport(int sub_core, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    static unsigned int transport_dbg(int /*sub_core*/, tlm::tlm_generic_payload& /*payload*/) {
        return 0;
    }
    /// Serves `access`, which arrives at `arrival`; returns its completion cycle, kNever if it is
    /// deferred.
    Cycle serve(WarpAccess& access, Cycle arrival);
    void request(SubCoreId id, Cycle ready) override;
    [[nodiscard]] Cycle free_at() const override { return free_at_; }
    Service shared_access(const WarpAccess& access, Cycle start);
    void move_needed(const WarpAccess& access);
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
    const bool follows_accesses_;

private:
    // State read by every arbitration and access, kept together for the host's caches.
    std::vector<std::unique_ptr<ToClient>> clients_;  ///< indexed by sub-core
    std::vector<Cycle> ready_;  ///< last value passed to request(), by sub-core
    LtTime call_time_;
    tlm::tlm_generic_payload* in_service_ = nullptr;
    LdstArbiter arbiter_;
    LdstArbiter::Inputs inputs_;
    Cycle arbitration_at_ = kNever;

protected:
    BankMap banks_;
    // Copies of settings that accesses read.
    const Address sector_bytes_;
    const std::uint32_t sectors_per_cycle_, octet_accesses_;
    Cycle free_at_ = 0;
    std::uint64_t access_id_ = 0;  ///< AccessInfo::id of the instruction in service; 0: none
    const std::unique_ptr<LoadFilter> filter_;  ///< null: no filter
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
    LoadFilter::Program program_;   ///< filter program of the current kernel

    FilterTimeline filter_timeline_;
    struct Traces {
        WaveRecorder::Signal busy = WaveRecorder::kNoSignal, opcode = WaveRecorder::kNoSignal,
                             fragment = WaveRecorder::kNoSignal, warp = WaveRecorder::kNoSignal,
                             address = WaveRecorder::kNoSignal, stall = WaveRecorder::kNoSignal,
                             id = WaveRecorder::kNoSignal, filter_id = WaveRecorder::kNoSignal;
        TimelineRecorder::Track track = 0;
    } traces_;
};

}  // namespace tessera
