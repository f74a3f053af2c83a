#include "sc_models/tlm/protocol_checker.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/tlm/memory_port.h"

namespace tessera {

namespace {

constexpr const char* kForward = "nb_transport_fw";
constexpr const char* kForwardReturn = "the return from nb_transport_fw";
constexpr const char* kBackward = "nb_transport_bw";
constexpr const char* kBackwardReturn = "the return from nb_transport_bw";
constexpr const char* kBlocking = "b_transport";

bool is_extended(const tlm::tlm_phase& phase) {
    return static_cast<unsigned>(phase) > static_cast<unsigned>(tlm::END_RESP);
}

/// Returns whether the old words replace the data of a write (AtomicKind::kFetchAdd).
bool returns_data(const tlm::tlm_generic_payload& write) {
    const auto* const info = write.get_extension<AccessInfo>();
    return info != nullptr && info->atomic == AtomicKind::kFetchAdd;
}

std::string describe(const tlm::tlm_generic_payload& payload) {
    const char* const command = payload.is_read()    ? "read"
                                : payload.is_write() ? "write"
                                                     : "other command";
    return fmt::format("{} of {} bytes at {:#x} (payload {}, {})", command,
                       payload.get_data_length(), payload.get_address(),
                       static_cast<const void*>(&payload), payload.get_response_string());
}

}  // namespace

std::string ProtocolViolation::text() const {
    return fmt::format("{}: at {}: {}: {}{}{} (IEEE 1666-2011 {}: {})", checker, time.to_string(),
                       name_of(rule), event, payload.empty() ? "" : "; ", payload, clause_of(rule),
                       demand_of(rule));
}

ProtocolChecker::ProtocolChecker(const sc_core::sc_module_name& name, const Options& options)
    : PassThrough(name), options_(options) {}

void ProtocolChecker::report(ProtocolRule rule, const std::string& event, const Payload* payload) {
    ++violation_count_;
    ProtocolViolation violation{rule, sc_core::sc_time_stamp(), name(), event,
                                payload == nullptr ? std::string{} : describe(*payload)};
    if (options_.fatal) SC_REPORT_FATAL(name(), violation.text().c_str());
    if (violations_.size() < kKept) violations_.push_back(std::move(violation));
}

void ProtocolChecker::check(std::vector<std::string>& violations) const {
    for (const ProtocolViolation& violation : violations_) violations.push_back(violation.text());
    if (violation_count_ > violations_.size()) {
        violations.push_back(fmt::format("{}: {} more violations of the base protocol", name(),
                                         violation_count_ - violations_.size()));
    }
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
    ++calls_;
    const tlm::tlm_phase sent = phase;
    const sc_core::sc_time sent_delay = delay;
    check_managed(payload, kForward);
    if (is_extended(sent)) {
        extended_phase(payload, sent, delay, kForward);
    } else if (sent == tlm::BEGIN_REQ) {
        begin_request(payload, delay);
    } else if (sent == tlm::END_RESP) {
        end_response(payload, delay);
    } else {
        report(ProtocolRule::kForwardPhase, fmt::format("{} on the forward path", sent.get_name()),
               &payload);
    }

    const tlm::tlm_sync_enum status = initiator->nb_transport_fw(payload, phase, delay);
    // The transaction may be destroyed by now, unless the return path says that it continues.
    switch (status) {
        case tlm::TLM_ACCEPTED:
            if (phase != sent || delay != sent_delay) {
                report(ProtocolRule::kReturnValue,
                       "TLM_ACCEPTED from nb_transport_fw with another phase or delay", nullptr);
            }
            break;
        case tlm::TLM_UPDATED:
            ++calls_;
            if (sent == tlm::END_RESP) {
                report(ProtocolRule::kReturnValue, "TLM_UPDATED in answer to END_RESP", nullptr);
            } else if (is_extended(phase)) {
                extended_phase(payload, phase, delay, kForwardReturn);
            } else if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP) {
                report(ProtocolRule::kReturnValue,
                       fmt::format("TLM_UPDATED from nb_transport_fw with {}", phase.get_name()),
                       &payload);
            } else {
                target_phase(payload, phase, delay, kForwardReturn);
            }
            break;
        case tlm::TLM_COMPLETED:
            if (sent == tlm::END_RESP) break;
            ++calls_;
            if (const auto flight = flights_.find(&payload); flight != flights_.end()) {
                advance(flight->second, &payload, delay, kForwardReturn);
                check_response(payload, flight->second.snapshot, kForwardReturn);
            } else {
                report(ProtocolRule::kReturnValue,
                       "TLM_COMPLETED for a transaction that is not in flight", nullptr);
            }
            finish(&payload);
            break;
        default:
            report(ProtocolRule::kReturnValue, "an unknown return value", nullptr);
    }
    return status;
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
    ++calls_;
    const tlm::tlm_phase sent = phase;
    const sc_core::sc_time sent_delay = delay;
    check_managed(payload, kBackward);
    if (is_extended(sent)) {
        extended_phase(payload, sent, delay, kBackward);
    } else if (sent == tlm::END_REQ || sent == tlm::BEGIN_RESP) {
        target_phase(payload, sent, delay, kBackward);
    } else {
        report(ProtocolRule::kBackwardPhase,
               fmt::format("{} on the backward path", sent.get_name()), &payload);
    }

    const tlm::tlm_sync_enum status = target->nb_transport_bw(payload, phase, delay);
    switch (status) {
        case tlm::TLM_ACCEPTED:
            if (phase != sent || delay != sent_delay) {
                report(ProtocolRule::kReturnValue,
                       "TLM_ACCEPTED from nb_transport_bw with another phase or delay", nullptr);
            }
            break;
        case tlm::TLM_UPDATED:
            ++calls_;
            if (is_extended(phase)) {
                extended_phase(payload, phase, delay, kBackwardReturn);
                break;
            }
            [[fallthrough]];
        case tlm::TLM_COMPLETED: {
            const bool ends = status == tlm::TLM_COMPLETED || phase == tlm::END_RESP;
            if (sent != tlm::BEGIN_RESP || !ends) {
                report(ProtocolRule::kReturnValue,
                       fmt::format("{} from nb_transport_bw in answer to {}",
                                   status == tlm::TLM_COMPLETED
                                       ? std::string("TLM_COMPLETED")
                                       : fmt::format("TLM_UPDATED with {}", phase.get_name()),
                                   sent.get_name()),
                       nullptr);
                break;
            }
            // The initiator may have released the payload: only its address counts here.
            if (const auto flight = flights_.find(&payload); flight != flights_.end()) {
                advance(flight->second, nullptr, delay, kBackwardReturn);
            }
            finish(&payload);
            break;
        }
        default:
            report(ProtocolRule::kReturnValue, "an unknown return value", nullptr);
    }
    return status;
}

void ProtocolChecker::b_transport(Payload& payload, sc_core::sc_time& delay) {
    ++calls_;
    if (flights_.count(&payload) != 0) {
        report(ProtocolRule::kMixedTransport, "b_transport of a payload in nb_transport", &payload);
    }
    if (payload.has_mm() && payload.get_ref_count() == 0) {
        report(ProtocolRule::kNoReference, "b_transport", &payload);
    }
    if (sc_core::sc_get_current_process_handle().proc_kind() == sc_core::SC_METHOD_PROC_) {
        report(ProtocolRule::kBlockingInMethod, "b_transport from an SC_METHOD", &payload);
    }
    check_initial(payload, kBlocking);
    const Snapshot snapshot = snapshot_of(payload);
    const sc_core::sc_time begin = sc_core::sc_time_stamp() + delay;
    ++blocking_[&payload];
    initiator->b_transport(payload, delay);
    if (--blocking_[&payload] == 0) blocking_.erase(&payload);
    if (sc_core::sc_time_stamp() + delay < begin) {
        report(ProtocolRule::kTimingDecreases, "b_transport", &payload);
    }
    check_response(payload, snapshot, kBlocking);
}

unsigned int ProtocolChecker::transport_dbg(Payload& payload) {
    const unsigned length = payload.get_data_length();
    if (length > 0 && payload.get_data_ptr() == nullptr) {
        report(ProtocolRule::kDebug, "debug transport without data pointer", &payload);
    }
    const unsigned count = initiator->transport_dbg(payload);
    if (count > length) {
        report(ProtocolRule::kDebug, fmt::format("{} of {} bytes returned", count, length),
               &payload);
    }
    return count;
}

bool ProtocolChecker::get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) {
    if (dmi.get_dmi_ptr() != nullptr || !dmi.is_none_allowed() || dmi.get_start_address() != 0 ||
        dmi.get_end_address() != ~sc_dt::uint64{0}) {
        report(ProtocolRule::kDmi, "a used DMI descriptor", &payload);
    }
    const bool granted = initiator->get_direct_mem_ptr(payload, dmi);
    if (dmi.get_start_address() > dmi.get_end_address() ||
        (granted && dmi.get_dmi_ptr() == nullptr)) {
        report(ProtocolRule::kDmi, "an inverted range or a grant without pointer", &payload);
    }
    return granted;
}

void ProtocolChecker::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
    if (first > last) report(ProtocolRule::kDmi, "an inverted range to invalidate", nullptr);
    target->invalidate_direct_mem_ptr(first, last);
}

void ProtocolChecker::check_managed(const Payload& payload, const char* call) {
    if (!payload.has_mm()) {
        report(ProtocolRule::kNoMemoryManager, call, &payload);
    } else if (payload.get_ref_count() == 0) {
        report(ProtocolRule::kNoReference, call, &payload);
    }
}

void ProtocolChecker::check_initial(const Payload& payload, const char* call) {
    const auto expect = [&](bool holds, ProtocolRule rule) {
        if (!holds) report(rule, call, &payload);
    };
    const tlm::tlm_command command = payload.get_command();
    const bool ignore = command == tlm::TLM_IGNORE_COMMAND;
    expect(payload.is_read() || payload.is_write() || ignore, ProtocolRule::kCommand);
    expect(ignore || payload.get_data_ptr() != nullptr, ProtocolRule::kDataPointer);
    expect(ignore || payload.get_data_length() != 0, ProtocolRule::kDataLength);
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    const unsigned enable_length = payload.get_byte_enable_length();
    expect(enables == nullptr ||
               (enable_length != 0 && std::all_of(enables, enables + enable_length,
                                                  [](unsigned char enable) {
                                                      return enable == TLM_BYTE_ENABLED ||
                                                             enable == TLM_BYTE_DISABLED;
                                                  })),
           ProtocolRule::kByteEnables);
    expect(payload.get_streaming_width() != 0, ProtocolRule::kStreamingWidth);
    expect(!payload.is_dmi_allowed(), ProtocolRule::kDmiHint);
    expect(payload.get_gp_option() == tlm::TLM_MIN_PAYLOAD, ProtocolRule::kOption);
    expect(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE,
           ProtocolRule::kInitialStatus);
}

void ProtocolChecker::check_response(const Payload& payload, const Snapshot& snapshot,
                                     const char* call) {
    if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
        report(ProtocolRule::kResponseStatus, call, &payload);
    }
    check_unmodified(payload, snapshot, call);
}

void ProtocolChecker::check_unmodified(const Payload& payload, const Snapshot& snapshot,
                                       const char* call) {
    const auto expect = [&](bool holds, const char* attribute) {
        if (!holds) {
            report(ProtocolRule::kAttributeModified, fmt::format("{}: {}", call, attribute),
                   &payload);
        }
    };
    expect(payload.get_command() == snapshot.command, "command");
    expect(options_.address_may_change || payload.get_address() == snapshot.address, "address");
    const bool same_data =
        payload.get_data_ptr() == snapshot.data && payload.get_data_length() == snapshot.length;
    expect(same_data, "data pointer or length");
    const bool same_enables = payload.get_byte_enable_ptr() == snapshot.enables &&
                              payload.get_byte_enable_length() == snapshot.enable_length;
    expect(same_enables, "byte enables");
    expect(payload.get_streaming_width() == snapshot.streaming_width, "streaming width");
    const bool same_bytes =
        !same_data || std::equal(snapshot.written.begin(), snapshot.written.end(), snapshot.data);
    const bool same_enabled = !same_enables || std::equal(snapshot.enabled.begin(),
                                                          snapshot.enabled.end(), snapshot.enables);
    if (!same_bytes || !same_enabled) report(ProtocolRule::kDataModified, call, &payload);
}

ProtocolChecker::Snapshot ProtocolChecker::snapshot_of(const Payload& payload) {
    Snapshot s;
    s.command = payload.get_command();
    s.address = payload.get_address();
    s.data = payload.get_data_ptr();
    s.length = payload.get_data_length();
    s.enables = payload.get_byte_enable_ptr();
    s.enable_length = payload.get_byte_enable_length();
    s.streaming_width = payload.get_streaming_width();
    if (payload.is_write() && s.data != nullptr && !returns_data(payload)) {
        s.written.assign(s.data, s.data + s.length);
    }
    if (s.enables != nullptr) s.enabled.assign(s.enables, s.enables + s.enable_length);
    return s;
}

void ProtocolChecker::begin_request(Payload& payload, const sc_core::sc_time& delay) {
    if (blocking_.count(&payload) != 0) {
        report(ProtocolRule::kMixedTransport, "BEGIN_REQ of a payload in b_transport", &payload);
    }
    if (flights_.count(&payload) != 0) {
        report(ProtocolRule::kPayloadReused, "BEGIN_REQ", &payload);
    } else {
        check_initial(payload, kForward);
    }
    if (request_ != nullptr) {
        report(ProtocolRule::kRequestExclusion,
               fmt::format("BEGIN_REQ while payload {} has no END_REQ",
                           static_cast<const void*>(request_)),
               &payload);
    }
    request_ = &payload;
    flights_[&payload] = {Stage::kRequested, sc_core::sc_time_stamp() + delay,
                          snapshot_of(payload)};
}

void ProtocolChecker::end_response(Payload& payload, const sc_core::sc_time& delay) {
    const auto flight = flights_.find(&payload);
    if (flight == flights_.end() || flight->second.stage != Stage::kResponding) {
        report(ProtocolRule::kPhaseOrder, "END_RESP without BEGIN_RESP", &payload);
        return;
    }
    advance(flight->second, &payload, delay, kForward);
    check_unmodified(payload, flight->second.snapshot, kForward);
    finish(&payload);
}

void ProtocolChecker::target_phase(Payload& payload, const tlm::tlm_phase& phase,
                                   const sc_core::sc_time& delay, const char* call) {
    const auto found = flights_.find(&payload);
    if (found == flights_.end()) {
        report(ProtocolRule::kPhaseOrder,
               fmt::format("{} in {} of a transaction not in flight", phase.get_name(), call),
               &payload);
        return;
    }
    Flight& flight = found->second;
    const bool response = phase == tlm::BEGIN_RESP;
    if (flight.stage == Stage::kResponding || (!response && flight.stage == Stage::kAccepted)) {
        report(ProtocolRule::kPhaseOrder,
               fmt::format("{} in {} once too often or too late", phase.get_name(), call),
               &payload);
        return;
    }
    if (request_ == &payload) request_ = nullptr;  // BEGIN_RESP implies END_REQ
    flight.stage = response ? Stage::kResponding : Stage::kAccepted;
    advance(flight, &payload, delay, call);
    if (!response) {
        check_unmodified(payload, flight.snapshot, call);
        return;
    }
    if (response_ != nullptr) {
        report(ProtocolRule::kResponseExclusion,
               fmt::format("BEGIN_RESP while payload {} has no END_RESP",
                           static_cast<const void*>(response_)),
               &payload);
    }
    response_ = &payload;
    check_response(payload, flight.snapshot, call);
}

void ProtocolChecker::extended_phase(Payload& payload, const tlm::tlm_phase& phase,
                                     const sc_core::sc_time& delay, const char* call) {
    const auto flight = flights_.find(&payload);
    if (flight == flights_.end()) {
        report(ProtocolRule::kPhaseOutsideTransaction,
               fmt::format("{} in {}", phase.get_name(), call), &payload);
        return;
    }
    advance(flight->second, &payload, delay, call);
}

/// Advances the transaction to the present time plus `delay`. `payload` is null if it may be
/// destroyed.
void ProtocolChecker::advance(Flight& flight, const Payload* payload, const sc_core::sc_time& delay,
                              const char* call) {
    const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
    if (at < flight.time) {
        report(ProtocolRule::kTimingDecreases,
               fmt::format("{} at {} after {}", call, at.to_string(), flight.time.to_string()),
               payload);
    }
    flight.time = at;
}

void ProtocolChecker::finish(const Payload* payload) {
    if (request_ == payload) request_ = nullptr;
    if (response_ == payload) response_ = nullptr;
    flights_.erase(payload);
}

}  // namespace tessera
