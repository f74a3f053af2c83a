#include "sc_models/noc/core/switch_core.h"

#include <algorithm>

namespace tessera {

namespace {

constexpr std::uint32_t kWord = 64;

}  // namespace

SwitchCore::SwitchCore(const Shape& shape)
    : shape_(shape),
      inputs_(shape.inputs,
              {LinkRate(shape.input_bytes_per_cycle, shape.piece_bytes),
               {},
               std::vector<RingQueue<Entry>>(shape.virtual_output_queues ? shape.outputs : 0),
               0}),
      requested_(ceil_div(shape.outputs, kWord)),
      heads_(2 * shape.latency),
      passing_(kWord) {
    for (std::uint32_t i = 0; i < shape.outputs; ++i) {
        Output output{LinkRate(shape.output_bytes_per_cycle, shape.piece_bytes),
                      0,
                      std::vector<std::uint64_t>(ceil_div(shape.inputs, kWord)),
                      0,
                      0,
                      {},
                      0};
        outputs_.push_back(std::move(output));
    }
}

Cycle SwitchCore::enter(std::uint32_t input, std::uint32_t output, Message message,
                        std::uint32_t bytes, Cycle now, Cycle at, bool takes_port) {
    Input& in = inputs_[input];
    const std::uint32_t pieces = std::max(1U, ceil_div(bytes, shape_.piece_bytes));
    const Cycle taken = takes_port ? in.port.take(at, pieces) : at;
    in.queue.push({message, output, pieces, taken + shape_.latency});
    ++size_;
    if (in.queue.size() == 1) heads_.push(now, taken + shape_.latency, input);
    return taken;
}

void SwitchCore::open(std::uint32_t output, Cycle now, Cycle at) {
    outputs_[output].open_at = at == kNever ? kNever : std::max(at, now);
}

/// Processes the head of the input's queue: once at the end of the queue, it requests its output
/// or, with virtual output queues, moves to the queue of its output.
void SwitchCore::look_at_head(std::uint32_t input, Cycle now) {
    Input& in = inputs_[input];
    while (!in.queue.empty()) {
        if (in.queue.front().ready > now) {
            heads_.push(now, in.queue.front().ready, input);
            return;
        }
        if (!shape_.virtual_output_queues) {
            add_request(input, in.queue.front().output);
            return;
        }
        const Entry entry = in.queue.pop();
        RingQueue<Entry>& own = in.by_output[entry.output];
        own.push(entry);
        ++in.at_end;
        if (own.size() == 1) add_request(input, entry.output);
    }
}

void SwitchCore::add_request(std::uint32_t input, std::uint32_t index) {
    Output& output = outputs_[index];
    output.requested_by[input / kWord] |= std::uint64_t{1} << (input % kWord);
    ++output.heads;
    requested_[index / kWord] |= std::uint64_t{1} << (index % kWord);
}

std::uint32_t SwitchCore::choose(const Output& output) const {
    const auto after = [this](std::uint32_t input) {
        return input + 1 == shape_.inputs ? 0 : input + 1;
    };
    std::uint32_t chosen = next_in_turn(output, after(output.last));
    if (!shape_.oldest_first) return chosen;
    Cycle since = waits_since(chosen, output);
    std::uint32_t input = chosen;
    for (std::uint32_t left = output.heads - 1; left > 0; --left) {
        input = next_in_turn(output, after(input));
        const Cycle at = waits_since(input, output);
        if (at >= since) continue;
        since = at;
        chosen = input;
    }
    return chosen;
}

/// Returns when the head of an input that requests the output reached the end of its queue.
Cycle SwitchCore::waits_since(std::uint32_t input, const Output& output) const {
    const Input& in = inputs_[input];
    const auto index = static_cast<std::size_t>(&output - outputs_.data());
    return (shape_.virtual_output_queues ? in.by_output[index] : in.queue).front().ready;
}

/// Returns the next input from `first` on that requests the output.
std::uint32_t SwitchCore::next_in_turn(const Output& output, std::uint32_t first) const {
    const auto words = static_cast<std::uint32_t>(output.requested_by.size());
    std::uint32_t word = first / kWord;
    std::uint64_t bits = output.requested_by[word] & ~std::uint64_t{0} << (first % kWord);
    while (bits == 0) {
        word = word + 1 == words ? 0 : word + 1;
        bits = output.requested_by[word];
    }
    return word * kWord + static_cast<std::uint32_t>(__builtin_ctzll(bits));
}

SwitchCore::Entry SwitchCore::take_head(std::uint32_t input, std::uint32_t index, Cycle now) {
    Input& in = inputs_[input];
    Output& output = outputs_[index];
    output.last = input;
    const Entry entry = shape_.virtual_output_queues ? in.by_output[index].pop() : in.queue.pop();
    if (shape_.virtual_output_queues) {
        --in.at_end;
        if (!in.by_output[index].empty()) return entry;  // the next message keeps the request
    }
    output.requested_by[input / kWord] &= ~(std::uint64_t{1} << (input % kWord));
    if (--output.heads == 0) requested_[index / kWord] &= ~(std::uint64_t{1} << (index % kWord));
    if (!shape_.virtual_output_queues) look_at_head(input, now);
    return entry;
}

Cycle SwitchCore::next(Cycle now) const {
    Cycle next = std::min(heads_.next(), passing_.next());
    for (std::size_t word = 0; word < requested_.size(); ++word) {
        for (std::uint64_t left = requested_[word]; left != 0; left &= left - 1) {
            const Output& output =
                outputs_[word * kWord + static_cast<std::size_t>(__builtin_ctzll(left))];
            next = std::min(next, free_at(output, now));
        }
    }
    return next;
}

}  // namespace tessera
