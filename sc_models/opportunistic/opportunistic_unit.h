// Opportunistic computing unit of an SM: precompute table, predictor, assistant warp, assignments.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/statistics.h"
#include "sc_models/memory/core/block_watch.h"
#include "sc_models/opportunistic/assign_cluster.h"
#include "sc_models/opportunistic/assign_link.h"
#include "sc_models/opportunistic/assignment_timeline.h"
#include "sc_models/opportunistic/assistant_work.h"
#include "sc_models/opportunistic/block_sharing.h"
#include "sc_models/opportunistic/output_ledger.h"
#include "sc_models/opportunistic/precompute_table_module.h"
#include "sc_models/opportunistic/vector_values.h"
#include "sc_models/sm/vector_unit.h"

namespace tessera {

/// Looks up every vector operation at decode (opportunistic computing, III-A to III-C;
/// docs/mechanisms/opportunistic.md), in this order:
///
/// - If the precompute table has the result, the warp adds it and skips the operation; an
/// incomplete entry is dropped.
/// - If an operand misses in the L1 and the assign table has an SM of the cluster with both blocks
/// and a free assignment slot, that SM executes the operation and adds its result to the output in
/// memory.
/// - Otherwise the warp computes it, and if an operand is missing the pair is entered for this SM.
///
/// An operation that stays in the SM predicts others (predict_operations()). The assistant warp
/// computes assignments and predictions in idle issue slots. Scheme `none` only counts, and
/// computes values where they are simulated.
class OpportunisticUnit : public sc_core::sc_module,
                          public VectorUnit,
                          private ClusterMember,
                          private BlockWatcher {
public:
    struct UnitPlace {
        SmId sm;
        std::uint32_t warps = 0;                            ///< warp slots of the SM
        std::uint32_t line_bytes = 128, sector_bytes = 32;  ///< of the L1
        bool values = false;
    };
    struct OpportunisticContext {
        VectorUnitHost& host;
        BlockPresence& cache;       ///< the SM's L1
        OutputLedger& ledger;       ///< of the GPU
        AssignCluster* cluster;     ///< null without scheme inter
        AssignLink* link;           ///< to the other SMs of the cluster; null without scheme inter
        BlockSharing* sharing;      ///< null: not characterised
        VectorValues::Reader read;  ///< memory's contents
        std::unique_ptr<PrecomputeDevice> precompute = nullptr;  ///< null: the model
    };

    OpportunisticUnit(sc_core::sc_module_name name, const OpportunisticConfig& config,
                      const UnitPlace& place, OpportunisticContext context, StatGroup& statistics,
                      Observers observers);
    ~OpportunisticUnit() override = default;
    OpportunisticUnit(const OpportunisticUnit&) = delete;
    OpportunisticUnit& operator=(const OpportunisticUnit&) = delete;

    void start_kernel(Cycle now) override;
    /// Flushes the table. All assignments must be finished.
    void end_kernel() override;
    /// Notifies the unit that the SM got a CTA. Predictions are computed only while warps may use
    /// them.
    void begin_work() override;
    /// Notifies the unit that the SM's last CTA ends at `at`: abandons a prediction in progress,
    /// and reports to the cluster.
    [[nodiscard]] bool end_work(Cycle at) override;

    struct Totals {
        std::uint64_t sent = 0, received = 0, executed = 0, acknowledged = 0, refused = 0;
        /// Messages of each kind, on the mesh or on wires.
        std::array<std::uint64_t, kMeshMessageKinds> messages_sent{}, messages_received{};
    };
    [[nodiscard]] const Totals& totals() const { return totals_; }
    /// Number of unfinished assignments that this SM has sent.
    [[nodiscard]] std::uint64_t outstanding() const { return outstanding_; }
    void check(std::vector<std::string>& violations) const;
    void describe_waiting(std::vector<std::string>& lines) const override;

    Decision decode(WarpId warp, const VectorOperation& operation, Cycle now) override;
    const float* take_sums(WarpId warp, Cycle now) override;
    const float* take_assistant_sums(Cycle now) override;
    [[nodiscard]] bool has_assistant() const override {
        return config_.scheme != OpportunisticScheme::kNone;
    }
    [[nodiscard]] bool assistant_goes_first() const override {
        return config_.preempt == AssistantPreemption::kRunToCompletion;
    }
    std::unique_ptr<WarpProgram> assistant_program() override;
    [[nodiscard]] std::uint32_t assistant_registers() const override;
    [[nodiscard]] Cycle assistant_needed(Cycle now) override;
    bool start_assistant(Cycle now) override;
    void finish_assistant(Cycle now) override;
    void on_assistant_issue(Cycle now, std::uint32_t cycles) override;

private:
    /// A warp's pending lookup of its operation in the assign table.
    struct PendingLookup {
        std::uint32_t awaited = 0;   ///< number of answers
        bool deferred = false;       ///< the warp waits; otherwise decode() does
        bool any = false;            ///< an answer has arrived
        bool absent = false;         ///< a pair has no entry
        SmId holder;                 ///< named by all answers so far, otherwise invalid
        std::vector<SmId> reserved;  ///< SMs with a slot reserved for the assignment
        VectorOperation operation;
        Cycle sent = 0, answered = 0;

        /// Adds the answer for one pair.
        void add(SmId sm) {
            absent = absent || !sm.valid();
            holder = any && sm != holder ? SmId{} : sm;
            any = true;
        }
    };
    /// Operations with a missing operand that no other SM got, by the reason.
    struct Unassigned {
        std::uint64_t absent = 0, apart = 0, own = 0, no_room = 0;
    };
    struct WarpSums {
        VectorValues::Lanes sums{};
        std::uint32_t operations = 0;  ///< number of operations in `sums`
        const LaneLayout* layout = nullptr;
        Address output = 0;
        std::vector<BlockPair> promised;  ///< entered in the assign table; loads not issued yet
        PendingLookup lookup;
    };

    [[nodiscard]] bool holds(BlockNumber block) const override;
    void on_message(const MeshMessage& message, Cycle at) override;
    void on_line_lost(Address address) override;
    void on_sector_missed(Address address) override;
    void on_sector_filled() override;

    [[nodiscard]] bool scalar() const {
        return config_.pt_granularity == PrecomputeGranularity::kScalar;
    }
    /// Removes the table's entries of an operation. Returns true, with the result in `lanes_`, if
    /// they hold the whole result.
    bool take_precomputed(const VectorOperation& operation);
    void predict(const VectorOperation& operation);
    void insert(const PrecomputeKey& key, const VectorOperation& operation);
    /// Applies the decision: counts it, adds a predicted result, computes values, and predicts
    /// further operations.
    void conclude(WarpId warp, const VectorOperation& operation, Decision& decision, Cycle now);
    [[nodiscard]] bool by_messages() const { return config_.at_cost == AssignTableCost::kMessages; }
    [[nodiscard]] bool waits_for_operands(const VectorOperation& operation, Cycle now) const;
    /// Looks up the pairs of an operation in the assign table.
    void begin_lookup(WarpId warp, const VectorOperation& operation, Cycle now);
    void answer(const MeshMessage& lookup, Cycle at);
    void on_answer(const MeshMessage& message, Cycle at);
    /// Decides after all answers have arrived. Returns true if the operation goes to another SM.
    [[nodiscard]] bool try_assign(WarpSums& warp, const VectorOperation& operation, Cycle now);
    /// Takes the slot reserved at `holder`, if any, and returns all other reservations.
    [[nodiscard]] bool take_credit(PendingLookup& lookup, Cycle now);
    void give_credits(SmId holder, std::uint32_t credits, Cycle now);
    void find_pairs(const VectorOperation& operation);
    void find_holder(PendingLookup& lookup);
    void send_assignment(SmId to, const VectorOperation& operation, Cycle at);
    /// Reports to the cluster the number of unfinished assignments of this SM.
    void report_drain(Cycle at);
    /// Ends an assignment of this SM.
    void end_assignment(std::uint64_t id, Cycle at);
    void abandon(Cycle now);
    void send(MeshMessageKind kind, SmId to, const MeshMessage& fields, Cycle at);
    [[nodiscard]] VectorOperation operation_of(const MeshMessage& message) const;
    void receive_assignment(const MeshMessage& message, Cycle at);
    void execute(WarpSums& warp, const VectorOperation& operation);
    void count(VectorOutcome outcome, const VectorOperation& operation, WarpId warp, Cycle now);
    void add_statistics(StatGroup& statistics);
    void add_traces();

    const OpportunisticConfig& config_;
    const UnitPlace place_;
    OpportunisticContext context_;
    Observers observers_;
    PrecomputeTableModule precompute_;
    PrecomputePort& table_;
    AssistantWork work_;
    VectorValues values_;
    VectorValues::Lanes lanes_{};
    std::vector<WarpSums> warps_;
    std::vector<BlockPair> pairs_;                           ///< of the current operation
    std::vector<std::unique_ptr<LaneLayout>> single_lanes_;  ///< layout of scalar entries
    AssistantJob job_;
    bool busy_ = false;
    Cycle job_began_ = 0;
    bool resident_ = false;
    std::uint64_t next_id_ = 0;
    std::uint64_t outstanding_ = 0;
    AssignmentTimeline flights_{nullptr, {}};
    Totals totals_;

    std::array<std::uint64_t, kVectorOutcomes> operations_{}, operation_lanes_{};
    Unassigned unassigned_;
    std::uint64_t missing_ = 0, assistant_instructions_ = 0, assistant_cycles_ = 0,
                  assistant_operations_ = 0, abandoned_ = 0, precomputed_assignments_ = 0,
                  lookup_wait_cycles_ = 0;
    struct Traces {
        WaveRecorder::Signal assistant = WaveRecorder::kNoSignal,
                             assistant_issue = WaveRecorder::kNoSignal,
                             predicted = WaveRecorder::kNoSignal,
                             assigned = WaveRecorder::kNoSignal, received = WaveRecorder::kNoSignal,
                             warp = WaveRecorder::kNoSignal;
        TimelineRecorder::Track track = 0;
    } traces_;
};

}  // namespace tessera
