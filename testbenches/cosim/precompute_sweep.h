// Operands of the precompute table's bench, and its sweeps over a full table.
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "sc_models/cosim/precompute_table_rtl.h"
#include "sc_models/pins/clocked_precompute_table.h"

namespace tessera {

/// Draws operands within the widths of the pins.
class PrecomputeOperands {
public:
    using Rtl = PrecomputeTableRtl;

    /// `parameters` and `rng` must outlive it.
    PrecomputeOperands(const Rtl::Parameters& parameters, std::mt19937_64& rng)
        : parameters_(parameters), rng_(rng) {}

    [[nodiscard]] std::uint32_t pick(std::uint32_t below) {
        return static_cast<std::uint32_t>(rng_() % below);
    }
    [[nodiscard]] PrecomputeKey any_key() {
        return {rng_() & addresses(), rng_() & addresses(), pick(1U << parameters_.geometry_bits)};
    }
    void draw_results(Rtl::Inputs& in) {
        for (std::uint32_t lane = 0; lane < parameters_.lanes; ++lane) {
            in.results[lane] = static_cast<std::uint32_t>(rng_()) & results();
        }
    }
    /// Inverts bit `bit` of key_bits().
    void invert_bit(PrecomputeKey& key, std::uint32_t bit) const;

    /// Returns the number of bits of a key.
    [[nodiscard]] std::uint32_t key_bits() const {
        return 2 * parameters_.address_bits + parameters_.geometry_bits;
    }
    /// Returns the mask of addresses.
    [[nodiscard]] std::uint64_t addresses() const {
        return (std::uint64_t{1} << parameters_.address_bits) - 1;
    }
    /// Returns the mask of a lane's result.
    [[nodiscard]] std::uint32_t results() const { return ~0U >> (32 - parameters_.result_bits); }

private:
    const Rtl::Parameters& parameters_;
    std::mt19937_64& rng_;
};

/// Works in a phase on each entry of a full table, or on each place of an entry.
class PrecomputeSweep {
public:
    using Rtl = PrecomputeTableRtl;

    /// `parameters`, `model` and `operands` must outlive it.
    PrecomputeSweep(const Rtl::Parameters& parameters, const ClockedPrecomputeTable& model,
                    PrecomputeOperands& operands)
        : parameters_(parameters), model_(model), operands_(operands) {}

    /// Chooses the sweep of a phase, none unless `allowed`. Keys in a window of bits have the bits
    /// of `key` elsewhere.
    void begin(bool allowed, const PrecomputeKey& key);
    [[nodiscard]] bool active() const { return kind_ != Kind::kNone; }
    /// Returns the number of predictions before anything else.
    [[nodiscard]] std::uint32_t rotations() const { return rotations_; }
    /// Returns whether the next operation is the sweep's.
    [[nodiscard]] bool takes_turn() {
        return active() && (kind_ != Kind::kKeys || operands_.pick(8) != 0);
    }
    /// Chooses the next operation, sometimes with a set-up beside it.
    void choose(Rtl::Inputs& in);

private:
    enum class Kind : std::uint8_t { kNone, kKeys, kPlaces, kWalk, kStale };
    using Op = Rtl::Op;

    static constexpr std::uint32_t kWindowBits = 14;

    void predict_any_key(Rtl::Inputs& in);
    void choose_key(Rtl::Inputs& in);
    void choose_place(Rtl::Inputs& in);
    void choose_step(Rtl::Inputs& in);
    void choose_stale(Rtl::Inputs& in);

    const Rtl::Parameters& parameters_;
    const ClockedPrecomputeTable& model_;
    PrecomputeOperands& operands_;
    Kind kind_ = Kind::kNone;
    PrecomputeKey key_;
    std::deque<PrecomputeKey> held_;  ///< its last keys, oldest first
    std::uint32_t window_ = 0;        ///< keys differ in bits from here on; key_bits(): in any
    std::uint32_t key_step_ = 0;      ///< of Kind::kKeys, in this phase and those before
    std::uint32_t rotations_ = 0;
    std::vector<PrecomputeKey> stale_keys_;  ///< of Kind::kStale
    std::size_t stale_step_ = 0;             ///< behind the one that is looked up next
};

}  // namespace tessera
