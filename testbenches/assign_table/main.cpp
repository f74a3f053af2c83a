// Testbench of the assign tables of clusters of SMs.
#include <fmt/format.h>
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "testbenches/assign_table/assign_rig.h"
#include "testbenches/assign_table/figure4.h"
#include "testbenches/assign_table/naive_assign_table.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/mesh/naive_mesh.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr std::size_t kL1Blocks = 96;
constexpr Cycle kMissCycles = 40;  ///< from a decision to the arrival of missing blocks
constexpr Address kWeights = Address{1} << 20U;
constexpr Address kEnd = AssignRig::kOutputs;
enum : std::size_t { kCycle, kSm, kInput, kWeightColumn };

Description description() {
    using Kind = Column::Kind;
    Description d;
    d.name = "assign_table";
    d.module = "assign tables of two clusters of SMs, with messages over the mesh";
    d.operation = "vector operations";
    d.sections = {"opportunistic", "noc"};
    d.count = 8000;
    d.columns = {{"cycle", Kind::kNumber, "earliest cycle, not before that of the line above"},
                 {"sm", Kind::kNumber, "SM of the operation, from 0"},
                 {"input", Kind::kAddress, "three words of the input, within a line"},
                 {"weights", Kind::kAddress, "three words of the weights, within a line"}};
    d.errors = {{"small_table", "tables have 16 entries less than opportunistic.at_entries"},
                {"extra_slot", "SMs offer one assignment slot too many"},
                {"lost_assignment", "every 7th assignment is accepted and dropped"},
                {"lost_answer", "every 7th answer of an assign table is lost"},
                {"stale_block", "blocks evicted from an L1 stay in the assign table"}};
    d.examples = {{"figure4",
                   "opportunistic computing, section III-B, Figure 4: SM 1 finds its "
                   "pair of blocks in SM 0"}};
    d.view = "assign_table_testbench.gtkw";
    return d;
}
const Description kDescription = description();

/// Vector operation of a warp and what became of it.
struct Planned {
    VectorOperation operation;
    std::uint32_t sm = 0;
    Cycle at = 0, issued = 0, assigned_at = 0;
    bool missing = false;                            ///< an operand is not in the SM's L1
    std::uint32_t holder = NaiveAssignTable::kNone;  ///< from the answer of the table
    bool has_slot = false;                           ///< reserved at the holder
    bool refused = false, expects_refusal = false;
    std::uint32_t lookups = 0, decisions = 0, arrivals = 0, executions = 0, ends = 0;
};

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
    }

    void run() override {
        if (const Stimulus* stimulus = session_.stimulus()) {
            plan_file(*stimulus);
        } else {
            plan_directed();
            session_.directed = planned_.size();
            plan_random();
        }
        session_.drawn = planned_.size() - session_.directed;
        play();
        collect();
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
    struct Bins {
        Coverage::Bin present, lookup, found, absent, own, no_slot, insert, replace, invalidate,
            assign, queue, refuse, execute_refused, acknowledge, not_there;
    };

    [[nodiscard]] std::vector<OpportunisticConfig> clusters() const;
    static Bins make_bins(Coverage& coverage);
    void plan(Cycle at, std::uint32_t sm, Address input, Address weights);
    void plan_directed();
    void plan_random();
    void plan_file(const Stimulus& stimulus);
    void play();
    void dispatch(std::uint32_t sm);
    void end_operation(std::uint32_t sm, std::uint32_t warp);
    void collect();

    void on_sent(std::uint32_t sm, const MeshMessage& message, Cycle at) override;
    void on_arrival(std::uint32_t sm, const MeshMessage& message, Cycle at) override;
    void on_processed(std::uint32_t sm, const MeshMessage& message) override;
    void on_decided(std::uint32_t sm, std::uint32_t warp, const VectorDecision& decision) override;
    void on_execution(std::uint32_t sm, const Execution& execution) override;
    void expect_answer(const MeshMessage& lookup, Cycle at);
    void check_assignment(std::uint32_t sm, const MeshMessage& message, Cycle at);
    void receive_assignment(std::uint32_t sm, const MeshMessage& message);

    [[nodiscard]] std::uint32_t cluster_of(std::uint32_t sm) const { return sm / members_; }
    [[nodiscard]] std::uint32_t home_of(std::uint32_t sm) const { return sm / members_ * members_; }
    [[nodiscard]] bool has_credits(std::uint32_t sm) const {
        return (cluster_of(sm) == 0) == config_.credits.get();
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
    struct Answer {
        std::uint64_t id = 0;
        std::uint32_t to = 0, holder = NaiveAssignTable::kNone, credits = 0;
        Cycle at = 0;
    };
    std::optional<Answer> answer_;  ///< that a table must send next
    std::vector<std::pair<Cycle, std::pair<std::uint32_t, BlockNumber>>> evictions_;
    std::uint64_t reported_losses_ = 0;  ///< blocks that L1s have lost
    std::optional<AssignRig> rig_;
    const Bins bins_ = make_bins(session_.coverage);
};

std::vector<OpportunisticConfig> AssignTableTestbench::clusters() const {
    OpportunisticConfig config = config_;
    config.scheme = OpportunisticScheme::kInter;
    config.at_cost = AssignTableCost::kMessages;
    if (session_.plants("small_table") && config.at_entries > 16) config.at_entries -= 16;
    if (session_.plants("extra_slot")) ++config.assign_queue_entries;
    if (session_.plants("lost_assignment")) config.fault = OpportunisticFault::kLostAssignment;
    if (session_.plants("lost_answer")) config.fault = OpportunisticFault::kLostAnswer;
    if (session_.plants("stale_block")) config.fault = OpportunisticFault::kStaleBlock;
    std::vector<OpportunisticConfig> both(2, config);
    both[1].credits = !config.credits.get();
    return both;
}

AssignTableTestbench::Bins AssignTableTestbench::make_bins(Coverage& c) {
    Bins bins{};
    bins.present = c.add("operands_present", "an operation whose operands are in the SM's L1");
    bins.lookup = c.add("lookup", "an operand is missing: the SM queries the assign table");
    bins.found = c.add("found", "the table names another SM with both blocks");
    bins.absent = c.add("absent", "the table has no entry for the pair");
    bins.own = c.add("own", "the table names the SM itself, whose blocks are on their way");
    bins.no_slot = c.add("no_slot", "the other SM has no free assignment slot");
    bins.insert = c.add("insert", "an SM enters a pair that it loads");
    bins.replace = c.add("replace", "a new pair replaces the oldest one");
    bins.invalidate = c.add("invalidate", "pairs leave the table with a block that an L1 lost");
    bins.assign = c.add("assign", "an operation goes to another SM");
    bins.queue = c.add("queue", "an assignment waits behind others at the other SM");
    bins.refuse = c.add("refuse", "a full queue refuses an assignment (without credits)");
    bins.execute_refused = c.add("execute_refused", "an SM computes what was refused");
    bins.acknowledge = c.add("acknowledge", "the other SM reports that it has added the result");
    bins.not_there =
        c.add("not_there", "the table names an SM whose block is on its way, or just lost");
    return bins;
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
void AssignTableTestbench::plan_directed() {
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

/// Operations of all SMs, half of them on a few blocks.
void AssignTableTestbench::plan_random() {
    const std::uint32_t line = rig_->line_bytes();
    const auto vector = [&](std::uint64_t block) {
        return block * line + session_.below(line / 4 - 2) * 4;
    };
    Cycle at = 6000;
    for (std::uint64_t i = 0; i < session_.options().count; ++i) {
        at += session_.below(12);
        const auto sm = static_cast<std::uint32_t>(session_.below(rig_->sms()));
        const std::uint64_t input =
            session_.below(2) == 0 ? session_.below(16) : session_.below(192);
        plan(at, sm, vector(input), kWeights + vector(session_.below(12)));
    }
}

void AssignTableTestbench::plan_file(const Stimulus& stimulus) {
    const std::uint32_t line = rig_->line_bytes();
    for (const StimulusRow& row : stimulus.rows()) {
        if (row[kSm] >= rig_->sms()) {
            stimulus.fail(row, kSm,
                          fmt::format("got {}, expected below {}", row[kSm], rig_->sms()));
        }
        for (const std::size_t column : {kInput, kWeightColumn}) {
            if (row[column] < kEnd && row[column] % line + 12 <= line && row[column] % 4 == 0)
                continue;
            stimulus.fail(row, column,
                          fmt::format("got {:#x}, expected below {:#x}, a multiple of 4 with 12 "
                                      "bytes within a line of {}",
                                      row[column], kEnd, line));
        }
        plan(row[kCycle], static_cast<std::uint32_t>(row[kSm]), row[kInput], row[kWeightColumn]);
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
    Answer answer{lookup.id, source, table.find({lookup.input, lookup.weight}), 0, at + 1};
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
            const Answer expected = answer_.value_or(Answer{});
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
void AssignTableTestbench::collect() {
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
    rig_->check(violations);
    session_.violations(violations);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<AssignTableTestbench>(argc, argv, kDescription);
}
