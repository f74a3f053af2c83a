#include "sc_models/record/transaction_tap.h"

#include <fmt/format.h>

#include "sc_models/common/error.h"

namespace tessera {

TransactionTap::TransactionTap(const sc_core::sc_module_name& name, std::uint32_t link,
                               TapListener& listener, PlantedFault* fault,
                               const sc_core::sc_time& period)
    : PassThrough(name), link_(link), listener_(listener), fault_(fault), period_(period) {}

TransactionTap::Open TransactionTap::begin(Payload& payload, const sc_core::sc_time& delay) {
    const bool broken = fault_ != nullptr && fault_->is_next();
    if (broken) fault_->break_request(payload);
    const Open open{listener_.on_request(link_, payload, delay), broken};
    if (broken) listener_.on_planted(link_, open.row);
    return open;
}

void TransactionTap::end(Payload& payload, const sc_core::sc_time& delay) {
    const auto found = open_.find(&payload);
    if (found == open_.end()) return;
    const Open open = found->second;
    open_.erase(found);
    if (open.broken) fault_->break_response(payload);
    listener_.on_response(link_, open.row, payload, delay);
}

void TransactionTap::b_transport(Payload& payload, sc_core::sc_time& delay) {
    const Open open = begin(payload, delay);
    if (open.broken && fault_->lost()) {
        fault_->note_changed();
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        listener_.on_response(link_, open.row, payload, delay);
        return;
    }
    const sc_core::sc_time given = delay;
    initiator->b_transport(payload, delay);
    listener_.on_return(link_, open.row, payload);
    if (open.broken) {
        fault_->break_response(payload);
        if (fault_->delay() > 0) {
            fault_->note_changed();
            delay += period_ * static_cast<double>(fault_->delay());
        }
    }
    listener_.on_response(link_, open.row, payload, delay);
    if (!open.broken || !fault_->twice()) return;
    fault_->note_changed();
    sc_core::sc_time again = given;
    const std::uint64_t row = listener_.on_request(link_, payload, again);
    initiator->b_transport(payload, again);
    listener_.on_return(link_, row, payload);
    listener_.on_response(link_, row, payload, again);
}

tlm::tlm_sync_enum TransactionTap::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                   sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return initiator->nb_transport_fw(payload, phase, delay);
    const Open open = begin(payload, delay);
    if (open.broken && (fault_->lost() || fault_->twice() || fault_->delay() > 0)) {
        throw ConfigError(fmt::format(
            "--plant-fault: got '{}', expected address, data, operand or served, the kinds of a "
            "link whose calls do not block (timing at)",
            fault_->plan().text));
    }
    open_[&payload] = open;
    const tlm::tlm_sync_enum status = initiator->nb_transport_fw(payload, phase, delay);
    listener_.on_return(link_, open.row, payload);
    const bool responded =
        status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP);
    if (responded) end(payload, delay);
    return status;
}

tlm::tlm_sync_enum TransactionTap::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                   sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_RESP) end(payload, delay);
    return target->nb_transport_bw(payload, phase, delay);
}

}  // namespace tessera
