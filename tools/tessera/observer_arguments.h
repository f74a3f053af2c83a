// Options that observe a run: --wave, --timeline with their windows and scopes, --dram-trace,
// --record, --record-transactions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "sc_models/run/observers.h"

namespace tessera {

/// Adds the options to a subcommand and reads them.
class ObserverArguments {
public:
    void add_to(CLI::App& command);
    /// `out`: folder of the run's files; empty: none. Throws ConfigError for an invalid window, and
    /// for options without a file to record into.
    [[nodiscard]] ObserverOptions options(const std::string& out) const;

    /// Whether an option asks for a recording, or plants a fault.
    [[nodiscard]] bool any() const;

private:
    ObserverOptions options_;
    std::string window_;
    CLI::Option* scope_option_ = nullptr;
    CLI::Option* limit_option_ = nullptr;
};

}  // namespace tessera
