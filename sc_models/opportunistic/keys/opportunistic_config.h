// Configuration of opportunistic computing.
#pragma once

#include <cstdint>

#include "sc_models/config/engine/config_visitor.h"

namespace tessera {

enum class OpportunisticScheme {
    kNone,
    kIntra,  ///< precompute tables
    kInter,  ///< assign tables
    kBoth
};
enum class PrecomputeGranularity {
    kWarp,   ///< an entry holds the result of every lane of a vector operation
    kScalar  ///< an entry holds the result of one lane (the paper's 32 bits)
};
enum class PrecomputePolicy {
    kFifo,     ///< a full table replaces its oldest entry
    kPeriodic  ///< as kFifo, and drops the oldest entries periodically
};
enum class AssignKey {
    kDominant,  ///< the blocks of lane 0
    kAll        ///< every pair of blocks of the vector operation; all must be in one SM
};
/// Condition on operands for the search for another SM that has them.
enum class AssignWhen {
    kMissing,  ///< one is neither in the L1 nor pending
    kWaiting   ///< one is not in the L1
};
enum class AssistantPreemption { kInstruction, kRunToCompletion };
/// Cost of queries and updates of the assign table.
enum class AssignTableCost {
    kFree,     ///< none, as in the paper
    kMessages  ///< messages over the mesh; the warp waits for them
};
/// Injected errors, for tests of the checks.
enum class OpportunisticFault {
    kNone,
    kCommitAndExecute,  ///< a predicted result is added, and the operation is executed as well
    kLostAssignment,    ///< an assigned operation is accepted and dropped
    kStaleBlock,        ///< blocks evicted from the L1 stay in the assign table
    kLostAnswer         ///< the assign table's response to a query is lost: deadlock
};

/// Precompute table, predictor and assistant warp of each SM, assign table of each cluster
/// (opportunistic computing, III).
struct OpportunisticConfig {
    OpportunisticScheme scheme = OpportunisticScheme::kNone;
    std::uint32_t pt_entries = 256;
    PrecomputeGranularity pt_granularity = PrecomputeGranularity::kWarp;
    PrecomputePolicy pt_policy = PrecomputePolicy::kFifo;
    std::uint32_t pt_period_cycles = 200;
    std::uint32_t pt_period_entries = 16;
    std::uint32_t pt_lookup_cycles = 0;
    std::uint32_t cluster_sms = 7;
    std::uint32_t at_entries = 512;
    AssignKey at_key = AssignKey::kDominant;
    AssignTableCost at_cost = AssignTableCost::kFree;
    AssignWhen assign_when = AssignWhen::kMissing;
    bool assign_predicts = false;
    std::uint32_t assign_queue_entries = 8;
    bool credits = true;
    AssistantPreemption preempt = AssistantPreemption::kInstruction;
    std::uint32_t assist_buffers = 8;
    std::uint32_t assist_overhead_instructions = 0;
    bool characterise = false;
    OpportunisticFault fault = OpportunisticFault::kNone;

    [[nodiscard]] bool intra() const {
        return scheme == OpportunisticScheme::kIntra || scheme == OpportunisticScheme::kBoth;
    }
    [[nodiscard]] bool inter() const {
        return scheme == OpportunisticScheme::kInter || scheme == OpportunisticScheme::kBoth;
    }
    /// Whether SMs have precompute tables.
    [[nodiscard]] bool precomputes() const { return intra() || (inter() && assign_predicts); }
    /// Storage of one precompute table: two 32-bit addresses, valid, complete, and the results.
    [[nodiscard]] std::uint64_t pt_bits() const {
        const std::uint64_t results = pt_granularity == PrecomputeGranularity::kWarp ? 32 : 1;
        return std::uint64_t{pt_entries} * (64 + 2 + 32 * results);
    }
    /// Storage of one assign table: two 25-bit block addresses and the number of one of 7 SMs.
    [[nodiscard]] std::uint64_t at_bits() const { return std::uint64_t{at_entries} * (50 + 3); }

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
