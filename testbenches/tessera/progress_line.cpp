#include "testbenches/tessera/progress_line.h"

#include <fmt/format.h>

namespace tessera {

void ProgressLine::show(const std::string& kernel, std::uint64_t done, std::uint64_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - shown_ < std::chrono::milliseconds(200)) return;
    shown_ = now;
    fmt::print(stderr, "\r{}: {} of {} CTAs ({:.0f} %)\x1b[K", kernel, done, total,
               100.0 * static_cast<double>(done) / static_cast<double>(total));
    drawn_ = true;
}

void ProgressLine::clear() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
    drawn_ = false;
}

}  // namespace tessera
