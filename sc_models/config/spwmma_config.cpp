#include "sc_models/config/spwmma_config.h"

namespace tessera {

void SpwmmaConfig::bind(ConfigVisitor& v) {
    v.choice("accumulation", accumulation,
             {{"count", AccumulationDetail::kCount},
              {"memo", AccumulationDetail::kMemo},
              {"exact", AccumulationDetail::kExact},
              {"collector", AccumulationDetail::kCollector}},
             "How the accumulation buffer's cycles are found: count (L0, it always keeps up), memo "
             "(L1, a table by the popcounts of a k-set), exact (L2, the fullest bank of every "
             "OHMMA, no collector), collector (L3, cycle by cycle).");
    v.choice("granularity", granularity,
             {{"8x16", OhmmaGranularity::k8x16}, {"8x8", OhmmaGranularity::k8x8}},
             "What an OHMMA condenses: 8x16 for both tensor cores together, or 8x8 for each of "
             "them alone, two in one OHMMA.");
    v.choice("issue_model", issue,
             {{"sequencer", SpwmmaIssue::kSequencer}, {"predicated", SpwmmaIssue::kPredicated}},
             "Whether an OHMMA that is predicated off is free (a hardware sequencer) or takes a "
             "cycle.");
    v.real("ohmma_cycles", ohmma_cycles, 0.25, 64,
           "Cycles between two OHMMAs, in the mean; the collector (L3) and its table (L1) take "
           "whole cycles, rounded up. Below 1, several a cycle, for accumulation count only.");
    v.real("bohmma_cycles", bohmma_cycles, 0, 64,
           "Cycles of the tensor pipe a BOHMMA takes, one for each k with non-zeros on both "
           "sides; 0: overlapped.");
    v.integer("latency_cycles", latency_cycles, 1, 256,
              "From the last OHMMA of an SpWMMA to its sums in the accumulation buffer.");
    v.integer("swap_cycles", swap_cycles, 0, 256,
              "Cycles to exchange the buffer's 32x32 tile with another warp's registers (8 words "
              "of 128 banks).");
}

void SpwmmaConfig::bind_buffer(ConfigVisitor& v) {
    v.integer("banks", buffer.banks, 16, 256,
              "Banks of the 4 KB accumulation buffer, a power of two, each with an FP32 adder.");
    v.choice("map", buffer.map,
             {{"linear", AccumulationMap::kLinear},
              {"2d", AccumulationMap::kTwoD},
              {"xor", AccumulationMap::kXor}},
             "Which bank an element of the 32x32 tile lives in.");
    v.choice("collector", buffer.collector,
             {{"fifo", CollectorKind::kFifo}, {"slots", CollectorKind::kSlots}},
             "Operand collector: a FIFO a bank, or slots that hold whole OHMMAs.");
    v.integer("depth_entries", buffer.depth_entries, 1, 64,
              "Depth of the collector: entries of a bank's FIFO, or slots.");
    v.integer("adder_latency_cycles", buffer.adder_latency_cycles, 1, 16,
              "From an addition to the next one on the same element.");
}

}  // namespace tessera
