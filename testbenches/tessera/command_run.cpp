// tessera run: one workload on one machine.
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "sc_models/common/error.h"
#include "sc_models/common/logging.h"
#include "sc_models/common/output_file.h"
#include "sc_models/gpu/observers.h"
#include "sc_models/gpu/run_files.h"
#include "sc_models/gpu/simulation.h"
#include "testbenches/tessera/commands.h"

#ifdef TESSERA_WITH_ONEDNN
#include "sc_models/workload/onednn_check.h"
#endif

namespace tessera {
namespace {

/// A line on the terminal that counts CTAs; silent elsewhere.
class ProgressLine : public ProgressListener {
public:
    ~ProgressLine() override { clear(); }
    void on_progress(const std::string& kernel, std::uint32_t done, std::uint32_t total) override {
        const auto now = std::chrono::steady_clock::now();
        if (!terminal_ || now - shown_ < std::chrono::milliseconds(200)) return;
        shown_ = now;
        fmt::print(stderr, "\r{}: {} of {} CTAs ({:.0f} %)\x1b[K", kernel, done, total,
                   100.0 * done / total);
        drawn_ = true;
    }
    void clear() {
        if (drawn_) fmt::print(stderr, "\r\x1b[K");
        drawn_ = false;
    }

private:
    const bool terminal_ = isatty(STDERR_FILENO) != 0;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point shown_;
};

struct RunArguments {
    ConfigArguments config;
    std::string out;
    ObserverOptions observers;
    bool quiet = false;
};

/// Compares with oneDNN where values are on; returns whether the outputs are within the bound.
bool compare_with_onednn(Simulation& simulation) {
#ifdef TESSERA_WITH_ONEDNN
    const OnednnReport report = check_with_onednn(
        simulation.workload(), [&simulation](Address address, void* data, std::size_t bytes) {
            simulation.memory().read(address, data, bytes);
        });
    fmt::print("  oneDNN: largest error {:.3g} of the bound (1.5 K 2^-23 sum|ab|) over {} outputs: {}\n",
               report.worst_ratio, report.outputs, report.passed() ? "within" : "EXCEEDED");
    return report.passed();
#else
    (void)simulation;
    fmt::print("  oneDNN: skipped because this build found no libdnnl\n");
    return true;
#endif
}

int run(const RunArguments& arguments) {
    const Config config = arguments.config.load();
    configure_logging(config.logging.level, config.logging.modules);
    if (!arguments.out.empty()) make_output_folder(arguments.out, "--out");

    ObserverSet observers(arguments.observers, config);
    ProgressLine progress;
    Simulation simulation(config, observers.get(), &progress);
    const RunReport report = simulation.run();
    progress.clear();
    observers.finish();

    if (!arguments.quiet) fmt::print("{}", summary_text(config, report));
    bool good = report.good();
    if (report.complete && report.verification.checked && config.workload.tiling.cta_limit == 0) {
        good = compare_with_onednn(simulation) && good;
    }
    if (!arguments.quiet) {
        fmt::print("\n{:.2f} s, {:.2f} million warp instructions a second, {} MiB\n",
                   report.host_seconds,
                   static_cast<double>(report.host_warp_instructions) / report.host_seconds / 1e6,
                   report.host_peak_memory_bytes >> 20);
        for (const std::string& line : observers.files()) fmt::print("{}\n", line);
    }
    if (!arguments.out.empty() && report.complete) {
        write_run_files(arguments.out, config, report);
        if (!arguments.quiet) fmt::print("results: {}\n", arguments.out);
    }
    if (!report.complete) return static_cast<int>(ExitCode::kInterrupted);
    return static_cast<int>(good ? ExitCode::kGood : ExitCode::kCheckFailed);
}

}  // namespace

void add_run_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand("run", "Run one workload and print where the time went");
    auto arguments = std::make_shared<RunArguments>();
    arguments->config.add_to(*command);
    command->add_option("--out", arguments->out, "folder for result.json, summary and statistics")
        ->type_name("DIR");
    arguments->observers.add_to(*command);
    command->add_flag("-q,--quiet", arguments->quiet, "print errors only");
    command->callback([arguments, &code] { code = run(*arguments); });
}

}  // namespace tessera
