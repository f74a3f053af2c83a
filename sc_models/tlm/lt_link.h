// Links between loosely-timed blocks of ours, which calls pass without the conversions of a socket.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <algorithm>

#include "sc_models/tlm/lt_time.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

/// What serves transactions loosely timed, in cycles instead of delays.
class LtTarget {
public:
    /// Does what b_transport does with a transaction that comes by socket `id` at cycle `arrival`,
    /// which is not past. `info` is its AccessInfo, or null. Returns when it is done; that is not
    /// past, either.
    virtual Cycle serve(int id, tlm::tlm_generic_payload& transaction, AccessInfo* info,
                        Cycle arrival) = 0;
    /// A transaction of bytes from `address` on is about to come: has the host load what serving it
    /// will touch first.
    virtual void announce(int /*id*/, Address /*address*/) const {}

protected:
    ~LtTarget() = default;
};

/// The part of a target socket that says who serves what comes by it.
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

/// The part of an initiator socket that knows who serves at its other end, where nothing stands in
/// between. Else it knows nobody, and calls go by the sockets: to somebody else's block, or through
/// a checker.
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

/// A target socket of `Base`, one of tlm_utils', whose transactions an LtTarget serves.
template <class Base>
class LtTargetSocket : public Base, public LtTargetEnd {
public:
    using Base::Base;
};

/// An initiator socket by which a loosely-timed block sends.
template <class Owner>
class LtInitiatorSocket : public tlm_utils::simple_initiator_socket<Owner>, public LtInitiatorEnd {
public:
    using tlm_utils::simple_initiator_socket<Owner>::simple_initiator_socket;

    /// Whether calls go to a block of ours, with nothing in between.
    [[nodiscard]] bool leads_to_ours() const { return target_ != nullptr; }
    /// Tells the target, if it is of ours, that a transaction of bytes from `address` on will be
    /// sent.
    void announce(Address address) const {
        if (target_ != nullptr) target_->announce(id_, address);
    }
    /// Sends `transaction`, which carries `info` or nothing, so that it arrives at `at`, or at the
    /// present if that is later. Returns when it is done; looks at the simulation time by `time`,
    /// as the target may have waited.
    Cycle transport(tlm::tlm_generic_payload& transaction, AccessInfo* info, Cycle at,
                    LtTime& time) {
        if (target_ != nullptr) {
            const Cycle done = target_->serve(id_, transaction, info, std::max(at, time.now()));
            time.look();
            return done;
        }
        sc_core::sc_time delay = time.delay_to(at);
        (*this)->b_transport(transaction, delay);
        const Cycle done = time.back(delay);
        expect_answer(*this, transaction);
        return done;
    }
};

/// b_transport of a target that takes blocks of `block_bytes`.
inline void serve_call(LtTarget& target, int id, std::uint32_t block_bytes, LtTime& time,
                       tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    if (!acceptable(transaction, block_bytes)) return;
    const Cycle done =
        target.serve(id, transaction, transaction.get_extension<AccessInfo>(), time.arrive(delay));
    delay = time.delay_to(done);
}

}  // namespace tessera
