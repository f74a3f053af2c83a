// Testbench of the L1 data cache of an SM.
#include <memory>
#include <vector>

#include "sc_models/memory/at/l1_cache_at.h"
#include "sc_models/memory/lt/l1_cache.h"
#include "testbenches/harness/memory_rig.h"
#include "testbenches/harness/memory_target.h"
#include "testbenches/harness/random_accesses.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/l1/l1_checker.h"
#include "testbenches/l1/l1_stimulus.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

const Description kDescription = description();

/// Cache between an initiator and a memory of fixed latency. Accesses that do not overlap are
/// checked exactly (level, latency, data); overlapping ones for data, bounds and conservation.
class L1Testbench final : public Testbench {
public:
    explicit L1Testbench(Session& session)
        : session_(session),
          config_(session.config().l1),
          capacity_(session.plants("small_cache") ? kCapacity / 2 : kCapacity),
          rig_(session),
          memory_("memory", 1, session.clock, kBelow),
          cache_(make_cache()),
          initiator_(rig_.add_initiator("initiator", cache_->from_ldst())) {
        rig_.links.bind(cache_->to_memory(), memory_.sockets[0]);
        if (session.plants("lost_write")) memory_.lost_write_every = 16;
        if (session.plants("wrong_data")) memory_.wrong_read_every = 64;
    }

    /// Reads of sectors that are present.
    void run_curve() override {
        for (const MemoryOperation& fill : stimulus_.fills()) checker_.step(fill);
        std::vector<double> loads;
        for (std::uint32_t i = 1; i <= 10; ++i) loads.push_back(config_.banks * 0.125 * i);
        const auto draw = [this] { return stimulus_.draw_present(); };
        session_.print(
            curve_table(traffic_.curve(loads, config_.sector_bytes, session_.options().count, draw),
                        "sectors a cycle"));
        finish();
    }

private:
    [[nodiscard]] std::unique_ptr<L1> make_cache();
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void finish() override;

    Session& session_;
    const L1Config config_;
    const std::uint32_t capacity_;  ///< of the module, in bytes
    MemoryRig rig_;
    MemoryTarget memory_;
    const std::unique_ptr<L1> cache_;
    Initiator& initiator_;
    MemoryTraffic traffic_{session_, {&initiator_}};
    L1Checker checker_{session_, traffic_};
    L1Stimulus stimulus_{session_};
};

std::unique_ptr<L1> L1Testbench::make_cache() {
    L1Config config = config_;
    if (session_.plants("late_hit")) ++config.hit_latency_cycles;
    const std::uint32_t below = session_.config().l2.line_bytes;
    const L1Context context{config, capacity_, below, true, rig_.statistics};
    if (session_.approximately_timed()) {
        return std::make_unique<L1CacheAt>("l1", context, rig_.at());
    }
    return std::make_unique<L1Cache>("l1", context, session_.clock, session_.observers());
}

/// Each situation once, one access after the other; then a burst that fills registers and queues.
void L1Testbench::play_directed() {
    for (const MemoryOperation& operation : stimulus_.cases()) checker_.step(operation);
    for (const MemoryOperation& operation : stimulus_.burst(traffic_.now() + 1000)) {
        checker_.overlap(operation);
    }
    traffic_.drain();
    session_.directed = traffic_.finished();
    cache_->resize(capacity_);  // the order of overlapping fills is not the reference's
    checker_.clear();
}

/// Half of the accesses one by one, half overlapping.
void L1Testbench::play_random() {
    const std::uint64_t count = session_.options().count;
    for (std::uint64_t i = 0; i < count / 2; ++i) checker_.step(stimulus_.draw());
    play_overlapping(
        session_, traffic_.now() + 1000, count - count / 2, 40, [this] { return stimulus_.draw(); },
        [this](const MemoryOperation& operation) { checker_.overlap(operation); });
    traffic_.drain();
    session_.drawn = count;
}

void L1Testbench::play_file(const Stimulus& stimulus) {
    for (const MemoryOperation& o : memory_operations(stimulus, config_.line_bytes)) {
        checker_.overlap(o);
        ++session_.drawn;
    }
    traffic_.drain();
}

/// Bins of the module's own counters, and the rules that it must have kept.
void L1Testbench::finish() {
    const auto add = [this](const char* name, const char* counter, const char* meaning) {
        session_.coverage.add_counted(name, rig_.statistics.sum(counter), meaning);
    };
    add("pending_hit", "read_pending_hits", "sectors that were on their way already");
    add("registers_full", "mshr_stall_cycles", "cycles in which a miss waits for a register");
    add("queue_full", "held_cycles", "cycles in which an access waits for the queue");
    rig_.report_violations(*cache_);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<L1Testbench>(argc, argv, kDescription);
}
