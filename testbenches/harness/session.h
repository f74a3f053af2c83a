// Session of a testbench: its options, and the objects that every testbench uses.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/config/config.h"
#include "sc_models/cosim/scoreboard.h"
#include "sc_models/observe/waveform_recorder.h"
#include "testbenches/harness/coverage.h"
#include "testbenches/harness/description.h"
#include "testbenches/harness/latency.h"
#include "testbenches/harness/stimulus.h"

namespace tessera::testbench {

/// Options of the command line.
struct Options {
    std::uint64_t seed = 1;
    std::uint64_t count = 0;
    std::string stimulus, timing = "lt", implementation, wave, plant, example, machine;
    std::vector<std::string> sets;
    bool curve = false, bins = false;
};

/// Everything a testbench needs besides its modules. Lives as long as the simulation.
class Session {
public:
    /// Throws ConfigError on options that do not fit `description`.
    Session(const Description& description, Options options);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    [[nodiscard]] const Description& description() const { return description_; }
    [[nodiscard]] const Options& options() const { return options_; }
    /// Configuration of the machine with the values of --set.
    [[nodiscard]] const Config& config() const { return config_; }
    [[nodiscard]] bool approximately_timed() const { return options_.timing == "at"; }
    /// Returns whether the error `name` is planted.
    [[nodiscard]] bool plants(std::string_view name) const { return options_.plant == name; }
    /// Throws ConfigError if an error is planted that the chosen implementation cannot have.
    void need_plant_among(const std::vector<std::string>& errors) const;
    /// Returns whether --set or --machine changes the module's settings.
    [[nodiscard]] bool has_settings() const {
        return !options_.sets.empty() || !options_.machine.empty();
    }
    [[nodiscard]] const std::string& implementation() const { return options_.implementation; }
    /// Rows of --stimulus; null: the built-in stimulus runs.
    [[nodiscard]] const Stimulus* stimulus() const { return stimulus_ ? &*stimulus_ : nullptr; }
    /// Observers of the modules: the waveform, if wanted.
    [[nodiscard]] Observers observers();
    /// Returns a random number below `end`. Throws Interrupted after Ctrl-C, so that drawing a long
    /// stimulus ends.
    std::uint64_t below(std::uint64_t end) {
        stop_if_interrupted();
        return random() % end;
    }

    /// Adds a line to the report.
    void add_line(std::string line) { lines_.push_back(std::move(line)); }
    /// Adds a table to the report.
    void print(std::string table) { tables_ += std::move(table); }
    /// Adds violations (protocol, conservation): each fails the run.
    void violations(const std::vector<std::string>& found) {
        violations_.insert(violations_.end(), found.begin(), found.end());
    }

    const ClockDomain clock;
    std::mt19937_64 random;
    Scoreboard scoreboard;
    Coverage coverage;
    LatencyTable latency;
    std::uint64_t directed = 0;  ///< transactions of directed cases
    std::uint64_t drawn = 0;     ///< random transactions, or those of the file

    /// Closes the waveform and prints the report. Returns whether the run passed.
    [[nodiscard]] bool report();

private:
    [[nodiscard]] Config load_config() const;
    void check_options() const;
    /// Name of the view that fits what the run records; empty: none.
    [[nodiscard]] std::string saved_view() const;

    const Description& description_;
    const Options options_;
    const Config config_;
    std::optional<Stimulus> stimulus_;
    std::unique_ptr<WaveformRecorder> wave_;
    std::vector<std::string> lines_, violations_;
    std::string tables_;
};

}  // namespace tessera::testbench
