#include "sc_models/observe/timeline_spans.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace tessera {
namespace {

/// Parses "0x1f"; nothing if the text is no address.
std::optional<std::uint64_t> address_in(const std::string& text) {
    if (text.rfind("0x", 0) != 0 || text.size() < 3) return std::nullopt;
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(text.c_str(), &end, 16);
    if (*end != '\0') return std::nullopt;
    return value;
}

}  // namespace

std::uint32_t NumberedTexts::number_of(std::string_view text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<std::uint32_t>(texts_.size());
    numbers_.emplace(text, number);
    texts_.emplace_back(text);
    return number;
}

std::size_t TimelineSpans::add_row(std::string_view process, std::string_view thread) {
    rows_.push_back({std::string(process), std::string(thread), {}});
    return rows_.size() - 1;
}

void TimelineSpans::add_span(std::size_t row, std::string_view name, Cycle begin, Cycle end,
                             std::string_view args) {
    Span span{begin, end, names_.number_of(name), static_cast<std::uint32_t>(details_.size()), 0};
    if (!args.empty()) {
        const auto object = nlohmann::ordered_json::parse(args, nullptr, false);
        for (const auto& [key, value] : object.items()) {
            Detail detail;
            if (value.is_number_unsigned()) {
                detail.value = value.get<std::uint64_t>();
            } else if (value.is_string()) {
                const auto& text = value.get_ref<const std::string&>();
                const auto address = address_in(text);
                detail.kind = address ? DetailKind::kAddress : DetailKind::kText;
                detail.value = address ? *address : texts_.number_of(text);
            } else if (value.is_boolean()) {
                detail.kind = DetailKind::kText;
                detail.value = texts_.number_of(value.get<bool>() ? "true" : "false");
            } else {
                continue;
            }
            detail.key = keys_.number_of(key);
            details_.push_back(detail);
        }
        span.details = static_cast<std::uint32_t>(details_.size()) - span.first_detail;
    }
    rows_[row].spans.push_back(span);
}

void TimelineSpans::add_point(std::string_view name, Cycle at, double value) {
    auto series = std::find_if(series_.begin(), series_.end(),
                               [name](const Series& s) { return s.name == name; });
    if (series == series_.end()) {
        series_.push_back({std::string(name), "", {}, {}, at});
        series = series_.end() - 1;
    }
    series->at.push_back(at);
    series->values.push_back(value);
    series->end = std::max(series->end, at + 1);
}

void TimelineSpans::start_kernel(std::string_view name, Cycle begin) {
    end_kernel(begin);
    kernels_.push_back({std::string(name), begin, begin});
    kernel_open_ = true;
}

void TimelineSpans::end_kernel(Cycle end) {
    if (kernel_open_) kernels_.back().end = std::max(end, kernels_.back().begin);
    kernel_open_ = false;
}

void TimelineSpans::finish(Cycle from, Cycle to) {
    end_kernel(last());
    for (Kernel& kernel : kernels_) {
        kernel.begin = std::max(kernel.begin, from);
        kernel.end = std::min(kernel.end, to);
    }
    kernels_.erase(std::remove_if(kernels_.begin(), kernels_.end(),
                                  [](const Kernel& k) { return k.begin >= k.end; }),
                   kernels_.end());
    for (Row& row : rows_) {
        std::stable_sort(row.spans.begin(), row.spans.end(), [](const Span& a, const Span& b) {
            return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
        });
    }
    for (Series& series : series_) series.end = std::max(series.end, std::min(to, last()));
}

std::size_t TimelineSpans::spans() const {
    std::size_t count = 0;
    for (const Row& row : rows_) count += row.spans.size();
    return count;
}

Cycle TimelineSpans::first() const {
    Cycle first = kNever;
    for (const Row& row : rows_) {
        for (const Span& span : row.spans) first = std::min(first, span.begin);
    }
    for (const Kernel& kernel : kernels_) first = std::min(first, kernel.begin);
    for (const Series& series : series_) {
        if (!series.at.empty()) first = std::min(first, series.at.front());
    }
    return first == kNever ? 0 : first;
}

Cycle TimelineSpans::last() const {
    Cycle last = 0;
    for (const Row& row : rows_) {
        for (const Span& span : row.spans) last = std::max(last, span.end);
    }
    for (const Kernel& kernel : kernels_) last = std::max(last, kernel.end);
    for (const Series& series : series_) last = std::max(last, series.end);
    return last;
}

}  // namespace tessera
