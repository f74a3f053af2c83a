#include "testbenches/mesh/message_traffic.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

namespace tessera::testbench {

/// Message port of an SM with its receiver.
class MessageTraffic::End : private MeshReceiver {
public:
    End(MessageTraffic& traffic, std::uint32_t sm, CycleTicker* ticker, StatGroup& statistics)
        : port(fmt::format("port_{}", sm).c_str(), SmId(sm), traffic.session_.clock, ticker,
               statistics.instance("port", sm)),
          traffic_(traffic),
          sm_(sm) {
        port.attach(*this);
    }
    MeshPort port;

private:
    /// Receives a message, with the planted errors at this boundary.
    void on_mesh_message(const MeshMessage& message, Cycle at) override {
        const bool nth = ++received_ % 16 == 0;
        if (nth && traffic_.session_.plants("lost_message")) return;
        if (nth && traffic_.session_.plants("swapped_messages")) {
            held_ = message;
            return;
        }
        traffic_.receive(sm_, message, at);
        if (const auto held = std::exchange(held_, std::nullopt)) traffic_.receive(sm_, *held, at);
    }

    MessageTraffic& traffic_;
    const std::uint32_t sm_;
    std::uint64_t received_ = 0;
    std::optional<MeshMessage> held_;
};

MessageTraffic::MessageTraffic(const sc_core::sc_module_name& name, Session& session,
                               std::uint32_t sms, CycleTicker* ticker, StatGroup& statistics)
    : sc_module(name), session_(session) {
    for (std::uint32_t sm = 0; sm < sms; ++sm) {
        ends_.push_back(std::make_unique<End>(*this, sm, ticker, statistics));
    }
    SC_THREAD(run);
}

MessageTraffic::~MessageTraffic() = default;

MeshPort& MessageTraffic::port(std::uint32_t sm) {
    return ends_[sm]->port;
}

void MessageTraffic::send(PlannedMessage message) {
    message.content = session_.random();
    session_.scoreboard.note_expected("message {0} of {1} flits to SM {2} from cycle {3}",
                                      plan_.size(), message.flits, message.to, message.at);
    plan_.push_back(message);
    planned_.notify(sc_core::SC_ZERO_TIME);
}

void MessageTraffic::run() {
    for (;;) {
        while (next_ == plan_.size()) wait(planned_);
        const PlannedMessage& planned = plan_[next_];
        const sc_core::sc_time at = session_.clock.span(planned.at);
        if (at > sc_core::sc_time_stamp()) wait(at - sc_core::sc_time_stamp());
        MeshMessage message;
        message.kind = MeshMessageKind::kAssign;
        message.network = session_.plants("one_network") ? MeshNetwork::kRequest : planned.network;
        message.destination = SmId(planned.to);
        message.flits = planned.flits;
        message.id = next_++;
        message.input = planned.content;
        ends_[planned.from]->port.send(message, session_.clock.now());
    }
}

void MessageTraffic::receive(std::uint32_t sm, const MeshMessage& message, Cycle at) {
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(at);
    board.note_got("message {0} arrived at SM {1}", message.id, sm);
    if (!board.expect("message exists", 1, message.id < plan_.size() ? 1 : 0)) return;
    PlannedMessage& planned = plan_[message.id];
    board.describe_inputs_by([&] {
        return fmt::format("message {}: {} flits from SM {} to SM {}, planned for cycle {}",
                           message.id, planned.flits, planned.from, planned.to, planned.at);
    });
    board.expect_count("arrivals of the message", 1, ++planned.arrivals);
    board.expect_count("destination SM", planned.to, sm);
    board.expect_count("source SM", planned.from, message.source.value());
    board.expect("network", static_cast<std::uint64_t>(planned.network),
                 static_cast<std::uint64_t>(message.network));
    board.expect_count("flits", planned.flits, message.flits);
    board.expect("content", planned.content, message.input);
    const Cycle latency = at - planned.at;
    if (planned.exact) {
        board.expect_count("latency", planned.least_latency, latency);
    } else {
        board.expect_count("latency of at least", std::max(planned.least_latency, latency),
                           latency);
    }
    if (planned.most_latency) {
        board.expect_count("latency of at most", std::min(*planned.most_latency, latency), latency);
    }
    const auto [last, first] = last_.try_emplace({planned.from, planned.to, planned.network});
    const bool later = last->second.id < message.id && last->second.at < at;
    board.expect("order of messages between two SMs", 1, first || later ? 1 : 0);
    last->second = {message.id, at};
    session_.latency.add(
        planned.network == MeshNetwork::kRequest ? "request message" : "reply message", latency);
    latency_sum_ += latency;
    last_arrival_ = std::max(last_arrival_, at);
    ++arrived_;
}

void MessageTraffic::check(std::vector<std::string>& violations) const {
    const auto missing = std::find_if(plan_.begin(), plan_.end(),
                                      [](const PlannedMessage& m) { return m.arrivals == 0; });
    if (missing != plan_.end()) {
        violations.push_back(fmt::format("{} of {} messages never arrived, the first is number {}",
                                         plan_.size() - arrived_, plan_.size(),
                                         missing - plan_.begin()));
    }
    for (const auto& end : ends_) end->port.describe_waiting(violations);
}

}  // namespace tessera::testbench
