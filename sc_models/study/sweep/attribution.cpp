#include "sc_models/study/sweep/attribution.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/text_table.h"
#include "sc_models/common/version_info.h"
#include "sc_models/config/engine/config_source.h"
#include "sc_models/run/run_files.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr bool kAllowUnused = true;  // a setting of a disabled part is unread; such a machine is
                                     // still planned
constexpr const char* kA = "a";
constexpr const char* kB = "b";

std::string revision_of(const Json& result) {
    const Json& tool = result.at("tool");
    return fmt::format("{} ({})", tool.at("version").get<std::string>(),
                       tool.at("git_revision").get<std::string>());
}

void check_is_ours(const char* which, const Json& result) {
    const BuildInfo& build = build_info();
    const std::string ours = fmt::format("{} ({})", build.version, build.git_revision);
    if (revision_of(result) != ours) {
        throw ConfigError(
            fmt::format("--attribute: {} was run by tessera {}, and this is {}: run A and B again "
                        "with this one",
                        which, revision_of(result), ours));
    }
}

std::string config_text(const Json& result) {
    return "part: run\n" + result.at("config").get<std::string>();
}

fs::path config_file(const fs::path& folder, const char* end) {
    return folder / (std::string(end) + ".yaml");
}

/// Value as an argument of `--set`, quoted where YAML requires it.
std::string set_text(const std::string& value) {
    constexpr const char* kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
    const bool plain = !value.empty() && value.find_first_not_of(kPlain) == std::string::npos;
    return plain ? value : Json(value).dump();
}

/// acting_hash() of the run of a result's configuration.
std::string acting_of(const Json& result, const char* end) {
    ConfigSource source;
    source.add_text(config_text(result), end);
    PlannedRun run;
    (void)check_run(source, run, kAllowUnused);
    return run.acting;
}

std::string cell(const std::optional<double>& time, const IntermediateMachine& machine) {
    return machine.refused.empty() ? time_cell(time) : "refused";
}

}  // namespace

std::string time_cell(const std::optional<double>& time) {
    return time == 0.0 ? "0" : signed_cell(time, 0);
}

double total_cycles(const Json& result) {
    double cycles = 0;
    for (const Json& kernel : result.at("kernels")) cycles += kernel.at("cycles").get<double>();
    return cycles;
}

std::optional<double> AttributedSetting::with_others() const {
    if (!in_a || !in_b) return std::nullopt;
    return *in_b - *in_a;
}

Attribution::Attribution(Json a, Json b, const fs::path& out, std::size_t limit)
    : a_(std::move(a)), b_(std::move(b)) {
    check_is_ours("A", a_);
    check_is_ours("B", b_);
    if (a_.at("workload") != b_.at("workload")) {
        throw ConfigError(fmt::format("--attribute: A ran {} and B ran {}, expected one workload",
                                      a_.at("workload").dump(), b_.at("workload").dump()));
    }
    std::vector<ConfigDifference> differences =
        config_differences(a_.at("config"), b_.at("config"));
    differences.erase(std::remove_if(differences.begin(), differences.end(),
                                     [](const ConfigDifference& difference) {
                                         return difference.key.rfind("logging.", 0) == 0;
                                     }),
                      differences.end());
    if (differences.size() > limit) {
        throw ConfigError(fmt::format(
            "--attribute: {} settings differ, which takes {} runs, and at most {} are tried: "
            "--attribute-limit {} tries them all",
            differences.size(), 2 * differences.size(), limit, differences.size()));
    }
    in_cycles_ = core_clock_ratio(differences) == 1;
    time_a_ = time_of(a_);
    time_b_ = time_of(b_);
    folder_ = fmt::format("{}_{}", a_.at("config_hash").get<std::string>(),
                          b_.at("config_hash").get<std::string>());
    if (differences.size() == 1) {
        settings_.push_back({differences.front(), {}, {}, difference(), difference()});
    }
    if (differences.size() <= 1) return;
    acting_a_ = acting_of(a_, "A");
    acting_b_ = acting_of(b_, "B");
    for (const ConfigDifference& setting : differences) {
        settings_.push_back({setting, machine(config_text(a_), kA, setting.key, setting.b, out),
                             machine(config_text(b_), kB, setting.key, setting.a, out),
                             std::nullopt, std::nullopt});
    }
}

IntermediateMachine Attribution::machine(const std::string& config, const char* end,
                                         const std::string& key, const std::string& value,
                                         const fs::path& out) const {
    const std::string set = key + "=" + set_text(value);
    IntermediateMachine made;
    PlannedRun& run = made.run;
    run.variant = fmt::format("{} with {}", end == kA ? "A" : "B", set);
    run.baseline = run.variant;
    run.folder = folder_ / fs::path(end) / key;
    run.arguments = {config_file(fs::absolute(out) / folder_, end).string(), "--set", set};
    try {
        ConfigSource source;
        source.add_text(config, end == kA ? "A" : "B");
        source.add_set(set);
        run.layer = check_run(source, run, kAllowUnused).workload;
    } catch (const ConfigError& error) {
        made.refused = error.what();
        return made;
    }
    if (run.acting == acting_a_) made.time = time_a_;
    if (run.acting == acting_b_) made.time = time_b_;
    return made;
}

double Attribution::time_of(const Json& result) const {
    return in_cycles_ ? total_cycles(result) : 1000 * total_cycles(result) / core_clock_mhz(result);
}

std::vector<PlannedRun> Attribution::to_run() const {
    std::vector<PlannedRun> runs;
    for (const AttributedSetting& s : settings_) {
        for (const IntermediateMachine* machine : {&s.alone, &s.set_back}) {
            const bool planned = !machine->run.folder.empty();
            if (planned && machine->refused.empty() && !machine->time) {
                runs.push_back(machine->run);
            }
        }
    }
    return runs;
}

void Attribution::write_ends(const fs::path& out) const {
    make_output_folder(out / folder_, "--out");
    write_file_atomically(config_file(out / folder_, kA), config_text(a_));
    write_file_atomically(config_file(out / folder_, kB), config_text(b_));
}

void Attribution::read(const fs::path& out, const SweepOutcome& outcome) {
    const std::vector<PlannedRun> runs = to_run();
    std::map<fs::path, std::string> failed;
    for (const FailedRun& failure : outcome.failed) {
        failed[runs[failure.run].folder] = failure.message;
    }
    for (AttributedSetting& s : settings_) {
        for (IntermediateMachine* machine : {&s.alone, &s.set_back}) {
            if (machine->run.folder.empty() || !machine->refused.empty() || machine->time) {
                continue;
            }
            const auto failure = failed.find(machine->run.folder);
            if (failure != failed.end()) {
                machine->refused = failure->second;
            } else {
                machine->time = time_of(read_result(out / machine->run.folder));
            }
        }
        if (s.alone.time) s.in_a = *s.alone.time - time_a_;
        if (s.set_back.time) s.in_b = time_b_ - *s.set_back.time;
    }
    const auto size = [](const AttributedSetting& s) {
        return std::max(std::abs(s.in_a.value_or(0)), std::abs(s.in_b.value_or(0)));
    };
    std::stable_sort(settings_.begin(), settings_.end(),
                     [&size](const AttributedSetting& x, const AttributedSetting& y) {
                         return size(x) > size(y);
                     });
}

std::optional<double> Attribution::sum_alone() const {
    double sum = 0;
    for (const AttributedSetting& s : settings_) {
        if (!s.in_a) return std::nullopt;
        sum += *s.in_a;
    }
    return sum;
}

std::string Attribution::verdict() const {
    const AttributedSetting& most = settings_.front();
    std::string text = fmt::format("{} ({}) did most of it: of {} {}", most.setting.key,
                                   most.setting.text(), time_cell(difference()), unit());
    if (most.in_a) text += fmt::format(" {} alone", time_cell(most.in_a));
    if (most.in_a && most.in_b) text += ",";
    if (most.in_b) text += fmt::format(" {} on top of all others", time_cell(most.in_b));
    text += ".";
    if (const auto sum = sum_alone()) {
        text += fmt::format(" Each alone, all come to {}; {} come of several together.",
                            time_cell(sum), time_cell(difference() - *sum));
    }
    return text;
}

std::vector<std::string> Attribution::refusals() const {
    std::vector<std::string> lines;
    for (const AttributedSetting& s : settings_) {
        for (const IntermediateMachine* machine : {&s.alone, &s.set_back}) {
            if (machine->refused.empty()) continue;
            lines.push_back(
                fmt::format("{} cannot stand alone: {}", machine->run.variant, machine->refused));
        }
    }
    return lines;
}

std::string Attribution::text() const {
    if (settings_.empty()) return "no setting differs that a run reads\n";
    if (settings_.size() == 1) {
        return fmt::format("one setting differs, so all {} {} are its doing: {}\n",
                           time_cell(difference()), unit(), settings_.front().setting.key);
    }
    TextTable table({"setting", "A", "B", "alone", "on top", "difference"});
    table.set_text_columns(3);
    for (const AttributedSetting& s : settings_) {
        table.add({s.setting.key, s.setting.a, s.setting.b, cell(s.in_a, s.alone),
                   cell(s.in_b, s.set_back), time_cell(s.with_others())});
    }
    std::string text = fmt::format(
        "which setting did it, in {} of all kernels (A takes {:.0f}, B {:.0f})\n"
        "alone: what it adds to A; on top: what it adds where all others are set already\n{}",
        unit(), time_a_, time_b_, table.str());
    text += "  " + verdict() + "\n";
    for (const std::string& line : refusals()) text += "  " + line + "\n";
    return text;
}

nlohmann::ordered_json Attribution::json() const {
    const auto number = [](const std::optional<double>& time) {
        return time ? Json(*time) : Json();
    };
    Json settings = Json::array();
    for (const AttributedSetting& s : settings_) {
        settings.push_back({{"key", s.setting.key},
                            {"a", s.setting.a},
                            {"b", s.setting.b},
                            {"alone", number(s.in_a)},
                            {"on_top", number(s.in_b)},
                            {"with_others", number(s.with_others())}});
    }
    return {{"unit", unit()},
            {"a", time_a_},
            {"b", time_b_},
            {"settings", std::move(settings)},
            {"verdict", settings_.size() < 2 ? "" : verdict()},
            {"refused", refusals()}};
}

}  // namespace tessera
