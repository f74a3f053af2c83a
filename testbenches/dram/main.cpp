// Testbench of a DRAM channel with its controller.
#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/memory/at/dram_channel_at.h"
#include "sc_models/memory/lt/dram_channel.h"
#include "testbenches/dram/dram_order.h"
#include "testbenches/dram/naive_dram.h"
#include "testbenches/dram/plan.h"
#include "testbenches/harness/checked_links.h"
#include "testbenches/harness/memory_traffic.h"
#include "testbenches/harness/testbench.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr std::uint32_t kPorts = 2;     ///< L2 slices of the channel
constexpr std::size_t kPortColumn = 4;  ///< of memory_columns()

const Description kDescription = description();

/// Map of one slice and one channel: addresses of the channel are those of its memory.
AddressMap one_channel() {
    L2Config l2;
    DramConfig dram;
    l2.slices = 1;
    dram.channels = 1;
    return {l2, dram};
}

/// A channel under two initiators. Lone accesses, pairs in one bank and directed cases are checked
/// exactly (row outcome and all distances); overlapping ones for data, order, the bandwidth of the
/// data bus and conservation.
class DramTestbench final : public Testbench {
public:
    explicit DramTestbench(Session& session)
        : session_(session),
          config_(session.config().dram),
          sector_(session.config().l2.sector_bytes),
          naive_(config_, sector_),
          to_banks_(config_.controller_latency_cycles / 2),
          from_banks_(config_.controller_latency_cycles - to_banks_),
          is_exact_(config_.efficiency_percent == 100),
          quiet_(config_.controller_latency_cycles + to_core(2 * naive_.span()) + 10),
          ticker_("ticker", session.clock) {
        expect_room_between_refreshes();
        make_modules();
        std::vector<Initiator*> all;
        for (const auto& initiator : initiators_) all.push_back(initiator.get());
        traffic_.emplace(session, all);
    }

    void run_curve() override;

private:
    using Row = NaiveDram::Row;
    void expect_room_between_refreshes() const;
    void make_modules();
    void play_directed() override;
    void play_overtaking();
    void play_hit_cap();
    void play_turnaround();
    void play_random() override;
    void play_overlapping(std::uint64_t count, Cycle gap);
    void play_file(const Stimulus& stimulus) override;
    void lone(const MemoryOperation& operation);
    [[nodiscard]] Cycle open(const DramRow& row, Cycle span);
    [[nodiscard]] bool fits_case(Cycle span) const {
        return naive_.is_undisturbed(0, naive_.span() + span);
    }
    void pair();
    [[nodiscard]] Cycle begin_case(Cycle span);
    void begin(MemoryOperation operation, Cycle at, const NaiveDram::Service& service, bool exact);
    void overlap(const MemoryOperation& operation);
    [[nodiscard]] NaiveDram::Service serve(NaiveDram& naive, const MemoryOperation& operation,
                                           Cycle at) const {
        return naive.access(naive.locate(operation.address), to_dram(at + to_banks_),
                            operation.command == tlm::TLM_WRITE_COMMAND);
    }
    void finish() override;
    [[nodiscard]] MemoryOperation draw();
    [[nodiscard]] MemoryOperation access(tlm::tlm_command command, const DramRow& row,
                                         std::uint32_t column) const {
        return {0, command, naive_.address_of(row) + Address{column} * sector_, sector_};
    }
    [[nodiscard]] bool approximate() const { return session_.approximately_timed(); }
    [[nodiscard]] Cycle to_dram(Cycle core) const {
        return ceil_div(core * config_.clock_mhz, std::uint64_t{session_.clock.frequency_mhz()});
    }
    [[nodiscard]] Cycle to_core(Cycle dram) const {
        return ceil_div(dram * session_.clock.frequency_mhz(), std::uint64_t{config_.clock_mhz});
    }

    Session& session_;
    const DramConfig config_;
    const std::uint32_t sector_;  ///< bytes
    NaiveDram naive_;
    const Cycle to_banks_, from_banks_;
    const bool is_exact_;  ///< the distance of two accesses is known
    const Cycle quiet_;    ///< core cycles after which a case is over, writes included
    CheckedLinks links_;
    CycleTicker ticker_;
    PayloadPool pool_;
    StatGroup statistics_{"dram"};
    const AddressMap map_ = one_channel();
    MemoryImage image_;
    std::unique_ptr<DramChannel> lt_;    ///< null if approximately timed
    std::unique_ptr<DramChannelAt> at_;  ///< null if loosely timed
    std::vector<std::unique_ptr<Initiator>> initiators_;
    std::optional<MemoryTraffic> traffic_;
    std::vector<bool> used_ = std::vector<bool>(config_.banks);  ///< banks, by lone accesses
    std::uint64_t refreshed_ = 0;
    DramRow row_;  ///< drawn last
    const Bins bins_{session_.coverage};
};

void DramTestbench::expect_room_between_refreshes() const {
    if (naive_.is_undisturbed(0, 2 * naive_.span())) return;
    throw ConfigError(
        fmt::format("dram.t_refi_cycles: got {}, expected {} or more, so that two "
                    "accesses fit between two refreshes",
                    config_.t_refi_cycles, config_.t_rfc_cycles + 2 * naive_.span()));
}

void DramTestbench::make_modules() {
    DramConfig config = config_;
    const auto reduce = [this](const char* error, auto& parameter, std::uint32_t by) {
        if (session_.plants(error)) parameter = parameter - std::min<std::uint32_t>(by, parameter);
    };
    reduce("early_column", config.t_cl_cycles, 1);
    reduce("early_activation", config.t_rcd_cycles, 1);
    reduce("early_precharge", config.t_rp_cycles, 1);
    reduce("short_row", config.t_ras_cycles, 2);
    reduce("half_banks", config.banks, config.banks / 2);
    reduce("in_order", config.queue_entries, config.queue_entries - 1);
    const bool values = !session_.plants("no_data");
    const DramContext context{config, sector_, map_, image_, values, statistics_};
    if (approximate()) {
        at_ = std::make_unique<DramChannelAt>("dram", context, kPorts,
                                              AtContext{ticker_, pool_, session_.observers()});
    } else {
        lt_ = std::make_unique<DramChannel>("dram", context, session_.clock, session_.observers());
    }
    for (std::uint32_t i = 0; i < kPorts; ++i) {
        const std::string name = "initiator_" + std::to_string(i);
        if (approximate()) {
            initiators_.push_back(std::make_unique<AtInitiator>(name.c_str(), ticker_, pool_));
            links_.bind(initiators_.back()->to_target(), at_->targets[i]);
        } else {
            initiators_.push_back(std::make_unique<LtInitiator>(name.c_str(), session_.clock));
            links_.bind(initiators_.back()->to_target(), lt_->target);
        }
    }
}

/// Returns the cycle at which a case may begin: all accesses before are over, and no refresh
/// disturbs it for `span` DRAM cycles.
Cycle DramTestbench::begin_case(Cycle span) {
    Cycle at = traffic_->now();
    for (const auto& initiator : initiators_) at = std::max(at, initiator->last_done);
    at += quiet_ + session_.below(3);
    while (!naive_.is_undisturbed(to_dram(at + to_banks_), span)) ++at;
    return at;
}

/// Plans an access at `at`. `service`: what the reference expects; `exact`: its latency, too.
void DramTestbench::begin(MemoryOperation operation, Cycle at, const NaiveDram::Service& service,
                          bool exact) {
    operation.at = at;
    Expectation expected;
    if (operation.command == tlm::TLM_WRITE_COMMAND) {
        expected.latency = 0;
    } else if (exact) {
        expected.latency = to_core(service.data_end) + from_banks_ - at;
    }
    expected.level = ServedBy::kDram;
    expected.kind = service.row == Row::kHit     ? "row hit"
                    : service.row == Row::kEmpty ? "row empty"
                                                 : "row conflict";
    Coverage& c = session_.coverage;
    c.hit(service.row == Row::kHit     ? bins_.hit
          : service.row == Row::kEmpty ? bins_.empty
                                       : bins_.conflict);
    c.hit_if(bins_.write, operation.command == tlm::TLM_WRITE_COMMAND);
    c.hit_if(bins_.partial, operation.bytes < sector_);
    refreshed_ += service.refreshed ? 1 : 0;
    used_[naive_.locate(operation.address).bank] = true;
    traffic_->begin(operation, expected);
}

void DramTestbench::lone(const MemoryOperation& operation) {
    const Cycle at = begin_case(naive_.span());
    begin(operation, at, serve(naive_, operation, at), true);
    traffic_->drain();
}

/// Opens a row; returns the cycle at which a case of `span` DRAM cycles may use it.
Cycle DramTestbench::open(const DramRow& row, Cycle span) {
    const Cycle at = begin_case(naive_.span() + span);
    const MemoryOperation read = access(tlm::TLM_READ_COMMAND, row, 0);
    begin(read, at, serve(naive_, read, at), true);
    return at + to_core(naive_.span()) - 1;
}

/// An access, and a read of its row or of another row of its bank that waits for it.
void DramTestbench::pair() {
    MemoryOperation first = draw();
    if (naive_.turns()) first.command = tlm::TLM_READ_COMMAND;  // reads would overtake a write
    const DramRow row = naive_.locate(first.address);
    DramRow other = row;
    while (other.row == row.row || naive_.is_open(other)) ++other.row;  // hits are served first
    const bool conflict = session_.below(2) == 0;
    const Cycle at = begin_case(2 * naive_.span());
    begin(first, at, serve(naive_, first, at), true);
    MemoryOperation second = access(tlm::TLM_READ_COMMAND, conflict ? other : row, 1);
    second.port = first.port;
    // Loosely timed, the slots of the data bus are not those of the two bursts.
    begin(second, at, serve(naive_, second, at), is_exact_ && (conflict || approximate()));
    session_.coverage.hit(conflict ? bins_.pair_conflict : bins_.pair_hit);
    traffic_->drain();
}

/// Each outcome, and each rule of order.
void DramTestbench::play_directed() {
    const auto read = tlm::TLM_READ_COMMAND;
    for (std::uint32_t bank = 0; bank < config_.banks; ++bank) {
        lone(access(tlm::TLM_WRITE_COMMAND, {bank, 0}, 0));
        lone(access(read, {bank, 0}, 0));
        lone(access(read, {bank, 1}, 1));
    }
    if (config_.queue_entries > 1 && fits_case(2 * naive_.span())) play_overtaking();
    if (approximate()) play_hit_cap();
    if (approximate() && naive_.turns() && fits_case(2 * naive_.span())) play_turnaround();
    play_overlapping(4 * (config_.queue_entries + config_.controller_latency_cycles), 0);
    session_.directed = traffic_->finished();
}

/// A read of another row, and behind it one of the open row, which is served first.
void DramTestbench::play_overtaking() {
    const auto read = tlm::TLM_READ_COMMAND;
    const Cycle at = open({0, 2}, 2 * naive_.span());
    const MemoryOperation conflict = access(read, {0, 3}, 0);
    const MemoryOperation hit = access(read, {0, 2}, 1);
    // Loosely timed, the first one is served before the second one is there.
    NaiveDram before = naive_;
    const auto hit_service = serve(approximate() ? naive_ : before, hit, at);
    begin(conflict, at, serve(naive_, conflict, at), is_exact_);
    begin(hit, at, hit_service, is_exact_);
    session_.coverage.hit(bins_.overtaken);
    traffic_->drain();
}

/// A read of another row, and behind it more of the open row than may overtake it.
void DramTestbench::play_hit_cap() {
    const std::uint32_t cap = config_.row_hit_cap;
    const Cycle span = 4 * naive_.span() + (cap + 4) * (naive_.burst() + config_.t_ccd_l_cycles);
    if (cap + 4 > config_.queue_entries || !fits_case(span)) return;
    const auto read = tlm::TLM_READ_COMMAND;
    const std::uint32_t columns = config_.row_bytes / sector_;
    const Cycle at = open({1 % config_.banks, 2}, span);
    const MemoryOperation conflict = access(read, {1 % config_.banks, 3}, 0);
    std::vector<MemoryOperation> hits;
    std::vector<NaiveDram::Service> services;
    NaiveDram::Service of_conflict;
    for (std::uint32_t i = 0; i < cap + 3; ++i) {
        hits.push_back(access(read, {1 % config_.banks, 2}, i % columns));
        if (i == cap) of_conflict = serve(naive_, conflict, at);
        services.push_back(serve(naive_, hits.back(), at));
    }
    begin(conflict, at, of_conflict, is_exact_);
    for (std::size_t i = 0; i < hits.size(); ++i) begin(hits[i], at, services[i], is_exact_);
    traffic_->drain();
}

/// A read right behind a write waits until the bus has turned.
void DramTestbench::play_turnaround() {
    const DramRow row{0, 4};
    for (const Cycle distance : {4, 8, 20}) {
        const Cycle at = open(row, 2 * naive_.span());
        const MemoryOperation write = access(tlm::TLM_WRITE_COMMAND, row, 1);
        const MemoryOperation read = access(tlm::TLM_READ_COMMAND, row, 0);
        begin(write, at, serve(naive_, write, at), is_exact_);
        begin(read, at + distance, serve(naive_, read, at + distance), is_exact_);
        traffic_->drain();
    }
}

/// A few rows of all banks, often the row used last; whole sectors or parts of them.
MemoryOperation DramTestbench::draw() {
    if (session_.below(3) != 0) {
        row_ = {static_cast<std::uint32_t>(session_.below(config_.banks)), session_.below(4)};
    }
    MemoryOperation operation =
        access(session_.below(3) == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, row_,
               static_cast<std::uint32_t>(session_.below(config_.row_bytes / sector_)));
    if (session_.below(4) == 0) {
        const auto offset = static_cast<std::uint32_t>(session_.below(sector_));
        operation.address += offset;
        operation.bytes = 1 + static_cast<std::uint32_t>(session_.below(sector_ - offset));
    }
    operation.port = static_cast<std::uint32_t>(operation.address / sector_ % kPorts);
    return operation;
}

/// Half of the accesses one by one or in pairs, half overlapping.
void DramTestbench::play_random() {
    const std::uint64_t count = session_.options().count;
    for (std::uint64_t i = 0; i < count / 2; ++i) {
        if (session_.below(3) != 0 || i + 1 == count / 2) {
            lone(draw());
        } else {
            pair();
            ++i;
        }
    }
    play_overlapping(count - count / 2, 40);
    session_.drawn = count;
}

/// Accesses at random cycles, on average `gap` / 8 cycles apart. Each sector belongs to one port,
/// as accesses of different ports have no order.
void DramTestbench::play_overlapping(std::uint64_t count, Cycle gap) {
    Cycle at = begin_case(0);
    for (std::uint64_t i = 0; i < count; ++i) {
        if (gap > 0 && session_.below(4) == 0) at += session_.below(gap);
        MemoryOperation operation = draw();
        operation.at = at;
        overlap(operation);
    }
    traffic_->drain();
    // The reference does not follow them: all rows that they have opened are closed again.
    for (std::uint32_t bank = 0; bank < config_.banks; ++bank) {
        const MemoryOperation read = access(tlm::TLM_READ_COMMAND, {bank, 5}, 0);
        const Cycle from = begin_case(naive_.span());
        (void)serve(naive_, read, from);
        MemoryOperation operation = read;
        operation.at = from;
        overlap(operation);
        traffic_->drain();
    }
}

void DramTestbench::overlap(const MemoryOperation& operation) {
    Expectation expected;
    expected.kind = "overlapping";
    if (operation.command == tlm::TLM_READ_COMMAND) {
        const Cycle arrival = to_dram(operation.at + to_banks_);
        expected.least_latency = to_core(arrival + config_.t_cl_cycles + naive_.burst()) +
                                 from_banks_ - operation.at - 2;  // of clocks that are not aligned
    }
    traffic_->begin(operation, expected);
}

void DramTestbench::play_file(const Stimulus& stimulus) {
    const auto operations = memory_operations(stimulus, sector_, kPorts);
    std::map<Address, std::uint32_t> ports;  // by sector
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const MemoryOperation& operation = operations[i];
        const Address sector = operation.address / sector_;
        const std::uint32_t port = ports.emplace(sector, operation.port).first->second;
        if (port != operation.port) {
            stimulus.fail(stimulus.rows()[i], kPortColumn,
                          fmt::format("got {}, expected {}, which uses this sector of {} bytes "
                                      "above (accesses of different ports have no order)",
                                      operation.port, port, sector_));
        }
        overlap(operation);
        ++session_.drawn;
    }
    traffic_->drain();
}

/// Reads of rows that are open, then of random rows.
void DramTestbench::run_curve() {
    const double peak = static_cast<double>(config_.clock_mhz) / session_.clock.frequency_mhz() /
                        static_cast<double>(naive_.burst());  // sectors a core cycle
    std::vector<double> loads;
    for (const double percent : {10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 100, 110}) {
        loads.push_back(percent / 100 * peak);
    }
    const auto measure = [&](const char* title, std::uint64_t rows) {
        const auto draw_read = [&] {
            row_ = {static_cast<std::uint32_t>(session_.below(config_.banks)),
                    session_.below(rows)};
            const std::uint64_t column = session_.below(config_.row_bytes / sector_);
            MemoryOperation read =
                access(tlm::TLM_READ_COMMAND, row_, static_cast<std::uint32_t>(column));
            read.port = static_cast<std::uint32_t>(column % kPorts);
            return read;
        };
        std::vector<LoadPoint> points =
            traffic_->curve(loads, sector_, session_.options().count, draw_read);
        for (LoadPoint& point : points) {
            point.offered *= 100 / peak;
            point.accepted *= 100 / peak;
        }
        session_.print(title + curve_table(points, "% of the peak"));
    };
    session_.print(fmt::format("peak of the data bus: {:.3f} sectors of {} bytes a core cycle\n\n",
                               peak, sector_));
    measure("row hits (one row in each bank):\n", 1);
    measure("\nrandom rows:\n", 1U << 16U);
    finish();
}

/// Bins of the module's own counters, and the rules that it must have kept.
void DramTestbench::finish() {
    Coverage& c = session_.coverage;
    c.hit_if(bins_.every_bank, std::find(used_.begin(), used_.end(), false) == used_.end());
    const auto add = [&](const char* name, std::uint64_t hits, const char* meaning) {
        c.hit(c.add(name, meaning), hits);
    };
    const DramStatistics& counted = at_ ? at_->statistics() : lt_->statistics();
    if (naive_.refreshes()) add("refreshed", refreshed_, "a refresh has closed the row");
    if (naive_.turns()) add("turnaround", counted.turnarounds, "the data bus turns");
    std::vector<std::string> violations;
    if (at_) {
        add("queue_full", statistics_.sum("held_cycles"), "cycles in which an access waits");
        at_->check(violations);
    } else {
        lt_->check(violations);
    }
    session_.scoreboard.expect_count("accesses counted by the channel", traffic_->finished(),
                                     counted.reads + counted.writes);
    std::vector<Initiator*> all;
    for (const auto& initiator : initiators_) all.push_back(initiator.get());
    const double dram_cycles =
        static_cast<double>(config_.clock_mhz) / session_.clock.frequency_mhz();
    check_dram_reads(session_, naive_, all, dram_cycles, approximate());
    links_.check(violations);
    session_.violations(violations);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<DramTestbench>(argc, argv, kDescription);
}
