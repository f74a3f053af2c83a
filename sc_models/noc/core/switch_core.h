// Switch of one direction of an approximately-timed crossbar: input queues, arbiters, ports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sc_models/common/host_memory.h"
#include "sc_models/common/link_rate.h"
#include "sc_models/common/ring_queue.h"
#include "sc_models/common/timing_wheel.h"
#include "sc_models/common/types.h"

namespace tessera {

/// One direction, without SystemC. A message enters by its input port, which takes it at the
/// input's bandwidth, and reaches the end of the input's queue `latency` cycles later. With one
/// FIFO an input only the head is considered, so a head that waits for a busy output blocks the
/// messages behind it; with virtual output queues a message waits only behind those for its own
/// output. Each output, when open and free, grants inputs whose heads request it, round-robin or
/// longest waiting first, at the output's bandwidth. A queue holds `queue_entries` messages,
/// including those in transit to its end.
class SwitchCore {
public:
    /// Handle of a message for the caller.
    using Message = void*;
    struct Shape {
        std::uint32_t inputs, outputs;
        std::uint32_t input_bytes_per_cycle, output_bytes_per_cycle;
        std::uint32_t piece_bytes;    ///< granularity of a port
        std::uint32_t queue_entries;  ///< of an input, over all its virtual queues
        Cycle latency;
        bool virtual_output_queues = false;
        bool oldest_first = false;  ///< grant the oldest head; ties go round-robin
    };
    explicit SwitchCore(const Shape& shape);

    [[nodiscard]] bool full(std::uint32_t input) const {
        return queued(input) >= shape_.queue_entries;
    }
    /// Puts a message of `bytes` into an input queue, which must have room, at `at` (not before
    /// `now`); returns when the port has taken it, which is at once without `takes_port`.
    Cycle enter(std::uint32_t input, std::uint32_t output, Message message, std::uint32_t bytes,
                Cycle now, Cycle at, bool takes_port = true);
    /// Opens the output from `at` on; kNever: closes it until the next call.
    void open(std::uint32_t output, Cycle now, Cycle at);

    /// Delivers the messages that pass at `now`: `deliver(input, output, message)` returns the
    /// cycle from which the output is open again.
    template <class Deliver>
    void advance(Cycle now, Deliver&& deliver);
    /// Returns when a message may pass; kNever: not before an input or an output changes.
    [[nodiscard]] Cycle next(Cycle now) const;
    /// Returns when the next message reaches the end of a queue.
    [[nodiscard]] Cycle next_head() const { return heads_.next(); }

    /// Returns the number of messages in the switch.
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t queued(std::uint32_t input) const {
        return inputs_[input].queue.size() + inputs_[input].at_end;
    }
    [[nodiscard]] std::uint32_t queue_entries() const { return shape_.queue_entries; }
    /// Returns the cycles that messages waited at the end of their queue for a grant and the
    /// output.
    [[nodiscard]] std::uint64_t output_wait_cycles() const { return output_wait_cycles_; }

private:
    struct Entry {
        Message message = nullptr;
        std::uint32_t output = 0, pieces = 0;
        Cycle ready = 0;  ///< arrival at the end of the queue
    };
    struct Input {
        LinkRate port;
        RingQueue<Entry> queue;  ///< all messages or, with virtual queues, those not yet at the end
        std::vector<RingQueue<Entry>> by_output;  ///< virtual output queues
        std::size_t at_end = 0;                   ///< messages in the virtual queues
    };
    struct Output {
        LinkRate port;
        Cycle open_at = 0;                        ///< kNever: closed
        std::vector<std::uint64_t> requested_by;  ///< one bit an input whose head requests it
        std::uint32_t heads = 0;                  ///< number of these inputs
        std::uint32_t last = 0;                   ///< input served last
        Entry passing;                            ///< message of several pieces in transfer
        std::uint32_t passing_from = 0;
    };

    void look_at_head(std::uint32_t input, Cycle now);
    void add_request(std::uint32_t input, std::uint32_t output);
    [[nodiscard]] std::uint32_t choose(const Output& output) const;
    [[nodiscard]] std::uint32_t next_in_turn(const Output& output, std::uint32_t first) const;
    [[nodiscard]] Cycle waits_since(std::uint32_t input, const Output& output) const;
    [[nodiscard]] static Cycle free_at(const Output& output, Cycle now) {
        return output.open_at == kNever ? kNever
                                        : output.port.free_at(std::max(output.open_at, now));
    }
    Entry take_head(std::uint32_t input, std::uint32_t output, Cycle now);

    Shape shape_;
    std::vector<Input> inputs_;
    std::vector<Output> outputs_;
    std::vector<std::uint64_t> requested_;  ///< one bit an output that a head requests
    TimingWheel<std::uint32_t> heads_;      ///< inputs whose head reaches the end of its queue
    TimingWheel<std::uint32_t> passing_;    ///< outputs whose transfer ends
    std::size_t size_ = 0;
    std::uint64_t output_wait_cycles_ = 0;
};

template <class Deliver>
void SwitchCore::advance(Cycle now, Deliver&& deliver) {
    heads_.drain(
        now, [&](std::uint32_t input) { look_at_head(input, now); },
        [&](std::uint32_t input) { host_prefetch_line(&inputs_[input].queue); });
    passing_.drain(now, [&](std::uint32_t index) {
        Output& output = outputs_[index];
        --size_;
        open(index, now, deliver(output.passing_from, index, output.passing.message));
    });
    // A grant may bring a new head to the front, for an output already visited.
    for (bool granted = true; granted;) {
        granted = false;
        for (std::size_t word = 0; word < requested_.size(); ++word) {
            for (std::uint64_t left = requested_[word]; left != 0; left &= left - 1) {
                const auto index = static_cast<std::uint32_t>(word * 64) +
                                   static_cast<std::uint32_t>(__builtin_ctzll(left));
                Output& output = outputs_[index];
                if (free_at(output, now) > now) continue;
                const std::uint32_t input = choose(output);
                const Entry entry = take_head(input, index, now);
                const Cycle through = output.port.take(now, entry.pieces);
                output_wait_cycles_ += through - entry.ready;
                granted = true;
                if (through > now) {
                    output.open_at = kNever;
                    output.passing = entry;
                    output.passing_from = input;
                    passing_.push(now, through, index);
                    continue;
                }
                --size_;
                output.open_at = kNever;  // unless the delivery opens it
                open(index, now, deliver(input, index, entry.message));
            }
        }
    }
}

}  // namespace tessera
