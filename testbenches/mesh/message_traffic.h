// Traffic of messages between SMs over a mesh: plans messages, and checks what arrives.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <systemc>
#include <tuple>
#include <vector>

#include "sc_models/noc/core/mesh_port.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Planned message between two SMs.
struct PlannedMessage {
    Cycle at = 0;
    std::uint32_t from = 0, to = 0;  ///< SMs
    MeshNetwork network = MeshNetwork::kRequest;
    std::uint32_t flits = 1;
    Cycle least_latency = 0;  ///< without contention
    bool exact = false;       ///< no contention: the latency is the least one
    std::optional<Cycle> most_latency = {};
    std::uint64_t content = 0;  ///< random
    std::uint32_t arrivals = 0;
};

/// Sends planned messages through the message ports of all SMs, in order of time. Each must arrive
/// once, unchanged, at its destination, and after all earlier ones of the same source, destination
/// and network.
class MessageTraffic : public sc_core::sc_module {
public:
    /// `ticker`: null if loosely timed.
    MessageTraffic(const sc_core::sc_module_name& name, Session& session, std::uint32_t sms,
                   CycleTicker* ticker, StatGroup& statistics);
    ~MessageTraffic() override;
    SC_HAS_PROCESS(MessageTraffic);

    [[nodiscard]] MeshPort& port(std::uint32_t sm);
    /// Plans a message, not before the one planned last.
    void send(PlannedMessage message);
    [[nodiscard]] std::size_t sent() const { return plan_.size(); }
    [[nodiscard]] std::size_t arrived() const { return arrived_; }
    /// Returns the cycle of the last arrival.
    [[nodiscard]] Cycle last_arrival() const { return last_arrival_; }
    /// Returns the sum of all latencies from the planned cycles.
    [[nodiscard]] Cycle latency_sum() const { return latency_sum_; }
    /// Appends a line for each message that is lost or waits in a port.
    void check(std::vector<std::string>& violations) const;

private:
    class End;
    void run();
    void receive(std::uint32_t sm, const MeshMessage& message, Cycle at);

    Session& session_;
    std::vector<std::unique_ptr<End>> ends_;
    std::deque<PlannedMessage> plan_;
    std::size_t next_ = 0, arrived_ = 0;
    Cycle last_arrival_ = 0, latency_sum_ = 0;
    sc_core::sc_event planned_;
    struct Arrival {
        std::uint64_t id = 0;
        Cycle at = 0;
    };
    /// Last arrival by source, destination and network.
    std::map<std::tuple<std::uint32_t, std::uint32_t, MeshNetwork>, Arrival> last_;
};

}  // namespace tessera::testbench
