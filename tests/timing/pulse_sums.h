// A waveform of which only the sums are kept.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sc_models/common/observer.h"

namespace tessera::test {

/// Cycles of each signal's pulses, by the signal's name without its scope.
class PulseSums : public WaveRecorder {
public:
    Signal add(std::string_view /*scope*/, std::string_view name,
               std::uint32_t /*width_bits*/) override {
        names_.emplace_back(name);
        cycles[names_.back()];
        return static_cast<Signal>(names_.size() - 1);
    }
    void set(Signal /*signal*/, Cycle /*at*/, std::uint64_t /*value*/) override {}
    void pulse(Signal signal, Cycle /*at*/, Cycle length) override {
        cycles.at(names_.at(signal)) += length;
    }
    std::map<std::string, Cycle> cycles;

private:
    std::vector<std::string> names_;
};

}  // namespace tessera::test
