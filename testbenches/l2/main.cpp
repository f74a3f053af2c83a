// Testbench of an L2 slice.
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "sc_models/memory/at/l2_slice_at.h"
#include "sc_models/memory/lt/l2_slice.h"
#include "testbenches/harness/memory_rig.h"
#include "testbenches/harness/memory_target.h"
#include "testbenches/harness/random_accesses.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/l2/l2_checker.h"
#include "testbenches/l2/l2_stimulus.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

const Description kDescription = description();

DramConfig one_channel() {
    DramConfig dram;
    dram.channels = 1;
    return dram;
}

/// One slice between an initiator and a memory of fixed latency. Accesses that do not overlap are
/// checked exactly (level, latency, data, fetches, write-backs); overlapping ones for data, bounds,
/// miss registers and conservation.
class L2Testbench final : public Testbench {
public:
    explicit L2Testbench(Session& session)
        : session_(session),
          config_(session.config().l2),
          map_(config_, one_channel()),
          rig_(session),
          memory_("memory", 1, session.clock, kBelow),
          initiator_(add_slice()) {
        if (session.plants("lost_write")) memory_.lost_write_every = 16;
    }

    void run_curve() override;

private:
    [[nodiscard]] L2Config planted_config() const;
    Initiator& add_slice();
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void overlap(const std::vector<MemoryOperation>& operations);
    void finish() override;

    Session& session_;
    const L2Config config_;
    const AddressMap map_;
    MemoryRig rig_;
    MemoryTarget memory_;
    EitherTiming<L2Slice, L2SliceAt> slice_;
    Initiator& initiator_;
    MemoryTraffic traffic_{session_, {&initiator_}};
    L2Checker checker_{session_, traffic_, memory_.events};
    L2Stimulus stimulus_{session_};
};

L2Config L2Testbench::planted_config() const {
    L2Config config = config_;
    const bool hashes = config.set_hash == IndexHash::kXor;
    if (session_.plants("late_hit")) ++config.hit_latency_cycles;
    if (session_.plants("small_cache")) config.sets_per_slice = (config.sets_per_slice + 1) / 2;
    if (session_.plants("other_hash")) {
        config.set_hash = hashes ? IndexHash::kNone : IndexHash::kXor;
    }
    if (session_.plants("more_registers")) config.mshr_entries = config.mshr_entries * 2;
    return config;
}

/// Makes the slice and its links; returns the initiator above it.
Initiator& L2Testbench::add_slice() {
    const L2Config config = planted_config();
    const L2Context context{config, kSlice, map_, true, rig_.statistics};
    if (session_.approximately_timed()) {
        slice_.at = std::make_unique<L2SliceAt>("l2", context, rig_.at());
        Initiator& initiator = rig_.add_initiator("initiator", slice_.at->target);
        rig_.links.bind(slice_.at->initiator, memory_.sockets[0]);
        return initiator;
    }
    slice_.lt = std::make_unique<L2Slice>("l2", context, session_.clock, session_.observers());
    Initiator& initiator = rig_.add_initiator("initiator", slice_.lt->target);
    rig_.links.bind(slice_.lt->initiator, memory_.sockets[0]);
    return initiator;
}

/// Each situation once, one access after the other.
void L2Testbench::play_directed() {
    for (const MemoryOperation& operation : stimulus_.cases()) checker_.step(operation);
    session_.directed = traffic_.finished();
}

/// Half of the accesses one by one, half overlapping.
void L2Testbench::play_random() {
    const std::uint64_t count = session_.options().count;
    for (std::uint64_t i = 0; i < count / 2; ++i) checker_.step(stimulus_.draw());
    checker_.step(stimulus_.first_byte());  // the last fill has replaced its line by now
    checker_.step(stimulus_.first_byte());
    checker_.expect_all_written_back();
    overlap(stimulus_.burst(traffic_.now() + 1000));
    if (session_.approximately_timed()) {
        memory_.accept_delay = [this] { return session_.below(8) == 0 ? session_.below(12) : 0; };
        initiator_.response_stall = [this](Cycle) {
            return session_.below(8) == 0 ? session_.below(5) : 0;
        };
    }
    play_overlapping(
        session_, traffic_.now() + 1000, count - count / 2, 40, [this] { return stimulus_.draw(); },
        [this](const MemoryOperation& operation) { checker_.overlap(operation); });
    traffic_.drain();
    session_.drawn = count;
}

void L2Testbench::play_file(const Stimulus& stimulus) {
    const std::vector<MemoryOperation> operations = stimulus_.operations_of(stimulus);
    for (const MemoryOperation& operation : operations) checker_.count(operation);
    overlap(operations);
    session_.drawn = operations.size();
}

void L2Testbench::overlap(const std::vector<MemoryOperation>& operations) {
    for (const MemoryOperation& operation : operations) checker_.overlap(operation);
    traffic_.drain();
}

/// Reads of sectors that are present, then of sectors that are absent.
void L2Testbench::run_curve() {
    for (const MemoryOperation& fill : stimulus_.fills()) checker_.step(fill);
    const auto measure = [this](const std::vector<double>& loads, const auto& draw) {
        return curve_table(
            traffic_.curve(loads, config_.sector_bytes, session_.options().count, draw),
            "sectors a cycle");
    };
    std::vector<double> loads;
    for (std::uint32_t i = 1; i <= 8; ++i) loads.push_back(0.5 * i);
    session_.print(
        "hits (a slice looks up all that arrives; the network before it limits them):\n" +
        measure(loads, [this] { return stimulus_.draw_present(); }));
    const double limit = static_cast<double>(config_.mshr_entries) /
                         static_cast<double>(config_.hit_latency_cycles + kBelow);
    loads.clear();
    for (std::uint32_t i = 1; i <= 10; ++i) loads.push_back(limit * 0.125 * i);
    session_.print(fmt::format("\nmisses (limit: l2.mshr_entries in the latency of a miss, {:.3f} "
                               "sectors a cycle):\n",
                               limit) +
                   measure(loads, [this] { return stimulus_.draw_absent(); }));
    finish();
}

/// Bins of the module's own counters, and the rules that it must have kept.
void L2Testbench::finish() {
    Coverage& c = session_.coverage;
    const L2Statistics& counted = slice_.statistics();
    c.add_counted("pending_hit", counted.read_pending_hits,
                  "a sector that is read is on its way already");
    c.add_counted("pending_write", counted.write_pending_hits,
                  "a sector that is written is on its way");
    c.add_counted("registers_full", counted.mshr_stall_cycles,
                  "cycles in which a miss waits for a register");
    std::uint64_t late = 0;
    for (const Request& request : initiator_.plan) {
        late += request.result.accepted > request.sent ? 1 : 0;
    }
    c.add_counted("queue_full", late, "accesses that waited for the queue before the lookup");
    if (session_.approximately_timed()) {
        c.add_counted("memory_busy", rig_.statistics.sum("queue_stall_cycles"),
                      "cycles in which a miss waits for room among those to the memory below");
    }
    checker_.check_below(counted.fetch_requests_below, counted.write_backs_below);
    rig_.report_violations(slice_);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<L2Testbench>(argc, argv, kDescription);
}
