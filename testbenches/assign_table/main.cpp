// Testbench of the assign tables of clusters of SMs.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "testbenches/assign_table/assign_checker.h"
#include "testbenches/assign_table/assign_stimulus.h"
#include "testbenches/assign_table/figure4.h"
#include "testbenches/assign_table/plan.h"
#include "testbenches/harness/testbench.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr std::size_t kL1Blocks = 96;
constexpr Cycle kMissCycles = 40;  ///< from a decision to the arrival of missing blocks

const Description kDescription = description();

/// Two clusters of SMs whose warps issue vector operations.
class AssignTableTestbench final : public Testbench {
public:
    explicit AssignTableTestbench(Session& session)
        : session_(session),
          members_(session.config().opportunistic.cluster_sms),
          checker_(session, state_) {
        if (!session.options().example.empty()) return;  // it makes its own modules
        rig_.emplace("rig", session, clusters(), kL1Blocks, checker_);
        state_.sms.resize(rig_->sms());
        checker_.watch(*rig_);
        checker_.after_decision = [this](std::uint32_t sm, std::uint32_t warp,
                                         const VectorDecision& decision) {
            follow(sm, warp, decision);
        };
    }

    void run_example(const std::string& /*name*/) override { play_figure4(session_); }

private:
    [[nodiscard]] std::vector<OpportunisticConfig> clusters() const;
    void plan(Cycle at, std::uint32_t sm, Address input, Address weights);
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void play();
    void dispatch(std::uint32_t sm);
    void follow(std::uint32_t sm, std::uint32_t warp, const VectorDecision& decision);
    void end_operation(std::uint32_t sm, std::uint32_t warp);
    void finish() override;

    Session& session_;
    const std::uint32_t members_;
    AssignOperations state_;
    AssignChecker checker_;
    std::vector<std::pair<Cycle, std::pair<std::uint32_t, BlockNumber>>> evictions_;
    std::optional<AssignRig> rig_;
};

std::vector<OpportunisticConfig> AssignTableTestbench::clusters() const {
    OpportunisticConfig config = session_.config().opportunistic;
    const bool models = session_.implementation() == "model";  // none is behind pins
    config.scheme = OpportunisticScheme::kInter;
    config.at_cost = AssignTableCost::kMessages;
    if (models && session_.plants("small_table") && config.at_entries > 16) config.at_entries -= 16;
    if (session_.plants("extra_slot")) ++config.assign_queue_entries;
    if (session_.plants("lost_assignment")) config.fault = OpportunisticFault::kLostAssignment;
    if (session_.plants("lost_answer")) config.fault = OpportunisticFault::kLostAnswer;
    if (models && session_.plants("stale_block")) config.fault = OpportunisticFault::kStaleBlock;
    std::vector<OpportunisticConfig> both(2, config);
    both[1].credits = !config.credits;
    return both;
}

void AssignTableTestbench::plan(Cycle at, std::uint32_t sm, Address input, Address weights) {
    Planned planned;
    planned.operation = rig_->operation(input, weights, state_.planned.size());
    planned.sm = sm;
    planned.at = at;
    state_.sms[sm].waiting.push_back(state_.planned.size());
    state_.planned.push_back(planned);
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
    session_.directed = state_.planned.size();
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
    if (state_.planned.empty()) return;
    rig_->start_kernel(state_.planned.size());
    for (const auto& [at, lost] : evictions_) {
        const auto [sm, block] = lost;
        rig_->schedule(at, [this, sm = sm, block = block] { rig_->l1(sm).evict(block); });
    }
    for (std::uint32_t sm = 0; sm < rig_->sms(); ++sm) {
        rig_->schedule(
            state_.sms[sm].waiting.empty() ? 0 : state_.planned[state_.sms[sm].waiting.front()].at,
            [this, sm] { dispatch(sm); });
    }
    AssignRig::drain();
}

/// Issues operations whose cycle has come to idle warps; the SM's work ends with the last one.
void AssignTableTestbench::dispatch(std::uint32_t sm) {
    AssignOperations::SmState& state = state_.sms[sm];
    const Cycle now = rig_->now();
    for (std::uint32_t warp = 0; warp < AssignRig::kWarps && !state.waiting.empty(); ++warp) {
        if (state.warps[warp] != AssignOperations::kIdle) continue;
        Planned& planned = state_.planned[state.waiting.front()];
        if (planned.at > now) return rig_->schedule(planned.at, [this, sm] { dispatch(sm); });
        state.warps[warp] = state.waiting.front();
        state.waiting.pop_front();
        planned.issued = now;
        const BlockPair blocks = checker_.blocks_of(planned.operation);
        planned.missing = !rig_->l1(sm).has(blocks.input) || !rig_->l1(sm).has(blocks.weights);
        session_.coverage.hit(planned.missing ? checker_.bins().lookup : checker_.bins().present);
        rig_->issue(sm, warp, planned.operation);
    }
    const bool idle =
        std::all_of(state.warps.begin(), state.warps.end(),
                    [](std::size_t operation) { return operation == AssignOperations::kIdle; });
    if (idle && state.waiting.empty()) static_cast<void>(rig_->unit(sm).end_work(now));
}

void AssignTableTestbench::end_operation(std::uint32_t sm, std::uint32_t warp) {
    state_.sms[sm].warps[warp] = AssignOperations::kIdle;
    dispatch(sm);
}

/// Fills the L1 with missing blocks and stores the result, unless the operation goes to another SM.
void AssignTableTestbench::follow(std::uint32_t sm, std::uint32_t warp,
                                  const VectorDecision& decision) {
    if (decision.outcome == VectorOutcome::kAssigned) {
        rig_->schedule(decision.known, [this, sm, warp] { end_operation(sm, warp); });
        return;
    }
    const bool missing = state_.of_warp(sm, warp).missing;
    rig_->schedule(decision.known + (missing ? kMissCycles : 1), [this, sm, warp] {
        Planned& done = state_.of_warp(sm, warp);
        const BlockPair blocks = checker_.blocks_of(done.operation);
        rig_->l1(sm).fill(blocks.input);
        rig_->l1(sm).fill(blocks.weights);
        rig_->store(sm, warp);
        ++done.executions;
        end_operation(sm, warp);
    });
}

void AssignTableTestbench::finish() {
    session_.drawn = state_.planned.size() - session_.directed;
    play();
    checker_.finish();
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<AssignTableTestbench>(argc, argv, kDescription);
}
