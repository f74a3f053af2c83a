// Common parts of the approximately-timed networks between SMs and L2 slices.
#pragma once

#include <fmt/format.h>
#include <cstdint>
#include <string>
#include <tlm>
#include <vector>

#include <tsl/robin_map.h>

#include "sc_models/tlm/at/target_port.h"

namespace tessera {

/// Hash of a payload pointer; the low bits of aligned addresses carry no information.
struct PayloadHash {
    std::size_t operator()(const tlm::tlm_generic_payload* payload) const noexcept {
        return reinterpret_cast<std::uintptr_t>(payload) * 0x9E3779B97F4A7C15ULL >> 32U;
    }
};
/// Source SM of each transaction, from its request until its response enters the network.
class PayloadOrigins {
public:
    void add(const tlm::tlm_generic_payload& payload, std::uint32_t sm) { sms_[&payload] = sm; }
    /// Removes and returns the SM to which network `noc` returns a response.
    [[nodiscard]] std::uint32_t take(const tlm::tlm_generic_payload& payload,
                                     const sc_core::sc_object& noc) {
        const auto found = sms_.find(&payload);
        if (found == sms_.end()) SC_REPORT_FATAL(noc.name(), "a response nobody asked for");
        const std::uint32_t sm = found->second;
        sms_.erase(found);
        return sm;
    }

private:
    tsl::robin_map<const tlm::tlm_generic_payload*, std::uint32_t, PayloadHash> sms_;
};

/// Port of a network to a slice.
struct SlicePort {
    RequestLink link;
    BlockedTransaction blocked_response;
};

/// Sends END_RESP of a response that was blocked at a slice's `socket` and is accepted at `at`.
template <class Socket>
void send_end_response(Socket& socket, tlm::tlm_generic_payload& payload, Cycle at,
                       CycleAlarm& alarm) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = alarm.delay_to(at);
    socket->nb_transport_fw(payload, phase, delay);
}

/// Registers `forward` and `debug` of `noc` for its SM sockets, `backward` for its slice sockets.
template <class Noc, class Forward, class Backward, class Debug>
void register_sockets(Noc& noc, Forward forward, Backward backward, Debug debug) {
    for (std::size_t sm = 0; sm < noc.targets.size(); ++sm) {
        noc.targets[sm].register_nb_transport_fw(&noc, forward, static_cast<int>(sm));
        noc.targets[sm].register_transport_dbg(&noc, debug, static_cast<int>(sm));
    }
    for (std::size_t slice = 0; slice < noc.initiators.size(); ++slice) {
        noc.initiators[slice].register_nb_transport_bw(&noc, backward, static_cast<int>(slice));
    }
}

/// Appends a line if the response sent by an SM's port waits for its END_RESP.
inline void describe_response(const std::string& noc, std::uint32_t sm, const LinkEnd& port,
                              std::vector<std::string>& lines) {
    if (const auto* response = port.waiting()) {
        lines.push_back(fmt::format("{}: SM {}: the response to {:#x} waits for END_RESP", noc, sm,
                                    response->get_address()));
    }
}

/// Appends a line if the request sent by a slice's port waits for its END_REQ.
inline void describe_request(const std::string& noc, std::uint32_t slice, const SlicePort& port,
                             std::vector<std::string>& lines) {
    if (const auto* request = port.link.waiting()) {
        lines.push_back(fmt::format("{}: slice {}: the request of {:#x} waits for END_REQ", noc,
                                    slice, request->get_address()));
    }
}

}  // namespace tessera
