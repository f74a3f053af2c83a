#include "sc_models/common/logging.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include "sc_models/common/error.h"
#include "sc_models/common/utf8.h"

namespace tessera {
namespace {

constexpr std::array<std::string_view, 6> kLevels = {"trace", "debug", "info",
                                                     "warn",  "error", "off"};

spdlog::level::level_enum parse_level(std::string_view key, const std::string& text) {
    if (std::find(kLevels.begin(), kLevels.end(), text) == kLevels.end()) {
        throw ConfigError(fmt::format("{}: got '{}', expected one of {{{}}}", key, text,
                                      fmt::join(kLevels, ", ")));
    }
    return spdlog::level::from_str(text);
}

/// Formats the message without terminal control characters.
class PrintableMessage : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
                spdlog::memory_buf_t& out) override {
        const std::string text = printable_lines({message.payload.data(), message.payload.size()});
        out.append(text.data(), text.data() + text.size());
    }
    [[nodiscard]] std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
        return std::make_unique<PrintableMessage>();
    }
};

/// Collects warnings. Loggers of all modules share one.
class WarningSink : public spdlog::sinks::base_sink<std::mutex> {
public:
    [[nodiscard]] std::vector<LoggedWarning> warnings() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return warnings_;
    }

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        warnings_.push_back({{message.logger_name.data(), message.logger_name.size()},
                             {message.payload.data(), message.payload.size()}});
    }
    void flush_() override {}

private:
    std::vector<LoggedWarning> warnings_;
};

const std::shared_ptr<WarningSink>& warning_sink() {
    static const auto sink = [] {
        auto made = std::make_shared<WarningSink>();
        made->set_level(spdlog::level::warn);
        return made;
    }();
    return sink;
}

}  // namespace

std::vector<LoggedWarning> logged_warnings() {
    return warning_sink()->warnings();
}

void configure_logging(const std::string& level,
                       const std::vector<std::pair<std::string, std::string>>& modules) {
    const auto general = parse_level("logging.level", level);
    for (const std::string_view module : kLogModules) logger(module).set_level(general);
    for (const auto& [module, text] : modules) {
        if (std::find(std::begin(kLogModules), std::end(kLogModules), module) ==
            std::end(kLogModules)) {
            throw ConfigError(
                fmt::format("logging.modules.{}: unknown module, expected one of {{{}}}", module,
                            fmt::join(kLogModules, ", ")));
        }
        logger(module).set_level(parse_level("logging.modules." + module, text));
    }
}

spdlog::logger& logger(std::string_view module) {
    if (auto existing = spdlog::get(std::string(module))) return *existing;
    auto made = spdlog::stderr_color_mt(std::string(module));
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<PrintableMessage>('*').set_pattern("[%n] %^%l%$: %*");
    made->set_formatter(std::move(formatter));
    made->sinks().push_back(warning_sink());
    return *made;
}

}  // namespace tessera
