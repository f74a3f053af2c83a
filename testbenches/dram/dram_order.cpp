#include "testbenches/dram/dram_order.h"

#include <fmt/format.h>
#include <map>
#include <utility>

#include "testbenches/harness/bandwidth.h"

namespace tessera::testbench {

void check_dram_reads(Session& session, const NaiveDram& naive,
                      const std::vector<Initiator*>& initiators, double dram_cycles,
                      bool in_order) {
    Transfers bursts;  // in DRAM cycles of the bus, not bytes
    for (const Initiator* initiator : initiators) {
        std::map<std::pair<std::uint32_t, std::uint64_t>, Cycle> last;  // by bank and row
        for (const Request& request : initiator->plan) {
            if (request.command != tlm::TLM_READ_COMMAND) continue;
            bursts.emplace_back(request.result.done, naive.burst());
            if (!in_order) continue;
            const DramRow row = naive.locate(request.address);
            Cycle& before = last[{row.bank, row.row}];
            session.scoreboard.begin_cycle(request.result.done);
            session.scoreboard.expect_count("cycles by which a read of its row has overtaken it", 0,
                                            before - std::min(before, request.result.done));
            before = request.result.done;
        }
    }
    // A burst may begin anywhere in a slot of the bus, and its end is rounded up to a core cycle.
    check_bandwidth(session, "data bus", std::move(bursts), dram_cycles,
                    static_cast<double>(2 * naive.burst()) + dram_cycles);
}

}  // namespace tessera::testbench
