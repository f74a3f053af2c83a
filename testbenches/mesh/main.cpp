// Testbench of the mesh between SMs and memory controllers.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/noc/at/mesh_at.h"
#include "sc_models/noc/lt/mesh.h"
#include "testbenches/harness/checked_links.h"
#include "testbenches/harness/memory_target.h"
#include "testbenches/harness/memory_traffic.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/mesh/flit_probe.h"
#include "testbenches/mesh/mesh_stimulus.h"
#include "testbenches/mesh/message_traffic.h"
#include "testbenches/mesh/naive_mesh.h"
#include "testbenches/mesh/plan.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

const Description kDescription = description();

/// Mesh with an initiator and a message port at each SM and memories of fixed latency behind the
/// controllers. Packets that travel alone are checked exactly; others for lower bounds, order,
/// contents and flit counts.
class MeshTestbench final : public Testbench {
public:
    explicit MeshTestbench(Session& session)
        : session_(session),
          config_(session.config().noc),
          naive_(config_.mesh),
          map_(l2_config(naive_.controllers()), dram_config(naive_.controllers())),
          probe_(session.observers().wave, session.clock),
          ticker_("ticker", session.clock),
          memory_("memory", map_.slices(), session.clock, kMemory) {
        if (naive_.sms() == 0) {
            throw ConfigError(
                "noc.mesh.width: got 1, expected at least 2 (one node a row is a controller's)");
        }
        make_modules();
    }

    void run_curve() override;

private:
    using Kind = MeshPacket::Kind;
    static L2Config l2_config(std::uint32_t controllers) {
        L2Config config;
        config.slices = 2 * controllers;
        return config;
    }
    static DramConfig dram_config(std::uint32_t controllers) {
        DramConfig config;
        config.channels = controllers;
        return config;
    }
    void make_modules();
    void play_directed() override;
    void play_blocked();
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void begin(const MeshPacket& packet, bool alone = false);
    void step(MeshPacket packet);
    void drain();
    void count(std::uint32_t from, std::uint32_t to, std::uint32_t flits);
    void check_order();
    void check_links();
    void finish() override;
    [[nodiscard]] MeshPacket draw();
    [[nodiscard]] std::uint32_t flits_of(std::uint32_t bytes) const {
        return 1 + (bytes + config_.mesh.flit_bytes - 1) / config_.mesh.flit_bytes;
    }
    [[nodiscard]] LoadPoint measure(double load,
                                    const std::function<std::uint32_t(std::uint32_t)>& to);

    Session& session_;
    const NocConfig config_;
    NaiveMesh naive_;
    const AddressMap map_;
    FlitProbe probe_;
    CheckedLinks links_;
    CycleTicker ticker_;
    PayloadPool pool_;
    StatGroup statistics_{"mesh"};
    MemoryTarget memory_;
    std::unique_ptr<Noc> mesh_;
    std::vector<std::unique_ptr<Initiator>> initiators_;
    std::optional<MemoryTraffic> traffic_;
    std::optional<MessageTraffic> messages_;
    /// Addresses that each slice must receive next from each SM.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Address>> requests_;
    std::size_t checked_events_ = 0;
    Cycle phase_began_ = 0;
    const Bins bins_{session_.coverage};
};

void MeshTestbench::make_modules() {
    NocConfig config = config_;
    if (session_.plants("slow_links")) ++config.mesh.link_cycles;
    if (session_.plants("wide_flits")) config.mesh.flit_bytes = 2 * config.mesh.flit_bytes;
    if (session_.plants("misplaced_controllers")) {
        const bool last = config.mesh.controllers == ControllerPlacement::kLastColumn;
        config.mesh.controllers =
            last ? ControllerPlacement::kDiagonal : ControllerPlacement::kLastColumn;
    }
    const bool at = session_.approximately_timed();
    const std::uint32_t sms = naive_.sms(), controllers = naive_.controllers();
    const MeshContext context{config, sms, controllers, map_, statistics_};
    if (at) {
        mesh_ = std::make_unique<MeshAt>("mesh", context, ticker_, Observers{&probe_, nullptr});
    } else {
        mesh_ =
            std::make_unique<Mesh>("mesh", context, session_.clock, Observers{&probe_, nullptr});
    }
    messages_.emplace("messages", session_, sms, at ? &ticker_ : nullptr, statistics_);
    std::vector<Initiator*> initiators;
    for (std::uint32_t sm = 0; sm < sms; ++sm) {
        const std::string name = fmt::format("sm_{}", sm);
        if (at) {
            initiators_.push_back(std::make_unique<AtInitiator>(name.c_str(), ticker_, pool_));
        } else {
            initiators_.push_back(std::make_unique<LtInitiator>(name.c_str(), session_.clock));
        }
        initiators.push_back(initiators_.back().get());
        MessageLinks& messages = *mesh_->messages();
        MeshPort& port = messages_->port(sm);
        links_.bind(initiators.back()->to_target(), mesh_->sm_socket(SmId(sm)));
        links_.bind(port.to_mesh, messages.message_target(SmId(sm)));
        links_.bind_any(messages.message_initiator(SmId(sm)), port.from_mesh);
    }
    for (std::uint32_t slice = 0; slice < map_.slices(); ++slice) {
        links_.bind(mesh_->slice_socket(slice), memory_.sockets[slice]);
    }
    traffic_.emplace(session_, initiators);
}

/// Counts a packet in the naive mesh and in the coverage.
void MeshTestbench::count(std::uint32_t from, std::uint32_t to, std::uint32_t flits) {
    naive_.count(from, to, flits);
    const std::vector<NaiveMesh::Link> route = naive_.route(from, to);
    const auto goes = [&route](NaiveMesh::Direction direction) {
        return std::any_of(route.begin(), route.end(),
                           [&](const NaiveMesh::Link& link) { return link.second == direction; });
    };
    Coverage& c = session_.coverage;
    c.hit_if(bins_.west, goes(NaiveMesh::kWest));
    c.hit_if(bins_.east, goes(NaiveMesh::kEast));
    c.hit_if(bins_.north, goes(NaiveMesh::kNorth));
    c.hit_if(bins_.south, goes(NaiveMesh::kSouth));
    c.hit_if(bins_.turn,
             naive_.row(from) != naive_.row(to) && naive_.column(from) != naive_.column(to));
    c.hit_if(bins_.farthest, route.size() == config_.mesh.width + config_.mesh.height - 2U);
    c.hit_if(bins_.longer_than_buffer, flits > config_.mesh.buffer_flits);
}

/// Plans a packet. `alone`: nothing else is in the mesh, so its latency is exact.
void MeshTestbench::begin(const MeshPacket& p, bool alone) {
    const std::uint32_t here = naive_.of_sm(p.sm);
    Coverage& c = session_.coverage;
    if (p.is_message()) {
        const std::uint32_t there = naive_.of_sm(p.to);
        c.hit(bins_.message);
        c.hit_if(bins_.own, here == there);
        count(here, there, p.flits);
        PlannedMessage message;
        message.at = p.at;
        message.from = p.sm;
        message.to = p.to;
        message.network =
            p.kind == Kind::kReplyMessage ? MeshNetwork::kReply : MeshNetwork::kRequest;
        message.flits = p.flits;
        message.least_latency = naive_.latency(here, there, p.flits);
        message.exact = alone;
        if (p.most_latency != 0) message.most_latency = p.most_latency;
        messages_->send(message);
        return;
    }
    const bool read = p.kind == Kind::kRead;
    const std::uint32_t slice = map_.slice(p.address);
    const std::uint32_t there = naive_.of_controller(slice % naive_.controllers());
    const std::uint32_t data = flits_of(p.bytes);
    c.hit(read ? bins_.read : bins_.write);
    c.hit_if(bins_.unaligned, p.bytes % config_.mesh.flit_bytes != 0);
    count(here, there, read ? 1 : data);
    count(there, here, read ? data : 1);
    requests_[{p.sm, slice}].push_back(p.address);
    Expectation expected;
    const Cycle latency = naive_.latency(here, there, read ? 1 : data) + kMemory +
                          naive_.latency(there, here, read ? data : 1);
    if (alone) expected.latency = latency;
    expected.least_latency = latency;
    traffic_->begin({p.at, read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, p.address,
                     p.bytes, false, p.sm},
                    expected);
}

/// Plays one packet alone.
void MeshTestbench::step(MeshPacket packet) {
    packet.at = phase_began_ + 1;
    begin(packet, true);
    drain();
    if (!packet.is_message()) return;
    // A lone packet crosses every link without gaps, if buffers cover the round trip of a credit.
    const auto covered = 2 * config_.mesh.link_cycles + config_.mesh.router_stages;
    if (packet.flits > config_.mesh.buffer_flits && covered > config_.mesh.buffer_flits) return;
    if (messages_->arrived() != messages_->sent()) return;
    const bool contiguous = probe_.contiguous(naive_.of_sm(packet.to), "receiving",
                                              messages_->last_arrival(), packet.flits);
    session_.scoreboard.expect("flits of a lone packet are contiguous", 1, contiguous ? 1 : 0);
    session_.coverage.hit_if(bins_.contiguous, contiguous && packet.flits > 1);
}

/// Runs all planned packets to their ends, and checks order and link loads of this phase.
void MeshTestbench::drain() {
    traffic_->drain();
    check_order();
    Cycle end = std::max(session_.clock.now(), messages_->last_arrival());
    for (const auto& initiator : initiators_) end = std::max(end, initiator->last_done);
    phase_began_ = end;
}

/// Requests of one SM reach each slice once, in order, and one after the other.
void MeshTestbench::check_order() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Cycle> last;
    for (; checked_events_ < memory_.events.size(); ++checked_events_) {
        const MemoryEvent& event = memory_.events[checked_events_];
        const auto sm = static_cast<std::uint32_t>(event.address / kOwn);
        const std::pair<std::uint32_t, std::uint32_t> way{sm,
                                                          static_cast<std::uint32_t>(event.link)};
        session_.scoreboard.begin_cycle(event.at);
        std::deque<Address>& planned = requests_[way];
        if (!session_.scoreboard.expect("request that the slice expects", 1,
                                        planned.empty() ? 0 : 1)) {
            continue;
        }
        session_.scoreboard.expect("order of requests at the slice", planned.front(),
                                   event.address);
        session_.scoreboard.expect("later than the request before", 1,
                                   event.at > last[way] ? 1 : 0);
        planned.pop_front();
        last[way] = event.at;
    }
}

/// Flits on every link are those of the naive routes, and at most one a cycle.
void MeshTestbench::check_links() {
    Scoreboard& board = session_.scoreboard;
    board.describe_inputs_by([] { return std::string("totals of the whole run"); });
    const MeshStatistics& got = mesh_->messages()->mesh_statistics();
    for (std::uint32_t node = 0; node < naive_.nodes(); ++node) {
        for (std::uint32_t direction = 0; direction < 4; ++direction) {
            const NaiveMesh::Link link{node, static_cast<NaiveMesh::Direction>(direction)};
            const std::uint64_t flits = got.link_flits[node * 4 + direction];
            board.expect("flits on link", node * 4 + direction, naive_.on_link(link), flits);
            board.expect("link carries at most a flit a cycle", 1, flits <= phase_began_ ? 1 : 0);
        }
        board.expect("flits sent by node", node, naive_.sent(node), probe_.flits(node, "sending"));
        board.expect("flits received by node", node, naive_.received(node),
                     probe_.flits(node, "receiving"));
    }
}

void MeshTestbench::play_directed() {
    const std::uint32_t sms = naive_.sms();
    const auto line = map_.interleave_bytes();
    std::vector<MeshPacket> packets;
    for (const std::uint32_t sm : {0U, sms / 2, sms - 1}) {
        for (std::uint32_t slice = 0; slice < map_.slices(); ++slice) {
            const Address address = kOwn * sm + Address{slice} * line;
            packets.push_back({Kind::kRead, sm, 0, address, 32});
            packets.push_back({Kind::kWrite, sm, 0, address + 8, kLine - 8});
        }
        packets.push_back({Kind::kRead, sm, 0, kOwn * sm + 5, 1});
    }
    for (const std::uint32_t flits : {1U, 2U, 4U, 5U, kLongest}) {
        for (const auto& [from, to] : {std::pair{0U, sms - 1}, {sms - 1, 0U}, {0U, 0U}}) {
            for (const Kind kind : {Kind::kRequestMessage, Kind::kReplyMessage}) {
                packets.push_back({kind, from, 0, 0, 0, to, flits});
            }
        }
    }
    for (const MeshPacket& packet : packets) step(packet);
    // All SMs at once: more than the queues of SMs and controllers hold.
    const Cycle at = phase_began_ + 1;
    const std::uint32_t rounds = config_.request_queue_entries + 8;
    for (std::uint32_t i = 0; i < rounds; ++i) {
        for (std::uint32_t sm = 0; sm < sms; ++sm) {
            const Kind kind = i < rounds / 2 ? Kind::kRead : Kind::kWrite;
            begin({kind, sm, at, kOwn * sm + Address{i} * line, kLine});
        }
    }
    drain();
    play_blocked();
    session_.directed = traffic_->finished() + messages_->arrived();
}

/// The memories block the request network (approximately timed); replies between SMs must pass.
void MeshTestbench::play_blocked() {
    const std::uint32_t sms = naive_.sms();
    memory_.accept_delay = [] { return kBlocked; };
    const Cycle at = phase_began_ + 1;
    for (std::uint32_t i = 0; i < 2; ++i) {
        for (std::uint32_t sm = 0; sm < sms; ++sm) {
            begin(
                {Kind::kWrite, sm, at, kOwn * sm + (sm + i) % map_.slices() * Address{256}, kLine});
        }
    }
    for (std::uint32_t sm = 0; sm < sms; ++sm) {
        MeshPacket reply{Kind::kReplyMessage, sm, at + 200, 0, 0, sms - 1 - sm, 2};
        reply.most_latency = kBlocked - 300;
        begin(reply);
    }
    drain();
    memory_.accept_delay = nullptr;
}

MeshPacket MeshTestbench::draw() {
    MeshPacket p;
    p.sm = static_cast<std::uint32_t>(session_.below(naive_.sms()));
    p.kind = static_cast<Kind>(session_.below(4));
    p.to = static_cast<std::uint32_t>(session_.below(naive_.sms()));
    p.flits = 1 + static_cast<std::uint32_t>(session_.below(kLongest));
    const auto offset = session_.below(4) == 0 ? session_.below(kLine) : 0;
    p.address = kOwn * p.sm + session_.below(64) * kLine + offset;
    p.bytes = session_.below(3) == 0
                  ? 1 + static_cast<std::uint32_t>(session_.below(kLine - offset))
                  : kLine - static_cast<std::uint32_t>(offset);
    return p;
}

/// A quarter of the packets alone, the others together, now and then in bursts.
void MeshTestbench::play_random() {
    const std::uint64_t count = session_.options().count;
    for (std::uint64_t i = 0; i < count / 4; ++i) step(draw());
    Cycle at = phase_began_ + 1;
    for (std::uint64_t i = count / 4; i < count; ++i) {
        if (i % 512 == 0) at += 400;
        if (i / 256 % 2 == 0) at += session_.below(4);
        MeshPacket packet = draw();
        packet.at = at;
        begin(packet);
    }
    drain();
    session_.drawn = count;
}

void MeshTestbench::play_file(const Stimulus& stimulus) {
    for (const MeshPacket& p : mesh_packets(stimulus, naive_.sms(), map_.interleave_bytes())) {
        begin(p);
        ++session_.drawn;
    }
    drain();
}

/// Bins of the module's own counters, and the rules that it must have kept.
void MeshTestbench::finish() {
    check_links();
    const auto add = [this](const char* name, const char* counter, const char* meaning) {
        session_.coverage.hit(session_.coverage.add(name, meaning), statistics_.sum(counter));
    };
    add("injection_wait", "injection_wait_cycles", "cycles in which a packet waits at its source");
    add("link_wait", "link_wait_cycles", "cycles in which a flit waits for its turn on a link");
    add("back_pressure", "backpressure_cycles", "cycles in which a flit waits for a buffer");
    add("request_queue_full", "request_wait_cycles", "cycles in which an SM's queue is full");
    if (session_.approximately_timed()) {
        add("reply_queue_full", "reply_wait_cycles",
            "cycles in which a controller's queue is full");
    }
    std::vector<std::string> violations;
    for (const auto& [way, left] : requests_) {
        if (left.empty()) continue;
        violations.push_back(fmt::format("{} requests of SM {} never reached slice {}", left.size(),
                                         way.first, way.second));
    }
    mesh_->check(violations);
    messages_->check(violations);
    probe_.check(violations);
    links_.check(violations);
    session_.violations(violations);
}

LoadPoint MeshTestbench::measure(double load,
                                 const std::function<std::uint32_t(std::uint32_t)>& to) {
    constexpr std::uint32_t kFlits = 4;
    const std::uint32_t sms = naive_.sms();
    const Cycle begin_at = phase_began_ + 1000;
    const Cycle before = messages_->latency_sum();
    const std::uint64_t count = session_.options().count;
    double at = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const double chance = static_cast<double>(session_.below(1U << 20U) + 1) / (1U << 20U);
        at -= std::log(chance) * kFlits / (load * sms);  // a Poisson stream
        const auto from = static_cast<std::uint32_t>(session_.below(sms));
        begin({Kind::kRequestMessage, from, begin_at + static_cast<Cycle>(at), 0, 0, to(from),
               kFlits});
    }
    drain();
    const double flits = static_cast<double>(count) * kFlits / sms;
    const auto span = static_cast<double>(messages_->last_arrival() - begin_at);
    return {flits / at, flits / std::max(span, at),
            static_cast<double>(messages_->latency_sum() - before) / static_cast<double>(count)};
}

/// Messages of four flits by three patterns.
void MeshTestbench::run_curve() {
    const std::uint32_t sms = naive_.sms();
    const std::vector<double> loads = {0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6};
    const auto uniform = [&](std::uint32_t) {
        return static_cast<std::uint32_t>(session_.below(sms));
    };
    const auto transpose = [&](std::uint32_t sm) {
        const std::uint32_t node = naive_.of_sm(sm);
        for (std::uint32_t other = 0; other < sms; ++other) {
            const std::uint32_t there = naive_.of_sm(other);
            if (naive_.row(there) == naive_.column(node) &&
                naive_.column(there) == naive_.row(node))
                return other;
        }
        return sm;  // no SM is at the exchanged place: a message to itself
    };
    const auto hot_spot = [&](std::uint32_t) {
        return session_.below(8) == 0 ? sms / 2 : static_cast<std::uint32_t>(session_.below(sms));
    };
    const auto curve = [&](const char* name, const auto& to) {
        std::vector<LoadPoint> points;
        for (const double load : loads) points.push_back(measure(load, to));
        session_.print(
            fmt::format("{}:\n{}\n", name, curve_table(points, "flits a node and cycle")));
    };
    curve("uniform random (any SM to any SM)", uniform);
    curve("transpose (column and row exchanged)", transpose);
    curve("hot spot (one message of eight to one SM)", hot_spot);
    finish();
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<MeshTestbench>(argc, argv, kDescription);
}
