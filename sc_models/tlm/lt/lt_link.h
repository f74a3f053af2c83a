// Links between loosely-timed blocks of this library, without the conversions of a socket.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <algorithm>

#include "sc_models/tlm/lt/lt_time.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

/// Interface of a loosely-timed target that serves transactions in cycles instead of delays.
class LtTarget {
public:
    /// Serves a transaction like b_transport. It arrives by socket `id` at cycle `arrival`, which
    /// is not in the past; `info` is its AccessInfo, or null. Returns the completion cycle, which
    /// is not in the past either.
    virtual Cycle serve(int id, tlm::tlm_generic_payload& transaction, AccessInfo* info,
                        Cycle arrival) = 0;
    /// Host prefetch for a transaction of bytes from `address` on that is about to arrive.
    virtual void host_prefetch(int /*id*/, Address /*address*/) const {}

protected:
    ~LtTarget() = default;
};

/// Part of a target socket that identifies the target behind it.
class LtTargetEnd {
public:
    void served_by(LtTarget& target, int id = 0) {
        target_ = &target;
        id_ = id;
    }

protected:
    ~LtTargetEnd() = default;

private:
    friend class LtInitiatorEnd;
    LtTarget* target_ = nullptr;
    int id_ = 0;
};

/// Part of an initiator socket that refers directly to the target at its other end. It is unset if
/// a component lies in between or the target is external; calls then go through the sockets.
class LtInitiatorEnd {
public:
    void connect(const LtTargetEnd& end) {
        target_ = end.target_;
        id_ = end.id_;
    }

protected:
    ~LtInitiatorEnd() = default;
    LtTarget* target_ = nullptr;
    int id_ = 0;
};

/// Target socket of type `Base` (from tlm_utils) whose transactions an LtTarget serves.
template <class Base>
class LtTargetSocket : public Base, public LtTargetEnd {
public:
    using Base::Base;
};

/// Initiator socket of a loosely-timed block.
template <class Owner>
class LtInitiatorSocket : public tlm_utils::simple_initiator_socket<Owner>, public LtInitiatorEnd {
public:
    using tlm_utils::simple_initiator_socket<Owner>::simple_initiator_socket;

    /// Returns whether calls go directly to a block of this library.
    [[nodiscard]] bool leads_to_ours() const { return target_ != nullptr; }
    /// Host prefetch for a transaction of bytes from `address` on to a directly connected target.
    void host_prefetch(Address address) const {
        if (target_ != nullptr) target_->host_prefetch(id_, address);
    }
    /// Sends `transaction`, which carries `info` (null: none), to arrive at `at`, or at the present
    /// if that is later. Returns its completion cycle; refreshes `time`, as the target may have
    /// waited.
    Cycle transport(tlm::tlm_generic_payload& transaction, AccessInfo* info, Cycle at,
                    LtTime& time) {
        if (target_ != nullptr) {
            const Cycle done = target_->serve(id_, transaction, info, std::max(at, time.now()));
            time.sample();
            return done;
        }
        sc_core::sc_time delay = time.delay_to(at);
        (*this)->b_transport(transaction, delay);
        const Cycle done = time.back(delay);
        expect_answer(*this, transaction);
        return done;
    }
};

/// Implements b_transport for a target that serves blocks of `block_bytes`.
inline void serve_call(LtTarget& target, int id, std::uint32_t block_bytes, LtTime& time,
                       tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    if (!acceptable(transaction, block_bytes)) return;
    const Cycle done =
        target.serve(id, transaction, transaction.get_extension<AccessInfo>(), time.arrive(delay));
    delay = time.delay_to(done);
}

}  // namespace tessera
