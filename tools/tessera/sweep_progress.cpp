#include "tools/tessera/sweep_progress.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/study/sweep/host_figures.h"
#include "tools/tessera/progress_line.h"

namespace tessera {
namespace {

std::string count(const SweepProgress& p) {
    return fmt::format("{}/{}", p.done, p.total);
}

std::string eta(const SweepProgress& p) {
    return p.eta_seconds > 0 ? ", " + duration_text(p.eta_seconds) + " left" : std::string();
}

}  // namespace

std::string equal_runs_text(const Sweep& sweep) {
    const std::size_t missing = sweep.runs().size() - sweep.results_there();
    const std::size_t shared = missing - sweep.to_run();
    if (shared == 0) return "";
    return fmt::format(
        "{} of the {} that are missing take the same steps as others and share their "
        "results\n",
        shared, missing);
}

void SweepProgressPrinter::on_skipped(const PlannedRun& run, const SweepProgress& p) {
    if (style_ == ProgressStyle::kJson) print_json(run, p, {{"skipped", true}});
}

void SweepProgressPrinter::on_shared(const PlannedRun& run, const SweepProgress& p) {
    if (style_ == ProgressStyle::kJson) return print_json(run, p, {{"shared", true}});
    if (terminal_) return on_tick(p);
    if (p.done != p.total && !due(std::chrono::seconds(1))) return;
    print_error("{} {} {} (the results of an equal run){}\n", count(p), run.layer, run.variant,
                eta(p));
}

void SweepProgressPrinter::on_finished(const PlannedRun& run, double seconds,
                                       const SweepProgress& p) {
    if (style_ == ProgressStyle::kJson) return print_json(run, p, {{"seconds", seconds}});
    if (terminal_) return on_tick(p);
    if (p.done != p.total && !due(std::chrono::seconds(1))) return;
    print_error("{} {} {} ({:.1f} s){}\n", count(p), run.layer, run.variant, seconds, eta(p));
}

void SweepProgressPrinter::on_failed(const PlannedRun& run, const FailedRun& failure,
                                     const SweepProgress& p) {
    if (style_ == ProgressStyle::kJson) {
        return print_json(run, p, {{"failed", failure.message}, {"exit_code", failure.exit_code}});
    }
    clear();
    print_error("{} {} {} FAILED: {}\n    {}\n", count(p), run.layer, run.variant, failure.message,
                failure.command);
}

void SweepProgressPrinter::on_tick(const SweepProgress& p) {
    if (!terminal_ || style_ == ProgressStyle::kJson || !due(std::chrono::milliseconds(200)))
        return;
    write_error(
        fmt::format("\r{} runs done, {} {}{}\x1b[K", count(p), p.running, p.activity, eta(p)));
    drawn_ = true;
}

void SweepProgressPrinter::clear() {
    if (drawn_) write_error("\r\x1b[K");
    drawn_ = false;
}

void SweepProgressPrinter::print_json(const PlannedRun& run, const SweepProgress& p,
                                      nlohmann::ordered_json more) {
    nlohmann::ordered_json json = {{"layer", run.layer},
                                   {"variant", run.variant},
                                   {"seed", run.seed},
                                   {"done", p.done},
                                   {"total", p.total},
                                   {"running", p.running},
                                   {"eta_seconds", p.eta_seconds}};
    json.update(more);
    // Paths may contain bytes that are not UTF-8, which JSON cannot hold.
    print_error("{}\n",
                json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

bool SweepProgressPrinter::due(std::chrono::milliseconds interval) {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < interval) return false;
    shown_ = now;
    return true;
}

void remove_tables(const std::filesystem::path& out, const std::vector<std::string>& tables) {
    for (const std::string& table : tables) std::filesystem::remove(out / table);
}

SweepOutcome run_sweep(SweepFolder folder, const SweepTitle& title,
                       const std::vector<PlannedRun>& runs, const SweepOptions& options,
                       ProgressStyle style) {
    if (runs.empty()) return {};
    Experiment all;
    all.name = title.name;
    all.title = title.title;
    const std::filesystem::path out = folder.path();
    Sweep sweep(all, {}, runs, std::move(folder), options);
    if (sweep.results_there() != runs.size()) remove_tables(out, title.tables);
    print_error("{}: {} runs, {}, into {}\n", title.name, runs.size(), sweep.description(),
                out.string());
    for (const std::string& line : sweep.damaged()) print_error("warning: {}\n", line);
    print_error("{}", equal_runs_text(sweep));
    SweepProgressPrinter printer(style);
    SweepOutcome outcome = sweep.run(printer);
    printer.clear();
    if (outcome.interrupted) {
        print_error("interrupted: {} of {} runs are done and kept; the same command resumes\n",
                    outcome.skipped + outcome.finished + outcome.shared, runs.size());
    }
    print_error("{}", stored_text(runs, out));
    return outcome;
}

void print_failures(const SweepOutcome& outcome, const std::vector<PlannedRun>& runs,
                    std::string_view consequence) {
    print_error("\n{} of {} runs failed and {}:\n", outcome.failed.size(), runs.size(),
                consequence);
    for (const FailedRun& failure : outcome.failed) {
        const PlannedRun& run = runs[failure.run];
        print_error("  {} {} (exit code {}): {}\n", run.layer, run.variant, failure.exit_code,
                    failure.message);
    }
}

int exit_code_of(const SweepOutcome& outcome) {
    if (outcome.failed.empty()) return static_cast<int>(ExitCode::kGood);
    const bool all_users =
        std::all_of(outcome.failed.begin(), outcome.failed.end(), [](const FailedRun& failure) {
            return failure.exit_code == static_cast<int>(ExitCode::kUserError);
        });
    return static_cast<int>(all_users ? ExitCode::kUserError : ExitCode::kCheckFailed);
}

}  // namespace tessera
