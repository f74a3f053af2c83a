#include "testbenches/harness/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <filesystem>

#include "sc_models/common/command_line.h"
#include "sc_models/common/error.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"

namespace tessera::testbench {
namespace {

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
    std::vector<std::string> names;
    for (const Named& named : all) names.push_back(named.name);
    return names;
}

/// Throws ConfigError unless `value` is among `allowed`.
void check_word(const char* option, const std::string& value,
                const std::vector<std::string>& allowed) {
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
    throw ConfigError(fmt::format("{}: got '{}', expected one of {{{}}}", option, value,
                                  fmt::join(allowed, ", ")));
}

/// Returns a saved view as an argument of a command in the current folder; empty: there is none.
std::string view_argument(const std::string& view) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::path folder = ConfigCatalog().root().parent_path() / "waveforms";
    if (view.empty() || !fs::exists(folder / view, ignored)) return "";
    const fs::path near = (folder / view).lexically_relative(fs::current_path(ignored));
    const bool below = !near.empty() && *near.begin() != "..";
    return " " + (below ? near : folder / view).string();
}

}  // namespace

Session::Session(const Description& description, Options options)
    : clock(1000),
      random(options.seed),
      scoreboard(command_line()),
      description_(description),
      options_(std::move(options)),
      config_(load_config()) {
    check_options();
    if (!options_.stimulus.empty()) stimulus_.emplace(options_.stimulus, description_.columns);
    if (!options_.wave.empty()) {
        wave_ = std::make_unique<WaveformRecorder>(options_.wave, CycleWindow{}, "*", clock,
                                                   "testbench");
    }
}

Config Session::load_config() const {
    ConfigSource source;
    if (!options_.machine.empty()) ConfigCatalog().add_to(source, options_.machine);
    for (const std::string& set : options_.sets) {
        const std::string key = set.substr(0, set.find('='));
        const auto& known = description_.sections;
        const auto holds_key = [&key](const std::string& section) {
            return key == section || key.rfind(section + ".", 0) == 0;
        };
        if (std::none_of(known.begin(), known.end(), holds_key)) {
            throw ConfigError(fmt::format("--set {}: got '{}', expected a key of {{{}}}", set, key,
                                          fmt::join(known, ", ")));
        }
        source.add_set(set);
    }
    return tessera::load_config(source);
}

void Session::check_options() const {
    check_word("--timing", options_.timing,
               description_.has_timing ? std::vector<std::string>{"lt", "at"}
                                       : std::vector<std::string>{"lt"});
    check_word("--impl", options_.implementation, description_.implementations);
    if (!options_.plant.empty()) {
        check_word("--plant", options_.plant, names_of(description_.errors));
    }
    if (!options_.example.empty()) {
        check_word("--example", options_.example, names_of(description_.examples));
    }
    if (options_.curve && !description_.has_curve) {
        throw ConfigError("--curve: " + description_.name + " has no load-latency curve");
    }
    if (options_.curve && options_.count == 0) {
        throw ConfigError("--curve --count: got 0, expected at least 1 (no latency is measured)");
    }
    if (!options_.stimulus.empty() && description_.columns.empty()) {
        throw ConfigError("--stimulus: " + description_.name + " reads no stimulus files");
    }
}

void Session::need_plant_among(const std::vector<std::string>& errors) const {
    if (options_.plant.empty()) return;
    check_word(("--impl " + options_.implementation + " --plant").c_str(), options_.plant, errors);
}

Observers Session::observers() {
    return {wave_.get(), nullptr};
}

std::string Session::saved_view() const {
    for (const Example& example : description_.examples) {
        if (example.name == options_.example && !example.view.empty()) return example.view;
    }
    return description_.view;
}

bool Session::report() {
    if (wave_) {
        wave_->end_kernel(clock.now() + 1);
        wave_->finish();
        add_line(fmt::format("waveform: {0} (open it with: gtkwave {0}{1})", options_.wave,
                             view_argument(saved_view())));
    }
    const Cycle cycles = clock.now();
    print_text("{}: {}\n", description_.name, description_.module);
    const bool built_in = !stimulus_ && options_.example.empty() && !options_.curve;
    if (stimulus_) {
        print_text("  {} {} from {} in {} cycles\n", drawn, description_.operation,
                   options_.stimulus, cycles);
    } else if (built_in) {
        print_text("  seed {}: {} directed and {} random {} in {} cycles\n", options_.seed,
                   directed, drawn, description_.operation, cycles);
    }
    if (!latency.empty()) print_text("\n{}", latency.table(cycles));
    if (built_in || stimulus_) print_text("\n{}", coverage.table());
    if (!tables_.empty()) print_text("\n{}", tables_);
    for (const std::string& line : lines_) print_text("  {}\n", line);
    print_text("\n");
    for (const std::string& violation : violations_) print_text("  violation: {}\n", violation);
    if (scoreboard.errors() > 0) print_text("{}", scoreboard.first_divergence());

    std::vector<std::string> reasons;
    if (scoreboard.errors() > 0) {
        reasons.push_back(
            fmt::format("{} of {} checks differ", scoreboard.errors(), scoreboard.checks()));
    }
    if (!violations_.empty()) reasons.push_back(fmt::format("{} violations", violations_.size()));
    if (scoreboard.checks() == 0) reasons.emplace_back("nothing was checked");
    const std::vector<std::string> missed = coverage.missed();
    // A file or other settings need not reach every bin.
    const bool closes = built_in && !has_settings() && reasons.empty();
    if (closes && !missed.empty()) {
        reasons.push_back(fmt::format("not covered: {}", fmt::join(missed, ", ")));
    }
    if (!reasons.empty()) {
        print_text("FAIL  {}: {}\n", description_.name, fmt::join(reasons, "; "));
        return false;
    }
    const std::string covered =
        built_in ? fmt::format(", {} of {} bins covered", coverage.reached(), coverage.size()) : "";
    print_text("PASS  {}: {} checks{}\n", description_.name, scoreboard.checks(), covered);
    return true;
}

}  // namespace tessera::testbench
