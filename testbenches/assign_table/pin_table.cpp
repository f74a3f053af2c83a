#include "testbenches/assign_table/pin_table.h"

#include <fmt/format.h>

#include "sc_models/common/error.h"
#include "testbenches/harness/pin_block.h"

namespace tessera::testbench {

PinTable::PinTable(const sc_core::sc_module_name& name, Session& session, std::uint32_t entries,
                   std::uint32_t sms)
    : sc_module(name),
      session_(session),
      entries_(entries),
      receiver_(session.options().seed),
      block_(make_pin_level_block<pins::AssignTableBlock, Rtl>(session)) {
    const auto need = [&session](const char* key, std::uint32_t got, std::uint32_t most) {
        if (got <= most) return;
        throw ConfigError(fmt::format("--impl {}: got {} {}, expected at most {}",
                                      session.implementation(), key, got, most));
    };
    need("opportunistic.at_entries", entries, Rtl::kMaxEntries);
    need("opportunistic.cluster_sms", sms, Rtl::kMaxSms);
    SC_THREAD(run);
}

void PinTable::repeat(const MeshMessage& m, NaiveAssignTable reference) {
    const std::uint32_t source = m.source.value();
    Operation operation;
    operation.pair = {m.input, m.weight};
    operation.sm = source;
    if (m.kind == MeshMessageKind::kLookup) {
        const std::uint32_t holder = reference.find(operation.pair);
        operation.done = holder != NaiveAssignTable::kNone;
        if (operation.done) operation.holder = holder;
    } else if (m.kind == MeshMessageKind::kInsert) {
        operation.op = Rtl::Op::kInsert;
        operation.done = reference.find(operation.pair) == NaiveAssignTable::kNone;
        operation.replaced = reference.insert(operation.pair, source);
    } else if (m.kind == MeshMessageKind::kInvalidate) {
        if (++losses_ % 7 == 0 && session_.plants("stale_block")) return;
        operation.op = Rtl::Op::kInvalidate;
        operation.pair.weights = 0;
        const std::size_t before = reference.size();
        operation.done = reference.invalidate(m.input, source);
        operation.count = static_cast<std::uint32_t>(before - reference.size());
    } else {
        return;
    }
    operation.size = static_cast<std::uint32_t>(reference.size());
    queue(operation);
}

void PinTable::queue(const Operation& operation) {
    for (const BlockNumber block : {operation.pair.input, operation.pair.weights}) {
        if (block >> Rtl::kBlockBits == 0) continue;
        throw ConfigError(fmt::format("--impl {}: got block {:#x}, expected at most {} bits",
                                      session_.implementation(), block, Rtl::kBlockBits));
    }
    operations_.push_back(operation);
    queued_.notify(sc_core::SC_ZERO_TIME);
}

void PinTable::run() {
    set_up();
    for (;;) {
        while (operations_.empty()) wait(queued_);
        play(operations_.front());
        operations_.pop_front();
    }
}

/// Runs a clock cycle and waits for its end.
PinTable::Rtl::Outputs PinTable::step(const Rtl::Inputs& in) {
    const Cycle now = session_.clock.now();
    const Rtl::Outputs out = block_->step(in, now);
    wait(session_.clock.span(now + 1) - sc_core::sc_time_stamp());
    return out;
}

void PinTable::set_up() {
    Rtl::Inputs in;
    in.setup_valid = true;
    in.setup_entries = entries_;
    while (step(in).setup_ready == 0) {
    }
}

void PinTable::play(const Operation& operation) {
    Rtl::Inputs in;
    in.in_valid = true;
    in.op = operation.op;
    in.pair = operation.pair;
    in.sm = operation.sm;
    for (Cycle cycle = 0; cycle < kMaxCycles; ++cycle) {
        in.out_ready = receiver_.receives(session_.clock.now());
        const Rtl::Outputs out = step(in);
        if (out.in_ready != 0) in.in_valid = false;
        if (out.out_valid != 0 && in.out_ready) return compare(operation, out);
    }
    session_.violations({fmt::format("an operation has no answer after {} cycles", kMaxCycles)});
}

void PinTable::compare(const Operation& operation, const Rtl::Outputs& out) {
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(session_.clock.now());
    board.expect("done, behind pins", operation.done ? 1 : 0, out.done);
    board.expect("replaced, behind pins", operation.replaced ? 1 : 0, out.replaced);
    board.expect_count("SM, behind pins", operation.holder, out.sm);
    board.expect_count("invalidated, behind pins", operation.count, out.count);
    board.expect_count("entries behind pins", operation.size, out.size);
}

}  // namespace tessera::testbench
