// Requests of a loosely-timed L1 in a quantum that runs ahead of SystemC's time.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/memory/core/l1_policy.h"
#include "sc_models/memory/core/mshr_table_lt.h"
#include "sc_models/tlm/lt/look_ahead.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

class L1MissPort;

/// Deferred results of an L1's miss port: while a quantum runs ahead, requests below are recorded
/// instead of sent, and so are the slots of the return path that depend on them. resolve() sends
/// them in their order. Limited to the entries of the miss queue, beyond which the time of a free
/// entry is unknown; then, and wherever a decision depends on an unknown response, the look-ahead
/// of the quantum ends.
class DeferredMisses {
public:
    explicit DeferredMisses(L1MissPort& port) : port_(port) {}
    void attach(LookAhead& ahead, Cycle least_below) {
        ahead_ = &ahead;
        least_below_ = least_below;
    }
    /// Returns the minimum time of a request below the L1, in cycles.
    [[nodiscard]] Cycle least_below() const { return least_below_; }

    /// Returns whether the present quantum runs ahead.
    [[nodiscard]] bool active() const { return ahead_ != nullptr && ahead_->active(); }
    /// Returns whether the next request is deferred; ends the look-ahead if there is no room.
    [[nodiscard]] bool accepts() { return active() && has_room(); }
    /// Returns the number of requests that are not sent yet.
    [[nodiscard]] std::size_t unresolved() const { return unresolved_requests_; }
    [[nodiscard]] bool any_unresolved() const { return resolved_ < results_.size(); }

    void begin_access() {
        if (ahead_ != nullptr && !any_unresolved()) forget();
        access_begin_ = access_end_ = results_.size();
    }
    void end_access() { access_end_ = results_.size(); }
    /// Returns whether the access has deferred results.
    [[nodiscard]] bool waits() const { return access_begin_ != access_end_; }
    /// Returns the completion of an access with deferred results, as L1MissPort::finish() does.
    Cycle finish(Cycle done, AccessInfo* info);

    /// Defers a read; returns the open arrival for its register.
    std::uint64_t read(const MissedSectors& missed, Cycle looked_up);
    /// Defers the write of `bytes` bytes at `address`.
    void write(Address address, std::uint32_t bytes, Cycle looked_up);
    /// Implements L1MissPort::returned().
    Cycle returned(const MshrTableLt::Entry& entry);
    /// Ends the look-ahead if an unknown fill may come before `cycle`, or at it.
    void know_before(Cycle cycle);
    /// Ends the look-ahead unless `known`; returns whether it did.
    bool know_unless(bool known) {
        if (!known) ahead_->synchronise();
        return !known;
    }
    /// Returns whether every unknown fill comes after `cycle`.
    [[nodiscard]] bool fill_is_after(Cycle cycle) const { return cycle < ahead_->bound(); }
    void resolve();

private:
    /// Deferred result: the response to a request, or the slot of a fill's data on the return path
    /// to the registers.
    struct Result {
        enum class Kind : std::uint8_t { kRead, kWrite, kReturn, kReturnOf };
        Kind kind = Kind::kRead;
        MissedSectors missed;     ///< kRead
        Address address = 0;      ///< kWrite
        std::uint32_t bytes = 0;  ///< kWrite
        std::uint32_t of = 0;     ///< kReturnOf: result that brings the data
        /// Cycle at which the request passes the cache or, kReturn, the data arrives.
        Cycle at = 0;
        Cycle ready = 0;  ///< kRead: arrival of the data, once resolved
        Cycle done = 0;   ///< completion for the access, once resolved
    };
    /// A future of an access that depends on deferred results.
    struct Future {
        std::uint32_t number = 0;  ///< in LookAhead
        std::size_t first = 0, end = 0;
        Cycle known = 0;  ///< lower bound of the completion
    };

    [[nodiscard]] bool has_room();
    void forget() {
        results_.clear();
        futures_.clear();
        resolved_ = 0;
    }
    [[nodiscard]] Cycle completion(std::size_t first, std::size_t end, Cycle known) const;
    void defer_request(Result result, Cycle looked_up);
    void resolve(Result& result);
    void resolve_read(Result& result);
    Cycle pass(tlm::tlm_command command, Address address, std::uint32_t bytes, Cycle at,
               bool multicast = false);

    L1MissPort& port_;
    LookAhead* ahead_ = nullptr;  ///< null: no quantum runs ahead
    Cycle least_below_ = 0;
    std::vector<Result> results_;                    ///< of the quantum
    std::vector<Future> futures_;                    ///< of the quantum
    std::size_t resolved_ = 0;                       ///< leading results that are resolved
    std::size_t unresolved_requests_ = 0;            ///< requests among the others
    std::size_t access_begin_ = 0, access_end_ = 0;  ///< results of the present access
};

}  // namespace tessera
