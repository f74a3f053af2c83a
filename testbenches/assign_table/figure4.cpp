#include "testbenches/assign_table/figure4.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "testbenches/assign_table/assign_rig.h"
#include "testbenches/mesh/naive_mesh.h"

namespace tessera::testbench {
namespace {

constexpr Address kA = 0x01000, kB = 0x80000;  ///< addresses of the cache blocks
constexpr Cycle kMissCycles = 30;              ///< a block arrives from L2 after that many cycles

class Figure4 final : private AssignObserver {
public:
    explicit Figure4(Session& session)
        : session_(session), mesh_(session.config().noc.mesh), config_(config(session)) {
        AssignObserver& self = *this;
        const std::size_t l1_blocks = 16;
        rig_.emplace("rig", session, std::vector<OpportunisticConfig>{config_}, l1_blocks, self);
    }
    void play();

private:
    struct Event {
        MeshMessageKind kind;
        std::string text;
    };
    /// Scheme `inter` with predictions in the precompute table of the other SM, as in the paper.
    [[nodiscard]] static OpportunisticConfig config(const Session& session) {
        OpportunisticConfig config = session.config().opportunistic;
        config.scheme = OpportunisticScheme::kInter;
        config.at_cost = AssignTableCost::kMessages;
        config.assign_predicts = true;
        return config;
    }

    void on_sent(std::uint32_t sm, const MeshMessage& m, Cycle at) override {
        if (m.kind == MeshMessageKind::kDrain || m.kind == MeshMessageKind::kCredit) return;
        events_.push_back({m.kind, fmt::format("  cycle {:>3}: SM {} sends {} to SM {}{}", at, sm,
                                               kMeshMessageNames[static_cast<std::size_t>(m.kind)],
                                               m.destination.value(), fields(m))});
    }
    void on_arrival(std::uint32_t /*sm*/, const MeshMessage& m, Cycle /*at*/) override {
        seen_[static_cast<std::size_t>(m.kind)] = m;
    }
    void on_processed(std::uint32_t /*sm*/, const MeshMessage& /*m*/) override {}
    void on_decided(std::uint32_t sm, std::uint32_t warp, const VectorDecision& d) override {
        decided_ = d;
        if (d.outcome == VectorOutcome::kAssigned) return;
        rig_->schedule(d.known + kMissCycles, [this, sm, warp] {
            rig_->l1(sm).fill(kA / rig_->line_bytes());
            rig_->l1(sm).fill(kB / rig_->line_bytes());
            rig_->store(sm, warp);
        });
    }
    void on_execution(std::uint32_t sm, const Execution& execution) override {
        executed_ = execution;
        executor_ = sm;
        execution_text_ =
            fmt::format("  cycle {:>3}: the assistant warp of SM {} computes {:#x} x {:#x} = {}",
                        rig_->now(), sm, execution.input, execution.weights, execution.result);
    }

    [[nodiscard]] static std::string fields(const MeshMessage& m) {
        switch (m.kind) {
            case MeshMessageKind::kLookup:
            case MeshMessageKind::kInsert:
                return fmt::format(": blocks ({:#x}, {:#x})", m.input, m.weight);
            case MeshMessageKind::kLookupReply:
                return m.holder.valid() ? fmt::format(": SM {}", m.holder.value()) : ": no entry";
            case MeshMessageKind::kAssign:
                return fmt::format(": input {:#x}, weights {:#x}, output {:#x}", m.input, m.weight,
                                   m.output);
            case MeshMessageKind::kInvalidate:
                return fmt::format(": block {:#x}", m.input);
            default:
                return "";
        }
    }
    void say(const std::string& line) { session_.print(line + "\n"); }
    void check(const char* what, std::uint64_t paper, std::uint64_t got) {
        const bool equal = session_.scoreboard.expect_count(what, paper, got);
        say(fmt::format("  {} {}: expected {}, here {}", equal ? "ok  " : "NO  ", what, paper,
                        got));
    }
    void check_address(const char* what, Address paper, Address got) {
        const bool equal = session_.scoreboard.expect(what, paper, got);
        say(fmt::format("  {} {}: expected {:#x}, here {:#x}", equal ? "ok  " : "NO  ", what, paper,
                        got));
    }
    /// Prints the messages of these kinds that have been sent since the last call.
    void show(std::initializer_list<MeshMessageKind> kinds) {
        for (auto event = events_.begin(); event != events_.end();) {
            if (std::find(kinds.begin(), kinds.end(), event->kind) == kinds.end()) {
                ++event;
                continue;
            }
            say(event->text);
            event = events_.erase(event);
        }
    }
    void issue(std::uint32_t sm, std::uint64_t output) {
        decided_ = {};
        issued_ = rig_->now() + 10;
        rig_->schedule(issued_,
                       [this, sm, output] { rig_->issue(sm, 0, rig_->operation(kA, kB, output)); });
        AssignRig::drain();
    }
    [[nodiscard]] std::uint32_t entry() {
        const SmId sm =
            rig_->cluster(0).table().find({kA / rig_->line_bytes(), kB / rig_->line_bytes()});
        return sm.value();
    }
    void show_table() {
        const std::uint32_t sm = entry();
        say(fmt::format("  Assign Table: {}",
                        SmId(sm).valid()
                            ? fmt::format("({:#x}, {:#x}) -> SM {}", kA / rig_->line_bytes(),
                                          kB / rig_->line_bytes(), sm)
                            : "empty"));
    }
    [[nodiscard]] const MeshMessage& seen(MeshMessageKind kind) const {
        return seen_[static_cast<std::size_t>(kind)];
    }
    /// Returns a counter of all SMs.
    [[nodiscard]] std::uint64_t count(const char* name) const {
        return rig_->statistics().sum(fmt::format("unit.{}", name));
    }

    Session& session_;
    NaiveMesh mesh_;
    const OpportunisticConfig config_;
    std::array<MeshMessage, kMeshMessageKinds> seen_;  ///< last of each kind
    std::vector<Event> events_;                        ///< not printed
    std::string execution_text_;
    VectorDecision decided_;
    Execution executed_;
    std::uint32_t executor_ = SmId().value();
    Cycle issued_ = 0;
    std::optional<AssignRig> rig_;
};

void Figure4::play() {
    const std::uint32_t line = rig_->line_bytes();
    const auto none = SmId().value();
    say(
        fmt::format("Opportunistic computing, section III-B, Figure 4: inter-SM opportunistic near "
                    "data computing.\nSM 0 and SM 1 are in the same cluster of {}. Cache block A "
                    "is {:#x}, block B {:#x} (of {} bytes);\nthe Assign Table is at SM 0. The "
                    "paper does not number the steps; they follow its text.",
                    config_.cluster_sms, kA / line, kB / line, line));
    rig_->start_kernel(3);

    say("\nStep 0: SM 0 has computed on A and B before, so the table has its entry");
    issue(0, 0);
    show({MeshMessageKind::kLookup, MeshMessageKind::kLookupReply, MeshMessageKind::kInsert});
    check("SM of entry (A, B)", 0, entry());
    show_table();

    say("\nStep 1: SM 1 performs computation between A and B and encounters a cache miss");
    check("SM 1 has block A", 0, rig_->l1(1).has(kA / line) ? 1 : 0);
    executor_ = none;
    issue(1, 1);

    say("\nStep 2: SM 1 searches the Assign Table and finds that SM 0 has both cache blocks");
    show({MeshMessageKind::kLookup, MeshMessageKind::kLookupReply});
    check("SM in the answer", 0, seen(MeshMessageKind::kLookupReply).holder.value());
    const auto here = mesh_.of_sm(1), home = mesh_.of_sm(0);
    check("cycles until SM 1 has the answer",
          mesh_.latency(here, home, 1) + 1 + mesh_.latency(home, here, 1),
          decided_.known - issued_);

    say("\nStep 3: SM 1 sends its input and output addresses to SM 0");
    show({MeshMessageKind::kAssign});
    const MeshMessage& assignment = seen(MeshMessageKind::kAssign);
    check_address("input address", kA, assignment.input);
    check_address("output address", AssignRig::kOutputs + 4, assignment.output);
    check("operations that SM 1 has assigned", 1, rig_->unit(1).totals().sent);

    say("\nStep 4: SM 0 finds no result in its Precompute Table; its next assistant warp computes");
    say(execution_text_);
    check("results from the Precompute Table", 0, count("assignments.precomputed"));
    check("SM of the assistant warp", 0, executor_);
    float result = 0;
    for (Address i = 0; i < 12; i += 4) result += AssignRig::word(kA + i) * AssignRig::word(kB + i);
    check("result", static_cast<std::uint64_t>(result),
          static_cast<std::uint64_t>(executed_.result));

    say("\nStep 5: SM 0 writes the result back to memory; SM 1 does not read it");
    show({MeshMessageKind::kAcknowledge});
    check_address("address of the atomic add", AssignRig::kOutputs + 4, executed_.output);
    check("SM 1 has loaded block A", 0, rig_->l1(1).has(kA / line) ? 1 : 0);
    check("assignments that SM 0 has acknowledged", 1, rig_->unit(1).totals().acknowledged);
    show_table();

    say("\nStep 6: block A is replaced from the L1 of SM 0; its entries leave the table");
    rig_->schedule(rig_->now() + 10, [this, line] { rig_->l1(0).evict(kA / line); });
    AssignRig::drain();
    show({MeshMessageKind::kInvalidate});
    check("entries of the table", 0, rig_->cluster(0).table().size());
    show_table();

    say("\nStep 7: without an entry, SM 1 loads the block from L2 and creates a new entry");
    issue(1, 2);
    show({MeshMessageKind::kLookup, MeshMessageKind::kLookupReply, MeshMessageKind::kInsert});
    check("SM of entry (A, B)", 1, entry());
    check("SM 1 has block A", 1, rig_->l1(1).has(kA / line) ? 1 : 0);
    show_table();
    for (std::uint32_t sm = 0; sm < rig_->sms(); ++sm) {
        rig_->schedule(rig_->now(),
                       [this, sm] { static_cast<void>(rig_->unit(sm).end_work(rig_->now())); });
    }
    AssignRig::drain();
    std::vector<std::string> violations;
    rig_->check(violations);
    session_.violations(violations);
}

}  // namespace

void play_figure4(Session& session) {
    Figure4(session).play();
}

}  // namespace tessera::testbench
