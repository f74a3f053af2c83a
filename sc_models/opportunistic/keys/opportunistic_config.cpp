#include "sc_models/opportunistic/keys/opportunistic_config.h"

#include <initializer_list>

namespace tessera {

void OpportunisticConfig::bind(ConfigVisitor& v) {
    v.choice("scheme", scheme,
             {{"none", OpportunisticScheme::kNone},
              {"intra", OpportunisticScheme::kIntra},
              {"inter", OpportunisticScheme::kInter},
              {"both", OpportunisticScheme::kBoth}},
             "Precompute tables (intra), assign tables (inter), or both (opportunistic computing, "
             "III); with workload.kind direct_convolution.");
    v.integer("pt_entries", pt_entries, 1, 1 << 20,
              "Entries of an SM's precompute table (opportunistic computing, IV: 256 and 512).");
    v.choice("pt_granularity", pt_granularity,
             {{"warp", PrecomputeGranularity::kWarp}, {"scalar", PrecomputeGranularity::kScalar}},
             "Whether an entry holds the results of a warp's 32 lanes or one of 32 bits; with "
             "scalar entries an operation is skipped if all its lanes hit.");
    v.choice("pt_policy", pt_policy,
             {{"fifo", PrecomputePolicy::kFifo}, {"periodic", PrecomputePolicy::kPeriodic}},
             "Whether entries leave only when a full table needs room, the oldest first, or also "
             "pt_period_entries of them every pt_period_cycles.");
    v.integer("pt_period_cycles", pt_period_cycles, 1, 1 << 30,
              "With pt_policy periodic: from one elimination to the next.");
    v.integer("pt_period_entries", pt_period_entries, 1, 1 << 20,
              "With pt_policy periodic: entries eliminated at once.");
    v.integer("pt_lookup_cycles", pt_lookup_cycles, 0, 1000,
              "Delay of a vector operation by its look-up (the paper counts none).");
    v.integer("cluster_sms", cluster_sms, 1, 1024,
              "SMs that share an assign table (opportunistic computing, IV: 7); divides gpu.sms.");
    v.integer("at_entries", at_entries, 1, 1 << 20,
              "Entries of a cluster's assign table (opportunistic computing, IV: 512 and 1024).");
    v.choice("at_key", at_key, {{"dominant", AssignKey::kDominant}, {"all", AssignKey::kAll}},
             "Which pairs of blocks must be in one other SM to assign an operation to it: that of "
             "lane 0, or all.");
    v.choice("at_cost", at_cost,
             {{"free", AssignTableCost::kFree}, {"messages", AssignTableCost::kMessages}},
             "Whether asking and updating the assign table is free, as in the paper, or takes "
             "messages to the cluster's first SM, whose answer the warp waits for.");
    v.choice("assign_when", assign_when,
             {{"missing", AssignWhen::kMissing}, {"waiting", AssignWhen::kWaiting}},
             "Whether an operation is assigned only if an operand is neither in the L1 nor on its "
             "way, or whenever one is not there yet.");
    v.boolean("assign_predicts", assign_predicts,
              "Whether an SM predicts from assigned operations too, and takes results of assigned "
              "ones from its precompute table (opportunistic computing, III-B), which then exists "
              "with scheme inter as well.");
    v.integer("assign_queue_entries", assign_queue_entries, 1, 1024,
              "Assigned operations that an SM holds.");
    v.boolean("credits", credits,
              "Whether an operation is assigned only where room is reserved; otherwise a full "
              "queue refuses it and the sender's own assistant warp computes it.");
    v.choice("preempt", preempt,
             {{"instruction", AssistantPreemption::kInstruction},
              {"run_to_completion", AssistantPreemption::kRunToCompletion}},
             "Whether other warps go first at every instruction, or wait until the assistant warp "
             "has finished its operation.");
    v.integer("assist_buffers", assist_buffers, 1, 16,
              "Elements whose operands the assistant warp loads before it multiplies the first; 1 "
              "is what three registers a thread allow.");
    v.integer("assist_overhead_instructions", assist_overhead_instructions, 0, 1000,
              "Address arithmetic of the assistant warp before each operation.");
    v.boolean("characterise", characterise,
              "Whether every miss of an L1 looks for its block in all others (opportunistic "
              "computing, Figure 2); takes no simulated time.");
    v.choice("fault", fault,
             {{"none", OpportunisticFault::kNone},
              {"commit_and_execute", OpportunisticFault::kCommitAndExecute},
              {"lost_assignment", OpportunisticFault::kLostAssignment},
              {"stale_block", OpportunisticFault::kStaleBlock},
              {"lost_answer", OpportunisticFault::kLostAnswer}},
             "A deliberate error, to see the checks find it: predictions that are executed too, "
             "assignments that are lost, lost blocks that stay in the assign table, or (with "
             "at_cost messages) answers of the assign table that never come, a deadlock.");
}

}  // namespace tessera
