#include "testbenches/precompute_table/table_checker.h"

#include <fmt/format.h>
#include <algorithm>
#include <vector>

namespace tessera::testbench {

TableChecker::TableChecker(Session& session, PrecomputeTableModule& module, TableDriver& driver,
                           std::uint32_t lanes)
    : session_(session),
      config_(session.config().opportunistic),
      module_(module),
      driver_(driver),
      lanes_(lanes),
      naive_(config_.pt_entries) {}

void TableChecker::play(const TableOperation& operation) {
    if (operation.at > now()) sc_core::sc_start(session_.clock.span(operation.at - now()));
    session_.scoreboard.begin_cycle(now());
    session_.scoreboard.describe_inputs_by([operation] {
        return fmt::format("operation {}: input {:#x}, weights {:#x}, geometry {}",
                           static_cast<int>(operation.action), operation.key.input,
                           operation.key.weights, operation.key.geometry);
    });
    ++played_;
    eliminate_periodically();
    perform(operation);
    compare();
    if (session_.observers().wave != nullptr && models()) module_.trace(now());
    waves_->set(TableWaves::kComplete, now(), naive_.complete());
    if (models()) sc_core::sc_start(session_.clock.span(1));
}

void TableChecker::start_kernel() {
    module_.start_kernel(now());
    next_elimination_ = now() + config_.pt_period_cycles;
}

void TableChecker::perform(const TableOperation& operation) {
    switch (operation.action) {
        case Action::kPredict:
            return predict(operation.key);
        case Action::kLookup:
            return look_up(operation.key);
        case Action::kStart:
            return start();
        case Action::kFinish:
            return finish_job();
        case Action::kEliminate:
            return eliminate(operation.entries);
        case Action::kFlush:
            return flush();
    }
}

void TableChecker::predict(const PrecomputeKey& key) {
    Coverage& c = session_.coverage;
    const bool present = naive_.find(key) != nullptr, full = naive_.full();
    const bool inserted = driver_.predict(in_table(key));
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

void TableChecker::look_up(const PrecomputeKey& key) {
    Coverage& c = session_.coverage;
    Scoreboard& board = session_.scoreboard;
    board.note("lookup {0:#x} x {1:#x}, geometry {2}", key.input, key.weights, key.geometry);
    waves_->pulse(TableWaves::kLookup, now());
    const auto found = driver_.look_up(in_table(key));
    const NaiveTable::Entry* const expected = naive_.find(key);
    const bool same =
        board.expect("lookup finds an entry", expected != nullptr ? 1 : 0, found ? 1 : 0);
    if (expected == nullptr) {
        count_miss(key);
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

void TableChecker::count_miss(const PrecomputeKey& key) {
    Coverage& c = session_.coverage;
    c.hit(bins_.miss);
    PrecomputeKey other = key;
    other.weights ^= 4U;
    c.hit_if(bins_.other_weights, naive_.find(other) != nullptr);
    other = key;
    other.geometry ^= 1U;
    c.hit_if(bins_.other_geometry, naive_.find(other) != nullptr);
}

/// An assistant warp starts with the oldest entry that waits.
void TableChecker::start() {
    const auto started = driver_.start();
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
void TableChecker::finish_job() {
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
    const bool stored = driver_.finish(job.entry, results, session_.plants("late_result"));
    session_.scoreboard.expect("the result is stored", expected ? 1 : 0, stored ? 1 : 0);
    waves_->pulse(TableWaves::kFinish, now());
}

void TableChecker::eliminate(std::uint32_t entries) {
    session_.coverage.hit_if(bins_.eliminate, entries > 0 && naive_.size() > 0);
    session_.coverage.hit_if(bins_.eliminate_running, naive_.computes_among(entries));
    driver_.eliminate(entries);
    naive_.eliminate(entries);
}

/// Drops the oldest entries once a period, like the policy `periodic` at the decode of an
/// operation.
void TableChecker::eliminate_periodically() {
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
        driver_.eliminate(config_.pt_period_entries);
    }
}

void TableChecker::flush() {
    session_.coverage.hit_if(bins_.flush, naive_.size() > 0);
    driver_.flush();
    naive_.flush();
}

void TableChecker::compare() {
    Scoreboard& board = session_.scoreboard;
    const PrecomputeTable::Counts &e = naive_.counts, &g = driver_.counts();
    board.expect_count("entries", naive_.size(), driver_.size());
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

}  // namespace tessera::testbench
