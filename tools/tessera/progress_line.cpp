#include "tools/tessera/progress_line.h"

#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sc_models/common/standard_streams.h"

namespace tessera {

void add_progress_option(CLI::App& command, ProgressStyle& style) {
    command
        .add_option_function<std::string>(
            "--progress",
            [&style](const std::string& name) {
                style = name == "json" ? ProgressStyle::kJson : ProgressStyle::kPeople;
            },
            "how far it is: people (a line on a terminal, the default) or json (a line of JSON on "
            "the error output each time, for programs)")
        ->check(CLI::IsMember({"people", "json"}))
        ->type_name("STYLE");
}

std::string duration_text(double seconds) {
    const auto s = std::llround(seconds);
    if (s < 60) return fmt::format("{} s", s);
    if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
    return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

void ProgressLine::show(const std::string& kernel, std::uint64_t done, std::uint64_t total,
                        double share) {
    const auto now = std::chrono::steady_clock::now();
    if (!shows() || now - shown_ < std::chrono::milliseconds(200)) return;
    shown_ = now;
    const double elapsed = std::chrono::duration<double>(now - started_).count();
    if (style_ == ProgressStyle::kJson) {
        const nlohmann::ordered_json json = {{"kernel", kernel},
                                             {"done", done},
                                             {"total", total},
                                             {"share", share},
                                             {"eta_seconds", elapsed * (1 - share) / share}};
        return print_error("{}\n", json.dump());
    }
    write_error(fmt::format("\r{}: {} of {} CTAs, {:.0f} %, {} left\x1b[K", printable(kernel), done,
                            total, 100 * share, duration_text(elapsed * (1 - share) / share)));
    drawn_ = true;
}

void ProgressLine::clear() {
    if (drawn_) write_error("\r\x1b[K");
    drawn_ = false;
}

}  // namespace tessera
