#include "sc_models/report/comparison_sentences.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "sc_models/common/text_table.h"
#include "sc_models/run/kernel_limits.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

/// Smallest change that is worth a sentence, in percent (chosen).
constexpr double kLeastPercent = 1;

/// Change of a unit's work from A to B in percent.
struct WorkChange {
    std::string unit;
    double percent = 0;
};

std::string moved(double percent) {
    return fmt::format("{} by {} %", percent < 0 ? "fell" : "rose", number_cell(std::abs(percent)));
}

/// Changes of at least kLeastPercent, of units with the same peak in both machines.
std::vector<WorkChange> work_changes(const Json& a, const Json& b) {
    std::vector<WorkChange> changes;
    for (const Json& of_a : a.value("percent_of_peak", Json::array())) {
        for (const Json& of_b : b.value("percent_of_peak", Json::array())) {
            if (of_a.at("unit") != of_b.at("unit") || of_a.at("peak") != of_b.at("peak")) continue;
            const double before = of_a.at("percent").get<double>() * a.at("cycles").get<double>();
            const double after = of_b.at("percent").get<double>() * b.at("cycles").get<double>();
            if (before <= 0) continue;
            const double percent = 100 * (after / before - 1);
            if (std::abs(percent) >= kLeastPercent) changes.push_back({of_a.at("unit"), percent});
        }
    }
    std::stable_sort(changes.begin(), changes.end(), [](const WorkChange& x, const WorkChange& y) {
        return std::abs(x.percent) > std::abs(y.percent);
    });
    return changes;
}

std::string limit_of(const Json& kernel) {
    const std::string text = kernel.value("bound_by", std::string());
    return std::string(limit_name(text));
}

/// Sentences about one kernel of both runs.
class KernelSentences {
public:
    KernelSentences(const Json& a, const Json& b, double clock_ratio)
        : name_(a.at("name")),
          before_(a.at("cycles")),
          after_(b.at("cycles")),
          clock_ratio_(clock_ratio),
          works_(work_changes(a, b)),
          limit_(limit_of(after_ < before_ ? a : b)) {}

    [[nodiscard]] std::vector<std::string> all() const {
        const bool is_timed = before_ > 0 && after_ > 0 && std::abs(percent()) >= kLeastPercent;
        if (!is_timed && works_.empty()) return {};
        std::vector<std::string> sentences;
        const auto cause = std::find_if(works_.begin(), works_.end(),
                                        [this](const WorkChange& w) { return is_cause(w); });
        if (is_timed && cause != works_.end()) {
            sentences.push_back(fmt::format("{}, which bounds {}, {}, so the kernel is {}.",
                                            "Work of " + cause->unit, name_, moved(cause->percent),
                                            speed()));
        } else if (is_timed) {
            sentences.push_back(fmt::format("{} is {}.", name_, speed()));
        } else {
            sentences.push_back(
                fmt::format("{} takes the same time within {:g} %.", name_, kLeastPercent));
        }
        std::string others;
        for (const WorkChange& work : works_) {
            if (is_timed && cause != works_.end() && work.unit == cause->unit) continue;
            others +=
                fmt::format("{} {} {}", others.empty() ? "" : ",", work.unit, moved(work.percent));
        }
        if (!others.empty()) sentences.push_back(fmt::format("Change of its work:{}.", others));
        return sentences;
    }

private:
    /// Change of the speed from A to B in percent.
    [[nodiscard]] double percent() const { return 100 * (before_ / after_ * clock_ratio_ - 1); }
    [[nodiscard]] std::string speed() const {
        return fmt::format("{} % {}", number_cell(std::abs(percent())),
                           percent() > 0 ? "faster" : "slower");
    }
    [[nodiscard]] bool is_cause(const WorkChange& work) const {
        const double cycles = 100 * (after_ / before_ - 1);
        return clock_ratio_ == 1 && work.unit == limit_ && (work.percent < 0) == (cycles < 0) &&
               std::abs(work.percent) >= std::abs(cycles);
    }

    std::string name_;
    double before_, after_, clock_ratio_;
    std::vector<WorkChange> works_;
    std::string limit_;  ///< unit that bounds the slower of the two
};

}  // namespace

std::vector<std::string> comparison_sentences(const Json& a, const Json& b, double clock_ratio) {
    std::vector<std::string> sentences;
    for (const Json& kernel : a.at("kernels")) {
        for (const Json& other : b.at("kernels")) {
            if (kernel.at("name") != other.at("name")) continue;
            for (std::string& text : KernelSentences(kernel, other, clock_ratio).all()) {
                sentences.push_back(std::move(text));
            }
        }
    }
    return sentences;
}

}  // namespace tessera
