#include "sc_models/noc/switch_core.h"

#include <algorithm>

namespace tessera {

namespace {

constexpr std::uint32_t kWord = 64;

}  // namespace

SwitchCore::SwitchCore(const Shape& shape)
    : shape_(shape),
      inputs_(shape.inputs, {LinkRate(shape.input_bytes_per_cycle, shape.piece_bytes), {}}),
      wanted_(ceil_div(shape.outputs, kWord)),
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
                        std::uint32_t bytes, Cycle now, Cycle at) {
    Input& in = inputs_[input];
    const std::uint32_t pieces = std::max(1U, ceil_div(bytes, shape_.piece_bytes));
    const Cycle taken = in.port.take(at, pieces);
    in.queue.push({message, output, pieces, taken + shape_.latency});
    ++size_;
    if (in.queue.size() == 1) heads_.push(now, taken + shape_.latency, input);
    return taken;
}

void SwitchCore::open(std::uint32_t output, Cycle now, Cycle at) {
    outputs_[output].open_at = at == kNever ? kNever : std::max(at, now);
}

/// The head of the input's queue, if it is at its end, asks for its output.
void SwitchCore::look_at_head(std::uint32_t input, Cycle now) {
    const RingQueue<Entry>& queue = inputs_[input].queue;
    if (queue.empty()) return;
    if (queue.front().ready > now) {
        heads_.push(now, queue.front().ready, input);
        return;
    }
    Output& output = outputs_[queue.front().output];
    output.wanted_by[input / kWord] |= std::uint64_t{1} << (input % kWord);
    ++output.heads;
    wanted_[queue.front().output / kWord] |= std::uint64_t{1} << (queue.front().output % kWord);
}

/// The next input in turn after the one served last.
std::uint32_t SwitchCore::choose(const Output& output) const {
    const std::uint32_t first = output.last + 1 == shape_.inputs ? 0 : output.last + 1;
    const auto words = static_cast<std::uint32_t>(output.wanted_by.size());
    std::uint32_t word = first / kWord;
    std::uint64_t bits = output.wanted_by[word] & ~std::uint64_t{0} << (first % kWord);
    while (bits == 0) {
        word = word + 1 == words ? 0 : word + 1;
        bits = output.wanted_by[word];
    }
    return word * kWord + static_cast<std::uint32_t>(__builtin_ctzll(bits));
}

SwitchCore::Entry SwitchCore::take_head(std::uint32_t input, Output& output, Cycle now) {
    const Entry entry = inputs_[input].queue.pop();
    output.wanted_by[input / kWord] &= ~(std::uint64_t{1} << (input % kWord));
    if (--output.heads == 0) {
        wanted_[entry.output / kWord] &= ~(std::uint64_t{1} << (entry.output % kWord));
    }
    output.last = input;
    look_at_head(input, now);
    return entry;
}

Cycle SwitchCore::next(Cycle now) const {
    Cycle next = std::min(heads_.next(), passing_.next());
    for (std::size_t word = 0; word < wanted_.size(); ++word) {
        for (std::uint64_t left = wanted_[word]; left != 0; left &= left - 1) {
            const Output& output =
                outputs_[word * kWord + static_cast<std::size_t>(__builtin_ctzll(left))];
            next = std::min(next, free_at(output, now));
        }
    }
    return next;
}

}  // namespace tessera
