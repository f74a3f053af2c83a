// Testbench of the crossbar between SMs and L2 slices.
#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/noc/at/crossbar_at.h"
#include "sc_models/noc/lt/crossbar.h"
#include "testbenches/crossbar/packets.h"
#include "testbenches/harness/checked_links.h"
#include "testbenches/harness/memory_traffic.h"
#include "testbenches/harness/testbench.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr std::uint32_t kSms = 8, kSlices = 6;
constexpr Cycle kBelow = 20;  ///< latency of a slice, in cycles

Description description() {
    Description d;
    d.name = "crossbar";
    d.module = "crossbar between 8 SMs and 6 L2 slices";
    d.operation = "packets";
    d.sections = {"noc"};
    d.columns = memory_columns();
    d.errors = {{"late_hop", "a packet takes one cycle more than noc.latency_cycles"},
                {"fast_slice", "the links of a slice have twice their bandwidth"},
                {"fast_response", "the response links have twice their bandwidth"},
                {"other_map", "the slices of addresses are not hashed"},
                {"head_of_line", "the first packet in the queue of an SM blocks those behind it"},
                {"lost_write", "the slices lose every 16th write"}};
    d.has_curve = true;
    d.view = "crossbar_testbench.gtkw";
    return d;
}
const Description kDescription = description();

L2Config slices(const Config& config) {
    L2Config l2 = config.l2;
    l2.slices = kSlices;
    return l2;
}
AddressMap map_of(L2Config l2, bool other) {
    DramConfig dram;
    dram.channels = 1;
    if (other) l2.slice_hash = IndexHash::kNone;
    return {l2, dram};
}

/// SMs and slices of fixed latency at a crossbar. Lone packets are checked exactly (latency, data);
/// all packets for delivery, order, bandwidth of the links, and conservation.
class CrossbarTestbench final : public Testbench {
public:
    explicit CrossbarTestbench(Session& session)
        : session_(session),
          config_(session.config().noc),
          l2_(slices(session.config())),
          map_(map_of(l2_, session.plants("other_map"))),
          packets_(session, config_, l2_),
          ticker_("ticker", session.clock),
          memory_("slices", kSlices, session.clock, kBelow) {
        if (config_.kind != NocKind::kCrossbar) {
            throw ConfigError("noc.kind: got 'mesh', expected 'crossbar'");
        }
        make_modules();
        for (const auto& initiator : initiators_) sms_.push_back(initiator.get());
        traffic_.emplace(session, sms_);
        if (session.plants("lost_write")) memory_.lost_write_every = 16;
    }

    void run_curve() override;

private:
    struct Bins {
        Coverage& coverage;
        Coverage::Bin read = coverage.add("read", "a read, whose data comes back");
        Coverage::Bin write = coverage.add("write", "a write, whose data goes out");
        Coverage::Bin part = coverage.add("part_of_sector", "a packet of less than a sector");
        Coverage::Bin sector = coverage.add("sector", "a packet of one sector");
        Coverage::Bin block =
            coverage.add("block", "a packet of all bytes of a block, in several pieces");
        Coverage::Bin independent =
            coverage.add("independent", "a packet passes one that waits for another slice");
        Coverage::Bin every_pair =
            coverage.add("every_pair", "each SM has sent a packet to each slice");
    };

    void make_modules();
    void play_directed() override;
    void play_independent();
    void play_hot_spot();
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void lone(MemoryOperation operation);
    void begin(const MemoryOperation& operation, const Expectation& expected);
    void overlap(const MemoryOperation& operation, bool ordered = true);
    void finish() override;
    [[nodiscard]] MemoryOperation packet(tlm::tlm_command command, std::uint32_t sm,
                                         std::uint32_t slice, std::uint32_t bytes) const;
    [[nodiscard]] MemoryOperation draw(std::uint32_t hot_percent);

    Session& session_;
    const NocConfig config_;
    const L2Config l2_;
    const AddressMap map_;
    Packets packets_;
    CheckedLinks links_;
    CycleTicker ticker_;
    PayloadPool pool_;
    StatGroup statistics_{"crossbar"};
    MemoryTarget memory_;
    std::unique_ptr<Noc> crossbar_;
    std::vector<std::unique_ptr<Initiator>> initiators_;
    std::vector<Initiator*> sms_;
    std::optional<MemoryTraffic> traffic_;
    std::uint64_t withheld_ = 0;  ///< requests whose END_REQ a slice has withheld
    const Bins bins_{session_.coverage};
};

void CrossbarTestbench::make_modules() {
    NocConfig config = config_;
    if (session_.plants("late_hop")) ++config.latency_cycles;
    if (session_.plants("fast_slice")) {
        config.slice_bytes_per_cycle = config.slice_bytes_per_cycle * 2;
    }
    if (session_.plants("fast_response")) {
        config.response_bytes_per_cycle = config.response_bytes_per_cycle * 2;
    }
    if (session_.plants("head_of_line")) config.queueing = NocQueueing::kFifo;
    const CrossbarContext context{config, kSms, l2_.sector_bytes, map_, statistics_};
    const bool at = session_.approximately_timed();
    if (at) {
        crossbar_ =
            std::make_unique<CrossbarAt>("crossbar", context, ticker_, session_.observers());
    } else {
        crossbar_ =
            std::make_unique<Crossbar>("crossbar", context, session_.clock, session_.observers());
    }
    for (std::uint32_t sm = 0; sm < kSms; ++sm) {
        const std::string name = "sm_" + std::to_string(sm);
        if (at) {
            initiators_.push_back(std::make_unique<AtInitiator>(name.c_str(), ticker_, pool_));
        } else {
            initiators_.push_back(std::make_unique<LtInitiator>(name.c_str(), session_.clock));
        }
        links_.bind(initiators_.back()->to_target(), crossbar_->sm_socket(SmId(sm)));
    }
    for (std::uint32_t slice = 0; slice < kSlices; ++slice) {
        links_.bind(crossbar_->slice_socket(slice), memory_.sockets[slice]);
    }
}

/// Returns a packet of `bytes` from an SM to the first block of its own in a slice.
MemoryOperation CrossbarTestbench::packet(tlm::tlm_command command, std::uint32_t sm,
                                          std::uint32_t slice, std::uint32_t bytes) const {
    const Address own = Address{sm} << 20U;  // within the slice; no other SM uses these addresses
    MemoryOperation operation{0, command, packets_.map().global_of(slice, own), bytes};
    operation.port = sm;
    return operation;
}

void CrossbarTestbench::begin(const MemoryOperation& operation, const Expectation& expected) {
    Coverage& c = session_.coverage;
    c.hit(operation.command == tlm::TLM_READ_COMMAND ? bins_.read : bins_.write);
    c.hit_if(bins_.part, operation.bytes < l2_.sector_bytes);
    c.hit_if(bins_.sector, operation.bytes == l2_.sector_bytes);
    c.hit_if(bins_.block, operation.bytes == l2_.slice_interleave_bytes);
    packets_.note_sent(operation);
    traffic_->begin(operation, expected);
}

/// Plays a packet alone.
void CrossbarTestbench::lone(MemoryOperation operation) {
    operation.at = traffic_->now();
    for (const Initiator* sm : sms_) operation.at = std::max(operation.at, sm->last_done);
    operation.at += 2 * l2_.slice_interleave_bytes + session_.below(4);  // the links are idle
    Expectation expected;
    expected.latency = packets_.latency(operation, kBelow);
    expected.kind = "alone";
    begin(operation, expected);
    traffic_->drain();
}

/// Plans a packet among others. `ordered`: its bytes are known.
void CrossbarTestbench::overlap(const MemoryOperation& operation, bool ordered) {
    Expectation expected;
    expected.data = ordered;
    const bool read = operation.command == tlm::TLM_READ_COMMAND;
    expected.least_latency = (read ? 2 : 1) * config_.latency_cycles + kBelow;
    expected.kind = "among others";
    begin(operation, expected);
}

/// Each pair of an SM and a slice, then the rules between packets.
void CrossbarTestbench::play_directed() {
    const std::uint32_t sector = l2_.sector_bytes;
    const std::uint32_t block = l2_.slice_interleave_bytes;
    for (std::uint32_t sm = 0; sm < kSms; ++sm) {
        for (std::uint32_t slice = 0; slice < kSlices; ++slice) {
            lone(packet(tlm::TLM_WRITE_COMMAND, sm, slice, block));
            lone(packet(tlm::TLM_READ_COMMAND, sm, slice, sector));
            lone(packet(tlm::TLM_READ_COMMAND, sm, slice, block));
            lone(packet(tlm::TLM_WRITE_COMMAND, sm, slice, 1));
        }
    }
    play_independent();
    play_hot_spot();
    session_.directed = traffic_->finished();
}

/// All SMs write to slice 0; behind its write, SM 0 reads from slice 1, for which nothing waits.
void CrossbarTestbench::play_independent() {
    const std::uint32_t block = l2_.slice_interleave_bytes;
    Cycle at = traffic_->now() + 10'000;
    for (std::uint32_t i = 1; i <= kSms; ++i) {
        MemoryOperation write = packet(tlm::TLM_WRITE_COMMAND, i % kSms, 0, block);
        write.at = at + i / kSms;  // that of SM 0 is the last one
        overlap(write);
    }
    const Cycle sent = block / config_.request_bytes_per_cycle + 3;
    MemoryOperation read = packet(tlm::TLM_READ_COMMAND, 0, 1, l2_.sector_bytes);
    read.at = at + sent;
    if (config_.queueing == NocQueueing::kVirtualOutput && config_.request_queue_entries > 1) {
        Expectation expected;
        expected.latency = packets_.latency(read, kBelow);
        expected.kind = "alone";
        begin(read, expected);
    } else {
        overlap(read);
    }
    session_.coverage.hit(bins_.independent);
    traffic_->drain();
}

/// More reads of whole blocks from slice 0 than the queues hold.
void CrossbarTestbench::play_hot_spot() {
    const Cycle at = traffic_->now() + 10'000;
    for (std::uint32_t i = 0; i < config_.request_queue_entries + 16; ++i) {
        for (std::uint32_t sm = 0; sm < kSms; ++sm) {
            MemoryOperation read = packet(tlm::TLM_READ_COMMAND, sm, 0, l2_.slice_interleave_bytes);
            read.at = at;
            overlap(read);
        }
    }
    traffic_->drain();
}

/// A packet of any SM to any slice, or to slice 0 in `hot_percent` of all cases.
MemoryOperation CrossbarTestbench::draw(std::uint32_t hot_percent) {
    const std::uint32_t block = l2_.slice_interleave_bytes;
    const auto sm = static_cast<std::uint32_t>(session_.below(kSms));
    const bool hot = session_.below(100) < hot_percent;
    const auto slice = hot ? 0 : static_cast<std::uint32_t>(session_.below(kSlices));
    MemoryOperation operation =
        packet(session_.below(3) == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, sm, slice,
               l2_.sector_bytes);
    const Address local = packets_.map().local_of(operation.address) + session_.below(32) * block;
    operation.address = packets_.map().global_of(slice, local);
    const std::uint64_t shape = session_.below(4);
    if (shape == 0) {
        operation.bytes = block;
    } else if (shape == 1) {
        const auto offset = static_cast<std::uint32_t>(session_.below(block));
        operation.address += offset;
        operation.bytes = 1 + static_cast<std::uint32_t>(session_.below(block - offset));
    } else {
        operation.address += session_.below(block / l2_.sector_bytes) * l2_.sector_bytes;
    }
    return operation;
}

/// Half of the packets one by one; the others overlapping, first uniform, then to a hot spot.
void CrossbarTestbench::play_random() {
    const std::uint64_t count = session_.options().count;
    for (std::uint64_t i = 0; i < count / 2; ++i) lone(draw(0));
    if (session_.approximately_timed()) {
        memory_.accept_delay = [this] {
            const Cycle cycles = session_.below(8) == 0 ? session_.below(12) : 0;
            withheld_ += cycles > 0 ? 1 : 0;
            return cycles;
        };
        for (Initiator* sm : sms_) {
            sm->response_stall = [this](Cycle) {
                return session_.below(8) == 0 ? session_.below(5) : 0;
            };
        }
    }
    Cycle at = traffic_->now() + 10'000;
    for (std::uint64_t i = count / 2; i < count; ++i) {
        if (session_.below(8) == 0) at += session_.below(40);
        MemoryOperation operation = draw(i < count * 3 / 4 ? 0 : 50);
        operation.at = at;
        overlap(operation);
    }
    traffic_->drain();
    session_.drawn = count;
}

/// Packets of different SMs have no order, so the bytes of a block are checked unless one SM writes
/// them and another one uses them.
void CrossbarTestbench::play_file(const Stimulus& stimulus) {
    const std::uint32_t block = l2_.slice_interleave_bytes;
    const auto operations = memory_operations(stimulus, block, kSms);
    struct Use {
        std::uint32_t first = 0;
        bool shared = false, written = false;
    };
    std::map<Address, Use> uses;
    for (const MemoryOperation& operation : operations) {
        Use& use = uses.try_emplace(operation.address / block, Use{operation.port}).first->second;
        use.shared = use.shared || use.first != operation.port;
        use.written = use.written || operation.command == tlm::TLM_WRITE_COMMAND;
    }
    std::uint64_t unchecked = 0;
    for (const MemoryOperation& operation : operations) {
        const Use& use = uses.at(operation.address / block);
        const bool ordered = !use.shared || !use.written;
        const bool read = operation.command == tlm::TLM_READ_COMMAND;
        unchecked += read && !ordered ? 1 : 0;
        overlap(operation, ordered);
        ++session_.drawn;
    }
    if (unchecked != 0) {
        session_.add_line(
            fmt::format("bytes of {} reads were not checked: one SM writes their block of {} "
                        "bytes, and another one uses it",
                        unchecked, block));
    }
    traffic_->drain();
}

/// Reads of one sector from all slices alike, and half of them from slice 0.
void CrossbarTestbench::run_curve() {
    const std::uint32_t sector = l2_.sector_bytes;
    const double rate = static_cast<double>(config_.slice_bytes_per_cycle) / sector;
    const auto measure = [&](const std::string& title, std::uint32_t hot_percent, double limit) {
        std::vector<double> loads;
        for (std::uint32_t i = 1; i <= 12; ++i) loads.push_back(limit * 0.1 * i);
        const auto draw_read = [&] {
            MemoryOperation read = draw(hot_percent);
            read.command = tlm::TLM_READ_COMMAND;
            read.address = read.address / sector * sector;
            read.bytes = sector;
            packets_.note_sent(read);
            return read;
        };
        session_.print(
            fmt::format("{} (the slices carry {:.2f} sectors a cycle):\n", title, limit) +
            curve_table(traffic_->curve(loads, sector, session_.options().count, draw_read),
                        "sectors a cycle"));
    };
    measure("uniform random", 0, kSlices * rate);
    const double hot = 0.5 + 0.5 / kSlices;  // share of slice 0
    measure("\nhot spot: every other packet goes to slice 0", 50, rate / hot);
    finish();
}

/// Bins of the module's own counters, and the rules that it must have kept.
void CrossbarTestbench::finish() {
    session_.coverage.hit_if(bins_.every_pair, packets_.pairs() == std::size_t{kSms} * kSlices);
    const auto add = [this](const char* name, std::uint64_t hits, const char* meaning) {
        session_.coverage.hit(session_.coverage.add(name, meaning), hits);
    };
    const auto count = [&](const char* name, const char* counter, const char* meaning) {
        add(name, statistics_.sum(counter), meaning);
    };
    count("request_link", "sm_request_wait_cycles", "cycles: packets wait for their SM's link");
    count("slice_input", "slice_request_wait_cycles", "cycles: packets wait for a slice's input");
    count("slice_output", "slice_response_wait_cycles", "cycles: data waits for a slice's output");
    count("response_link", "sm_response_wait_cycles", "cycles: data waits for its SM's link");
    if (session_.approximately_timed()) {
        count("queue_full", "held_cycles", "cycles in which a packet waits for room in a queue");
        add("back_pressure", withheld_, "packets that a slice takes later");
    }
    const NocTraffic& traffic = crossbar_->traffic();
    session_.scoreboard.expect_count("packets counted by the crossbar", traffic_->finished(),
                                     traffic.read_requests + traffic.write_requests);
    packets_.check_delivered(sms_, memory_.events);
    packets_.check_links(sms_, memory_.events, kSlices);
    std::vector<std::string> violations;
    crossbar_->check(violations);
    links_.check(violations);
    session_.violations(violations);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<CrossbarTestbench>(argc, argv, kDescription);
}
