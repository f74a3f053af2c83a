#include "testbenches/load_history_buffer/clocked_history_driver.h"

#include <fmt/format.h>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/common/log2.h"
#include "sc_models/common/types.h"

namespace tessera::testbench {
namespace {

constexpr Cycle kMaxSetupCycles = 1000;

}  // namespace

ClockedHistoryDriver::ClockedHistoryDriver(Session& session, std::unique_ptr<Block> block)
    : session_(session),
      block_(std::move(block)),
      stalls_(session, Rtl::kLatency),
      operations_("driver", session.clock, [this](const HistoryOperation* offered, Cycle now) {
          return step(offered, now);
      }) {}

bool ClockedHistoryDriver::supports(const HistoryOrganisation& o) const {
    return o.entries != 0 && o.entries <= Rtl::kMaxEntries && o.ways <= Rtl::kMaxWays &&
           is_power_of_two(o.ways) && is_power_of_two(o.entries / o.ways) && !o.keeps &&
           o.shift <= Rtl::kMaxShift && o.registers <= 1U << Rtl::kPhysBits;
}

void ClockedHistoryDriver::program(const HistoryOrganisation& organisation) {
    const HistoryOrganisation o = planted(session_, organisation);
    if (!supports(o)) {
        throw ConfigError(fmt::format(
            "--impl {}: got duplo.lhb with {} entries, {} ways and shift {}, expected "
            "powers of two "
            "of at most {} entries and {} ways",
            session_.implementation(), o.entries == 0 ? "infinite" : std::to_string(o.entries),
            o.ways, o.shift, Rtl::kMaxEntries, Rtl::kMaxWays));
    }
    Rtl::Inputs in;
    in.setup_valid = true;
    in.setup_fold = o.fold;
    in.setup_log_sets = log2_of_power(o.entries / o.ways);
    in.setup_log_ways = log2_of_power(o.ways);
    in.setup_shift = static_cast<std::uint8_t>(o.shift);
    // Ready in a cycle without a set-up, the buffer has been emptied.
    for (Cycle cycle = 0; cycle < kMaxSetupCycles; ++cycle) {
        const Rtl::Outputs out = block_->step(in, session_.clock.now());
        operations_.pass_cycle();
        if (out.setup_ready == 0) continue;
        if (!in.setup_valid) return;
        in = {};
    }
    session_.violations({fmt::format("the set-up takes over {} cycles", kMaxSetupCycles)});
}

ClockedHistoryDriver::Driver::Events ClockedHistoryDriver::step(const HistoryOperation* offered,
                                                                Cycle now) {
    using Kind = HistoryOperation::Kind;
    const bool clears = offered != nullptr && offered->kind == Kind::kClear;
    Rtl::Inputs in;
    in.out_ready = stalls_.receives();
    in.setup_valid = in.setup_keep = clears;
    in.in_valid = offered != nullptr && !clears;
    if (in.in_valid) {
        in.op = offered->kind == Kind::kLookup   ? Rtl::Op::kLookup
                : offered->kind == Kind::kInsert ? Rtl::Op::kInsert
                                                 : Rtl::Op::kRelease;
        in.key = key_of(planted(session_, offered->value));
        in.phys = offered->phys;
    }
    const Rtl::Outputs out = block_->step(in, now);
    Driver::Events events;
    events.taken = clears ? out.setup_ready != 0 : in.in_valid && out.in_ready != 0;
    stalls_.note_input(offered != nullptr, events.taken);
    if (clears && events.taken) events.result = HistoryResult{};  // the pipeline is empty
    if (in.in_valid && events.taken) stalls_.enter(now);
    if (out.out_valid == 0) return events;
    stalls_.note_result(in.out_ready, now);
    if (in.out_ready) {
        events.result = HistoryResult{out.found != 0, out.same_key != 0, false, out.phys, {}};
    }
    return events;
}

}  // namespace tessera::testbench
