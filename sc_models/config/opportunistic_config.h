// Configuration of opportunistic computing.
#pragma once

#include <cstdint>

#include "sc_models/config/config_visitor.h"
#include "sc_models/config/knob.h"

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
    kPeriodic  ///< and the oldest entries are dropped from time to time
};
enum class AssignKey {
    kDominant,  ///< the blocks of lane 0
    kAll        ///< every pair of blocks of the vector operation, all in one SM
};
/// Which operands let an SM look for another one that has them.
enum class AssignWhen {
    kMissing,  ///< one is neither in the L1 nor on its way
    kWaiting   ///< one is not in the L1
};
enum class AssistantPreemption { kInstruction, kRunToCompletion };
/// What asking and telling the assign table costs.
enum class AssignTableCost {
    kFree,     ///< nothing, as in the paper
    kMessages  ///< messages over the mesh, for which the warp waits
};
/// Deliberate errors, for the tests of the checks.
enum class OpportunisticFault {
    kNone,
    kCommitAndExecute,  ///< a predicted result is added, and the operation executed too
    kLostAssignment,    ///< an assigned operation is accepted and forgotten
    kStaleBlock,        ///< blocks the L1 has lost stay in the assign table
    kLostAnswer         ///< the assign table's answer to a question never comes: deadlock
};

/// Precompute table, predictor and assistant warp of each SM, assign table of each cluster
/// (opportunistic computing, III).
struct OpportunisticConfig {
    Knob<OpportunisticScheme> scheme = OpportunisticScheme::kNone;
    Knob<std::uint32_t> pt_entries = 256;
    Knob<PrecomputeGranularity> pt_granularity = PrecomputeGranularity::kWarp;
    Knob<PrecomputePolicy> pt_policy = PrecomputePolicy::kFifo;
    Knob<std::uint32_t> pt_period_cycles = 200;
    Knob<std::uint32_t> pt_period_entries = 16;
    Knob<std::uint32_t> pt_lookup_cycles = 0;
    Knob<std::uint32_t> cluster_sms = 7;
    Knob<std::uint32_t> at_entries = 512;
    Knob<AssignKey> at_key = AssignKey::kDominant;
    Knob<AssignTableCost> at_cost = AssignTableCost::kFree;
    Knob<AssignWhen> assign_when = AssignWhen::kMissing;
    Knob<bool> assign_predicts = false;
    Knob<std::uint32_t> assign_queue_entries = 8;
    Knob<bool> credits = true;
    Knob<AssistantPreemption> preempt = AssistantPreemption::kInstruction;
    Knob<std::uint32_t> assist_buffers = 8;
    Knob<std::uint32_t> assist_overhead_instructions = 0;
    Knob<bool> characterise = false;
    Knob<OpportunisticFault> fault = OpportunisticFault::kNone;

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
    /// Storage of one assign table: two 25-bit block addresses and the number of an SM of 7.
    [[nodiscard]] std::uint64_t at_bits() const { return std::uint64_t{at_entries} * (50 + 3); }

    void bind(ConfigVisitor& v);
    /// Notes the keys that the scheme has a use for: by units, which read them while they run.
    void note_used() const;
};

}  // namespace tessera
