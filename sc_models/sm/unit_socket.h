// Socket of a sub-core to a unit of its SM.
#pragma once

#include <algorithm>
#include <systemc>
#include <tlm>

#include "sc_models/common/clock.h"
#include "sc_models/tlm/lt/lt_link.h"

namespace tessera {

/// Initiator socket of a sub-core to the LDST unit or the tensor cores. Payloads carry the values
/// of an operation; an operation without values may be a direct call of the unit instead, if no
/// block lies in between (leads_to_ours()).
class UnitSocket : public LtInitiatorSocket<UnitSocket> {
public:
    UnitSocket(const char* name, const ClockDomain& clock)
        : LtInitiatorSocket<UnitSocket>(name), time_(clock) {}

    /// Returns the arrival, at a directly called unit, of an instruction issued at cycle `at`.
    [[nodiscard]] Cycle arrival(Cycle at) {
        time_.sample();
        return std::max(at, time_.now());
    }
    /// Sends `payload`, to arrive at cycle `at`; returns its completion cycle. An error response is
    /// fatal, with the message `refusal`.
    Cycle send(tlm::tlm_generic_payload& payload, Cycle at, const char* refusal) {
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        time_.sample();
        const Cycle done = transport(payload, nullptr, at, time_);
        if (!payload.is_response_ok()) SC_REPORT_FATAL(owner(), refusal);
        return done;
    }
    /// Returns the name of the sub-core.
    [[nodiscard]] const char* owner() const { return get_parent_object()->name(); }

private:
    LtTime time_;
};

}  // namespace tessera
