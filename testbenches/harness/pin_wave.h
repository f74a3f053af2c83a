// Waveform signals of pins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/pins/pin_values.h"

namespace tessera::testbench {

/// Signals of the pins of one scope of a waveform, in the order in which they are added. A pin of
/// more than 64 bits is several signals, the lowest bits first.
class PinWave {
public:
    PinWave(WaveRecorder& wave, std::string scope) : wave_(wave), scope_(std::move(scope)) {}

    /// Adds the signals of a pin, at elaboration.
    template <class Pin>
    void add(const Pin& pin) {
        const std::uint32_t width = width_of(pin.read());
        for (std::uint32_t bit = 0; bit < width; bit += kBits) {
            const std::uint32_t bits = width - bit < kBits ? width - bit : kBits;
            const std::string name =
                width <= kBits ? std::string(pin.basename())
                               : std::string(pin.basename()) + "_" + std::to_string(bit / kBits);
            signals_.push_back(wave_.add(scope_, name, bits));
        }
    }
    /// Records all pins of a cycle: begin(), then set() for each in the order of add().
    void begin(Cycle now) {
        now_ = now;
        next_ = 0;
    }
    template <class Pin>
    void set(const Pin& pin) {
        set_value(pin.read());
    }

private:
    static constexpr std::uint32_t kBits = 64;

    template <class Value>
    static constexpr std::uint32_t width_of(const Value& /*value*/) {
        if constexpr (std::is_same_v<Value, bool>) {
            return 1;
        } else {
            return pins::PinWidth<Value>::value;
        }
    }
    template <class Value>
    void set_value(const Value& value) {
        if constexpr (std::is_same_v<Value, bool>) {
            record(value ? 1 : 0);
        } else {
            constexpr std::uint32_t kWidth = pins::PinWidth<Value>::value;
            pins::PinWords<kWidth> words{};
            pins::read_words(value, words);
            for (std::uint32_t bit = 0; bit < kWidth; bit += kBits) {
                const std::size_t word = bit / pins::kPinWordBits;
                record(words[word] | std::uint64_t{words[word + 1]} << pins::kPinWordBits);
            }
        }
    }
    void record(std::uint64_t value) { wave_.set(signals_[next_++], now_, value); }

    WaveRecorder& wave_;
    const std::string scope_;
    std::vector<WaveRecorder::Signal> signals_;
    std::size_t next_ = 0;
    Cycle now_ = 0;
};

}  // namespace tessera::testbench
