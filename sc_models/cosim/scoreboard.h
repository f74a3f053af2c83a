// Scoreboard that compares an RTL block with its model and reports differences.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sc_models/common/types.h"

namespace tessera {

/// Receives every compared pair of values.
class PinListener {
public:
    virtual ~PinListener() = default;
    /// Element `index` of an array, or 0.
    virtual void pin(std::string_view signal, std::size_t index, std::uint64_t expected,
                     std::uint64_t got) = 0;
};

/// Counts comparisons and differences. The first difference makes a report: cycle, signal, expected
/// and got, the inputs of the cycle, the last transactions and the command that reproduces it.
class Scoreboard {
public:
    /// `reproduce`: seed and command, for the report.
    explicit Scoreboard(std::string reproduce) : reproduce_(std::move(reproduce)) {}

    /// Passes the values of all later comparisons to `pins`, too; null: to none.
    void watch(PinListener* pins) { pins_ = pins; }

    /// Sets the clock cycle of the following comparisons and notes.
    void begin_cycle(Cycle cycle) { cycle_ = cycle; }
    /// Sets the function that describes the inputs; it is called for the report only.
    void describe_inputs_by(std::function<std::string()> describe) {
        describe_inputs_ = std::move(describe);
    }
    /// Records a transaction; `format` (fmt, at most four arguments) must outlive the scoreboard
    /// and is only used for the report.
    void note(const char* format, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0,
              std::uint64_t d = 0) {
        common_.add({cycle_, format, {a, b, c, d}});
    }
    /// note() of what the reference expects.
    void note_expected(const char* format, std::uint64_t a = 0, std::uint64_t b = 0,
                       std::uint64_t c = 0, std::uint64_t d = 0) {
        expected_.add({cycle_, format, {a, b, c, d}});
    }
    /// note() of what the tested block did.
    void note_got(const char* format, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0,
                  std::uint64_t d = 0) {
        got_.add({cycle_, format, {a, b, c, d}});
    }

    /// Compares two values; returns false if they differ.
    bool expect(std::string_view signal, std::uint64_t expected, std::uint64_t got) {
        ++checks_;
        if (pins_ != nullptr) pins_->pin(signal, 0, expected, got);
        if (expected == got) return true;
        differ(signal, expected, got);
        return false;
    }
    /// Compares two numbers, which the report shows as decimals: cycles, counts.
    bool expect_count(std::string_view what, std::uint64_t expected, std::uint64_t got) {
        ++checks_;
        if (expected == got) return true;
        differ(what, std::to_string(expected), std::to_string(got));
        return false;
    }
    /// Compares element `index` of an array.
    bool expect(std::string_view signal, std::size_t index, std::uint64_t expected,
                std::uint64_t got) {
        ++checks_;
        if (pins_ != nullptr) pins_->pin(signal, index, expected, got);
        if (expected == got) return true;
        differ(std::string(signal) + "[" + std::to_string(index) + "]", expected, got);
        return false;
    }
    /// Compares two values that the caller has made into text: pins of any width.
    bool expect_text(std::string_view what, const std::string& expected, const std::string& got) {
        ++checks_;
        if (expected == got) return true;
        differ(what, expected, got);
        return false;
    }
    /// Adds `n` comparisons made elsewhere, all of them equal.
    void passed(std::uint64_t n) { checks_ += n; }

    [[nodiscard]] std::uint64_t checks() const { return checks_; }
    [[nodiscard]] std::uint64_t errors() const { return errors_; }
    /// Report of the first difference in several lines; empty if there is none.
    [[nodiscard]] const std::string& first_divergence() const { return report_; }

private:
    struct LoggedEvent {
        Cycle cycle = 0;
        const char* format = nullptr;
        std::array<std::uint64_t, 4> arguments{};
    };
    /// The last events of a kind.
    class EventLog {
    public:
        void add(const LoggedEvent& event) { events_[logged_++ % kEvents] = event; }
        /// Lines of the events, with a heading; empty if there are none.
        [[nodiscard]] std::string lines(std::string_view heading) const;

    private:
        static constexpr std::size_t kEvents = 12;
        std::array<LoggedEvent, kEvents> events_{};
        std::uint64_t logged_ = 0;
    };

    void differ(std::string_view signal, std::uint64_t expected, std::uint64_t got);
    void differ(std::string_view what, const std::string& expected, const std::string& got);

    PinListener* pins_ = nullptr;
    std::string reproduce_;
    std::function<std::string()> describe_inputs_;
    Cycle cycle_ = 0;
    std::uint64_t checks_ = 0;
    std::uint64_t errors_ = 0;
    EventLog common_, expected_, got_;
    std::string report_;
};

}  // namespace tessera
