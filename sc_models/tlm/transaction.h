// Helpers for the generic payloads of the memory hierarchy.
#pragma once

#include <systemc>
#include <tlm>

#include "sc_models/tlm/memory_port.h"

namespace tessera {

/// Returns the response status of a target of this hierarchy for the transaction's attributes: OK
/// for a read or write without byte enables or streaming within one aligned block of `block_bytes`
/// (a power of two), otherwise the TLM-2.0 error.
[[nodiscard]] inline tlm::tlm_response_status verdict(const tlm::tlm_generic_payload& transaction,
                                                      std::uint32_t block_bytes) {
    const Address first = transaction.get_address();
    const std::uint32_t bytes = transaction.get_data_length();
    if (!transaction.is_read() && !transaction.is_write()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (transaction.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    if (bytes == 0 || transaction.get_streaming_width() < bytes ||
        (first & (block_bytes - 1)) + bytes > block_bytes) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    return tlm::TLM_OK_RESPONSE;
}

/// Returns whether a target of this hierarchy serves the transaction; if not, sets the error
/// status. The OK status is set by the serving target: an interconnect that set it before
/// forwarding would hide a target that forgets its status (IEEE 1666-2011, 14.17 e).
inline bool acceptable(tlm::tlm_generic_payload& transaction, std::uint32_t block_bytes) {
    const tlm::tlm_response_status status = verdict(transaction, block_bytes);
    if (status == tlm::TLM_OK_RESPONSE) return true;
    transaction.set_response_status(status);
    return false;
}

/// Reports, as fatal, a transaction that returned to `socket` without a response status.
void report_unanswered(const sc_core::sc_object& socket,
                       const tlm::tlm_generic_payload& transaction);

/// Reports, as fatal, a request of `block` that returned with an error.
void report_refused(const sc_core::sc_object& block, const tlm::tlm_generic_payload& request);

/// Checks that the target below `socket` has set the response status of a returned transaction;
/// fatal otherwise.
inline void expect_answer(const sc_core::sc_object& socket,
                          const tlm::tlm_generic_payload& transaction) {
    if (transaction.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
        report_unanswered(socket, transaction);
    }
}

/// Moves the bytes of `request` through `socket`, without time. Fatal if the memory moves fewer.
template <class Socket>
void move_at_once(Socket& socket, tlm::tlm_generic_payload& request) {
    if (socket->transport_dbg(request) != request.get_data_length()) {
        SC_REPORT_FATAL(socket.name(), "the memory behind does not answer transport_dbg");
    }
}

/// Payload that a loosely-timed cache reuses for its own requests, one at a time (a CallGate blocks
/// other calls while one below waits). Carries an AccessInfo.
class RequestPayload {
public:
    RequestPayload() { payload_.set_extension(&info_); }
    ~RequestPayload() { payload_.clear_extension(&info_); }
    RequestPayload(const RequestPayload&) = delete;
    RequestPayload& operator=(const RequestPayload&) = delete;

    /// Returns the payload, reset to a fresh request.
    tlm::tlm_generic_payload& request(tlm::tlm_command command, Address address,
                                      unsigned char* data, std::uint32_t bytes) {
        info_.accepted = 0;
        info_.served_by = ServedBy::kNone;
        info_.atomic = AtomicKind::kNone;
        info_.added = false;
        info_.moved = false;
        info_.multicast = false;
        info_.id = 0;
        info_.return_cycles = 0;
        payload_.set_command(command);
        payload_.set_address(address);
        payload_.set_data_ptr(data);
        payload_.set_data_length(bytes);
        payload_.set_streaming_width(bytes);
        payload_.set_dmi_allowed(false);
        payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        return payload_;
    }
    [[nodiscard]] const AccessInfo& info() const { return info_; }
    [[nodiscard]] AccessInfo& info() { return info_; }

private:
    AccessInfo info_;
    tlm::tlm_generic_payload payload_;
};

}  // namespace tessera
