#include "sc_models/observe/cycle_window.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

bool parse_cycle(std::string_view text, Cycle& cycle) {
    if (text.empty()) return true;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, cycle);
    return error == std::errc() && stop == end;
}

/// Whether a window of kernel `wanted` matches the kernel `name`: "gemm" also matches
/// resnet.C2.gemm.
bool names_kernel(std::string_view wanted, std::string_view name) {
    if (name == wanted) return true;
    if (name.size() <= wanted.size()) return false;
    const std::size_t begin = name.size() - wanted.size();
    return name[begin - 1] == '.' && name.substr(begin) == wanted;
}

}  // namespace

CycleWindow CycleWindow::parse(std::string_view text, std::string_view option) {
    CycleWindow window;
    std::string_view cycles = text;
    const std::size_t colon = text.rfind(':');
    const std::size_t before = colon == 0 ? std::string_view::npos : text.rfind(':', colon - 1);
    const bool of_kernel = colon != std::string_view::npos && before != std::string_view::npos;
    if (of_kernel) {
        window.kernel = text.substr(0, before);
        cycles = text.substr(before + 1);
    }
    const std::size_t between = cycles.find(':');
    if (between == std::string_view::npos || (of_kernel && window.kernel.empty()) ||
        !parse_cycle(cycles.substr(0, between), window.begin) ||
        !parse_cycle(cycles.substr(between + 1), window.end)) {
        throw ConfigError(fmt::format(
            "{}: got '{}', expected two core cycles A:B, either of which may be left out, or "
            "KERNEL:A:B to count from that kernel's start",
            option, text));
    }
    if (window.begin >= window.end) {
        throw ConfigError(
            fmt::format("{}: got '{}', expected a first cycle below the last", option, text));
    }
    return window;
}

std::string CycleWindow::text() const {
    return fmt::format("{}{}{}:{}", kernel, kernel.empty() ? "" : ":", begin,
                       end == kNever ? "" : fmt::to_string(end));
}

void CycleWindow::check_kernel(const std::vector<std::string>& kernels,
                               std::string_view option) const {
    const bool known = std::any_of(kernels.begin(), kernels.end(),
                                   [this](const auto& name) { return names_kernel(kernel, name); });
    if (kernel.empty() || known) return;
    throw ConfigError(fmt::format("{}: got '{}', expected a kernel of this run, one of {{{}}}",
                                  option, text(), fmt::join(kernels, ", ")));
}

PlacedWindow::PlacedWindow(CycleWindow window) : window_(std::move(window)) {
    if (window_.kernel.empty()) {
        *span_ = {window_.begin, window_.end};
    } else {
        *span_ = {kNever, kNever};
        state_ = State::kWaiting;
    }
}

void PlacedWindow::start_kernel(std::string_view name, Cycle start) {
    if (state_ == State::kOfKernel) {
        span_->end = std::min(span_->end, start);  // the kernel has ended
        state_ = State::kFixed;
    }
    if (state_ != State::kWaiting || !names_kernel(window_.kernel, name)) return;
    state_ = State::kOfKernel;
    kernel_start_ = start;
    span_->begin = start + window_.begin;
    if (window_.end != kNever) span_->end = start + window_.end;
}

std::string PlacedWindow::missed(Cycle now, std::string_view what) const {
    if (window_.kernel.empty()) {
        return fmt::format("--wave-window: got '{}', but the run ended at cycle {}: no {}",
                           window_.text(), now, what);
    }
    if (!placed()) {
        return fmt::format("--wave-window: got '{}', but the run ended before {}: no {}",
                           window_.text(), window_.kernel, what);
    }
    return fmt::format("--wave-window: got '{}', but the run ended {} cycles after {} began: no {}",
                       window_.text(), now - kernel_start_, window_.kernel, what);
}

}  // namespace tessera
