#include "testbenches/assign_table/assign_checker.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera::testbench {

AssignChecker::AssignChecker(Session& session, AssignOperations& state)
    : session_(session),
      state_(state),
      config_(session.config().opportunistic),
      members_(config_.cluster_sms),
      mesh_(session.config().noc.mesh) {
    for (std::uint32_t i = 0; i < 2; ++i) {
        naive_.emplace_back(config_.at_entries, members_, config_.assign_queue_entries);
    }
}

void AssignChecker::watch(AssignRig& rig) {
    rig_ = &rig;
    if (session_.implementation() == "model") return;
    session_.need_plant_among({"small_table", "stale_block"});
    const std::uint32_t lost = session_.plants("small_table") ? 16 : 0;
    pin_table_.emplace("pin_table", session_, config_.at_entries - lost, members_);
}

void AssignChecker::on_decided(std::uint32_t sm, std::uint32_t warp,
                               const VectorDecision& decision) {
    Planned& p = state_.of_warp(sm, warp);
    Scoreboard& board = session_.scoreboard;
    board.expect_count("decisions of an operation", 1, ++p.decisions);
    board.expect_count("lookups of an operation", p.missing ? 1 : 0, p.lookups);
    const bool assigned = goes_elsewhere(p);
    board.expect("operation is assigned to another SM", assigned ? 1 : 0,
                 decision.outcome == VectorOutcome::kAssigned ? 1 : 0);
    if (p.missing) {
        const auto here = mesh_.of_sm(sm), home = mesh_.of_sm(home_of(sm));
        const Cycle least = mesh_.latency(here, home, 1) + 1 + mesh_.latency(home, here, 1);
        const Cycle latency = decision.known - p.issued;
        board.expect_count("latency of a lookup of at least", std::max(least, latency), latency);
        session_.latency.add("lookup", latency);
    }
    after_decision(sm, warp, decision);
}

/// Computes the answer to a lookup that arrives at the home of the table.
void AssignChecker::expect_answer(const MeshMessage& lookup, Cycle at) {
    const std::uint32_t source = lookup.source.value();
    NaiveAssignTable& table = naive_[cluster_of(source)];
    Coverage& c = session_.coverage;
    session_.scoreboard.expect("the answer before has been sent", 0, answer_ ? 1 : 0);
    TableAnswer answer{lookup.id, source, table.find({lookup.input, lookup.weight}), 0, at + 1};
    const bool other = answer.holder != NaiveAssignTable::kNone && answer.holder != source;
    if (other && has_credits(source) && table.reserve(answer.holder % members_)) answer.credits = 1;
    c.hit_if(bins_.absent, answer.holder == NaiveAssignTable::kNone);
    c.hit_if(bins_.own, answer.holder == source);
    c.hit_if(bins_.found, other);
    c.hit_if(bins_.no_slot, other && has_credits(source) && answer.credits == 0);
    if (answer.holder != NaiveAssignTable::kNone) {
        const ToyL1& l1 = rig_->l1(answer.holder);
        c.hit_if(bins_.not_there, other && !(l1.has(lookup.input) && l1.has(lookup.weight)));
    }
    answer_ = answer;
}

void AssignChecker::check_assignment(std::uint32_t sm, const MeshMessage& m, Cycle at) {
    Planned& p = state_.answered(sm);
    Scoreboard& board = session_.scoreboard;
    session_.coverage.hit(bins_.assign);
    board.expect("the operation goes to another SM", 1, goes_elsewhere(p) ? 1 : 0);
    board.expect_count("SM of the assignment", p.holder, m.destination.value());
    board.expect("input of the assignment", p.operation.input, m.input);
    board.expect("weights of the assignment", p.operation.weights, m.weight);
    board.expect("output of the assignment", p.operation.output, m.output);
    p.assigned_at = at;
    assignments_[{sm, m.id}] = state_.sms[sm].warps[state_.sms[sm].answered_warp];
}

void AssignChecker::on_sent(std::uint32_t sm, const MeshMessage& m, Cycle at) {
    Scoreboard& board = session_.scoreboard;
    note("SM {0} sends a message: {1:#x}, {2:#x}, id {3}", sm, m, at);
    switch (m.kind) {
        case MeshMessageKind::kLookup: {
            Planned& p = state_.of_warp(sm, m.id);
            ++p.lookups;
            const BlockPair blocks = blocks_of(p.operation);
            board.expect("input block of a lookup", blocks.input, m.input);
            board.expect("weight block of a lookup", blocks.weights, m.weight);
            board.expect_count("home of the table", home_of(sm), m.destination.value());
            break;
        }
        case MeshMessageKind::kLookupReply: {
            const TableAnswer expected = answer_.value_or(TableAnswer{});
            board.expect("the table owes an answer", 1, answer_ ? 1 : 0);
            board.expect_count("warp of the answer", expected.id, m.id);
            board.expect_count("SM of the answer", expected.to, m.destination.value());
            board.expect("SM with both blocks", expected.holder, m.holder.value());
            board.expect_count("slots reserved", expected.credits, m.credits);
            board.expect_count("cycle of the answer", expected.at, at);
            answer_.reset();
            break;
        }
        case MeshMessageKind::kInsert: {
            const Planned& p = state_.answered(sm);
            session_.coverage.hit(bins_.insert);
            board.expect("the table has no entry", NaiveAssignTable::kNone, p.holder);
            board.expect("input block of a new pair", blocks_of(p.operation).input, m.input);
            break;
        }
        case MeshMessageKind::kAssign:
            check_assignment(sm, m, at);
            break;
        case MeshMessageKind::kRefuse: {
            const Planned& p = state_.planned[assignments_.at({m.destination.value(), m.id})];
            board.expect("refusal of an assignment", p.expects_refusal ? 1 : 0, 1);
            break;
        }
        case MeshMessageKind::kInvalidate:
            ++reported_losses_;
            break;
        default:
            break;
    }
}

/// An assignment arrives: the SM queues it, or refuses it if its queue is full and there are no
/// credits.
void AssignChecker::receive_assignment(std::uint32_t sm, const MeshMessage& m) {
    const auto found = assignments_.find({m.source.value(), m.id});
    Scoreboard& board = session_.scoreboard;
    if (!board.expect("the assignment was sent", 1, found != assignments_.end() ? 1 : 0)) return;
    Planned& p = state_.planned[found->second];
    std::deque<std::size_t>& queue = state_.sms[sm].assigned;
    board.expect_count("arrivals of an assignment", 1, ++p.arrivals);
    board.expect_count("SM that has both blocks", p.holder, sm);
    session_.coverage.hit_if(bins_.queue, !queue.empty());
    if (queue.size() >= config_.assign_queue_entries && !has_credits(sm)) {
        p.expects_refusal = true;
        return;
    }
    board.expect("room for an assignment", 1, queue.size() < config_.assign_queue_entries ? 1 : 0);
    queue.push_back(found->second);
}

void AssignChecker::on_arrival(std::uint32_t sm, const MeshMessage& m, Cycle at) {
    const std::uint32_t source = m.source.value();
    NaiveAssignTable& table = naive_[cluster_of(sm)];
    Coverage& c = session_.coverage;
    note("SM {0} receives a message: {1:#x}, {2:#x}, id {3}", sm, m, at);
    if (pin_table_ && sm == 0) pin_table_->repeat(m, naive_.front());
    switch (m.kind) {
        case MeshMessageKind::kLookup:
            expect_answer(m, at);
            break;
        case MeshMessageKind::kLookupReply: {
            state_.sms[sm].answered_warp = static_cast<std::uint32_t>(m.id);
            Planned& p = state_.answered(sm);
            if (m.holder.valid()) p.holder = m.holder.value();
            p.has_slot = m.credits > 0;
            break;
        }
        case MeshMessageKind::kInsert:
            c.hit_if(bins_.replace, table.insert({m.input, m.weight}, source));
            break;
        case MeshMessageKind::kInvalidate:
            c.hit_if(bins_.invalidate, table.invalidate(m.input, source));
            break;
        case MeshMessageKind::kCredit:
            table.release(m.holder.value() % members_, m.credits);
            break;
        case MeshMessageKind::kAssign:
            receive_assignment(sm, m);
            break;
        case MeshMessageKind::kAcknowledge: {
            Planned& p = state_.planned[assignments_.at({sm, m.id})];
            c.hit(bins_.acknowledge);
            session_.scoreboard.expect_count("executions at the acknowledgement", 1, p.executions);
            session_.scoreboard.expect_count("ends of an assignment", 1, ++p.ends);
            session_.latency.add("assignment", at - p.assigned_at);
            break;
        }
        case MeshMessageKind::kRefuse: {
            Planned& p = state_.planned[assignments_.at({sm, m.id})];
            c.hit(bins_.refuse);
            p.refused = true;
            session_.scoreboard.expect_count("ends of an assignment", 1, ++p.ends);
            state_.sms[sm].assigned.push_back(assignments_.at({sm, m.id}));
            break;
        }
        case MeshMessageKind::kDrain:
            break;
    }
}

void AssignChecker::on_processed(std::uint32_t sm, const MeshMessage& /*message*/) {
    if (sm != home_of(sm)) return;
    session_.scoreboard.expect_count("entries of the assign table", naive_[cluster_of(sm)].size(),
                                     rig_->cluster(cluster_of(sm)).table().size());
}

void AssignChecker::on_execution(std::uint32_t sm, const Execution& e) {
    Scoreboard& board = session_.scoreboard;
    std::deque<std::size_t>& queue = state_.sms[sm].assigned;
    board.begin_cycle(rig_->now());
    if (!board.expect("an assignment waits", 1, queue.empty() ? 0 : 1)) return;
    Planned& p = state_.planned[queue.front()];
    queue.pop_front();
    float result = 0;
    for (std::uint32_t i = 0; i < p.operation.length; ++i) {
        result += AssignRig::word(p.operation.input + i * 4) *
                  AssignRig::word(p.operation.weights + i * 4);
    }
    board.expect("input of the execution", p.operation.input, e.input);
    board.expect("weights of the execution", p.operation.weights, e.weights);
    board.expect("output of the execution", p.operation.output, e.output);
    board.expect_count("result", static_cast<std::uint64_t>(result),
                       static_cast<std::uint64_t>(e.result));
    board.expect_count("executions", 1, ++p.executions);
    session_.coverage.hit_if(bins_.execute_refused, p.refused);
}

/// Conservation: each operation is decided and executed once, each assignment ends once.
void AssignChecker::finish() {
    std::vector<std::string> violations;
    std::uint64_t undecided = 0, wrong = 0, open = 0;
    for (const Planned& p : state_.planned) {
        if (p.decisions != 1) ++undecided;
        if (p.executions != 1) ++wrong;
        if (p.arrivals != p.ends) ++open;
    }
    const auto report = [&](std::uint64_t count, const char* what) {
        if (count > 0) violations.push_back(fmt::format("{} operations {}", count, what));
    };
    report(undecided, "were not decided once");
    report(wrong, "were not executed once");
    report(open, "were assigned and not ended");
    std::uint64_t evictions = 0;
    for (std::uint32_t sm = 0; sm < rig_->sms(); ++sm) evictions += rig_->l1(sm).evictions();
    session_.scoreboard.expect_count("reports of lost blocks", evictions, reported_losses_);
    if (pin_table_) report(pin_table_->waiting(), "have no answer behind pins");
    rig_->check(violations);
    session_.violations(violations);
}

}  // namespace tessera::testbench
