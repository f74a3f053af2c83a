// Probe of the flits that nodes of a mesh send and receive.
#pragma once

#include <fmt/format.h>
#include <string>
#include <unordered_set>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/observer.h"

namespace tessera::testbench {

/// Observes the waveform signals `sending` and `receiving` of each node, and passes all signals on
/// to a recorder.
class FlitProbe : public WaveRecorder {
public:
    /// `recorder`: null for none.
    FlitProbe(WaveRecorder* recorder, const ClockDomain& clock)
        : recorder_(recorder), clock_(clock) {}

    Signal add(std::string_view scope, std::string_view name, std::uint32_t width_bits) override {
        Observed observed;
        if (recorder_ != nullptr) observed.signal = recorder_->add(scope, name, width_bits);
        observed.name = std::string(scope) + "." + std::string(name);
        signals_.push_back(observed);
        return static_cast<Signal>(signals_.size() - 1);
    }
    void set(Signal signal, Cycle at, std::uint64_t value) override {
        if (recorder_ != nullptr) recorder_->set(signals_[signal].signal, at, value);
    }
    void pulse(Signal signal, Cycle at, Cycle cycles) override {
        Observed& observed = signals_[signal];
        if (at < clock_.now()) ++observed.late;
        for (Cycle i = 0; i < cycles; ++i) {
            if (!observed.cycles.insert(at + i).second) ++observed.collisions;
        }
        if (recorder_ != nullptr) recorder_->pulse(observed.signal, at, cycles);
    }

    /// Returns the number of flits that the signal of a node has shown.
    [[nodiscard]] std::uint64_t flits(std::uint32_t node, const char* name) const {
        return of(node, name).cycles.size() + of(node, name).collisions;
    }
    /// Returns whether the signal showed a flit in each of the `flits` cycles before `end`.
    [[nodiscard]] bool contiguous(std::uint32_t node, const char* name, Cycle end,
                                  std::uint32_t flits) const {
        const std::unordered_set<Cycle>& cycles = of(node, name).cycles;
        for (std::uint32_t i = 1; i <= flits; ++i) {
            if (cycles.count(end - i) == 0) return false;
        }
        return true;
    }
    /// Appends a line for each node that sent or received two flits in one cycle, or whose flits
    /// were shown after their cycle, when a recorder has to drop them.
    void check(std::vector<std::string>& violations) const {
        for (const Observed& observed : signals_) {
            if (observed.late > 0) {
                violations.push_back(
                    fmt::format("{}: {} flits shown too late", observed.name, observed.late));
            }
            if (observed.collisions == 0) continue;
            violations.push_back(fmt::format("{}: two flits in a cycle, {} times", observed.name,
                                             observed.collisions));
        }
    }

private:
    struct Observed {
        Signal signal = kNoSignal;
        std::string name;
        std::unordered_set<Cycle> cycles;
        std::uint64_t collisions = 0, late = 0;
    };
    [[nodiscard]] const Observed& of(std::uint32_t node, const char* name) const {
        const std::string full = fmt::format("mesh.node_{}.{}", node, name);
        for (const Observed& observed : signals_) {
            if (observed.name == full) return observed;
        }
        throw std::logic_error("FlitProbe: no signal " + full);
    }

    WaveRecorder* recorder_;
    const ClockDomain clock_;
    std::vector<Observed> signals_;
};

}  // namespace tessera::testbench
