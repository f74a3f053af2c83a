// Bench of a block that is set up and then works on one kind of operations for a while.
#pragma once

#include <cstdint>
#include <random>

#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/operand_mix.h"
#include "testbenches/cosim/second_set.h"

namespace tessera {

/// Works in phases, each with a set-up, sizes, a mix of operations and stalls of its own. `Rtl` is
/// the block's wrapper, with the pins setup_valid and out_ready; `Model` its cycle model at the
/// same pins. Sizes are those of the wrapper's parameters.
template <class Rtl, class Model>
class PhasedBench : public CosimBench {
public:
    bool cycle(Cycle step, Scoreboard& scoreboard) override;
    [[nodiscard]] std::uint64_t operations() const override { return operations_; }

protected:
    using Inputs = typename Rtl::Inputs;
    using Outputs = typename Rtl::Outputs;
    using Parameters = typename Rtl::Parameters;

    /// `rtl`: arguments of the wrapper, but seed and build.
    template <class... RtlArguments>
    explicit PhasedBench(const BenchOptions& options, RtlArguments... rtl)
        : count_(options.count),
          rng_(options.seed),
          noise_(options.seed),
          fault_(options.fault),
          build_(build_for<Rtl>(options)),
          parameters_(build_.parameters),
          rtl_(rtl..., options.seed, build_),
          model_(parameters_),
          reset_every_(options.reset_every) {}

    /// A phase lasts this many cycles at most, unless its bench has a reason.
    static constexpr std::uint32_t kPhaseCycles = 6000;

    virtual void start_from_reset() = 0;
    virtual void begin_phase() = 0;
    /// Offers what is not offered yet; without `more` only lets what is under way end.
    virtual void choose_inputs(bool more) = 0;
    /// Puts anything on pins that mean nothing in this cycle.
    virtual void spoil_idle_pins() = 0;
    /// Copies the pins of a set-up, but not setup_valid.
    virtual void copy_setup(const Inputs& from, Inputs& to) const = 0;
    /// Notes what is offered in this cycle, in the coverage plan.
    virtual void note_offers() {}
    /// Returns the inputs with the error that the bench has to find.
    [[nodiscard]] virtual Inputs seen_by_rtl() const { return in_; }
    virtual void compare(const Outputs& expected, const Outputs& got, Scoreboard& scoreboard) = 0;
    virtual void draw(const Outputs& expected) = 0;
    /// Counts what is taken in this cycle, and applies the model's edge.
    virtual void take_edge(const Outputs& out, Scoreboard& scoreboard) = 0;
    /// Notes what a reset hits, in the coverage plan.
    virtual void note_reset() {}
    /// Whether something is under way, set-ups apart.
    [[nodiscard]] virtual bool busy() const = 0;

    [[nodiscard]] std::uint32_t pick(std::uint32_t below) {
        return static_cast<std::uint32_t>(rng_() % below);
    }
    [[nodiscard]] bool happens(std::uint32_t of_256) { return of_256 == 256 || pick(256) < of_256; }
    [[nodiscard]] bool is_quiet_phase() {
        return quiet_phase_.next([this](std::uint32_t n) { return pick(n); });
    }

    const std::uint64_t count_;
    std::mt19937_64 rng_;
    std::mt19937_64 noise_;  ///< for pins that mean nothing
    FaultInjector fault_;
    const RtlBuild<Rtl>& build_;
    const Parameters& parameters_;
    Rtl rtl_;
    Model model_;
    Inputs in_;
    std::uint32_t left_ = 0;  ///< cycles of the phase
    bool organised_ = false;  ///< there was a set-up since the reset
    std::uint64_t operations_ = 0, phases_ = 0, resets_ = 0, refused_ = 0;

private:
    static constexpr std::uint32_t kUnsetCycles = 3;

    [[nodiscard]] bool reset_is_due() {
        return reset_every_ == 0 ? left_ == 1 && pick(8) == 0 : pick(reset_every_) == 0;
    }
    void reset();

    const std::uint32_t reset_every_;     ///< 0: at the end of some phases
    std::uint32_t unset_ = kUnsetCycles;  ///< cycles without a set-up, out of reset
    QuietPhase quiet_phase_{512};
};

template <class Rtl, class Model>
bool PhasedBench<Rtl, Model>::cycle(Cycle /*step*/, Scoreboard& scoreboard) {
    // 1. Inputs. An offered input stays until it is taken.
    const bool more = operations_ < count_;
    choose_inputs(more);
    // Out of reset nothing may be taken before the first set-up.
    const bool set_up_later = in_.setup_valid && unset_ > 0;
    if (set_up_later) {
        in_.setup_valid = false;
        --unset_;
    }
    const Inputs offered = in_;
    spoil_idle_pins();

    // 2. Both sides, all outputs.
    note_offers();
    const Outputs expected = model_.outputs(in_);
    Outputs got = rtl_.step(seen_by_rtl());
    scoreboard.begin_cycle(clock_cycles());
    fault_.apply(got, clock_cycles());
    compare(expected, got, scoreboard);
    draw(expected);

    // 3. The edge.
    count_cycle();
    take_edge(expected, scoreboard);
    if (set_up_later) {
        in_.setup_valid = true;
        copy_setup(offered, in_);
    }
    if (left_ != 0) --left_;
    if (more && reset_is_due()) reset();
    return more || in_.setup_valid || busy();
}

template <class Rtl, class Model>
void PhasedBench<Rtl, Model>::reset() {
    note_reset();
    in_ = {};
    start_from_reset();
    ++resets_;
    unset_ = kUnsetCycles;
    organised_ = false;
    begin_phase();
}

}  // namespace tessera
