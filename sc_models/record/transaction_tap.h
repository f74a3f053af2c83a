// Module on a link of a machine that shows requests and responses to a recorder.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>

#include "sc_models/common/types.h"
#include "sc_models/record/planted_fault.h"

namespace tessera {

/// Receives the transactions of all links.
class TapListener {
public:
    using Payload = tlm::tlm_generic_payload;

    virtual ~TapListener() = default;
    /// A request passes link `link`, to arrive after `delay`. Returns the number of its row.
    virtual std::uint64_t on_request(std::uint32_t link, Payload& payload,
                                     const sc_core::sc_time& delay) = 0;
    /// The response to the request of row `row` passes, after `delay`.
    virtual void on_response(std::uint32_t link, std::uint64_t row, Payload& payload,
                             const sc_core::sc_time& delay) = 0;
    /// The call that brought the request of row `row` returns; the response may come later.
    virtual void on_return(std::uint32_t link, std::uint64_t row, const Payload& payload) = 0;
    /// The fault is in the transaction of this row.
    virtual void on_planted(std::uint32_t link, std::uint64_t row) = 0;
};

/// Tap between an initiator and a target of the base protocol, at either level of timing. Takes no
/// time and touches no kernel state. With a fault it breaks one transaction of the link.
class TransactionTap : public sc_core::sc_module,
                       private tlm::tlm_fw_transport_if<>,
                       private tlm::tlm_bw_transport_if<> {
public:
    tlm::tlm_target_socket<> target{"target"};
    tlm::tlm_initiator_socket<> initiator{"initiator"};

    /// `fault` (null: none) and `listener` must outlive the tap. `period` is a core cycle.
    TransactionTap(const sc_core::sc_module_name& name, std::uint32_t link, TapListener& listener,
                   PlantedFault* fault, const sc_core::sc_time& period);
    TransactionTap(const TransactionTap&) = delete;
    TransactionTap& operator=(const TransactionTap&) = delete;

private:
    using Payload = tlm::tlm_generic_payload;
    struct Open {
        std::uint64_t row;
        bool broken;
    };

    void b_transport(Payload& payload, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    unsigned int transport_dbg(Payload& payload) override;
    bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

    [[nodiscard]] Open begin(Payload& payload, const sc_core::sc_time& delay);
    /// Ends the transaction of a payload that waits for its response.
    void end(Payload& payload, const sc_core::sc_time& delay);

    const std::uint32_t link_;
    TapListener& listener_;
    PlantedFault* const fault_;
    const sc_core::sc_time period_;
    std::unordered_map<const Payload*, Open> open_;  ///< requests without a response
};

}  // namespace tessera
