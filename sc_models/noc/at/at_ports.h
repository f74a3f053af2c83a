// What the approximately timed networks between SMs and L2 slices have in common.
#pragma once

#include <fmt/format.h>
#include <cstdint>
#include <string>
#include <tlm>
#include <vector>

#include <tsl/robin_map.h>

#include "sc_models/common/types.h"

namespace tessera {

/// A transaction at a socket that its queue had no room for.
struct HeldPayload {
    tlm::tlm_generic_payload* payload = nullptr;
    Cycle since = 0;
};

/// Payloads are aligned: the low bits of their addresses say nothing.
struct PayloadHash {
    std::size_t operator()(const tlm::tlm_generic_payload* payload) const noexcept {
        return reinterpret_cast<std::uintptr_t>(payload) * 0x9E3779B97F4A7C15ULL >> 32U;
    }
};
/// By transaction that is at or behind L2: the SM it came from.
using PayloadOrigins = tsl::robin_map<const tlm::tlm_generic_payload*, std::uint32_t, PayloadHash>;

/// Calls `forward` and `debug` of `noc` for what comes from its SMs, `backward` for its slices.
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

/// Appends a line if the response that an SM's port has sent waits for its END_RESP.
template <class Port>
void describe_response(const std::string& noc, std::uint32_t sm, const Port& port,
                       std::vector<std::string>& lines) {
    if (const auto* response = port.link.waiting()) {
        lines.push_back(fmt::format("{}: SM {}: the response to {:#x} waits for END_RESP", noc, sm,
                                    response->get_address()));
    }
}

/// Appends a line if the request that a slice's port has sent waits for its END_REQ.
template <class Port>
void describe_request(const std::string& noc, std::uint32_t slice, const Port& port,
                      std::vector<std::string>& lines) {
    if (const auto* request = port.link.waiting()) {
        lines.push_back(fmt::format("{}: slice {}: the request of {:#x} waits for END_REQ", noc,
                                    slice, request->get_address()));
    }
}

}  // namespace tessera
