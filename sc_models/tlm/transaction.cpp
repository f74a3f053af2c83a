#include "sc_models/tlm/transaction.h"

#include <fmt/format.h>

namespace tessera {

void report_unanswered(const sc_core::sc_object& socket,
                       const tlm::tlm_generic_payload& transaction) {
    const std::string text = fmt::format(
        "the target bound here answered the {} of {} bytes at {:#x} without setting its response "
        "status (TLM_INCOMPLETE_RESPONSE; IEEE 1666-2011, 14.17)",
        transaction.is_write() ? "write" : "read", transaction.get_data_length(),
        transaction.get_address());
    SC_REPORT_FATAL(socket.name(), text.c_str());
}

void report_refused(const sc_core::sc_object& block, const tlm::tlm_generic_payload& request) {
    const std::string text = fmt::format("the memory refused address {:#x}: {}",
                                         request.get_address(), request.get_response_string());
    SC_REPORT_FATAL(block.name(), text.c_str());
}

}  // namespace tessera
