// Input pins of a block in words, for coverage plans.
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "testbenches/cosim/coverage_plan.h"

namespace tessera {

/// Words of the input pins in the wrapper's struct `Inputs`. Word n of pin X is X_n.
template <class Inputs>
class WordPins {
public:
    /// Adds a pin of one word, or one word for each of the first `count` elements of an array:
    /// `width_bits` bits from bit `low` on.
    template <class Word>
    WordPins& add(std::string_view name, std::uint32_t width_bits, Word Inputs::*member,
                  std::uint32_t low = 0,
                  std::size_t count = std::numeric_limits<std::size_t>::max()) {
        const std::string above = low == 0 ? "" : fmt::format(" above bit {}", low - 1);
        if constexpr (std::is_class_v<Word>) {
            using Element = typename Word::value_type;
            for (std::size_t n = 0; n < std::min(count, Word{}.size()); ++n) {
                words_.push_back({fmt::format("{}_{}{}", name, n, above), width_bits, low,
                                  [member, n](const Inputs& in) {
                                      return static_cast<std::uint32_t>((in.*member)[n]);
                                  },
                                  [member, n](Inputs& in, std::uint32_t value) {
                                      (in.*member)[n] = static_cast<Element>(value);
                                  }});
            }
        } else {
            words_.push_back(
                {std::string(name) + above, width_bits, low,
                 [member](const Inputs& in) { return static_cast<std::uint32_t>(in.*member); },
                 [member](Inputs& in, std::uint32_t value) {
                     in.*member = static_cast<Word>(value);
                 }});
        }
        return *this;
    }

    /// Adds all words to a plan; returns the first one, whom the others follow.
    [[nodiscard]] CoveragePlan::Pin plan_in(CoveragePlan& plan) const {
        CoveragePlan::Pin first = 0;
        for (const Word& word : words_) {
            const CoveragePlan::Pin pin = plan.add_pin(word.name, word.width_bits);
            if (&word == &words_.front()) first = pin;
        }
        return first;
    }
    /// Notes the words of a transaction that uses them.
    void sample(CoveragePlan& plan, CoveragePlan::Pin first, const Inputs& in) const {
        for (const Word& word : words_) plan.sample(first++, word.get(in) >> word.low);
    }
    /// Sets the stuck bit, if it is one of these pins.
    void stick(Inputs& in, const StuckPin& stuck) const {
        if (stuck.pin.empty()) return;
        for (const Word& word : words_) {
            if (word.name != stuck.pin) continue;
            const std::uint32_t bit = 1U << (word.low + stuck.bit);
            word.set(in, stuck.value ? word.get(in) | bit : word.get(in) & ~bit);
        }
    }
    /// Returns the names and widths.
    [[nodiscard]] std::vector<std::pair<std::string, std::uint32_t>> names() const {
        std::vector<std::pair<std::string, std::uint32_t>> names;
        for (const Word& word : words_) names.emplace_back(word.name, word.width_bits);
        return names;
    }

private:
    struct Word {
        std::string name;
        std::uint32_t width_bits = 0, low = 0;
        std::function<std::uint32_t(const Inputs&)> get;
        std::function<void(Inputs&, std::uint32_t)> set;
    };
    std::vector<Word> words_;
};

}  // namespace tessera
