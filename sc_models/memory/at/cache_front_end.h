// The side of an approximately-timed cache that faces whoever asks.
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <vector>

#include "sc_models/common/due_queue.h"
#include "sc_models/common/host_memory.h"
#include "sc_models/common/ring_queue.h"
#include "sc_models/memory/at/access_table.h"
#include "sc_models/tlm/target_port.h"

namespace tessera {

/// Why the first access in a cache's queue cannot be looked up.
enum class LookupStall : std::uint8_t {
    kNone,
    kMissRegister,
    kTargets,
    kMissQueue,
    kResponses,
    kAtomicUnit
};

/// A cache's target socket, the queue before its lookup, and its accesses until they are answered.
/// The cache takes accesses from the queue in order; what each then waits for may come in any
/// order.
class CacheFrontEnd {
public:
    using Index = AccessTable::Index;
    using Payload = tlm::tlm_generic_payload;

    /// `socket` takes requests within lines of `line_bytes`; the queue holds `queue_entries`.
    template <class Socket>
    CacheFrontEnd(Socket& socket, CycleAlarm& alarm, std::uint32_t line_bytes,
                  std::uint32_t queue_entries)
        : port_(socket, alarm),
          alarm_(alarm),
          line_bytes_(line_bytes),
          queue_entries_(queue_entries) {}

    /// The cache's nb_transport_fw.
    tlm::tlm_sync_enum transport(Payload& payload, tlm::tlm_phase& phase,
                                 const sc_core::sc_time& delay) {
        if (!port_.brings_request(payload, phase, delay, line_bytes_)) return tlm::TLM_COMPLETED;
        const Cycle arrival = alarm_.cycle_after(delay);
        if (queue_.size() >= queue_entries_) return port_.blocked_request.hold(payload, arrival);
        enqueue(payload, arrival);
        return accept_request(phase);
    }
    /// Lets the request at the socket into the queue, if it has room, and hands it with its arrival
    /// to `end_request`. Returns whether it may be looked up now.
    template <class EndRequest>
    [[nodiscard]] bool take_blocked(Cycle now, std::uint64_t& blocked_cycles,
                                    EndRequest&& end_request) {
        if (!port_.blocked_request || queue_.size() >= queue_entries_) return false;
        const auto [payload, arrival] = port_.blocked_request.release(now, blocked_cycles);
        enqueue(payload, arrival);
        end_request(payload, arrival);
        return stall_ == LookupStall::kNone;
    }
    void send_end_request(Payload& payload, Cycle at) { port_.send_end_request(payload, at); }

    [[nodiscard]] CacheAccess& operator[](Index index) { return accesses_[index]; }
    [[nodiscard]] const CacheAccess& operator[](Index index) const { return accesses_[index]; }
    /// Whether an access is in the queue at `now`.
    [[nodiscard]] bool has_arrived(Cycle now) const {
        return !queue_.empty() && accesses_[queue_.front()].arrival <= now;
    }
    /// The first access in the queue.
    [[nodiscard]] Index first() const { return queue_.front(); }
    /// What the first access waits for.
    [[nodiscard]] LookupStall stall() const { return stall_; }
    /// From `now` on it waits for `stall`. `count(before, cycles)` is told how long it has waited
    /// for something else before.
    template <class Count>
    void set_stall(LookupStall stall, Cycle now, Count&& count) {
        if (stall == stall_) return;
        if (stall_ != LookupStall::kNone) count(stall_, now - stalled_since_);
        stall_ = stall;
        stalled_since_ = now;
    }
    /// The first access has been looked up. It leaves the queue, and is answered when all that it
    /// awaits is there.
    void finish_lookup(Cycle now) {
        const Index index = queue_.pop();
        CacheAccess& access = accesses_[index];
        access.looked_up = true;
        if (access.awaited == 0) respond_at(std::max(access.done, now), index);
    }
    /// A sector the access awaited is there at `at`, from `level`. Returns whether it was the last.
    bool complete_sector(Index index, Cycle at, ServedBy level, tlm::tlm_response_status status) {
        CacheAccess& access = accesses_[index];
        access.serve(at, level);
        if (status != tlm::TLM_OK_RESPONSE) access.status = status;
        if (--access.awaited != 0 || !access.looked_up) return false;
        respond_at(access.done, index);
        return true;
    }

    /// Responses that are due at `now` wait for the socket from here on.
    void finish_responses(Cycle now) {
        responses_.drain(now, [this](const Response& response) {
            const CacheAccess& access = accesses_[response.access];
            if (access.info != nullptr) access.info->served_by = access.served_by;
            response.payload->set_response_status(access.status);
            accesses_.remove(response.access);
            port_.push_response(*response.payload);
        });
    }
    /// Takes out the next finished response that may be sent at `now`; null if there is none.
    [[nodiscard]] Payload* pop_response(Cycle now) { return port_.pop_response(now); }
    void send_response(Payload& payload) { port_.send_response(payload); }
    /// Has the host load what the next response looks at, while other blocks run.
    void warm_host_response() const {
        if (responses_.empty()) return;
        const Response& response = responses_.front();
        warm_host_line(&accesses_[response.access]);
        const auto* const payload = reinterpret_cast<const char*>(response.payload);
        warm_host_lines(payload, payload + 3 * kHostLine);
    }

    /// When the next access can be looked up; kNever: not before something else has happened.
    [[nodiscard]] Cycle next_lookup() const {
        return queue_.empty() || stall_ != LookupStall::kNone ? kNever : accesses_[first()].arrival;
    }
    [[nodiscard]] Cycle next_response() const {
        return std::min(responses_.next(), port_.next_response());
    }
    /// Accesses that are not over.
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
    /// The payload stands beside the access, so that the host can load both at once.
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
