#include "sc_models/tlm/protocol_rule.h"

#include <array>

namespace tessera {

namespace {

struct Entry {
    std::string_view name, clause, demand;
};

/// Indexed by rule.
constexpr std::array<Entry, kProtocolRules> kEntries = {{
    {"forward phase", "15.2.3", "an initiator sends BEGIN_REQ and END_RESP only"},
    {"backward phase", "15.2.3", "a target sends END_REQ and BEGIN_RESP only"},
    {"phase order", "15.2.4", "BEGIN_REQ, END_REQ, BEGIN_RESP, END_RESP, in this order"},
    {"phase outside a transaction", "15.2.5",
     "an ignorable phase lies between BEGIN_REQ and END_RESP"},
    {"request exclusion", "15.2.6", "no BEGIN_REQ before the END_REQ of the one before"},
    {"response exclusion", "15.2.6", "no BEGIN_RESP before the END_RESP of the one before"},
    {"return value", "15.2.3",
     "TLM_ACCEPTED changes nothing, TLM_UPDATED carries the next phase of the other side, "
     "TLM_COMPLETED ends the response"},
    {"timing decreases", "15.2.7",
     "a transaction's time plus annotated delay never goes back from call to call"},
    {"mixed transport", "15.2.10",
     "a transaction is either in b_transport or in a sequence of nb_transport calls"},
    {"blocking in a method", "11.1.1.4", "b_transport is not called from an SC_METHOD"},
    {"no memory manager", "14.5", "a payload of nb_transport has a memory manager"},
    {"no reference", "14.5", "a payload with a memory manager is referred to while it travels"},
    {"payload reused", "14.5", "a payload in flight does not start another transaction"},
    {"command", "14.9", "the command is read, write or ignore"},
    {"data pointer", "14.11", "the data pointer is not null"},
    {"data length", "14.12", "the data length is not zero"},
    {"byte enables", "14.14", "byte enables have a length, and each is 0x00 or 0xff"},
    {"streaming width", "14.15", "the streaming width is not zero"},
    {"DMI hint", "14.16", "the DMI hint is false as a request starts"},
    {"option", "14.8", "the option of a transport transaction is TLM_MIN_PAYLOAD"},
    {"initial status", "14.17", "the response status is incomplete as a request starts"},
    {"attribute modified", "14.7", "nobody below changes a request's attributes"},
    {"data modified", "14.7", "nobody changes the data or byte enables of a write under way"},
    {"response status", "14.17", "the response status is set when the response starts"},
    {"debug transport", "11.3.4",
     "debug transport has a data pointer and returns at most the data length"},
    {"DMI", "11.2.5", "a DMI descriptor starts as new, and ranges are not inverted"},
}};

constexpr const Entry& entry_of(ProtocolRule rule) {
    return kEntries[static_cast<std::size_t>(rule)];
}

}  // namespace

std::string_view name_of(ProtocolRule rule) {
    return entry_of(rule).name;
}

std::string_view demand_of(ProtocolRule rule) {
    return entry_of(rule).demand;
}

std::string_view clause_of(ProtocolRule rule) {
    return entry_of(rule).clause;
}

}  // namespace tessera
