// A whole timeline in memory: rows of spans, kernels, and figures over time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Texts as small numbers, in the order they were first seen.
class NumberedTexts {
public:
    std::uint32_t number_of(std::string_view text);
    [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

private:
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
    std::vector<std::string> texts_;
};

/// What a page of a timeline is made from.
class TimelineSpans {
public:
    enum class DetailKind : std::uint8_t { kNumber, kAddress, kText };
    /// "warp": 3 of a span. An address is a number that is shown in hexadecimal digits; of a text
    /// the value is its number in `texts`.
    struct Detail {
        std::uint32_t key = 0;
        DetailKind kind = DetailKind::kNumber;
        std::uint64_t value = 0;
    };
    struct Span {
        Cycle begin = 0, end = 0;
        std::uint32_t name = 0;
        std::uint32_t first_detail = 0, details = 0;  ///< in details()
    };
    struct Row {
        std::string process, thread;
        std::vector<Span> spans;
    };
    struct Kernel {
        std::string name;
        Cycle begin = 0, end = 0;
    };
    /// A figure that holds from each of its cycles to the next, and the last to `end`.
    struct Series {
        std::string name, unit;
        std::vector<Cycle> at;
        std::vector<double> values;
        Cycle end = 0;
    };

    /// The number of a row, in the order of the page.
    std::size_t add_row(std::string_view process, std::string_view thread);
    /// `args`: a JSON object of numbers, texts and truths, or empty. Anything else in it is left
    /// out.
    void add_span(std::size_t row, std::string_view name, Cycle begin, Cycle end,
                  std::string_view args);
    /// A point of the series of that name.
    void add_point(std::string_view name, Cycle at, double value);
    void add_series(Series series) { series_.push_back(std::move(series)); }
    /// Ends the kernel before, if there is one.
    void start_kernel(std::string_view name, Cycle begin);
    void end_kernel(Cycle end);
    /// Puts the spans of every row in order, each before those inside of it, and ends what is open.
    /// Kernels that do not meet [from, to) are left out, and others cut to it.
    void finish(Cycle from, Cycle to);

    [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
    [[nodiscard]] const std::vector<Kernel>& kernels() const { return kernels_; }
    [[nodiscard]] const std::vector<Series>& series() const { return series_; }
    [[nodiscard]] const std::vector<Detail>& details() const { return details_; }
    [[nodiscard]] const std::vector<std::string>& names() const { return names_.texts(); }
    [[nodiscard]] const std::vector<std::string>& keys() const { return keys_.texts(); }
    [[nodiscard]] const std::vector<std::string>& texts() const { return texts_.texts(); }
    [[nodiscard]] std::size_t spans() const;
    /// Of all spans, kernels and figures; 0 and 0 if there are none.
    [[nodiscard]] Cycle first() const;
    [[nodiscard]] Cycle last() const;

    std::optional<double> core_clock_mhz;  ///< if it is known

private:
    std::vector<Row> rows_;
    std::vector<Kernel> kernels_;
    std::vector<Series> series_;
    std::vector<Detail> details_;
    NumberedTexts names_, keys_, texts_;
    bool kernel_open_ = false;
};

}  // namespace tessera
