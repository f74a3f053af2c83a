// Cluster of SMs with a shared assign table.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/isa/vector_operation.h"
#include "sc_models/noc/core/mesh_message.h"
#include "sc_models/opportunistic/assign_table_module.h"
#include "sc_models/opportunistic/keys/opportunistic_config.h"
#include "sc_models/workload/direct/lane_layout.h"

namespace tessera {

/// Interface of an SM to its cluster.
class ClusterMember {
public:
    virtual ~ClusterMember() = default;
    /// Whether the SM's L1 has the block, expects it, or is about to request it.
    [[nodiscard]] virtual bool holds(BlockNumber block) const = 0;
    /// Delivers a message that arrives at cycle `at`.
    virtual void on_message(const MeshMessage& message, Cycle at) = 0;
};

/// Neighbouring SMs that assign operations to each other (opportunistic computing, III-B). Holds
/// their assign table, each member's free assignment slots, the reports of members at the end of a
/// kernel, and the lane layouts that messages refer to. All of it resides at the first member.
class AssignCluster : public sc_core::sc_module {
public:
    /// `device` (null: the model) replaces the assign table.
    AssignCluster(sc_core::sc_module_name name, const OpportunisticConfig& config, SmId first,
                  StatGroup& statistics, std::unique_ptr<AssignDevice> device = nullptr);
    AssignCluster(const AssignCluster&) = delete;
    AssignCluster& operator=(const AssignCluster&) = delete;

    void join(SmId sm, ClusterMember& member);
    [[nodiscard]] ClusterMember& member(SmId sm) {
        return *members_.at(sm.value() - first_.value());
    }
    [[nodiscard]] SmId home() const { return first_; }
    /// Sets the core cycle of the following operations of the table.
    void at(Cycle now) { table_.at(now); }
    [[nodiscard]] AssignPort& table() { return table_; }

    /// The SM that has the pair according to the table, or an invalid id. Counts a stale hit if
    /// that SM has lost a block, or an outrun one if the notification of the loss is in flight.
    [[nodiscard]] SmId lookup(const BlockPair& pair);
    /// Registers that `sm` has lost `block` and has sent a notification.
    void expect_loss(BlockNumber block, SmId sm) { losses_.push_back({sm, block}); }
    /// Processes the notification of a loss when it arrives.
    void lose(BlockNumber block, SmId sm);
    /// Reserves a slot for an assignment at `sm`; returns false if there is none.
    [[nodiscard]] bool reserve(SmId sm);
    void release(SmId sm, std::uint32_t credits) {
        credits_[sm.value() - first_.value()] += credits;
    }

    /// Registers that `sm` has work in this kernel and must report its end.
    void begin_work(SmId sm) { reports_[sm.value() - first_.value()].due = true; }
    /// Processes the report that `sm` has no work left and `outstanding` assignments unfinished.
    void drain(SmId sm, std::uint32_t outstanding);

    /// Stores the parameters that all operations of a kernel share, and this operation's layout;
    /// messages do not carry them.
    void remember(const VectorOperation& operation);
    [[nodiscard]] std::uint32_t row_step() const { return row_step_; }
    [[nodiscard]] std::uint32_t weight_row_bytes() const { return weight_row_bytes_; }
    [[nodiscard]] const LaneLayout& layout(std::uint32_t geometry) const {
        return *layouts_.at(geometry);
    }

    void start_kernel();
    void end_kernel() { table_module_.end_kernel(); }
    void check(std::vector<std::string>& violations) const;

private:
    /// A member's report in this kernel.
    struct Report {
        bool due = false, came = false;
        std::uint32_t outstanding = 0;  ///< from the latest report
    };
    struct Loss {
        SmId sm;
        BlockNumber block = 0;
    };
    [[nodiscard]] bool loses(SmId sm, BlockNumber block) const;

    const OpportunisticConfig& config_;
    const SmId first_;
    AssignTableModule table_module_;
    AssignPort& table_;
    std::vector<ClusterMember*> members_;
    std::vector<std::uint32_t> credits_;  ///< by member
    std::vector<Report> reports_;         ///< by member
    std::vector<Loss> losses_;            ///< notifications in flight to the table
    std::vector<const LaneLayout*> layouts_;
    std::uint32_t row_step_ = 1, weight_row_bytes_ = 0;
    std::uint64_t stale_ = 0, outrun_ = 0, no_credit_ = 0, drains_ = 0;
};

}  // namespace tessera
