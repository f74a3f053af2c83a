// Functional coverage of a co-simulation bench.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Bit of an input pin that the RTL, and not the model, sees as a constant.
struct StuckPin {
    std::string pin;  ///< empty: none
    std::uint32_t bit = 0;
    bool value = false;
};

/// Input pin of a block, as its bench's plan counts it. `Inputs` is the wrapper's struct.
template <class Inputs>
struct PlannedPin {
    std::string_view name;
    std::uint32_t width_bits = 0;
    std::uint64_t (*get)(const Inputs&) = nullptr;
    void (*set)(Inputs&, std::uint64_t) = nullptr;

    /// Sets the stuck bit, if it is one of this pin.
    void stick(Inputs& in, const StuckPin& stuck) const {
        if (stuck.pin != name) return;
        const std::uint64_t bit = std::uint64_t{1} << stuck.bit;
        set(in, stuck.value ? get(in) | bit : get(in) & ~bit);
    }
};

/// Named situations that a bench must reach, and pins whose bits must rise and fall between two
/// transactions that use them. A value that no transaction uses does not count, and a reset forgets
/// the transaction before it.
class CoveragePlan {
public:
    using Bin = std::size_t;
    struct Count {
        std::string name;
        std::uint64_t hits = 0;
    };

    Bin add(std::string name) {
        situations_.push_back({std::move(name), 0});
        return situations_.size() - 1;
    }
    void hit(Bin bin) { ++situations_[bin].hits; }
    void hit_if(Bin bin, bool occurred) { situations_[bin].hits += occurred ? 1 : 0; }

    using Pin = std::size_t;
    Pin add_pin(std::string_view name, std::uint32_t width_bits);
    /// Notes the value of a pin in a transaction that uses it.
    void sample(Pin pin, std::uint64_t value) {
        Toggles& toggles = pins_[pin];
        if (toggles.seen) {
            toggles.rises |= value & ~toggles.last;
            toggles.falls |= ~value & toggles.last;
        }
        toggles.last = value;
        toggles.seen = true;
    }
    void forget_transactions() {
        for (Toggles& toggles : pins_) toggles.seen = false;
    }

    /// Number of bins: situations, and two for each bit of a pin.
    [[nodiscard]] std::size_t size() const;
    /// Names of the bins that were not reached: "phys_i[13] rises".
    [[nodiscard]] std::vector<std::string> missed() const;
    [[nodiscard]] const std::vector<Count>& situations() const { return situations_; }

private:
    struct Toggles {
        std::string name;
        std::uint32_t width_bits;
        std::uint64_t last = 0, rises = 0, falls = 0;
        bool seen = false;
    };
    std::vector<Count> situations_;
    std::vector<Toggles> pins_;
};

}  // namespace tessera
