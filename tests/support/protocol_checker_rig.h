// A protocol checker between an initiator and a target that may break every rule.
#pragma once

#include "sc_models/tlm/payload_pool.h"
#include "sc_models/tlm/protocol_checker.h"
#include "tests/support/rogue_sockets.h"

namespace tessera::test {

/// A checker between a scripted initiator and a scripted target.
struct ProtocolCheckerRig {
    explicit ProtocolCheckerRig(const ProtocolChecker::Options& options = {})
        : checker("checker", options) {
        initiator.socket.bind(checker.target);
        checker.initiator.bind(target.socket);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    Payload& read(Address address = 0) {
        return pool.acquire(tlm::TLM_READ_COMMAND, address, data, sizeof data);
    }
    Payload& write() { return pool.acquire(tlm::TLM_WRITE_COMMAND, 0, data, sizeof data); }
    /// A read whose request is under way.
    Payload& begun() {
        Payload& payload = read();
        initiator.send(payload, tlm::BEGIN_REQ);
        return payload;
    }
    /// A read whose request has been accepted.
    Payload& accepted() {
        Payload& payload = begun();
        target.send(payload, tlm::END_REQ);
        return payload;
    }
    /// Same as accepted(), by the return path.
    Payload& accepted_by_return() {
        target.on_fw = [](Payload&, tlm::tlm_phase& phase, sc_core::sc_time&) {
            phase = tlm::END_REQ;
            return tlm::TLM_UPDATED;
        };
        return begun();
    }
    static void pass_time() { sc_core::sc_start(5, sc_core::SC_NS); }

    unsigned char data[8] = {};
    PayloadPool pool;
    RogueInitiator initiator{"initiator"};
    RogueTarget target{"target"};
    ProtocolChecker checker;
};

}  // namespace tessera::test
