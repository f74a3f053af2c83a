#include "sc_models/config/ldst_config.h"

#include "sc_models/config/workload_conditions.h"

namespace tessera {
namespace {

constexpr KeyCondition kLoadsFragments = {
    "warps that load fragments from global memory (workload.kernel fragments)",
    [](const Config& c) {
        const WorkloadKind kind = c.workload.kind;
        return acts::kFragments.holds(c) || kind == WorkloadKind::kComposition ||
               kind == WorkloadKind::kMicrobenchmarks ||
               (kind == WorkloadKind::kSparseConvolution && c.workload.sparse.a_fragments);
    }};

}  // namespace

void LdstConfig::bind(ConfigVisitor& v) {
    v.choice(
        "arbitration", arbitration,
        {{"gto", LdstArbitration::kGreedyThenOldest},
         {"round_robin", LdstArbitration::kRoundRobin}},
        "Who is next when several sub-cores wait for the LDST unit: gto: the warp served last, "
        "else the oldest of the SM; round_robin: the next sub-core in turn.");
    v.integer("sectors_per_cycle", sectors_per_cycle, 1, 32,
              "Requests of at most one sector that the LDST unit of an SM sends out a cycle.");
    v.acts_if(kLoadsFragments)
        .integer(
            "octet_l1_accesses", octet_l1_accesses, 1, 2,
            "L1 accesses for the two octet copies of a fragment row: 1 if they share one, 2 if "
            "each makes its own.");
}

}  // namespace tessera
