// Waveform of the operations on a precompute table.
#pragma once

#include <array>

#include "sc_models/common/observer.h"

namespace tessera::testbench {

/// Signals of the scope `precompute_table`; without a recorder, nothing. The
/// module itself shows its number of entries there.
class TableWaves {
public:
    enum Pulse : std::size_t { kPredict, kLookup, kHit, kTooLate, kStart, kFinish, kPulses };
    enum Level : std::size_t { kStep, kComplete, kMisses, kLevels };

    explicit TableWaves(WaveRecorder* wave) : wave_(wave) {
        if (wave_ == nullptr) return;
        constexpr std::array<const char*, kPulses> kPulseNames = {"predict",  "lookup", "hit",
                                                                  "too_late", "start",  "finish"};
        constexpr std::array<const char*, kLevels> kLevelNames = {"step", "complete_entries",
                                                                  "l1_misses"};
        for (std::size_t i = 0; i < kPulses; ++i) {
            pulses_[i] = wave_->add("precompute_table", kPulseNames[i], 1);
        }
        for (std::size_t i = 0; i < kLevels; ++i) {
            levels_[i] = wave_->add("precompute_table", kLevelNames[i], 16);
        }
    }
    /// Shows an event in one cycle.
    void pulse(Pulse pulse, Cycle at) {
        if (wave_ != nullptr) wave_->pulse(pulses_[pulse], at, 1);
    }
    void set(Level level, Cycle at, std::uint64_t value) {
        if (wave_ != nullptr) wave_->set(levels_[level], at, value);
    }

private:
    WaveRecorder* wave_;
    std::array<WaveRecorder::Signal, kPulses> pulses_{};
    std::array<WaveRecorder::Signal, kLevels> levels_{};
};

}  // namespace tessera::testbench
