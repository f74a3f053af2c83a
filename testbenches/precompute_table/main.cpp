// Testbench of the precompute table of an SM.
#include <fmt/format.h>
#include <memory>

#include "sc_models/opportunistic/precompute_table_module.h"
#include "sc_models/workload/direct/lane_layout.h"
#include "testbenches/harness/pin_block.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/precompute_table/description.h"
#include "testbenches/precompute_table/figure3.h"
#include "testbenches/precompute_table/table_checker.h"
#include "testbenches/precompute_table/table_stimulus.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

const Description kDescription = description();

/// Table of the SM, or the one behind its pins, beside a list with the same rules.
class PrecomputeTableTestbench final : public Testbench {
public:
    explicit PrecomputeTableTestbench(Session& session)
        : session_(session),
          config_(session.config().opportunistic),
          lanes_(config_.pt_granularity == PrecomputeGranularity::kWarp ? LaneLayout::kMaxLanes
                                                                        : 1),
          module_config_(module_config(session)),
          module_("precompute_table", module_config_),
          driver_(make_driver()),
          checker_(session, module_, *driver_, lanes_),
          stimulus_(session) {
        if (models()) module_.add_statistics(statistics_);
        WaveRecorder* const wave = session.observers().wave;
        if (wave != nullptr && models() && session.options().example.empty()) {
            module_.watch(*wave, "precompute_table");
        }
    }

    void run_example(const std::string& /*name*/) override { play_figure3(session_); }

private:
    /// Returns whether the core is tested, and not the table behind its pins.
    [[nodiscard]] bool models() const { return session_.implementation() == "model"; }
    [[nodiscard]] std::unique_ptr<TableDriver> make_driver();
    [[nodiscard]] static OpportunisticConfig module_config(const Session& session);
    void prepare() override { checker_.watch(session_.observers().wave); }
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void finish() override;

    Session& session_;
    const OpportunisticConfig config_;
    const std::uint32_t lanes_;
    const OpportunisticConfig module_config_;
    StatGroup statistics_{"unit"};
    PrecomputeTableModule module_;
    const std::unique_ptr<TableDriver> driver_;
    TableChecker checker_;
    TableStimulus stimulus_;
};

/// Settings of the module, with its planted errors. The policy is the periodic one, which acts from
/// the start of a kernel on.
OpportunisticConfig PrecomputeTableTestbench::module_config(const Session& session) {
    OpportunisticConfig config = session.config().opportunistic;
    config.scheme = OpportunisticScheme::kIntra;
    config.pt_policy = PrecomputePolicy::kPeriodic;
    if (session.plants("small_table") && config.pt_entries > 1) --config.pt_entries;
    if (session.plants("late_elimination")) config.pt_period_cycles = 2 * config.pt_period_cycles;
    return config;
}

std::unique_ptr<TableDriver> PrecomputeTableTestbench::make_driver() {
    if (models()) return std::make_unique<CoreTableDriver>(module_.table(), lanes_);
    session_.need_plant_among({"small_table", "lost_result", "ignored_geometry"});
    return std::make_unique<ClockedTableDriver>(
        session_, make_pin_level_block<pins::PrecomputeTableBlock, PrecomputeTableRtl>(session_),
        module_config_.pt_entries, lanes_);
}

/// Each situation once: a full table, one in which all entries are being computed, then reuse.
void PrecomputeTableTestbench::play_directed() {
    const std::uint32_t entries = config_.pt_entries;
    const auto key = [](std::uint64_t i) { return PrecomputeKey{i * 4, 0x80000 + i % 3 * 12, 0}; };
    const auto act = [this](Action action, const PrecomputeKey& k = {}, std::uint32_t n = 0) {
        checker_.play({0, action, k, n});
    };
    act(Action::kLookup, key(0));
    act(Action::kStart);
    for (std::uint32_t i = 0; i < entries + 2; ++i) act(Action::kPredict, key(i));
    act(Action::kPredict, key(2));
    act(Action::kLookup, key(0));
    act(Action::kStart);
    act(Action::kLookup, key(2));
    act(Action::kPredict, key(3 * entries));
    act(Action::kFinish);
    for (std::uint32_t i = 0; i < entries; ++i) act(Action::kStart);
    act(Action::kPredict, key(4 * entries));
    act(Action::kFinish);
    act(Action::kLookup, {key(3).input, key(3).weights, 1});
    act(Action::kLookup, {key(3).input, key(3).weights ^ 4U, 0});
    act(Action::kLookup, key(3));
    act(Action::kEliminate, {}, 2);
    act(Action::kFlush);
    while (checker_.computes()) act(Action::kFinish);
    for (const Action action :
         {Action::kPredict, Action::kStart, Action::kFinish, Action::kLookup}) {
        act(action, stimulus_.largest_key());
    }
}

/// The first half without the periodic elimination, the second with it; ends of kernels between.
void PrecomputeTableTestbench::play_random() {
    session_.directed = checker_.played();
    const std::uint64_t count = session_.options().count;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i == count / 2) checker_.start_kernel();
        checker_.play(i % 4096 == 4095 ? TableOperation{0, Action::kFlush, {}, 0}
                                       : stimulus_.draw());
    }
}

void PrecomputeTableTestbench::play_file(const Stimulus& stimulus) {
    for (const StimulusRow& row : stimulus.rows())
        checker_.play(stimulus_.operation_of(stimulus, row));
}

/// Conservation: each inserted entry leaves once, or is present.
void PrecomputeTableTestbench::finish() {
    session_.drawn = checker_.played() - session_.directed;
    std::vector<std::string> violations;
    if (models()) {
        module_.check("precompute table", violations);
        session_.scoreboard.expect_count("statistic precompute_table.used",
                                         checker_.naive().counts.used,
                                         statistics_.sum("precompute_table.used"));
    }
    session_.violations(violations);
    session_.add_line(
        fmt::format("storage: {} entries, {:.2f} KB (section IV: 256 entries of one "
                    "32-bit result take around 3.1 KB)",
                    config_.pt_entries, static_cast<double>(config_.pt_bits()) / 8 / 1024));
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<PrecomputeTableTestbench>(argc, argv, kDescription);
}
