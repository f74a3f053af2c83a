// One direction of an approximately-timed crossbar: input queues, arbiters, ports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sc_models/common/cycle_wheel.h"
#include "sc_models/common/host_memory.h"
#include "sc_models/common/link_rate.h"
#include "sc_models/common/ring_queue.h"
#include "sc_models/common/types.h"

namespace tessera {

/// State and rules of one direction, no SystemC. A message enters by its input port, which takes it
/// at the input's bandwidth, and is `latency` cycles later at the end of the input's queue. With
/// one FIFO an input only the head is looked at, so a head that waits for a busy output holds up
/// what is behind it; with virtual output queues a message waits behind those for its own output
/// only. Each output, when open and free, takes from the inputs whose heads want it, in turn or the
/// one that has waited longest, at the output's bandwidth. A queue holds `queue_entries` messages,
/// those on their way included.
class SwitchCore {
public:
    /// What the shell knows the message by.
    using Message = void*;
    struct Shape {
        std::uint32_t inputs, outputs;
        std::uint32_t input_bytes_per_cycle, output_bytes_per_cycle;
        std::uint32_t piece_bytes;    ///< what a port moves at a time
        std::uint32_t queue_entries;  ///< of an input, over all its virtual queues
        Cycle latency;
        bool virtual_output_queues = false;
        bool oldest_first = false;  ///< of the heads; of equally old ones the next in turn
    };
    explicit SwitchCore(const Shape& shape);

    [[nodiscard]] bool full(std::uint32_t input) const {
        return queued(input) >= shape_.queue_entries;
    }
    /// A message of `bytes` is at the input at `at` (not before `now`), whose queue has room;
    /// returns when the port has taken it.
    Cycle enter(std::uint32_t input, std::uint32_t output, Message message, std::uint32_t bytes,
                Cycle now, Cycle at);
    /// From `at` on the output may send; kNever: until told otherwise it may not.
    void open(std::uint32_t output, Cycle now, Cycle at);

    /// Delivers what gets through at `now`: `deliver(input, output, message)` returns the cycle
    /// from which the output is open again.
    template <class Deliver>
    void advance(Cycle now, Deliver&& deliver);
    /// When something may get through; kNever: not before an input or an output changes.
    [[nodiscard]] Cycle next(Cycle now) const;
    /// When the next message comes to the end of a queue.
    [[nodiscard]] Cycle next_head() const { return heads_.next(); }

    /// Messages inside.
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t queued(std::uint32_t input) const {
        return inputs_[input].queue.size() + inputs_[input].at_end;
    }
    [[nodiscard]] std::uint32_t queue_entries() const { return shape_.queue_entries; }
    /// Cycles that messages waited at the end of the way for their turn and the output.
    [[nodiscard]] std::uint64_t output_wait_cycles() const { return output_wait_cycles_; }

private:
    struct Entry {
        Message message = nullptr;
        std::uint32_t output = 0, pieces = 0;
        Cycle ready = 0;  ///< at the end of the queue
    };
    struct Input {
        LinkRate port;
        RingQueue<Entry> queue;  ///< all messages, or those that are not yet at the end
        std::vector<RingQueue<Entry>> by_output;  ///< virtual output queues
        std::size_t at_end = 0;                   ///< messages in them
    };
    struct Output {
        LinkRate port;
        Cycle open_at = 0;                     ///< kNever: closed
        std::vector<std::uint64_t> wanted_by;  ///< one bit an input whose head wants it
        std::uint32_t heads = 0;               ///< of them
        std::uint32_t last = 0;                ///< input served last
        Entry passing;                         ///< a message of several pieces on its way out
        std::uint32_t passing_from = 0;
    };

    void look_at_head(std::uint32_t input, Cycle now);
    void ask(std::uint32_t input, std::uint32_t output);
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
    std::vector<std::uint64_t> wanted_;  ///< one bit an output that some head wants
    CycleWheel<std::uint32_t> heads_;    ///< inputs whose head comes to the end of its queue
    CycleWheel<std::uint32_t> passing_;  ///< outputs whose message is through
    std::size_t size_ = 0;
    std::uint64_t output_wait_cycles_ = 0;
};

template <class Deliver>
void SwitchCore::advance(Cycle now, Deliver&& deliver) {
    heads_.drain(
        now, [&](std::uint32_t input) { look_at_head(input, now); },
        [&](std::uint32_t input) { warm_host_line(&inputs_[input].queue); });
    passing_.drain(now, [&](std::uint32_t index) {
        Output& output = outputs_[index];
        --size_;
        open(index, now, deliver(output.passing_from, index, output.passing.message));
    });
    // A grant may bring a new head to the front, for an output already passed by.
    for (bool granted = true; granted;) {
        granted = false;
        for (std::size_t word = 0; word < wanted_.size(); ++word) {
            for (std::uint64_t left = wanted_[word]; left != 0; left &= left - 1) {
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
                output.open_at = kNever;  // unless the delivery says otherwise
                open(index, now, deliver(input, index, entry.message));
            }
        }
    }
}

}  // namespace tessera
