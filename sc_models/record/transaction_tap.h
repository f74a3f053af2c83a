// Module on a link of a machine that shows requests and responses to a recorder.
#pragma once

#include <cstdint>
#include <tlm>
#include <unordered_map>

#include "sc_models/common/types.h"
#include "sc_models/record/planted_fault.h"
#include "sc_models/tlm/pass_through.h"

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

/// Tap between an initiator and a target of the base protocol, at either level of timing. With a
/// fault it breaks one transaction of the link.
class TransactionTap : public PassThrough {
public:
    /// `fault` (null: none) and `listener` must outlive the tap. `period` is a core cycle.
    TransactionTap(const sc_core::sc_module_name& name, std::uint32_t link, TapListener& listener,
                   PlantedFault* fault, const sc_core::sc_time& period);

private:
    struct Open {
        std::uint64_t row;
        bool broken;
    };

    void b_transport(Payload& payload, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;

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
