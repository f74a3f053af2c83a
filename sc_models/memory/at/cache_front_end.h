// Front end of an approximately-timed cache: request queue and responses.
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <vector>

#include "sc_models/common/due_queue.h"
#include "sc_models/common/host_memory.h"
#include "sc_models/common/ring_queue.h"
#include "sc_models/memory/at/access_table.h"
#include "sc_models/tlm/at/target_port.h"

namespace tessera {

/// Reason why the first access in a cache's queue cannot be looked up.
enum class LookupStall : std::uint8_t {
    kNone,
    kMissRegister,
    kTargets,
    kMissQueue,
    kResponses,
    kAtomicUnit
};

/// Target socket of a cache, the queue before its lookup, and its accesses until they are answered.
/// The cache takes accesses from the queue in order; their sectors may arrive in any order.
class CacheFrontEnd {
public:
    using Index = AccessTable::Index;
    using Payload = tlm::tlm_generic_payload;

    /// `socket` accepts requests within lines of `line_bytes`; the queue holds `queue_entries`.
    template <class Socket>
    CacheFrontEnd(Socket& socket, CycleAlarm& alarm, std::uint32_t line_bytes,
                  std::uint32_t queue_entries)
        : port_(socket, alarm),
          alarm_(alarm),
          line_bytes_(line_bytes),
          queue_entries_(queue_entries) {}

    /// Implements the cache's nb_transport_fw.
    tlm::tlm_sync_enum transport(Payload& payload, tlm::tlm_phase& phase,
                                 const sc_core::sc_time& delay) {
        if (!port_.brings_request(payload, phase, delay, line_bytes_)) return tlm::TLM_COMPLETED;
        const Cycle arrival = alarm_.cycle_after(delay);
        if (queue_.size() >= queue_entries_) return port_.blocked_request.stall(payload, arrival);
        enqueue(payload, arrival);
        return accept_request(phase);
    }
    /// Moves the blocked request at the socket into the queue, if it has room, and passes it with
    /// its arrival to `end_request`. Returns whether it may be looked up now.
    template <class EndRequest>
    [[nodiscard]] bool accept_blocked(Cycle now, std::uint64_t& blocked_cycles,
                                      EndRequest&& end_request) {
        if (!port_.blocked_request || queue_.size() >= queue_entries_) return false;
        const auto [payload, arrival] = port_.blocked_request.accept(now, blocked_cycles);
        enqueue(payload, arrival);
        end_request(payload, arrival);
        return stall_ == LookupStall::kNone;
    }
    void send_end_request(Payload& payload, Cycle at) { port_.send_end_request(payload, at); }

    [[nodiscard]] CacheAccess& operator[](Index index) { return accesses_[index]; }
    [[nodiscard]] const CacheAccess& operator[](Index index) const { return accesses_[index]; }
    /// Returns whether an access is in the queue at `now`.
    [[nodiscard]] bool has_arrived(Cycle now) const {
        return !queue_.empty() && accesses_[queue_.front()].arrival <= now;
    }
    /// Returns the first access in the queue.
    [[nodiscard]] Index first() const { return queue_.front(); }
    /// Returns the reason why the first access waits.
    [[nodiscard]] LookupStall stall() const { return stall_; }
    /// Sets the stall reason of the first access from `now` on. Calls `count(before, cycles)` with
    /// the previous reason and its duration.
    template <class Count>
    void set_stall(LookupStall stall, Cycle now, Count&& count) {
        if (stall == stall_) return;
        if (stall_ != LookupStall::kNone) count(stall_, now - stalled_since_);
        stall_ = stall;
        stalled_since_ = now;
    }
    /// Removes the first access, whose lookup is complete, from the queue; it is answered when its
    /// pending sectors have arrived.
    void finish_lookup(Cycle now) {
        const Index index = queue_.pop();
        CacheAccess& access = accesses_[index];
        access.looked_up = true;
        if (access.awaited == 0) respond_at(std::max(access.done, now), index);
    }
    /// Records that a pending sector arrives at `at` from `level`. Returns whether it was the last.
    bool complete_sector(Index index, Cycle at, ServedBy level, tlm::tlm_response_status status) {
        CacheAccess& access = accesses_[index];
        access.serve(at, level);
        if (status != tlm::TLM_OK_RESPONSE) access.status = status;
        if (--access.awaited != 0 || !access.looked_up) return false;
        respond_at(access.done, index);
        return true;
    }

    /// Moves the responses that are due at `now` to the socket's queue.
    void finish_responses(Cycle now) {
        responses_.drain(now, [this](const Response& response) {
            const CacheAccess& access = accesses_[response.access];
            if (access.info != nullptr) access.info->served_by = access.served_by;
            response.payload->set_response_status(access.status);
            accesses_.remove(response.access);
            port_.push_response(*response.payload);
        });
    }
    /// Removes and returns the next response that may be sent at `now`; null if there is none.
    [[nodiscard]] Payload* pop_response(Cycle now) { return port_.pop_response(now); }
    void send_response(Payload& payload) { port_.send_response(payload); }
    /// Host prefetch of the access and payload of the next response.
    void host_prefetch_response() const {
        if (responses_.empty()) return;
        const Response& response = responses_.front();
        host_prefetch_line(&accesses_[response.access]);
        const auto* const payload = reinterpret_cast<const char*>(response.payload);
        host_prefetch_lines(payload, payload + 3 * kHostLine);
    }

    /// Returns when the next access can be looked up; kNever: only after another event.
    [[nodiscard]] Cycle next_lookup() const {
        return queue_.empty() || stall_ != LookupStall::kNone ? kNever : accesses_[first()].arrival;
    }
    [[nodiscard]] Cycle next_response() const {
        return std::min(responses_.next(), port_.next_response());
    }
    /// Returns the number of pending accesses.
    [[nodiscard]] std::size_t outstanding() const { return accesses_.size() + port_.outstanding(); }
    /// Appends a line if `accesses` wait in the queue of cache `name`, whose misses go to `below`.
    void describe_queue(const std::string& name, const char* accesses, const char* below,
                        std::vector<std::string>& lines) const {
        if (queue_.empty()) return;
        const std::string reasons[] = {"its turn",
                                       "a free miss register",
                                       "a miss register that serves its most accesses",
                                       fmt::format("room among the requests to {}", below),
                                       "room among the reads not answered",
                                       "the atomic-add unit"};
        lines.push_back(fmt::format(
            "{}: {} {} queued{}; the first, of {:#x}, waits for {}", name, queue_.size(), accesses,
            port_.blocked_request ? ", one more waits" : "",
            accesses_[first()].payload->get_address(), reasons[static_cast<std::size_t>(stall_)]));
    }
    /// Appends a line if responses wait for END_RESP.
    void describe_responses(const std::string& name, std::vector<std::string>& lines) const {
        port_.describe_responses(name, lines);
    }

private:
    /// Holds the payload besides the access, so that the host can load both at once.
    struct Response {
        Index access = 0;
        Payload* payload = nullptr;
    };

    void respond_at(Cycle at, Index index) {
        responses_.push(at, {index, accesses_[index].payload});
    }
    void enqueue(Payload& payload, Cycle arrival) {
        queue_.push(accesses_.add(payload, arrival));
        if (queue_.size() == 1) alarm_.at(arrival);
    }

    TargetPort port_;
    CycleAlarm& alarm_;
    std::uint32_t line_bytes_, queue_entries_;
    AccessTable accesses_;
    RingQueue<Index> queue_;  ///< before the lookup
    LookupStall stall_ = LookupStall::kNone;
    Cycle stalled_since_ = 0;
    DueQueue<Response> responses_;
};

}  // namespace tessera
