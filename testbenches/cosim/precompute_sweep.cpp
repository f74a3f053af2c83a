#include "testbenches/cosim/precompute_sweep.h"

#include <algorithm>
#include <array>

namespace tessera {

void PrecomputeOperands::invert_bit(PrecomputeKey& key, std::uint32_t bit) const {
    if (bit < parameters_.address_bits) {
        key.input ^= std::uint64_t{1} << bit;
    } else if (bit < 2 * parameters_.address_bits) {
        key.weights ^= std::uint64_t{1} << (bit - parameters_.address_bits);
    } else {
        key.geometry ^= 1U << (bit - 2 * parameters_.address_bits);
    }
}

void PrecomputeSweep::begin(bool allowed, const PrecomputeKey& key) {
    constexpr std::array<Kind, 5> kKinds = {Kind::kKeys, Kind::kPlaces, Kind::kWalk, Kind::kStale,
                                            Kind::kNone};
    kind_ = allowed ? kKinds[std::min(operands_.pick(16), 4U)] : Kind::kNone;
    key_ = key;
    rotations_ = 0;
    window_ = operands_.pick(2) == 0 ? operands_.key_bits()
                                     : operands_.pick(operands_.key_bits() - kWindowBits);
    stale_step_ = 0;
    held_.clear();
    if (kind_ != Kind::kPlaces && kind_ != Kind::kWalk) return;
    // Replacements first, so that generations are not all small.
    rotations_ = parameters_.max_entries() * operands_.pick(parameters_.generations());
}

void PrecomputeSweep::choose(Rtl::Inputs& in) {
    if (held_.empty()) return predict_any_key(in);
    if (rotations_ != 0) {
        --rotations_;
        return predict_any_key(in);
    }
    switch (kind_) {
        case Kind::kKeys:
            return choose_key(in);
        case Kind::kPlaces:
            return choose_place(in);
        case Kind::kWalk:
            return choose_step(in);
        default:
            return choose_stale(in);
    }
}

void PrecomputeSweep::predict_any_key(Rtl::Inputs& in) {
    in.op = Op::kPredict;
    if (window_ == operands_.key_bits()) {
        in.key = operands_.any_key();
    } else {
        in.key = key_;
        const std::uint32_t bits = operands_.pick(1U << kWindowBits);
        for (std::uint32_t n = 0; n < kWindowBits; ++n) {
            if ((bits >> n & 1U) != 0) operands_.invert_bit(in.key, window_ + n);
        }
    }
    if (held_.size() == parameters_.max_entries()) held_.pop_front();
    held_.push_back(in.key);
}

/// In the full table predicts each key again and looks it up with each bit inverted, which changes
/// nothing: all keys with one bit, then with another. Sometimes a new key replaces the oldest one.
void PrecomputeSweep::choose_key(Rtl::Inputs& in) {
    if (model_.core().size() < parameters_.max_entries() || operands_.pick(128) == 0)
        return predict_any_key(in);
    constexpr std::uint32_t kStride = 37;  // between the bits; has no factor of their number
    in.op = Op::kPredict;
    in.key = held_[key_step_ % held_.size()];
    const std::uint32_t bit =
        key_step_++ / parameters_.max_entries() * kStride % (operands_.key_bits() + 1);
    if (bit == operands_.key_bits()) return;
    in.op = Op::kLookup;
    operands_.invert_bit(in.key, bit);
}

/// In the full table has an entry at any place start, end, leave or be what the next waiting one is
/// searched behind. Sometimes a new key replaces the oldest idle one.
void PrecomputeSweep::choose_place(Rtl::Inputs& in) {
    const PrecomputeTable& table = model_.core();
    const std::uint32_t dice = operands_.pick(64);
    if (table.size() < parameters_.max_entries() ? dice >= 2 : dice < 6) return predict_any_key(in);
    in.slot = operands_.pick(parameters_.max_entries());
    if (in.slot >= model_.entries()) return predict_any_key(in);
    if (dice < 14) {
        in.op = Op::kLookup;
        in.key = table.key(in.slot);
        return;
    }
    if (dice < 26) {
        in.op = Op::kWaiting;
        in.after = dice != 14;
        return;
    }
    in.op = dice < 46 ? Op::kStart : Op::kFinish;
    in.generation = table.generation(in.slot) % parameters_.generations();
    operands_.draw_results(in);
}

/// In the full table starts one entry after the other, the oldest first. A new key then replaces
/// the first entry behind those, and the first waiting entry and the next one are asked for.
void PrecomputeSweep::choose_step(Rtl::Inputs& in) {
    const PrecomputeTable& table = model_.core();
    if (table.size() < parameters_.max_entries()) return predict_any_key(in);
    const auto first = table.first_pending();
    if (first == PrecomputeTable::kNone) {  // all are being computed
        if (operands_.pick(4) == 0) return predict_any_key(in);
        in.op = Op::kDrop;
        in.count = operands_.pick(2 * parameters_.max_entries());
        return;
    }
    in.slot = first;
    in.op = Op::kWaiting;
    in.after = false;
    switch (operands_.pick(4)) {
        case 0:
            in.op = Op::kStart;
            return;
        case 1:
            return predict_any_key(in);
        case 2:
            in.after = true;
            return;
        default:
            return;
    }
}

/// Fills the table, drops nearly all entries or none, or sets it up again, adds some, and looks up
/// the keys of those that left, which their slots may hold still.
void PrecomputeSweep::choose_stale(Rtl::Inputs& in) {
    if (stale_step_ == 0) {
        if (model_.core().size() < parameters_.max_entries()) return predict_any_key(in);
        stale_step_ = 1;
        stale_keys_.assign(held_.begin(), held_.end());
        in.op = Op::kDrop;
        in.count = 0;
        const std::uint32_t dice = operands_.pick(3);
        if (dice == 0) {
            in.setup_valid = true;
            in.setup_entries = parameters_.max_entries();
            return;
        }
        if (dice == 1)
            in.count =
                parameters_.max_entries() -
                operands_.pick(1 + operands_.pick(std::min(100U, parameters_.max_entries())));
        rotations_ = operands_.pick(64);
        return;
    }
    in.op = Op::kLookup;
    in.key = stale_keys_[stale_step_ - 1];
    stale_step_ = stale_step_ == stale_keys_.size() ? 0 : stale_step_ + 1;
}

}  // namespace tessera
