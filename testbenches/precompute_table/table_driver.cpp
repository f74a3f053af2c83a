#include "testbenches/precompute_table/table_driver.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera::testbench {

std::optional<TableDriver::Found> CoreTableDriver::look_up(const PrecomputeKey& key) {
    const auto entry = table_.find(key);
    if (entry == PrecomputeTable::kNone) return {};
    Found found;
    found.complete = table_.complete(entry);
    if (found.complete) {
        found.results.assign(table_.results(entry), table_.results(entry) + lanes_);
    }
    table_.use(entry);
    return found;
}

bool CoreTableDriver::predict(const PrecomputeKey& key) {
    return table_.insert_if_absent(key, VectorOperation{}) != PrecomputeTable::kNone;
}

std::optional<TableDriver::Started> CoreTableDriver::start() {
    const auto entry = table_.first_pending();
    if (entry == PrecomputeTable::kNone) return {};
    table_.start(entry);
    return Started{table_.key(entry), entry, table_.generation(entry)};
}

bool CoreTableDriver::finish(const Started& job, const std::vector<float>& results,
                             bool ignores_generation) {
    const std::uint32_t generation =
        ignores_generation ? table_.generation(job.slot) : job.generation;
    return table_.finish(job.slot, generation, results.data());
}

ClockedTableDriver::ClockedTableDriver(Session& session, std::unique_ptr<Block> block,
                                       std::uint32_t entries, std::uint32_t lanes)
    : session_(session),
      block_(std::move(block)),
      lanes_(lanes),
      receiver_(session.options().seed) {
    if (entries > Rtl::kMaxEntries) {
        throw ConfigError(
            fmt::format("--impl {}: got opportunistic.pt_entries {}, expected at most {}",
                        session.implementation(), entries, Rtl::kMaxEntries));
    }
    entries_ = entries;
}

ClockedTableDriver::Rtl::Outputs ClockedTableDriver::step(const Rtl::Inputs& in) {
    const Cycle now = session_.clock.now();
    const Rtl::Outputs out = block_->step(in, now);
    sc_core::sc_start(session_.clock.span(now + 1) - sc_core::sc_time_stamp());
    return out;
}

void ClockedTableDriver::set_up() {
    Rtl::Inputs in;
    in.setup_valid = true;
    in.setup_entries = entries_;
    for (Cycle cycle = 0; cycle < kMaxCycles; ++cycle) {
        if (step(in).setup_ready != 0) return;
    }
    session_.violations({fmt::format("the set-up takes over {} cycles", kMaxCycles)});
}

ClockedTableDriver::Rtl::Outputs ClockedTableDriver::call(Rtl::Inputs in) {
    if (entries_ != 0) {
        set_up();
        entries_ = 0;
    }
    in.in_valid = true;
    for (Cycle cycle = 0; cycle < kMaxCycles; ++cycle) {
        in.out_ready = receiver_.receives(session_.clock.now());
        const Rtl::Outputs out = step(in);
        if (out.in_ready != 0) in.in_valid = false;
        if (out.out_valid == 0 || !in.out_ready) continue;
        size_ = out.size;
        return out;
    }
    session_.violations({fmt::format("an operation has no answer after {} cycles", kMaxCycles)});
    return {};
}

std::optional<TableDriver::Found> ClockedTableDriver::look_up(const PrecomputeKey& key) {
    Rtl::Inputs in;
    in.op = Rtl::Op::kLookup;
    in.key = key;
    const Rtl::Outputs out = call(in);
    if (out.done == 0) return {};
    ++(out.complete != 0 ? counts_.used : counts_.too_late);
    Found found;
    found.complete = out.complete != 0;
    if (!found.complete) return found;
    found.results.resize(lanes_);
    std::memcpy(found.results.data(), out.results.data(), lanes_ * sizeof(float));
    return found;
}

bool ClockedTableDriver::predict(const PrecomputeKey& key) {
    Rtl::Inputs in;
    in.op = Rtl::Op::kPredict;
    in.key = key;
    const Rtl::Outputs out = call(in);
    counts_.inserted += out.done;
    counts_.replaced += out.replaced;
    if (out.done == 0 && out.present == 0) ++counts_.rejected;
    return out.done != 0;
}

std::optional<TableDriver::Started> ClockedTableDriver::start() {
    Rtl::Inputs in;
    in.op = Rtl::Op::kWaiting;
    const Rtl::Outputs waiting = call(in);
    if (waiting.done == 0) return {};
    in.op = Rtl::Op::kStart;
    in.slot = waiting.slot;
    const Rtl::Outputs out = call(in);
    if (out.done == 0) session_.violations({"an entry that waits cannot be started"});
    return Started{{waiting.input, waiting.weights, waiting.geometry}, out.slot, out.generation};
}

bool ClockedTableDriver::finish(const Started& job, const std::vector<float>& results,
                                bool /*ignores_generation*/) {
    Rtl::Inputs in;
    in.op = Rtl::Op::kFinish;
    in.slot = job.slot;
    in.generation = job.generation;
    std::memcpy(in.results.data(), results.data(), lanes_ * sizeof(float));
    const Rtl::Outputs out = call(in);
    ++(out.done != 0 ? counts_.completed : counts_.late_results);
    return out.done != 0;
}

std::uint32_t ClockedTableDriver::drop(std::uint32_t entries) {
    Rtl::Inputs in;
    in.op = Rtl::Op::kDrop;
    in.count = std::min(entries, Rtl::kMaxEntries);
    return call(in).count;
}

}  // namespace tessera::testbench
