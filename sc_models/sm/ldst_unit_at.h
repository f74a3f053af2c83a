// Load/store unit, approximately timed.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "sc_models/common/due_queue.h"
#include "sc_models/common/number_lists.h"
#include "sc_models/sm/flight_timeline.h"
#include "sc_models/sm/ldst_unit.h"
#include "sc_models/tlm/at/at_context.h"
#include "sc_models/tlm/at/cycle_ticker.h"
#include "sc_models/tlm/at/links.h"
#include "sc_models/tlm/payload_pool.h"

namespace tessera {

/// Interface through which an approximately-timed LDST unit notifies its SM.
class LdstListener {
public:
    virtual ~LdstListener() = default;
    /// The unit takes the next instruction from free_at() on.
    virtual void on_ldst_free() = 0;
};

/// Sends requests one after the other in the cycles in which their banks are free (four-phase base
/// protocol); while the L1 withholds END_REQ it sends nothing more and stays busy. An instruction
/// is complete when its last response has arrived; many may be in flight.
class LdstUnitAt : public LdstUnit, private Clocked {
public:
    LdstUnitAt(sc_core::sc_module_name name, SmId sm, const SmPlan& plan,
               const LdstContext& context, const AtContext& at, LdstListener& listener);

    /// Appends a line for each reason why an instruction is not complete.
    void describe_waiting(std::vector<std::string>& lines) const override;

private:
    static constexpr std::uint32_t kNoJob = ~std::uint32_t{0};
    static constexpr std::uint32_t kMostUnits = 2 * kFragmentRows;

    /// A request to be sent to the L1.
    struct Planned {
        Address address = 0;
        std::uint32_t bytes = 0;
        std::byte* data =
            nullptr;  ///< destination of a load's bytes or source of a store's (values)
    };
    /// State of one row of a filtered fragment; a row may serve units of both octet copies.
    struct RowState {
        bool requested = false, slotted = false;
        Cycle arrived = kNever;
    };
    struct Unit {
        PhysRegId phys;
        std::uint32_t rows_left = 0;  ///< rows still missing; 0: not loading
    };
    /// Additional state of a filtered load.
    struct Filtered {
        Rows from;
        std::array<RowState, 2 * kFragmentRows> rows;  ///< second half: octet copy 1's own accesses
        std::array<Unit, kMostUnits> units;
        std::vector<std::byte> row_bytes;  ///< values
        std::vector<Hit> to_check;         ///< values
    };
    /// An instruction in flight. Kept small, since many are in flight and each response accesses
    /// one.
    struct Job {
        bool live = false, issued = false;
        bool program = false;           ///< fetches the filter's program
        bool filtered = false;          ///< passes the filter
        std::uint32_t outstanding = 0;  ///< awaited responses, and hits on data in flight
        Cycle done = 0;                 ///< earliest completion
        Cycle served = 0;               ///< cycle at which the last request was sent
        Cycle written = 0;              ///< until which a copy takes the shared memory
        WarpId warp;
        SubCoreId sub_core;
        tlm::tlm_generic_payload* payload = nullptr;  ///< of the sub-core, until it is answered
        WarpInstruction instruction;
        std::vector<std::byte*> targets;  ///< destinations of the data, by request (values)
        std::unique_ptr<Filtered>
            of_filter;  ///< allocated for the first load that passes the filter
    };
    /// Job and part that a request belongs to, packed into PooledPayload::tag.
    struct RequestTag {
        std::uint32_t job, part;
        [[nodiscard]] std::uint64_t packed() const { return std::uint64_t{job} << 32U | part; }
        static RequestTag of(std::uint64_t packed) {
            return {static_cast<std::uint32_t>(packed >> 32U), static_cast<std::uint32_t>(packed)};
        }
    };

    Service serve_global(const WarpAccess& access, Cycle start) override;
    Cycle fetch_program(const LoadFilter::Program& program) override;
    void evaluate() override;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;

    [[nodiscard]] std::uint32_t new_job();
    void plan_fragment(const WarpAccess& access, Job& job);
    void plan_rows(const WarpAccess& access);
    void plan_lanes(const WarpAccess& access);
    void redirect_fetched(Job& job);
    void plan_line_pieces(Address begin, std::uint32_t bytes, std::byte* data);
    /// Advances the instruction in service as far as possible at `now`; returns true when all is
    /// sent.
    bool advance(Cycle now);
    bool advance_plan(Cycle now);
    /// Sends a request if its slot has come; returns false if the slot or the L1 delays it.
    [[nodiscard]] bool send(const Planned& request, std::uint32_t part, Cycle now);
    void finish_issue();
    void arrive(PooledPayload& payload, Cycle at);
    void keep_loaded(const Job& job, std::uint32_t part, const PooledPayload& payload);
    void end_wait(std::uint32_t job, Cycle at);
    void try_to_complete(std::uint32_t job);
    void complete(std::uint32_t job);
    void respond(Job& job);

    // Defined in ldst_unit_at_filter.cpp: fragments that pass the load filter.
    void begin_units(const WarpAccess& access, Job& job);
    bool advance_units(Cycle now);
    [[nodiscard]] bool look_up_unit(Cycle now);
    [[nodiscard]] bool send_rows_of_unit(Cycle now);
    void take_slots_of_unit(Job& job, std::uint32_t unit);
    void row_arrived(std::uint32_t job, std::uint32_t row, Cycle at);
    void unit_loaded(Job& job, std::uint32_t unit, Cycle at);
    [[nodiscard]] RowState& row_of(Job& job, std::uint32_t unit, std::uint32_t row) {
        return job.of_filter->rows[row_index(unit, row)];
    }
    [[nodiscard]] std::uint32_t row_index(std::uint32_t unit, std::uint32_t row) const {
        const bool each_copy = octet_accesses_ == 2;
        return each_copy ? traits_.units.copy_of(unit) * kFragmentRows + row : row;
    }

    CycleAlarm alarm_;
    PayloadPool& pool_;
    LdstListener& listener_;
    RequestLink link_;
    std::vector<std::unique_ptr<Job>> jobs_;  ///< addresses are stable
    std::vector<std::uint32_t> free_jobs_;
    /// Jobs that hit a physical unit whose data is in flight, by unit.
    NumberLists waiters_;
    DueQueue<std::uint32_t> completions_;
    FlightTimeline flights_;

    // The instruction in service.
    std::uint32_t current_ = kNoJob;
    Cycle start_ = 0;
    Cycle stalled_ = 0;
    BankScheduler slots_{0, 1};
    std::array<std::uint32_t, kFragmentRows>
        row_bank_{};  ///< banks of a load that passes the filter
    std::vector<Planned> plan_;
    std::vector<std::byte> stored_;  ///< bytes of the store in service
    std::size_t next_ = 0;           ///< next entry of the plan, or next unit
    std::uint32_t next_row_ = 0;     ///< next row of the unit that is being loaded
    bool unit_looked_up_ = false;
    Cycle slot_ = kNever;  ///< slot of the next request; kNever: not taken yet
    Cycle sent_at_ = 0;    ///< send cycle of the request without END_REQ
};

}  // namespace tessera
