// The subcommands of `tessera`.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/config/engine/config_source.h"

namespace tessera {

/// Each function adds a subcommand with options and help, and runs it when selected; its exit code
/// goes to `code`.
void add_run_command(CLI::App& app, int& code);
void add_microbench_command(CLI::App& app, int& code);
void add_trace_command(CLI::App& app, int& code);
void add_cosim_command(CLI::App& app, int& code);
void add_block_pairs_command(CLI::App& app, int& code);
void add_program_command(CLI::App& app, int& code);
void add_config_command(CLI::App& app, int& code);
void add_sweep_command(CLI::App& app, int& code);
void add_align_command(CLI::App& app, int& code);
void add_timeline_command(CLI::App& app, int& code);
void add_atlas_command(CLI::App& app, int& code);
void add_report_command(CLI::App& app, int& code);
void add_reproduce_command(CLI::App& app, int& code);
void add_compare_command(CLI::App& app, int& code);
void add_correlate_command(CLI::App& app, int& code);
void add_table_command(CLI::App& app, int& code);
void add_tune_command(CLI::App& app, int& code);
void add_energy_command(CLI::App& app, int& code);
void add_im2col_table_command(CLI::App& app, int& code);
void add_network_command(CLI::App& app, int& code);
void add_cache_command(CLI::App& app, int& code);

/// Help of the option --no-cache.
inline constexpr const char* kNoCacheHelp =
    "simulate, even if the result of an equal run is stored, and store nothing (tessera cache)";

/// Calls `keep`, which stores a result for later commands. An error costs these their time, but not
/// this one its result: it is printed as a warning.
void keep_for_later(const std::function<void()>& keep);

/// Options common to several commands: configurations by name or file, and single keys.
struct ConfigArguments {
    std::vector<std::string> configs;
    std::vector<std::string> sets;
    bool allow_unused = false;

    void add_to(CLI::App& command);
    /// Adds --allow-unused, for commands that load_acting().
    void add_allow_unused_to(CLI::App& command);
    /// Adds --sample, for commands that run.
    void add_sample_to(CLI::App& command);
    /// Adds --threads, for commands that make one run.
    void add_threads_to(CLI::App& command);
    /// Reads and validates the configuration; `source` then holds the location of each key.
    [[nodiscard]] Config load(ConfigSource& source) const;
    /// The same, and refuses keys of the user that could not act in a run, unless allow_unused.
    [[nodiscard]] Config load_acting(ConfigSource& source) const;
};

}  // namespace tessera
