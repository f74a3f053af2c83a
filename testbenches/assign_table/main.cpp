// Testbench of the assign tables of clusters of SMs.
#include <fmt/format.h>
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "testbenches/assign_table/assign_rig.h"
#include "testbenches/assign_table/assign_stimulus.h"
#include "testbenches/assign_table/figure4.h"
#include "testbenches/assign_table/naive_assign_table.h"
#include "testbenches/assign_table/pin_table.h"
#include "testbenches/assign_table/plan.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/mesh/naive_mesh.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr std::size_t kL1Blocks = 96;
constexpr Cycle kMissCycles = 40;  ///< from a decision to the arrival of missing blocks

const Description kDescription = description();

/// Two clusters, the second with the other setting of opportunistic.credits. Every message to and
/// from an assign table, every decision and every result is compared with the reference.
class AssignTableTestbench final : public Testbench, private AssignObserver {
public:
    explicit AssignTableTestbench(Session& session)
        : session_(session),
          config_(session.config().opportunistic),
          members_(config_.cluster_sms),
          mesh_(session.config().noc.mesh) {
        for (std::uint32_t i = 0; i < 2; ++i) {
            naive_.emplace_back(config_.at_entries, members_, config_.assign_queue_entries);
        }
        if (!session.options().example.empty()) return;  // it makes its own modules
        AssignObserver& self = *this;
        rig_.emplace("rig", session, clusters(), kL1Blocks, self);
        sms_.resize(rig_->sms());
        if (models()) return;
        session.need_plant_among({"small_table", "stale_block"});
        const std::uint32_t lost = session.plants("small_table") ? 16 : 0;
        pin_table_.emplace("pin_table", session, config_.at_entries - lost, members_);
    }

    void run_example(const std::string& /*name*/) override { play_figure4(session_); }

private:
    static constexpr std::size_t kIdle = ~std::size_t{0};
    struct SmState {
        std::deque<std::size_t> waiting;  ///< operations not issued
        std::array<std::size_t, AssignRig::kWarps> warps{kIdle, kIdle, kIdle, kIdle};
        std::uint32_t answered_warp = 0;   ///< warp of the answer that arrived last
        std::deque<std::size_t> assigned;  ///< operations for the assistant warp
    };
    [[nodiscard]] std::vector<OpportunisticConfig> clusters() const;
    void plan(Cycle at, std::uint32_t sm, Address input, Address weights);
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void play();
    void dispatch(std::uint32_t sm);
    void end_operation(std::uint32_t sm, std::uint32_t warp);
    void finish() override;

    void on_sent(std::uint32_t sm, const MeshMessage& message, Cycle at) override;
    void on_arrival(std::uint32_t sm, const MeshMessage& message, Cycle at) override;
    void on_processed(std::uint32_t sm, const MeshMessage& message) override;
    void on_decided(std::uint32_t sm, std::uint32_t warp, const VectorDecision& decision) override;
    void on_execution(std::uint32_t sm, const Execution& execution) override;
    void expect_answer(const MeshMessage& lookup, Cycle at);
    void check_assignment(std::uint32_t sm, const MeshMessage& message, Cycle at);
    void receive_assignment(std::uint32_t sm, const MeshMessage& message);

    void repeat(const MeshMessage& message);

    /// Whether the tables are those of the machine alone, and none is behind pins.
    [[nodiscard]] bool models() const { return session_.implementation() == "model"; }
    [[nodiscard]] std::uint32_t cluster_of(std::uint32_t sm) const { return sm / members_; }
    [[nodiscard]] std::uint32_t home_of(std::uint32_t sm) const { return sm / members_ * members_; }
    [[nodiscard]] bool has_credits(std::uint32_t sm) const {
        return (cluster_of(sm) == 0) == config_.credits;
    }
    [[nodiscard]] BlockPair blocks_of(const VectorOperation& operation) const {
        return {operation.input / rig_->line_bytes(), operation.weights / rig_->line_bytes()};
    }
    [[nodiscard]] Planned& of_warp(std::uint32_t sm, std::uint64_t warp) {
        return planned_[sms_[sm].warps.at(warp)];
    }
    /// Operation of a warp whose answer has arrived last at `sm`.
    [[nodiscard]] Planned& answered(std::uint32_t sm) {
        return of_warp(sm, sms_[sm].answered_warp);
    }
    [[nodiscard]] static bool elsewhere(const Planned& p) {
        return p.holder != NaiveAssignTable::kNone && p.holder != p.sm;
    }
    [[nodiscard]] bool goes_elsewhere(const Planned& p) const {
        return p.missing && elsewhere(p) && (p.has_slot || !has_credits(p.sm));
    }
    void note(const char* what, std::uint64_t sm, const MeshMessage& m, Cycle at) {
        session_.scoreboard.begin_cycle(at);
        session_.scoreboard.note(what, sm, m.input, m.weight, m.id);
    }

    Session& session_;
    const OpportunisticConfig config_;
    const std::uint32_t members_;
    NaiveMesh mesh_;
    std::vector<NaiveAssignTable> naive_;  ///< by cluster
    std::deque<Planned> planned_;
    std::vector<SmState> sms_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> assignments_;  ///< by SM and id
    std::optional<TableAnswer> answer_;  ///< that a table must send next
    std::vector<std::pair<Cycle, std::pair<std::uint32_t, BlockNumber>>> evictions_;
    std::uint64_t reported_losses_ = 0;  ///< blocks that L1s have lost
    std::optional<AssignRig> rig_;
    std::optional<PinTable> pin_table_;  ///< repeats the operations of the first cluster's table
    std::uint64_t repeated_losses_ = 0;
    const Bins bins_{session_.coverage};
};

std::vector<OpportunisticConfig> AssignTableTestbench::clusters() const {
    OpportunisticConfig config = config_;
    config.scheme = OpportunisticScheme::kInter;
    config.at_cost = AssignTableCost::kMessages;
    if (models() && session_.plants("small_table") && config.at_entries > 16)
        config.at_entries -= 16;
    if (session_.plants("extra_slot")) ++config.assign_queue_entries;
    if (session_.plants("lost_assignment")) config.fault = OpportunisticFault::kLostAssignment;
    if (session_.plants("lost_answer")) config.fault = OpportunisticFault::kLostAnswer;
    if (models() && session_.plants("stale_block")) config.fault = OpportunisticFault::kStaleBlock;
    std::vector<OpportunisticConfig> both(2, config);
    both[1].credits = !config.credits;
    return both;
}

void AssignTableTestbench::plan(Cycle at, std::uint32_t sm, Address input, Address weights) {
    Planned planned;
    planned.operation = rig_->operation(input, weights, planned_.size());
    planned.sm = sm;
    planned.at = at;
    sms_[sm].waiting.push_back(planned_.size());
    planned_.push_back(planned);
}

/// Each situation once in each cluster.
void AssignTableTestbench::play_directed() {
    const Address a = 0x40, b = kWeights + 0x100;
    for (std::uint32_t cluster = 0; cluster < 2; ++cluster) {
        const std::uint32_t home = cluster * members_;
        const auto sm = [&](std::uint32_t i) { return home + i % members_; };
        plan(10, sm(1), a, b);   // absent: it enters the pair
        plan(45, sm(1), a, b);   // its own entry, while the blocks are on their way
        plan(45, sm(2), a, b);   // likewise, for another SM
        plan(300, sm(2), a, b);  // found in the first
        for (std::uint32_t i = 0; i < 5 * members_; ++i) {
            if (sm(i) != sm(1)) plan(600, sm(i), a, b);  // more than the slots
        }
        plan(2000, sm(1), a + 4, b + 8);  // present
        evictions_.push_back({3000, {sm(1), a / rig_->line_bytes()}});
        plan(3000, sm(1), a, b);  // its own entry, whose invalidation follows
        plan(3000, sm(4), a, b);  // another SM meanwhile
        evictions_.push_back({4000, {sm(1), b / rig_->line_bytes()}});
        plan(4300, sm(3), a, b);  // absent again
    }
}

void AssignTableTestbench::play_random() {
    session_.directed = planned_.size();
    for (const AssignOperation& o :
         random_operations(session_, rig_->sms(), rig_->line_bytes(), 6000)) {
        plan(o.at, o.sm, o.input, o.weights);
    }
}

void AssignTableTestbench::play_file(const Stimulus& stimulus) {
    for (const AssignOperation& o : operations_of(stimulus, rig_->sms(), rig_->line_bytes())) {
        plan(o.at, o.sm, o.input, o.weights);
    }
}

void AssignTableTestbench::play() {
    if (planned_.empty()) return;
    rig_->start_kernel(planned_.size());
    for (const auto& [at, lost] : evictions_) {
        const auto [sm, block] = lost;
        rig_->schedule(at, [this, sm = sm, block = block] { rig_->l1(sm).evict(block); });
    }
    for (std::uint32_t sm = 0; sm < rig_->sms(); ++sm) {
        rig_->schedule(sms_[sm].waiting.empty() ? 0 : planned_[sms_[sm].waiting.front()].at,
                       [this, sm] { dispatch(sm); });
    }
    AssignRig::drain();
}

/// Issues operations whose cycle has come to idle warps; the SM's work ends with the last one.
void AssignTableTestbench::dispatch(std::uint32_t sm) {
    SmState& state = sms_[sm];
    const Cycle now = rig_->now();
    for (std::uint32_t warp = 0; warp < AssignRig::kWarps && !state.waiting.empty(); ++warp) {
        if (state.warps[warp] != kIdle) continue;
        Planned& planned = planned_[state.waiting.front()];
        if (planned.at > now) return rig_->schedule(planned.at, [this, sm] { dispatch(sm); });
        state.warps[warp] = state.waiting.front();
        state.waiting.pop_front();
        planned.issued = now;
        const BlockPair blocks = blocks_of(planned.operation);
        planned.missing = !rig_->l1(sm).has(blocks.input) || !rig_->l1(sm).has(blocks.weights);
        session_.coverage.hit(planned.missing ? bins_.lookup : bins_.present);
        rig_->issue(sm, warp, planned.operation);
    }
    const bool idle = std::all_of(state.warps.begin(), state.warps.end(),
                                  [](std::size_t operation) { return operation == kIdle; });
    if (idle && state.waiting.empty()) static_cast<void>(rig_->unit(sm).end_work(now));
}

void AssignTableTestbench::end_operation(std::uint32_t sm, std::uint32_t warp) {
    sms_[sm].warps[warp] = kIdle;
    dispatch(sm);
}

void AssignTableTestbench::on_decided(std::uint32_t sm, std::uint32_t warp,
                                      const VectorDecision& decision) {
    Planned& p = of_warp(sm, warp);
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
    if (decision.outcome == VectorOutcome::kAssigned) {
        rig_->schedule(decision.known, [this, sm, warp] { end_operation(sm, warp); });
        return;
    }
    rig_->schedule(decision.known + (p.missing ? kMissCycles : 1), [this, sm, warp] {
        Planned& done = of_warp(sm, warp);
        const BlockPair blocks = blocks_of(done.operation);
        rig_->l1(sm).fill(blocks.input);
        rig_->l1(sm).fill(blocks.weights);
        rig_->store(sm, warp);
        ++done.executions;
        end_operation(sm, warp);
    });
}

/// Computes the answer to a lookup that arrives at the home of the table.
void AssignTableTestbench::expect_answer(const MeshMessage& lookup, Cycle at) {
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

void AssignTableTestbench::check_assignment(std::uint32_t sm, const MeshMessage& m, Cycle at) {
    Planned& p = answered(sm);
    Scoreboard& board = session_.scoreboard;
    session_.coverage.hit(bins_.assign);
    board.expect("the operation goes to another SM", 1, goes_elsewhere(p) ? 1 : 0);
    board.expect_count("SM of the assignment", p.holder, m.destination.value());
    board.expect("input of the assignment", p.operation.input, m.input);
    board.expect("weights of the assignment", p.operation.weights, m.weight);
    board.expect("output of the assignment", p.operation.output, m.output);
    p.assigned_at = at;
    assignments_[{sm, m.id}] = sms_[sm].warps[sms_[sm].answered_warp];
}

void AssignTableTestbench::on_sent(std::uint32_t sm, const MeshMessage& m, Cycle at) {
    Scoreboard& board = session_.scoreboard;
    note("SM {0} sends a message: {1:#x}, {2:#x}, id {3}", sm, m, at);
    switch (m.kind) {
        case MeshMessageKind::kLookup: {
            Planned& p = of_warp(sm, m.id);
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
            const Planned& p = answered(sm);
            session_.coverage.hit(bins_.insert);
            board.expect("the table has no entry", NaiveAssignTable::kNone, p.holder);
            board.expect("input block of a new pair", blocks_of(p.operation).input, m.input);
            break;
        }
        case MeshMessageKind::kAssign:
            check_assignment(sm, m, at);
            break;
        case MeshMessageKind::kRefuse: {
            const Planned& p = planned_[assignments_.at({m.destination.value(), m.id})];
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
void AssignTableTestbench::receive_assignment(std::uint32_t sm, const MeshMessage& m) {
    const auto found = assignments_.find({m.source.value(), m.id});
    Scoreboard& board = session_.scoreboard;
    if (!board.expect("the assignment was sent", 1, found != assignments_.end() ? 1 : 0)) return;
    Planned& p = planned_[found->second];
    std::deque<std::size_t>& queue = sms_[sm].assigned;
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

void AssignTableTestbench::on_arrival(std::uint32_t sm, const MeshMessage& m, Cycle at) {
    const std::uint32_t source = m.source.value();
    NaiveAssignTable& table = naive_[cluster_of(sm)];
    Coverage& c = session_.coverage;
    note("SM {0} receives a message: {1:#x}, {2:#x}, id {3}", sm, m, at);
    if (pin_table_ && sm == 0) repeat(m);
    switch (m.kind) {
        case MeshMessageKind::kLookup:
            expect_answer(m, at);
            break;
        case MeshMessageKind::kLookupReply: {
            sms_[sm].answered_warp = static_cast<std::uint32_t>(m.id);
            Planned& p = answered(sm);
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
            Planned& p = planned_[assignments_.at({sm, m.id})];
            c.hit(bins_.acknowledge);
            session_.scoreboard.expect_count("executions at the acknowledgement", 1, p.executions);
            session_.scoreboard.expect_count("ends of an assignment", 1, ++p.ends);
            session_.latency.add("assignment", at - p.assigned_at);
            break;
        }
        case MeshMessageKind::kRefuse: {
            Planned& p = planned_[assignments_.at({sm, m.id})];
            c.hit(bins_.refuse);
            p.refused = true;
            session_.scoreboard.expect_count("ends of an assignment", 1, ++p.ends);
            sms_[sm].assigned.push_back(assignments_.at({sm, m.id}));
            break;
        }
        case MeshMessageKind::kDrain:
            break;
    }
}

/// Sends an operation of the first cluster's table to the one behind pins, with the answer of the
/// reference.
void AssignTableTestbench::repeat(const MeshMessage& m) {
    NaiveAssignTable expected = naive_.front();
    const std::uint32_t source = m.source.value();
    PinTable::Operation operation;
    operation.pair = {m.input, m.weight};
    operation.sm = source;
    if (m.kind == MeshMessageKind::kLookup) {
        const std::uint32_t holder = expected.find(operation.pair);
        operation.done = holder != NaiveAssignTable::kNone;
        if (operation.done) operation.holder = holder;
    } else if (m.kind == MeshMessageKind::kInsert) {
        operation.op = PinTable::Rtl::Op::kInsert;
        operation.done = expected.find(operation.pair) == NaiveAssignTable::kNone;
        operation.replaced = expected.insert(operation.pair, source);
    } else if (m.kind == MeshMessageKind::kInvalidate) {
        if (++repeated_losses_ % 7 == 0 && session_.plants("stale_block")) return;
        operation.op = PinTable::Rtl::Op::kInvalidate;
        operation.pair.weights = 0;
        operation.done = expected.invalidate(m.input, source);
        operation.count = static_cast<std::uint32_t>(naive_.front().size() - expected.size());
    } else {
        return;
    }
    operation.size = static_cast<std::uint32_t>(expected.size());
    pin_table_->repeat(operation);
}

void AssignTableTestbench::on_processed(std::uint32_t sm, const MeshMessage& /*message*/) {
    if (sm != home_of(sm)) return;
    session_.scoreboard.expect_count("entries of the assign table", naive_[cluster_of(sm)].size(),
                                     rig_->cluster(cluster_of(sm)).table().size());
}

void AssignTableTestbench::on_execution(std::uint32_t sm, const Execution& e) {
    Scoreboard& board = session_.scoreboard;
    std::deque<std::size_t>& queue = sms_[sm].assigned;
    board.begin_cycle(rig_->now());
    if (!board.expect("an assignment waits", 1, queue.empty() ? 0 : 1)) return;
    Planned& p = planned_[queue.front()];
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
void AssignTableTestbench::finish() {
    session_.drawn = planned_.size() - session_.directed;
    play();
    std::vector<std::string> violations;
    std::uint64_t undecided = 0, wrong = 0, open = 0;
    for (const Planned& p : planned_) {
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

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<AssignTableTestbench>(argc, argv, kDescription);
}
