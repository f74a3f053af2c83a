// Clocked blocks behind their pins: a model or its RTL, with random stalls of the receiver.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <utility>

#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Block that is stepped one clock cycle at a time.
template <class In, class Out>
class ClockedBlock {
public:
    ClockedBlock() = default;
    virtual ~ClockedBlock() = default;
    ClockedBlock(const ClockedBlock&) = delete;
    ClockedBlock& operator=(const ClockedBlock&) = delete;
    /// Runs core cycle `now`: outputs before the clock edge, then the edge.
    virtual Out step(const In& in, Cycle now) = 0;
};

/// Model of a block.
template <class In, class Out, class Model>
class ModelBlock final : public ClockedBlock<In, Out> {
public:
    template <class... Arguments>
    explicit ModelBlock(Arguments&&... arguments) : model_(std::forward<Arguments>(arguments)...) {}
    Out step(const In& in, Cycle /*now*/) override { return model_.step(in); }

private:
    Model model_;
};

/// Verilated block. Its signals are in the waveform, in scope `rtl`.
template <class In, class Out, class Rtl>
class VerilatedBlock final : public ClockedBlock<In, Out> {
public:
    explicit VerilatedBlock(Session& session)
        : rtl_(static_cast<std::uint32_t>(session.options().seed)) {
        if (WaveRecorder* wave = session.observers().wave) rtl_.trace(*wave, "rtl");
        rtl_.reset();
    }
    Out step(const In& in, Cycle now) override {
        rtl_.not_before(now);
        return rtl_.step(in);
    }

private:
    Rtl rtl_;
};

/// Receiver that refuses results at random in every other span of cycles.
class StallingReceiver {
public:
    explicit StallingReceiver(std::uint64_t seed) : random_(seed) {}
    /// Returns whether a result is received in cycle `now`. `quiet`: it is in any case.
    [[nodiscard]] bool receives(Cycle now, bool quiet = false) {
        return quiet || now / kSpan % 2 == 0 || random_() % 4 != 0;
    }

private:
    static constexpr Cycle kSpan = 256;
    std::mt19937_64 random_;  ///< apart from the stimulus, which is that of all implementations
};

}  // namespace tessera::testbench
