// Bench of a block that is set up and then works on one kind of operations for a while.
#pragma once

#include <cstdint>
#include <random>

#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/operand_mix.h"

namespace tessera {

/// Works in phases, each with a set-up, sizes, a mix of operations and stalls of its own.
class PhasedBench : public CosimBench {
public:
    [[nodiscard]] std::uint64_t operations() const override { return operations_; }

protected:
    explicit PhasedBench(const BenchOptions& options)
        : count_(options.count),
          rng_(options.seed),
          noise_(options.seed),
          fault_(options.fault),
          reset_every_(options.reset_every) {}

    /// A phase lasts this many cycles at most.
    static constexpr std::uint32_t kPhaseCycles = 6000;
    static constexpr std::uint32_t kUnsetCycles = 3;

    [[nodiscard]] std::uint32_t pick(std::uint32_t below) {
        return static_cast<std::uint32_t>(rng_() % below);
    }
    [[nodiscard]] bool happens(std::uint32_t of_256) { return of_256 == 256 || pick(256) < of_256; }
    [[nodiscard]] bool reset_is_due() {
        return reset_every_ == 0 ? left_ == 1 && pick(8) == 0 : pick(reset_every_) == 0;
    }
    [[nodiscard]] bool is_quiet_phase() {
        return quiet_phase_.next([this](std::uint32_t n) { return pick(n); });
    }

    const std::uint64_t count_;
    std::mt19937_64 rng_;
    std::mt19937_64 noise_;  ///< for pins that mean nothing
    FaultInjector fault_;
    std::uint32_t left_ = 0;              ///< cycles of the phase
    std::uint32_t unset_ = kUnsetCycles;  ///< cycles without a set-up, out of reset
    std::uint64_t operations_ = 0, phases_ = 0, resets_ = 0, refused_ = 0;

private:
    const std::uint32_t reset_every_;  ///< 0: at the end of some phases
    QuietPhase quiet_phase_{512};
};

}  // namespace tessera
