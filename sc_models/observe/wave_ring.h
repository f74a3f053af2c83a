// Recorder of the last cycles of a run, kept in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/observer.h"

namespace tessera {

/// A signal over time that comes from elsewhere, to be written beside those of the ring.
struct RingSignal {
    std::string scope, name;
    std::uint32_t width_bits = 64;
    std::vector<std::pair<Cycle, std::uint64_t>> values;  ///< ascending in cycle
};

/// Keeps the changes of the last `cycles` cycles of all signals, and forwards them to another
/// recorder. Memory is bounded by the changes of some times `cycles` cycles.
class WaveRing final : public WaveRecorder {
public:
    /// `next` (null: none) must outlive the ring.
    WaveRing(Cycle cycles, WaveRecorder* next) : cycles_(cycles), next_(next) {}

    Signal add(std::string_view scope, std::string_view name, std::uint32_t width_bits) override;
    void set(Signal signal, Cycle at, std::uint64_t value) override;
    void pulse(Signal signal, Cycle at, Cycle cycles) override;
    DumpPlan add_dump(std::string_view scope, std::function<void()> close) override;

    /// Writes the signals inside the scopes that begin with `scope` ("sm3"), and `others`, from
    /// `cycles` cycles before `until` to its end, as a waveform (make_wave_writer). Throws
    /// ConfigError if the file cannot be written.
    void write(const std::string& file, const ClockDomain& clock, std::string_view scope,
               Cycle until, const std::vector<RingSignal>& others) const;

private:
    enum class Kind : std::uint8_t { kSet, kPulseBegin, kPulseEnd };
    struct Change {
        Cycle at;
        std::uint64_t value;
        Signal signal;
        Kind kind;
    };
    struct Variable {
        std::string scope, name;
        std::uint32_t width_bits;
        Signal forwarded;
        std::uint64_t value = 0;   ///< before the kept changes
        std::uint64_t pulses = 0;  ///< running pulses then
    };

    void push(const Change& change);
    /// Drops the changes before the last `cycles`.
    void forget_old();
    static void apply(const Change& change, Variable& variable);
    [[nodiscard]] static std::uint64_t shown(const Variable& variable) {
        return variable.pulses == 0       ? variable.value
               : variable.width_bits == 1 ? 1
                                          : variable.pulses;
    }

    const Cycle cycles_;
    WaveRecorder* const next_;
    std::vector<Variable> variables_;
    std::vector<Change> changes_;
    std::size_t limit_ = 1 << 16;  ///< number of changes at which old ones are dropped
    Cycle latest_ = 0;
};

}  // namespace tessera
