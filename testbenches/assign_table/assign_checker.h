// Checks of the testbench of the assign tables: messages, decisions and results beside a reference.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "testbenches/assign_table/assign_operations.h"
#include "testbenches/assign_table/naive_assign_table.h"
#include "testbenches/assign_table/pin_table.h"
#include "testbenches/mesh/naive_mesh.h"

namespace tessera::testbench {

/// Compares every message to and from the assign tables of two clusters, every decision and every
/// result with a reference. The second cluster has the other setting of opportunistic.credits.
class AssignChecker final : public AssignObserver {
public:
    /// `state` must outlive the checker.
    AssignChecker(Session& session, AssignOperations& state);
    /// Begins to observe; with --impl also a table behind pins. Call once, before the simulation.
    void watch(AssignRig& rig);
    /// Reports what was lost or done twice, at the end.
    void finish();

    /// Called behind the checks of a decision.
    std::function<void(std::uint32_t sm, std::uint32_t warp, const VectorDecision& decision)>
        after_decision;

    [[nodiscard]] BlockPair blocks_of(const VectorOperation& operation) const {
        return {operation.input / rig_->line_bytes(), operation.weights / rig_->line_bytes()};
    }
    [[nodiscard]] const Bins& bins() const { return bins_; }

private:
    void on_sent(std::uint32_t sm, const MeshMessage& message, Cycle at) override;
    void on_arrival(std::uint32_t sm, const MeshMessage& message, Cycle at) override;
    void on_processed(std::uint32_t sm, const MeshMessage& message) override;
    void on_decided(std::uint32_t sm, std::uint32_t warp, const VectorDecision& decision) override;
    void on_execution(std::uint32_t sm, const Execution& execution) override;
    void expect_answer(const MeshMessage& lookup, Cycle at);
    void check_assignment(std::uint32_t sm, const MeshMessage& message, Cycle at);
    void receive_assignment(std::uint32_t sm, const MeshMessage& message);

    [[nodiscard]] std::uint32_t cluster_of(std::uint32_t sm) const { return sm / members_; }
    [[nodiscard]] std::uint32_t home_of(std::uint32_t sm) const { return sm / members_ * members_; }
    [[nodiscard]] bool has_credits(std::uint32_t sm) const {
        return (cluster_of(sm) == 0) == config_.credits;
    }
    [[nodiscard]] static bool elsewhere(const Planned& p) {
        return p.holder != NaiveAssignTable::kNone && p.holder != p.sm;
    }
    [[nodiscard]] bool goes_elsewhere(const Planned& p) const {
        return p.missing && elsewhere(p) && (p.has_slot || !has_credits(p.sm));
    }
    void note(const char* what, std::uint64_t sm, const MeshMessage& m, Cycle at) {
        session_.scoreboard.begin_cycle(at);
        session_.scoreboard.note(what, sm, m.input, m.weight, m.id);
    }

    Session& session_;
    AssignOperations& state_;
    const OpportunisticConfig config_;
    const std::uint32_t members_;
    NaiveMesh mesh_;
    std::vector<NaiveAssignTable> naive_;                                         ///< by cluster
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> assignments_;  ///< by SM and id
    std::optional<TableAnswer> answer_;  ///< that a table must send next
    std::uint64_t reported_losses_ = 0;  ///< blocks that L1s have lost
    AssignRig* rig_ = nullptr;
    std::optional<PinTable> pin_table_;  ///< repeats the operations of the first cluster's table
    const Bins bins_{session_.coverage};
};

}  // namespace tessera::testbench
