// Sockets of loosely-timed blocks.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm>

#include "sc_models/tlm/lt/lt_time.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

/// Target socket of a loosely-timed `Block`, for up to `kLinks` initiators (0: any number). Each
/// transport is one virtual call, from the initiator's socket to this one, and an inlined call of
/// the block:
///
///     void Block::b_transport(int port, tlm::tlm_generic_payload&, sc_core::sc_time& delay);
///     unsigned int Block::transport_dbg(int port, tlm::tlm_generic_payload&);
///
/// nb_transport_fw answers BEGIN_REQ with TLM_COMPLETED and the delay of b_transport, so that
/// method processes may call the block, too (IEEE 1666-2011, 11.1.2.7). DMI is denied. The socket
/// touches no kernel state: a host thread other than SystemC's may call it (LookAhead).
template <class Block, int kLinks = 1>
class LtTargetSocket : public tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, kLinks>,
                       private tlm::tlm_fw_transport_if<> {
public:
    explicit LtTargetSocket(const char* name)
        : tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, kLinks>(name) {
        this->bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    }

    /// Sets the block behind the socket, and the number of the socket among the block's.
    void serve_with(Block& block, int port = 0) {
        block_ = &block;
        port_ = port;
    }

protected:
    using Payload = tlm::tlm_generic_payload;

    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        if (phase != tlm::BEGIN_REQ) {
            SC_REPORT_FATAL(this->name(), "unknown phase on the forward path");
        }
        block_->b_transport(port_, payload, delay);
        return tlm::TLM_COMPLETED;
    }

private:
    void b_transport(Payload& payload, sc_core::sc_time& delay) override {
        block_->b_transport(port_, payload, delay);
    }
    unsigned int transport_dbg(Payload& payload) override {
        return block_->transport_dbg(port_, payload);
    }
    bool get_direct_mem_ptr(Payload& /*payload*/, tlm::tlm_dmi& dmi) override {
        dmi.allow_read_write();
        dmi.set_start_address(0);
        dmi.set_end_address(~sc_dt::uint64{0});
        return false;
    }

    Block* block_ = nullptr;
    int port_ = 0;
};

/// Initiator socket of a loosely-timed block.
template <class Owner>
class LtInitiatorSocket : public tlm_utils::simple_initiator_socket<Owner> {
public:
    using tlm_utils::simple_initiator_socket<Owner>::simple_initiator_socket;

    /// Sends `transaction` to arrive at `at`, or at the present if that is later. Returns its
    /// completion cycle; refreshes `time`, as the target may have waited.
    Cycle transport(tlm::tlm_generic_payload& transaction, Cycle at, LtTime& time) {
        sc_core::sc_time delay = time.delay_to(at);
        bound_->b_transport(transaction, delay);
        expect_answer(*this, transaction);
        return time.back(delay);
    }

private:
    void end_of_elaboration() override {
        tlm_utils::simple_initiator_socket<Owner>::end_of_elaboration();
        bound_ = this->operator->();
    }

    /// Interface that the port is bound to. Its base class tlm_blocking_transport_if is a virtual
    /// one: finding it anew takes each call some instructions.
    tlm::tlm_blocking_transport_if<>* bound_ = nullptr;
};

}  // namespace tessera
