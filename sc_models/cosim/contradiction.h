// Results of an RTL block that contradict its earlier ones.
#pragma once

#include <string>

namespace tessera {

/// Keeps the first contradiction of an RTL block. Wrappers that follow a block's results report one
/// before they would use a result, whose register may not exist.
class Contradiction {
public:
    /// `result`: what the block gave, as the begin of a sentence.
    void report(const std::string& result) {
        if (!text_.empty()) return;
        text_ = "the RTL contradicts itself: " + result + ", against what it said before";
    }
    /// Text for a report of failure; empty: none so far.
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

}  // namespace tessera
