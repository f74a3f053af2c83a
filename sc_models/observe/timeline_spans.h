// In-memory timeline: rows of spans, kernels, and figures over time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Table that numbers texts in the order of first use.
class NumberedTexts {
public:
    std::uint32_t number_of(std::string_view text);
    [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

private:
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
    std::vector<std::string> texts_;
};

/// Contents of a timeline page.
class TimelineSpans {
public:
    enum class DetailKind : std::uint8_t { kNumber, kAddress, kText };
    /// A key and value of a span, as "warp": 3. An address is displayed in hexadecimal; a text's
    /// value is its index in `texts`.
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
    /// A step function: each value holds from its cycle to the next one, and the last to `end`.
    struct Series {
        std::string name, unit;
        std::vector<Cycle> at;
        std::vector<double> values;
        Cycle end = 0;
    };

    /// Adds a row and returns its number, in the order of the page.
    std::size_t add_row(std::string_view process, std::string_view thread);
    /// `args` is empty or a JSON object of numbers, texts and booleans; other values are dropped.
    void add_span(std::size_t row, std::string_view name, Cycle begin, Cycle end,
                  std::string_view args);
    /// Adds a point to the series of that name.
    void add_point(std::string_view name, Cycle at, double value);
    void add_series(Series series) { series_.push_back(std::move(series)); }
    /// Starts a kernel; ends the previous one if it is open.
    void start_kernel(std::string_view name, Cycle begin);
    void end_kernel(Cycle end);
    /// Sorts the spans of every row, outer ones before nested ones, and ends an open kernel.
    /// Kernels outside [from, to) are dropped; others are cut to it.
    void finish(Cycle from, Cycle to);

    [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
    [[nodiscard]] const std::vector<Kernel>& kernels() const { return kernels_; }
    [[nodiscard]] const std::vector<Series>& series() const { return series_; }
    [[nodiscard]] const std::vector<Detail>& details() const { return details_; }
    [[nodiscard]] const std::vector<std::string>& names() const { return names_.texts(); }
    [[nodiscard]] const std::vector<std::string>& keys() const { return keys_.texts(); }
    [[nodiscard]] const std::vector<std::string>& texts() const { return texts_.texts(); }
    [[nodiscard]] std::size_t spans() const;
    /// First and last cycle of all spans, kernels and figures; 0 and 0 if there are none.
    [[nodiscard]] Cycle first() const;
    [[nodiscard]] Cycle last() const;

    std::optional<double> core_clock_mhz;  ///< empty if unknown

private:
    std::vector<Row> rows_;
    std::vector<Kernel> kernels_;
    std::vector<Series> series_;
    std::vector<Detail> details_;
    NumberedTexts names_, keys_, texts_;
    bool kernel_open_ = false;
};

}  // namespace tessera
