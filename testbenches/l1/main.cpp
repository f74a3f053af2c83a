// Testbench of the L1 data cache of an SM.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "sc_models/memory/at/l1_cache_at.h"
#include "sc_models/memory/lt/l1_cache.h"
#include "testbenches/harness/checked_links.h"
#include "testbenches/harness/memory_target.h"
#include "testbenches/harness/memory_traffic.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/l1/naive_l1.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr std::uint32_t kCapacity = 16 * 1024;  ///< bytes
constexpr Cycle kBelow = 100;                   ///< latency of the memory below, in cycles

Description description() {
    Description d;
    d.name = "l1";
    d.module = "L1 data cache of an SM: sectored, write-through";
    d.operation = "accesses";
    d.sections = {"l1"};
    d.columns = memory_columns(true);
    d.errors = {{"late_hit", "hits take one cycle more than l1.hit_latency_cycles"},
                {"small_cache", "the cache has half of its sets"},
                {"lost_write", "the memory below loses every 16th write"},
                {"wrong_data", "a bit of every 64th read is inverted"}};
    d.has_curve = true;
    d.view = "l1_testbench.gtkw";
    return d;
}
const Description kDescription = description();

/// Cache between an initiator and a memory of fixed latency. Accesses that do not overlap are
/// checked exactly (level, latency, data); overlapping ones for data, bounds and conservation.
class L1Testbench final : public Testbench {
public:
    explicit L1Testbench(Session& session)
        : session_(session),
          config_(session.config().l1),
          naive_(config_, kCapacity),
          ticker_("ticker", session.clock),
          memory_("memory", 1, session.clock, kBelow) {
        make_modules();
        traffic_.emplace(session, std::vector<Initiator*>{initiator_.get()});
        links_.bind(initiator_->to_target(), cache_->from_ldst());
        links_.bind(cache_->to_memory(), memory_.sockets[0]);
        if (session.plants("lost_write")) memory_.lost_write_every = 16;
        if (session.plants("wrong_data")) memory_.wrong_read_every = 64;
    }

    /// Reads of sectors that are present.
    void run_curve() override {
        for (Address a = 0; a < kCapacity / 2; a += config_.line_bytes) {
            step({0, tlm::TLM_READ_COMMAND, a, config_.line_bytes});
        }
        std::vector<double> loads;
        for (std::uint32_t i = 1; i <= 10; ++i) loads.push_back(config_.banks * 0.125 * i);
        const auto draw = [this] {
            const Address sector = session_.below(kCapacity / 2 / config_.sector_bytes);
            return MemoryOperation{0, tlm::TLM_READ_COMMAND, sector * config_.sector_bytes,
                                   config_.sector_bytes};
        };
        session_.print(curve_table(
            traffic_->curve(loads, config_.sector_bytes, session_.options().count, draw),
            "sectors a cycle"));
        finish();
    }

private:
    struct Bins {
        Coverage& coverage;
        Coverage::Bin hit = coverage.add("hit", "a read finds all its sectors");
        Coverage::Bin miss = coverage.add("miss", "a read finds none of its sectors");
        Coverage::Bin partial_miss =
            coverage.add("partial_miss", "a read finds some of its sectors");
        Coverage::Bin write_hit = coverage.add("write_hit", "a write to a line that is present");
        Coverage::Bin write_miss = coverage.add("write_miss", "a write to a line that is absent");
        Coverage::Bin eviction =
            coverage.add("eviction", "the least recently used line is replaced");
        Coverage::Bin bypass = coverage.add("bypass", "a read that bypasses the cache");
        Coverage::Bin unaligned =
            coverage.add("unaligned", "an access that begins within a sector");
        Coverage::Bin whole_line = coverage.add("whole_line", "an access of a whole line");
    };

    void make_modules();
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void step(const MemoryOperation& operation);
    void overlap(const MemoryOperation& operation);
    void count(const MemoryOperation& operation, const NaiveL1::Lookup& lookup);
    void finish() override;
    [[nodiscard]] MemoryOperation draw();

    Session& session_;
    const L1Config config_;
    std::uint32_t capacity_ = kCapacity;  ///< of the module, in bytes
    NaiveL1 naive_;
    CheckedLinks links_;
    CycleTicker ticker_;
    PayloadPool pool_;
    StatGroup statistics_{"l1"};
    MemoryTarget memory_;
    std::unique_ptr<L1> cache_;
    std::unique_ptr<Initiator> initiator_;
    std::optional<MemoryTraffic> traffic_;
    const Bins bins_{session_.coverage};
};

void L1Testbench::make_modules() {
    L1Config config = config_;
    if (session_.plants("late_hit")) ++config.hit_latency_cycles;
    if (session_.plants("small_cache")) capacity_ /= 2;
    const std::uint32_t below = session_.config().l2.line_bytes;
    const L1Context context{config, capacity_, below, true, statistics_};
    if (session_.approximately_timed()) {
        const AtContext at{ticker_, pool_, session_.observers()};
        cache_ = std::make_unique<L1CacheAt>("l1", context, at);
        initiator_ = std::make_unique<AtInitiator>("initiator", ticker_, pool_);
    } else {
        cache_ = std::make_unique<L1Cache>("l1", context, session_.clock, session_.observers());
        initiator_ = std::make_unique<LtInitiator>("initiator", session_.clock);
    }
}

void L1Testbench::count(const MemoryOperation& operation, const NaiveL1::Lookup& lookup) {
    Coverage& c = session_.coverage;
    c.hit_if(bins_.unaligned, operation.address % config_.sector_bytes != 0);
    c.hit_if(bins_.whole_line, operation.bytes == config_.line_bytes);
    if (operation.command == tlm::TLM_WRITE_COMMAND) {
        c.hit(lookup.hits > 0 ? bins_.write_hit : bins_.write_miss);
        c.hit_if(bins_.eviction, lookup.evicts);
        return;
    }
    c.hit(lookup.misses == 0 ? bins_.hit : lookup.hits == 0 ? bins_.miss : bins_.partial_miss);
    c.hit_if(bins_.eviction, lookup.evicts);
    c.hit_if(bins_.bypass, operation.bypass_l1);
}

/// Plays one access alone: level and latency are exact.
void L1Testbench::step(const MemoryOperation& operation) {
    const NaiveL1::Lookup lookup = naive_.access(operation);
    count(operation, lookup);
    Expectation expected;
    const Cycle hit = config_.hit_latency_cycles;
    const Cycle miss = config_.miss_latency_cycles + kBelow;
    if (operation.command == tlm::TLM_WRITE_COMMAND) {
        expected.latency = config_.miss_latency_cycles / 2 + kBelow;
    } else if (lookup.misses == 0) {
        expected.latency = hit;
        expected.level = ServedBy::kL1;
    } else {
        expected.latency = lookup.hits > 0 ? std::max(hit, miss) : miss;
        expected.level = ServedBy::kDram;
    }
    traffic_->step(operation, expected);
}

/// Plans an access among others: it takes as long as a hit, or longer.
void L1Testbench::overlap(const MemoryOperation& operation) {
    count(operation, naive_.access(operation));
    Expectation expected;
    const bool read = operation.command == tlm::TLM_READ_COMMAND;
    expected.least_latency =
        read ? std::min<Cycle>(config_.hit_latency_cycles, config_.miss_latency_cycles + kBelow)
             : config_.miss_latency_cycles / 2 + kBelow;
    traffic_->begin(operation, expected);
}

/// Each situation once, one access after the other; then a burst that fills registers and queues.
void L1Testbench::play_directed() {
    const Address line = config_.line_bytes;
    const Address round = kCapacity / config_.ways;  // distance of lines of one set, without a hash
    const std::uint32_t sector = config_.sector_bytes;
    const auto read = tlm::TLM_READ_COMMAND;
    const auto write = tlm::TLM_WRITE_COMMAND;
    std::vector<MemoryOperation> cases = {
        {0, read, 0, sector},    {0, read, 0, sector},      {0, read, 0, config_.line_bytes},
        {0, write, sector, 8},   {0, read, sector, sector}, {0, write, 5 * line, 16},
        {0, read, 5 * line, 16}, {0, read, 7, 1},           {0, read, 9 * line, 8, true},
        {0, read, 9 * line, 8},  {0, read, line - 1, 1}};
    for (std::uint32_t way = 1; way <= config_.ways; ++way) {
        cases.push_back({0, read, way * round, sector});
    }
    cases.push_back({0, read, 0, sector});  // evicted by them, unless a hash spreads the lines
    for (const MemoryOperation& operation : cases) step(operation);

    const Address far = Address{1} << 30U;
    const Cycle at = traffic_->now() + 1000;
    const std::uint32_t lines =
        config_.mshr_entries * sector / config_.line_bytes + config_.request_queue_entries + 8;
    for (std::uint32_t i = 0; i < lines; ++i)
        overlap({at, read, far + i * line, config_.line_bytes});
    overlap({at, read, far + (lines - 1) * line, sector});
    traffic_->drain();
    session_.directed = traffic_->finished();
    cache_->resize(capacity_);  // the order of overlapping fills is not the reference's
    naive_ = NaiveL1(config_, kCapacity);
}

/// Lines of a few sets, often the same ones; whole sectors or any bytes.
MemoryOperation L1Testbench::draw() {
    const std::uint32_t line = config_.line_bytes;
    const Address round = kCapacity / config_.ways;
    // Both halves of the sets are used, so that all index bits matter.
    const Address set = session_.below(2) * line + session_.below(2) * (round / 2);
    MemoryOperation operation;
    operation.address = session_.below(3) == 0 ? set : session_.below(8) * round + set;
    if (session_.below(2) == 0) {
        operation.address += session_.below(line / config_.sector_bytes) * config_.sector_bytes;
        operation.bytes = config_.sector_bytes;
    } else {
        const auto offset = static_cast<std::uint32_t>(session_.below(line));
        operation.address += offset;
        operation.bytes = 1 + static_cast<std::uint32_t>(session_.below(line - offset));
    }
    if (session_.below(4) == 0) {
        operation.command = tlm::TLM_WRITE_COMMAND;
    } else {
        operation.bypass_l1 = session_.below(16) == 0;
    }
    return operation;
}

/// Half of the accesses one by one, half overlapping.
void L1Testbench::play_random() {
    const std::uint64_t count = session_.options().count;
    for (std::uint64_t i = 0; i < count / 2; ++i) step(draw());
    Cycle at = traffic_->now() + 1000;
    for (std::uint64_t i = count / 2; i < count; ++i) {
        if (session_.below(4) == 0) at += session_.below(40);
        MemoryOperation operation = draw();
        operation.at = at;
        overlap(operation);
    }
    traffic_->drain();
    session_.drawn = count;
}

void L1Testbench::play_file(const Stimulus& stimulus) {
    for (const MemoryOperation& o : memory_operations(stimulus, config_.line_bytes)) {
        overlap(o);
        ++session_.drawn;
    }
    traffic_->drain();
}

/// Bins of the module's own counters, and the rules that it must have kept.
void L1Testbench::finish() {
    const auto add = [this](const char* name, const char* counter, const char* meaning) {
        session_.coverage.hit(session_.coverage.add(name, meaning), statistics_.sum(counter));
    };
    add("pending_hit", "read_pending_hits", "sectors that were on their way already");
    add("registers_full", "mshr_stall_cycles", "cycles in which a miss waits for a register");
    add("queue_full", "held_cycles", "cycles in which an access waits for the queue");
    std::vector<std::string> violations;
    cache_->check(violations);
    links_.check(violations);
    session_.violations(violations);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<L1Testbench>(argc, argv, kDescription);
}
