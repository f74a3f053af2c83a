// Preloads and drains for the benches with an accumulation buffer.
#pragma once

#include <cstdint>

#include "sc_models/cosim/scoreboard.h"
#include "testbenches/cosim/operand_mix.h"

namespace tessera {

/// Preloads all words, then offers preloads and drains at random, and a drain in the end. `Inputs`
/// and `Outputs` are the pins of the buffer, or of a block that has them, too.
class DrainStimulus {
public:
    /// Begins again, after a reset: what was in the adders is lost in different ways.
    template <class Inputs>
    void restart(Inputs& in) {
        in.preload_valid = in.drain_valid = 0;
        to_initialise_ = kWords;
        last_drain_ = last_drain_accepted_ = false;
    }
    /// Whether words have to be preloaded before anything else.
    [[nodiscard]] bool initialises() const { return to_initialise_ > 0; }
    /// Chooses new inputs; one that was not accepted stays valid. Every `rarity` cycles or so there
    /// is a preload, every twice as many a drain. `finished`: the last drain is due, once the bench
    /// is `empty`.
    template <class Inputs>
    void choose(OperandMix& random, std::uint32_t rarity, bool finished, bool empty, Inputs& in) {
        if (in.preload_valid == 0) offer_preload(random, rarity, finished, in);
        if (in.drain_valid != 0 || initialises() || (finished && !empty)) return;
        in.drain_valid =
            static_cast<std::uint32_t>(finished ? !last_drain_ : random.below(2 * rarity) == 0);
        in.drain_clear = random.below(2);
        last_drain_ = finished;
    }
    /// Follows the handshakes of a cycle.
    template <class Inputs, class Outputs>
    void follow(Inputs& in, const Outputs& out, Scoreboard& scoreboard) {
        if (in.preload_valid != 0 && out.preload_ready != 0) {
            in.preload_valid = 0;
            if (initialises()) --to_initialise_;
            scoreboard.note("preload of word {}", in.preload_word);
            ++preloads_;
        }
        if (in.drain_valid != 0 && out.drain_ready != 0) {
            in.drain_valid = 0;
            scoreboard.note("drain, clear {}", in.drain_clear);
            ++drains_;
            last_drain_accepted_ = last_drain_;
        }
        drained_at_end_ = last_drain_accepted_ && out.row_valid != 0 && in.row_ready != 0 &&
                          out.row_word == kWords - 1;
    }
    /// Whether the last row of the last drain was taken in the cycle followed last.
    [[nodiscard]] bool drained_at_end() const { return drained_at_end_; }

    [[nodiscard]] std::uint64_t preloads() const { return preloads_; }
    [[nodiscard]] std::uint64_t drains() const { return drains_; }

private:
    static constexpr std::uint32_t kWords = 8;

    template <class Inputs>
    void offer_preload(OperandMix& random, std::uint32_t rarity, bool finished, Inputs& in) {
        in.preload_valid =
            static_cast<std::uint32_t>(initialises() || (!finished && random.below(rarity) == 0));
        in.preload_word = initialises() ? to_initialise_ - 1 : random.below(kWords);
        if (in.preload_valid == 0) return;
        for (std::uint32_t& word : in.preload_data) word = random.summand();
    }

    std::uint32_t to_initialise_ = kWords;
    bool last_drain_ = false;
    bool last_drain_accepted_ = false;
    bool drained_at_end_ = false;
    std::uint64_t preloads_ = 0, drains_ = 0;
};

}  // namespace tessera
