// Testbench of an L2 slice.
#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "sc_models/memory/at/l2_slice_at.h"
#include "sc_models/memory/lt/l2_slice.h"
#include "testbenches/harness/checked_links.h"
#include "testbenches/harness/memory_target.h"
#include "testbenches/harness/memory_traffic.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/l2/below_l2.h"
#include "testbenches/l2/naive_l2.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr Cycle kBelow = 100;              ///< latency of the memory below, in cycles
constexpr std::uint32_t kSlice = 0;        ///< the tested slice of l2.slices
constexpr std::size_t kAddressColumn = 2;  ///< of memory_columns()

Description description() {
    Description d;
    d.name = "l2";
    d.module = "L2 slice: sectored, write-back, write-allocate";
    d.operation = "accesses";
    d.sections = {"l2", "l1", "dram"};  // l1.sector_bytes and dram.channels have to fit those of l2
    d.columns = memory_columns();
    d.errors = {{"late_hit", "hits take one cycle more than l2.hit_latency_cycles"},
                {"small_cache", "the slice has half of its sets"},
                {"other_hash", "the set index is hashed where l2.set_hash is none, and vice versa"},
                {"more_registers", "the slice has twice as many miss registers"},
                {"lost_write", "the memory below loses every 16th write"}};
    d.has_curve = true;
    d.view = "l2_testbench.gtkw";
    return d;
}
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
          naive_(config_),
          naive_map_(config_),
          map_(config_, one_channel()),
          ticker_("ticker", session.clock),
          memory_("memory", 1, session.clock, kBelow),
          below_(session, memory_.events, config_.hit_latency_cycles + kBelow) {
        make_modules();
        traffic_.emplace(session, std::vector<Initiator*>{initiator_.get()});
        make_pool();
        if (session.plants("lost_write")) memory_.lost_write_every = 16;
    }

    void run_curve() override;

private:
    struct Bins {
        Coverage& coverage;
        Coverage::Bin hit = coverage.add("hit", "a read finds all its sectors");
        Coverage::Bin miss = coverage.add("miss", "a read finds none of its sectors");
        Coverage::Bin partial_miss =
            coverage.add("partial_miss", "a read finds some of its sectors");
        Coverage::Bin write_hit = coverage.add("write_hit", "a write finds a sector");
        Coverage::Bin write_allocation =
            coverage.add("write_allocation", "a write of an absent, whole sector");
        Coverage::Bin write_fetch =
            coverage.add("write_fetch", "a write of a part of an absent sector");
        Coverage::Bin clean_eviction =
            coverage.add("clean_eviction", "a line without dirty sectors is replaced");
        Coverage::Bin dirty_eviction =
            coverage.add("dirty_eviction", "a line with dirty sectors is replaced");
        Coverage::Bin line_written_back =
            coverage.add("line_written_back", "all sectors of a line are written back");
        Coverage::Bin unaligned =
            coverage.add("unaligned", "an access that begins within a sector");
        Coverage::Bin whole_line = coverage.add("whole_line", "an access of a whole line");
    };

    void make_modules();
    void make_pool();
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void burst();
    void step(tlm::tlm_command command, Address local, std::uint32_t bytes);
    void overlap(const MemoryOperation& operation);
    void note_writes(const MemoryOperation& operation);
    void count(const MemoryOperation& operation, const NaiveL2::Lookup& lookup);
    void finish() override;
    [[nodiscard]] MemoryOperation draw();
    [[nodiscard]] Address global(Address local) const {
        return naive_map_.global_of(kSlice, local);
    }
    [[nodiscard]] std::vector<Address> global(std::vector<Address> addresses) const {
        for (Address& address : addresses) address = global(address);
        return addresses;
    }

    Session& session_;
    const L2Config config_;
    NaiveL2 naive_;
    const NaiveAddressMap naive_map_;
    const AddressMap map_;
    CheckedLinks links_;
    CycleTicker ticker_;
    PayloadPool pool_;
    StatGroup statistics_{"l2"};
    MemoryTarget memory_;
    BelowL2 below_;
    std::unique_ptr<L2Slice> lt_;    ///< null if approximately timed
    std::unique_ptr<L2SliceAt> at_;  ///< null if loosely timed
    std::unique_ptr<Initiator> initiator_;
    std::optional<MemoryTraffic> traffic_;
    std::vector<Address> lines_;  ///< of a few sets, more than they hold
    const Bins bins_{session_.coverage};
};

void L2Testbench::make_modules() {
    L2Config config = config_;
    const bool hashes = config.set_hash == IndexHash::kXor;
    if (session_.plants("late_hit")) ++config.hit_latency_cycles;
    if (session_.plants("small_cache")) config.sets_per_slice = (config.sets_per_slice + 1) / 2;
    if (session_.plants("other_hash")) {
        config.set_hash = hashes ? IndexHash::kNone : IndexHash::kXor;
    }
    if (session_.plants("more_registers")) config.mshr_entries = config.mshr_entries * 2;
    const L2Context context{config, kSlice, map_, true, statistics_};
    if (session_.approximately_timed()) {
        at_ = std::make_unique<L2SliceAt>("l2", context,
                                          AtContext{ticker_, pool_, session_.observers()});
        auto initiator = std::make_unique<AtInitiator>("initiator", ticker_, pool_);
        links_.bind(initiator->socket, at_->target);
        links_.bind(at_->initiator, memory_.sockets[0]);
        initiator_ = std::move(initiator);
    } else {
        lt_ = std::make_unique<L2Slice>("l2", context, session_.clock, session_.observers());
        auto initiator = std::make_unique<LtInitiator>("initiator", session_.clock);
        links_.bind(initiator->socket, lt_->target);
        links_.bind(lt_->initiator, memory_.sockets[0]);
        initiator_ = std::move(initiator);
    }
}

/// Lines of the first, the middle and the last set, a third more than the ways of each.
void L2Testbench::make_pool() {
    const std::size_t sets = config_.sets_per_slice;
    const std::size_t wanted = config_.ways + config_.ways / 3 + 1;
    for (const std::size_t set : {std::size_t{0}, sets / 2, sets - 1}) {
        std::size_t found = 0;
        for (std::uint64_t line = 0; found < wanted; ++line) {
            if (naive_.set_of(line) != set) continue;
            lines_.push_back(line * config_.line_bytes);
            ++found;
        }
    }
}

void L2Testbench::count(const MemoryOperation& operation, const NaiveL2::Lookup& lookup) {
    Coverage& c = session_.coverage;
    c.hit_if(bins_.unaligned, operation.address % config_.sector_bytes != 0);
    c.hit_if(bins_.whole_line, operation.bytes == config_.line_bytes);
    const std::size_t dirty = lookup.write_backs.size();
    c.hit_if(bins_.clean_eviction, lookup.evicts && dirty == 0);
    c.hit_if(bins_.dirty_eviction, dirty != 0);
    c.hit_if(bins_.line_written_back, dirty == config_.line_bytes / config_.sector_bytes);
    if (operation.command == tlm::TLM_WRITE_COMMAND) {
        c.hit_if(bins_.write_hit, lookup.hits > 0);
        c.hit_if(bins_.write_allocation, lookup.allocations > 0);
        c.hit_if(bins_.write_fetch, !lookup.fetches.empty());
        return;
    }
    c.hit(lookup.fetches.empty() ? bins_.hit : lookup.hits == 0 ? bins_.miss : bins_.partial_miss);
}

/// Plays one access alone: level, latency, fetches and write-backs are exact.
void L2Testbench::step(tlm::tlm_command command, Address local, std::uint32_t bytes) {
    const Cycle hit = config_.hit_latency_cycles;
    // A write is answered before its sectors are fetched.
    const Cycle idle = traffic_->now() + hit + kBelow + 1;
    const MemoryOperation operation{idle, command, global(local), bytes};
    const NaiveL2::Lookup lookup = naive_.access(command, local, bytes);
    count(operation, lookup);
    note_writes(operation);
    Expectation expected;
    const bool fetches = !lookup.fetches.empty();
    const bool write = command == tlm::TLM_WRITE_COMMAND;
    if (lookup.fetches.size() <= config_.mshr_entries) {
        expected.latency = write ? 0 : hit + (fetches ? kBelow : 0);
    }
    expected.level = fetches ? ServedBy::kDram : ServedBy::kL2;
    traffic_->step(operation, expected);
    below_.expect_alone(global(lookup.fetches), global(lookup.write_backs));
}

/// Records the sectors that an operation writes.
void L2Testbench::note_writes(const MemoryOperation& operation) {
    if (operation.command != tlm::TLM_WRITE_COMMAND) return;
    const std::uint32_t sector = config_.sector_bytes;
    const Address end = operation.address + operation.bytes;
    for (Address a = operation.address / sector * sector; a < end; a += sector) {
        below_.note_write(a);
    }
}

/// Plans an access among others: a read takes as long as a hit, or longer.
void L2Testbench::overlap(const MemoryOperation& operation) {
    Expectation expected;
    if (operation.command == tlm::TLM_READ_COMMAND) {
        expected.least_latency = config_.hit_latency_cycles;
    }
    note_writes(operation);
    traffic_->begin(operation, expected);
}

/// Each situation once, one access after the other.
void L2Testbench::play_directed() {
    const std::uint32_t sector = config_.sector_bytes;
    const std::uint32_t line = config_.line_bytes;
    const auto read = tlm::TLM_READ_COMMAND;
    const auto write = tlm::TLM_WRITE_COMMAND;
    const Address a = lines_[0];
    step(read, a, sector);
    step(read, a, sector);
    step(read, a, line);
    step(write, a, line);  // all sectors are dirty
    step(read, a + 7, 1);
    const Address b = lines_[1];
    step(write, b, sector);  // allocates without a fetch
    step(write, b + 1, 1);
    step(read, b, line);
    const Address c = lines_[2];
    step(write, c + 1, line - 2);  // fetches its first and its last sector
    step(read, c, line);
    // The last of these lines replaces the first one, which is dirty.
    for (std::size_t i = 3; i <= config_.ways; ++i) step(read, lines_[i], sector);
    step(read, a, line);
    session_.directed = traffic_->finished();
}

/// Lines of a few sets, often the same ones; whole sectors, whole lines or any bytes.
MemoryOperation L2Testbench::draw() {
    const std::uint32_t line = config_.line_bytes;
    MemoryOperation operation;
    operation.address =
        lines_[session_.below(4) == 0 ? session_.below(3) : session_.below(lines_.size())];
    operation.bytes = line;
    const std::uint64_t shape = session_.below(4);
    if (shape < 2) {
        operation.address += session_.below(line / config_.sector_bytes) * config_.sector_bytes;
        operation.bytes = config_.sector_bytes;
    } else if (shape == 2) {
        const auto offset = static_cast<std::uint32_t>(session_.below(line));
        operation.address += offset;
        operation.bytes = 1 + static_cast<std::uint32_t>(session_.below(line - offset));
    }
    if (session_.below(3) == 0) operation.command = tlm::TLM_WRITE_COMMAND;
    return operation;
}

/// Fills the miss registers and the queue before the lookup.
void L2Testbench::burst() {
    const std::uint32_t line = config_.line_bytes;
    const Address far = Address{1} << 30U;
    const Cycle at = traffic_->now() + 1000;
    const std::uint32_t lines =
        3 * config_.mshr_entries * config_.sector_bytes / line + config_.request_queue_entries + 8;
    for (std::uint32_t i = 0; i < lines; ++i) {
        overlap({at, tlm::TLM_READ_COMMAND, global(far + Address{i} * line), line});
    }
    traffic_->drain();
}

/// Half of the accesses one by one, half overlapping.
void L2Testbench::play_random() {
    const std::uint64_t count = session_.options().count;
    for (std::uint64_t i = 0; i < count / 2; ++i) {
        const MemoryOperation operation = draw();
        step(operation.command, operation.address, operation.bytes);
    }
    step(tlm::TLM_READ_COMMAND, lines_[0], 1);  // the last fill has replaced its line by now
    step(tlm::TLM_READ_COMMAND, lines_[0], 1);
    below_.expect_all_written_back();
    burst();
    if (session_.approximately_timed()) {
        memory_.accept_delay = [this] { return session_.below(8) == 0 ? session_.below(12) : 0; };
        initiator_->response_stall = [this](Cycle) {
            return session_.below(8) == 0 ? session_.below(5) : 0;
        };
    }
    Cycle at = traffic_->now() + 1000;
    for (std::uint64_t i = count / 2; i < count; ++i) {
        if (session_.below(4) == 0) at += session_.below(40);
        MemoryOperation operation = draw();
        operation.address = global(operation.address);
        operation.at = at;
        overlap(operation);
    }
    traffic_->drain();
    session_.drawn = count;
}

void L2Testbench::play_file(const Stimulus& stimulus) {
    const auto operations = memory_operations(stimulus, config_.line_bytes);
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const MemoryOperation& operation = operations[i];
        const std::uint32_t slice = naive_map_.slice_of(operation.address);
        if (slice != kSlice) {
            stimulus.fail(
                stimulus.rows()[i], kAddressColumn,
                fmt::format("{:#x} belongs to slice {} of {}, expected slice {} (which has "
                            "all with --set l2.slices=1 --set dram.channels=1)",
                            operation.address, slice, config_.slices, kSlice));
        }
        count(operation, naive_.access(operation.command, naive_map_.local_of(operation.address),
                                       operation.bytes));
        overlap(operation);
        ++session_.drawn;
    }
    traffic_->drain();
}

/// Reads of sectors that are present, then of sectors that are absent.
void L2Testbench::run_curve() {
    const std::uint32_t sector = config_.sector_bytes;
    const std::uint64_t count = session_.options().count;
    for (const Address line : lines_) step(tlm::TLM_READ_COMMAND, line, config_.line_bytes);
    const std::size_t present = config_.ways;  // of the last set
    const auto hit = [this, sector, present] {
        const Address line = lines_[lines_.size() - 1 - session_.below(present)];
        const Address first = session_.below(config_.line_bytes / sector) * sector;
        return MemoryOperation{0, tlm::TLM_READ_COMMAND, global(line + first), sector};
    };
    const auto miss = [this, sector] {
        const Address local = (Address{1} << 40U) + session_.below(1U << 30U) * sector;
        return MemoryOperation{0, tlm::TLM_READ_COMMAND, global(local), sector};
    };
    std::vector<double> loads;
    for (std::uint32_t i = 1; i <= 8; ++i) loads.push_back(0.5 * i);
    session_.print(
        "hits (a slice looks up all that arrives; the network before it limits them):\n" +
        curve_table(traffic_->curve(loads, sector, count, hit), "sectors a cycle"));
    const double limit = static_cast<double>(config_.mshr_entries) /
                         static_cast<double>(config_.hit_latency_cycles + kBelow);
    loads.clear();
    for (std::uint32_t i = 1; i <= 10; ++i) loads.push_back(limit * 0.125 * i);
    session_.print(fmt::format("\nmisses (limit: l2.mshr_entries in the latency of a miss, {:.3f} "
                               "sectors a cycle):\n",
                               limit) +
                   curve_table(traffic_->curve(loads, sector, count, miss), "sectors a cycle"));
    finish();
}

/// Bins of the module's own counters, and the rules that it must have kept.
void L2Testbench::finish() {
    const auto add = [this](const char* name, std::uint64_t hits, const char* meaning) {
        session_.coverage.hit(session_.coverage.add(name, meaning), hits);
    };
    const L2Statistics& counted = at_ ? at_->statistics() : lt_->statistics();
    add("pending_hit", counted.read_pending_hits, "a sector that is read is on its way already");
    add("pending_write", counted.write_pending_hits, "a sector that is written is on its way");
    add("registers_full", counted.mshr_stall_cycles, "cycles in which a miss waits for a register");
    std::uint64_t late = 0;
    for (const Request& request : initiator_->plan) {
        late += request.result.accepted > request.sent ? 1 : 0;
    }
    add("queue_full", late, "accesses that waited for the queue before the lookup");
    std::vector<std::string> violations;
    if (at_) {
        add("memory_busy", statistics_.sum("queue_stall_cycles"),
            "cycles in which a miss waits for room among those to the memory below");
        at_->check(violations);
    } else {
        lt_->check(violations);
    }
    below_.check_overlapping(config_.mshr_entries);
    below_.expect_counts(counted.fetch_requests_below, counted.write_backs_below);
    links_.check(violations);
    session_.violations(violations);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<L2Testbench>(argc, argv, kDescription);
}
