// Testbench of the precompute table of an SM.
#include <fmt/format.h>
#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "sc_models/opportunistic/precompute_table_module.h"
#include "sc_models/workload/direct/lane_layout.h"
#include "testbenches/harness/pin_block.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/precompute_table/description.h"
#include "testbenches/precompute_table/figure3.h"
#include "testbenches/precompute_table/naive_table.h"
#include "testbenches/precompute_table/table_driver.h"
#include "testbenches/precompute_table/table_waves.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr Address kRtlAddresses = Address{1} << PrecomputeTableRtl::kAddressBits;
constexpr std::uint32_t kRtlGeometries = 1U << PrecomputeTableRtl::kGeometryBits;

const Description kDescription = description();

struct TableOperation {
    Cycle at = 0;
    Action action = Action::kLookup;
    PrecomputeKey key;
    std::uint32_t entries = 0;
};

/// Table beside a list with the same rules. One operation takes one cycle; results, states and all
/// counters are compared after each.
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
          naive_(config_.pt_entries) {
        if (models()) module_.add_statistics(statistics_);
        WaveRecorder* const wave = session.observers().wave;
        if (wave != nullptr && models() && session.options().example.empty()) {
            module_.watch(*wave, "precompute_table");
        }
    }

    void run_example(const std::string& /*name*/) override { play_figure3(session_); }

private:
    struct Bins {
        Coverage& coverage;
        Coverage::Bin predict = coverage.add("predict", "a prediction that gets an entry");
        Coverage::Bin present =
            coverage.add("predict_again", "a prediction whose key has an entry already");
        Coverage::Bin replace =
            coverage.add("replace", "a prediction that replaces the oldest entry");
        Coverage::Bin reject =
            coverage.add("reject", "a prediction without room: all entries are being computed");
        Coverage::Bin hit = coverage.add("hit", "a lookup that finds a complete entry");
        Coverage::Bin miss = coverage.add("miss", "a lookup that finds no entry");
        Coverage::Bin too_late =
            coverage.add("too_late", "a lookup that finds an incomplete entry, which it drops");
        Coverage::Bin other_weights =
            coverage.add("other_weights", "a miss while the input vector has another entry");
        Coverage::Bin other_geometry =
            coverage.add("other_geometry", "a miss while another layout has an entry");
        Coverage::Bin start =
            coverage.add("start", "an assistant warp starts the oldest waiting entry");
        Coverage::Bin idle = coverage.add("idle", "an assistant warp finds no waiting entry");
        Coverage::Bin complete = coverage.add("complete", "a result is stored");
        Coverage::Bin late = coverage.add("late_result", "a result whose entry is gone");
        Coverage::Bin reused =
            coverage.add("reused_entry", "a late result whose entry holds another operation");
        Coverage::Bin eliminate = coverage.add("eliminate", "the oldest entries are dropped");
        Coverage::Bin eliminate_running =
            coverage.add("eliminate_running", "an entry is dropped while it is computed");
        Coverage::Bin periodic = coverage.add("periodic", "an elimination by the periodic policy");
        Coverage::Bin flush =
            coverage.add("flush", "all entries are dropped, as at the end of a kernel");
    };
    /// Operation of an assistant warp: its entry, and the reference's.
    struct Job {
        TableDriver::Started entry;
        std::uint64_t number;
    };

    /// Whether the core is tested, and not the table behind its pins.
    [[nodiscard]] bool models() const { return session_.implementation() == "model"; }
    [[nodiscard]] std::unique_ptr<TableDriver> make_driver();

    [[nodiscard]] static OpportunisticConfig module_config(const Session& session);
    [[nodiscard]] TableOperation operation_of(const Stimulus& stimulus,
                                              const StimulusRow& row) const;
    void prepare() override { waves_.emplace(session_.observers().wave); }
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void play(const TableOperation& operation);
    void predict(const PrecomputeKey& key);
    void look_up(const PrecomputeKey& key);
    void start();
    void finish_job();
    void eliminate(std::uint32_t entries);
    void eliminate_periodically();
    void compare();
    void finish() override;
    [[nodiscard]] TableOperation draw();
    [[nodiscard]] PrecomputeKey in_table(PrecomputeKey key) const {
        if (session_.plants("ignored_geometry")) key.geometry = 0;
        return key;
    }
    [[nodiscard]] Cycle now() const { return session_.clock.now(); }

    Session& session_;
    const OpportunisticConfig config_;
    const std::uint32_t lanes_;
    const OpportunisticConfig module_config_;
    StatGroup statistics_{"unit"};
    PrecomputeTableModule module_;
    const std::unique_ptr<TableDriver> driver_;
    NaiveTable naive_;
    Cycle next_elimination_ = kNever;  ///< of the reference
    std::optional<TableWaves> waves_;
    std::deque<Job> running_;
    std::vector<PrecomputeKey> recent_;
    std::uint64_t played_ = 0, jobs_ = 0;
    const Bins bins_{session_.coverage};
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

TableOperation PrecomputeTableTestbench::operation_of(const Stimulus& stimulus,
                                                      const StimulusRow& row) const {
    for (const std::size_t column : {kGeometry, kEntries}) {
        if (row[column] <= ~std::uint32_t{0}) continue;
        stimulus.fail(row, column, fmt::format("got {}, expected below 2^32", row[column]));
    }
    const auto need_below = [&](std::size_t column, std::uint64_t end) {
        if (models() || row[column] < end) return;
        stimulus.fail(row, column,
                      fmt::format("got {:#x}, expected below {:#x} with --impl {}", row[column],
                                  end, session_.implementation()));
    };
    need_below(kInput, kRtlAddresses);
    need_below(kWeights, kRtlAddresses);
    need_below(kGeometry, kRtlGeometries);
    return {row[kCycle],
            static_cast<Action>(row[kOperation]),
            {row[kInput], row[kWeights], static_cast<std::uint32_t>(row[kGeometry])},
            static_cast<std::uint32_t>(row[kEntries])};
}

std::unique_ptr<TableDriver> PrecomputeTableTestbench::make_driver() {
    if (models()) return std::make_unique<CoreTableDriver>(module_.table(), lanes_);
    session_.need_plant_among({"small_table", "lost_result", "ignored_geometry"});
    return std::make_unique<ClockedTableDriver>(
        session_, make_pin_level_block<pins::PrecomputeTableBlock, PrecomputeTableRtl>(session_),
        module_config_.pt_entries, lanes_);
}

/// Plays one operation on table and reference, and compares both.
void PrecomputeTableTestbench::play(const TableOperation& operation) {
    if (operation.at > now()) sc_core::sc_start(session_.clock.span(operation.at - now()));
    session_.scoreboard.begin_cycle(now());
    session_.scoreboard.describe_inputs_by([operation] {
        return fmt::format("operation {}: input {:#x}, weights {:#x}, geometry {}",
                           static_cast<int>(operation.action), operation.key.input,
                           operation.key.weights, operation.key.geometry);
    });
    ++played_;
    eliminate_periodically();
    switch (operation.action) {
        case Action::kPredict:
            predict(operation.key);
            break;
        case Action::kLookup:
            look_up(operation.key);
            break;
        case Action::kStart:
            start();
            break;
        case Action::kFinish:
            finish_job();
            break;
        case Action::kEliminate:
            eliminate(operation.entries);
            break;
        case Action::kFlush:
            session_.coverage.hit_if(bins_.flush, naive_.size() > 0);
            driver_->flush();
            naive_.flush();
            break;
    }
    compare();
    if (session_.observers().wave != nullptr && models()) module_.trace(now());
    waves_->set(TableWaves::kComplete, now(), naive_.complete());
    if (models()) sc_core::sc_start(session_.clock.span(1));
}

void PrecomputeTableTestbench::predict(const PrecomputeKey& key) {
    Coverage& c = session_.coverage;
    const bool present = naive_.find(key) != nullptr, full = naive_.full();
    const bool inserted = driver_->predict(in_table(key));
    const bool expected = naive_.predict(key);
    session_.scoreboard.note("predict {0:#x} x {1:#x}, geometry {2}", key.input, key.weights,
                             key.geometry);
    session_.scoreboard.expect("prediction gets an entry", expected ? 1 : 0, inserted ? 1 : 0);
    c.hit_if(bins_.predict, expected);
    c.hit_if(bins_.present, present);
    c.hit_if(bins_.replace, expected && full);
    c.hit_if(bins_.reject, !expected && !present);
    if (inserted) waves_->pulse(TableWaves::kPredict, now());
}

void PrecomputeTableTestbench::look_up(const PrecomputeKey& key) {
    Coverage& c = session_.coverage;
    Scoreboard& board = session_.scoreboard;
    board.note("lookup {0:#x} x {1:#x}, geometry {2}", key.input, key.weights, key.geometry);
    waves_->pulse(TableWaves::kLookup, now());
    const auto found = driver_->look_up(in_table(key));
    const NaiveTable::Entry* const expected = naive_.find(key);
    const bool same =
        board.expect("lookup finds an entry", expected != nullptr ? 1 : 0, found ? 1 : 0);
    if (expected == nullptr) {
        PrecomputeKey other = key;
        c.hit(bins_.miss);
        other.weights ^= 4U;
        c.hit_if(bins_.other_weights, naive_.find(other) != nullptr);
        other = key;
        other.geometry ^= 1U;
        c.hit_if(bins_.other_geometry, naive_.find(other) != nullptr);
        return;
    }
    c.hit(expected->complete ? bins_.hit : bins_.too_late);
    waves_->pulse(expected->complete ? TableWaves::kHit : TableWaves::kTooLate, now());
    if (!same) return;
    board.expect("complete bit", expected->complete ? 1 : 0, found->complete ? 1 : 0);
    const bool both = expected->complete && found->complete;
    for (std::uint32_t lane = 0; both && lane < lanes_; ++lane) {
        board.expect("result", lane, static_cast<std::uint64_t>(expected->results[lane]),
                     static_cast<std::uint64_t>(found->results[lane]));
    }
    naive_.use(key);
}

/// An assistant warp starts with the oldest entry that waits.
void PrecomputeTableTestbench::start() {
    const auto started = driver_->start();
    const NaiveTable::Entry* const expected = naive_.start();
    const bool same =
        session_.scoreboard.expect("an entry waits", expected != nullptr ? 1 : 0, started ? 1 : 0);
    session_.coverage.hit(expected != nullptr ? bins_.start : bins_.idle);
    if (!same || expected == nullptr) return;
    session_.scoreboard.expect("input of the oldest waiting entry", expected->key.input,
                               started->key.input);
    session_.scoreboard.expect("weights of the oldest waiting entry", expected->key.weights,
                               started->key.weights);
    running_.push_back({*started, expected->number});
    waves_->pulse(TableWaves::kStart, now());
}

/// The assistant warp that started first stores its results.
void PrecomputeTableTestbench::finish_job() {
    if (running_.empty()) return;
    const Job job = running_.front();
    running_.pop_front();
    std::vector<float> results(lanes_);
    for (float& result : results) result = static_cast<float>(session_.below(1U << 20U));
    const bool expected = naive_.finish(job.number, results);
    Coverage& c = session_.coverage;
    c.hit(expected ? bins_.complete : bins_.late);
    c.hit_if(bins_.reused, std::any_of(running_.begin(), running_.end(), [&](const Job& other) {
                 return !expected && other.entry.slot == job.entry.slot;
             }));
    if (session_.plants("lost_result") && ++jobs_ % 16 == 0) return;
    const bool stored = driver_->finish(job.entry, results, session_.plants("late_result"));
    session_.scoreboard.expect("the result is stored", expected ? 1 : 0, stored ? 1 : 0);
    waves_->pulse(TableWaves::kFinish, now());
}

void PrecomputeTableTestbench::eliminate(std::uint32_t entries) {
    session_.coverage.hit_if(bins_.eliminate, entries > 0 && naive_.size() > 0);
    session_.coverage.hit_if(bins_.eliminate_running, naive_.computes_among(entries));
    driver_->eliminate(entries);
    naive_.eliminate(entries);
}

/// Drops the oldest entries once a period, like the policy `periodic` at the decode of an
/// operation.
void PrecomputeTableTestbench::eliminate_periodically() {
    if (next_elimination_ == kNever) return;
    const bool due = now() >= next_elimination_;
    if (due) {
        next_elimination_ = now() + config_.pt_period_cycles;
        session_.coverage.hit(bins_.periodic);
        naive_.eliminate(config_.pt_period_entries);
    }
    if (models()) {
        module_.eliminate(now());
    } else if (due) {
        driver_->eliminate(config_.pt_period_entries);
    }
}

void PrecomputeTableTestbench::compare() {
    Scoreboard& board = session_.scoreboard;
    const PrecomputeTable::Counts &e = naive_.counts, &g = driver_->counts();
    board.expect_count("entries", naive_.size(), driver_->size());
    board.expect_count("inserted", e.inserted, g.inserted);
    board.expect_count("used", e.used, g.used);
    board.expect_count("too_late", e.too_late, g.too_late);
    board.expect_count("replaced", e.replaced, g.replaced);
    board.expect_count("eliminated", e.eliminated, g.eliminated);
    board.expect_count("flushed", e.flushed, g.flushed);
    board.expect_count("rejected", e.rejected, g.rejected);
    board.expect_count("completed", e.completed, g.completed);
    board.expect_count("late_results", e.late_results, g.late_results);
}

/// Each situation once: a full table, one in which all entries are being computed, then reuse.
void PrecomputeTableTestbench::play_directed() {
    const std::uint32_t entries = config_.pt_entries;
    const auto key = [](std::uint64_t i) { return PrecomputeKey{i * 4, 0x80000 + i % 3 * 12, 0}; };
    const auto act = [this](Action action, const PrecomputeKey& k = {}, std::uint32_t n = 0) {
        play({0, action, k, n});
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
    while (!running_.empty()) act(Action::kFinish);
    PrecomputeKey largest{~Address{0}, ~Address{0}, ~std::uint32_t{0}};
    if (!models()) largest = {kRtlAddresses - 1, kRtlAddresses - 1, kRtlGeometries - 1};
    for (const Action action :
         {Action::kPredict, Action::kStart, Action::kFinish, Action::kLookup}) {
        act(action, largest);
    }
}

/// Keys of a few vectors near each other, often those of recent predictions.
TableOperation PrecomputeTableTestbench::draw() {
    TableOperation operation;
    const std::uint64_t kind = session_.below(64);
    operation.action = kind < 22   ? Action::kPredict
                       : kind < 34 ? Action::kLookup
                       : kind < 48 ? Action::kStart
                       : kind < 63 ? Action::kFinish
                                   : Action::kEliminate;
    operation.entries = static_cast<std::uint32_t>(session_.below(4));
    operation.key = {session_.below(config_.pt_entries) * 4, session_.below(3) * 4,
                     static_cast<std::uint32_t>(session_.below(2))};
    if (operation.action == Action::kPredict) {
        if (recent_.size() > config_.pt_entries) recent_.clear();
        recent_.push_back(operation.key);
    } else if (!recent_.empty() && session_.below(8) != 0) {
        operation.key = recent_[session_.below(recent_.size())];
    }
    return operation;
}

/// The first half without the periodic elimination, the second with it; ends of kernels between.
void PrecomputeTableTestbench::play_random() {
    session_.directed = played_;
    const std::uint64_t count = session_.options().count;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i == count / 2) {
            module_.start_kernel(now());
            next_elimination_ = now() + config_.pt_period_cycles;
        }
        if (i % 4096 == 4095) {
            play({0, Action::kFlush, {}, 0});
        } else {
            play(draw());
        }
    }
}

void PrecomputeTableTestbench::play_file(const Stimulus& stimulus) {
    for (const StimulusRow& row : stimulus.rows()) play(operation_of(stimulus, row));
}

/// Conservation: each inserted entry leaves once, or is present.
void PrecomputeTableTestbench::finish() {
    session_.drawn = played_ - session_.directed;
    std::vector<std::string> violations;
    if (models()) {
        module_.check("precompute table", violations);
        session_.scoreboard.expect_count("statistic precompute_table.used", naive_.counts.used,
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
