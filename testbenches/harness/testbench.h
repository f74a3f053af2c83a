// Frame of a testbench program: command line, simulation, report and exit code.
#pragma once

#include <memory>

#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// A module with its stimulus, reference and checks. The constructor builds the modules; `run`
/// drives them and returns when all transactions are complete: those of a stimulus file, or the
/// directed cases and then the random ones.
class Testbench {
public:
    virtual ~Testbench() = default;
    virtual void run(const Session& session);
    /// Measures load against latency (--curve).
    virtual void run_curve() {}
    /// Runs the paper's example of that name step by step (--example).
    virtual void run_example(const std::string& /*name*/) {}

private:
    // Phases of run().
    virtual void prepare() {}
    virtual void play_file(const Stimulus& /*stimulus*/) {}
    virtual void play_directed() {}
    virtual void play_random() {}
    /// Checks what is left when no transaction is in flight.
    virtual void finish() {}
};

using MakeTestbench = std::unique_ptr<Testbench> (*)(Session& session);

/// Parses the command line, runs the testbench and prints its report. Returns the exit code: 0
/// PASS, 1 FAIL, 2 wrong input, 130 interrupted.
int run_testbench(int argc, char** argv, const Description& description, MakeTestbench make);

/// sc_main of a testbench `Bench` whose constructor takes the session.
template <class Bench>
int run_testbench(int argc, char** argv, const Description& description) {
    return run_testbench(argc, argv, description,
                         [](Session& session) -> std::unique_ptr<Testbench> {
                             return std::make_unique<Bench>(session);
                         });
}

}  // namespace tessera::testbench
