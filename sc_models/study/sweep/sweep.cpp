#include "sc_models/study/sweep/sweep.h"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <thread>

#include "sc_models/common/command_line.h"
#include "sc_models/common/error.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/version_info.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/results/sweep_plan.h"
#include "sc_models/run/run_files.h"
#include "sc_models/study/backend/captured_process.h"
#include "sc_models/study/sweep/host_figures.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kResult = "result.json";
/// Size of a run's files without full statistics.
constexpr std::uintmax_t kBytesPerRun = 256 << 10;

void check_space(const fs::path& folder, std::size_t runs) {
    std::error_code error;
    const fs::space_info space = fs::space(folder, error);
    const std::uintmax_t wanted = runs * kBytesPerRun;
    if (!error && space.available < wanted) {
        throw ConfigError(fmt::format("--out: {} has {} KiB free, {} runs need about {} KiB",
                                      folder.string(), space.available >> 10, runs, wanted >> 10));
    }
}

}  // namespace

std::size_t equal_runs(const std::vector<PlannedRun>& runs) {
    std::set<std::string> different;
    for (const PlannedRun& run : runs) different.insert(run.acting);
    return runs.size() - different.size();
}

std::string equal_runs_note(const std::vector<PlannedRun>& runs) {
    const std::size_t equal = equal_runs(runs);
    return equal == 0 ? "" : fmt::format(" ({} of them equal to others)", equal);
}

Sweep::Sweep(const Experiment& experiment, const std::vector<std::string>& sets,
             std::vector<PlannedRun> runs, SweepFolder folder, SweepOptions options)
    : runs_(std::move(runs)),
      folder_(std::make_shared<SweepFolder>(std::move(folder))),
      options_(std::move(options)) {
    program_ = fs::read_symlink("/proc/self/exe").string();
    check_backend(options_.backend);
    for (std::size_t i = 0; i < runs_.size(); ++i) equal_[runs_[i].acting].push_back(i);
    check_space(out(), runs_.size());
    write_sweep_plan(out(), {experiment.name, experiment.title, sets, runs_});
    there_.reserve(runs_.size());
    for (const PlannedRun& run : runs_) {
        std::string damage;
        there_.push_back(has_result(run, damage));
        if (!damage.empty()) damaged_.push_back(damage + ": this run is run again");
    }
    const BuildInfo& build = build_info();
    backend_ = make_backend(options_.backend, experiment.name,
                            fmt::format("{} {}", build.version, build.git_revision), out());
}

bool Sweep::has_result(const PlannedRun& run, std::string& damage) const {
    try {
        const auto result = find_result(out() / run.folder);
        if (!result) return false;
        const auto& tool = result->at("tool");
        const bool same_tool =
            tool.at("version") == build_info().version &&
            (options_.keep || tool.at("git_revision") == build_info().git_revision);
        return same_tool && result->at("config_hash") == run.hash && failed_checks(*result).empty();
    } catch (const ConfigError& error) {
        damage = error.what();
        return false;
    }
}

std::size_t Sweep::results_there() const {
    return static_cast<std::size_t>(std::count(there_.begin(), there_.end(), true));
}

std::size_t Sweep::to_run() const {
    return static_cast<std::size_t>(
        std::count_if(equal_.begin(), equal_.end(), [this](const auto& group) {
            return std::none_of(group.second.begin(), group.second.end(),
                                [this](std::size_t run) { return there_[run]; });
        }));
}

std::string Sweep::take_files(const PlannedRun& from, const PlannedRun& run) const {
    if (run.folder == from.folder) return "";  // planned twice
    const fs::path folder = out() / run.folder;
    try {
        make_output_folder(folder, "--out");
        remove_run_files(folder);
        write_file_atomically(log(run), fmt::format("not run: it takes the same steps as {}\n",
                                                    from.folder.string()));
        share_run_files(out() / from.folder, folder, config_of(run, ConfigCatalog()));
    } catch (const std::exception& error) {
        return error.what();
    }
    std::string damage;
    if (has_result(run, damage)) return "";
    return damage.empty() ? "its configuration has changed since the sweep began" : damage;
}

void Sweep::share(std::size_t run, SweepOutcome& outcome, SweepProgress& progress,
                  SweepListener& listener) {
    for (const std::size_t other : equal_.at(runs_[run].acting)) {
        if (there_[other]) continue;
        // A failure before an equal run succeeded has been counted already.
        const auto before =
            std::find_if(outcome.failed.begin(), outcome.failed.end(),
                         [other](const FailedRun& failed) { return failed.run == other; });
        const bool has_failed = before != outcome.failed.end();
        FailedRun failure;
        failure.run = other;
        failure.message = take_files(runs_[run], runs_[other]);
        if (has_failed && !failure.message.empty()) continue;
        if (has_failed) {
            outcome.failed.erase(before);
        } else {
            ++progress.done;
        }
        if (failure.message.empty()) {
            there_[other] = true;
            ++outcome.shared;
            listener.on_shared(runs_[other], progress);
        } else {
            failure.exit_code = static_cast<int>(ExitCode::kUserError);
            failure.command = shell_quoted(command(runs_[other]));
            outcome.failed.push_back(failure);
            listener.on_failed(runs_[other], failure, progress);
        }
    }
}

std::vector<std::string> Sweep::command(const PlannedRun& run) const {
    std::vector<std::string> argv = {program_, "run"};
    argv.insert(argv.end(), run.arguments.begin(), run.arguments.end());
    argv.insert(argv.end(), {"--out", (out() / run.folder).string(), "-q"});
    if (options_.allow_unused) argv.emplace_back("--allow-unused");
    if (options_.no_cache) argv.emplace_back("--no-cache");
    return argv;
}

RunJob Sweep::job(std::size_t run) const {
    return {run, command(runs_[run]), log(runs_[run]), out() / runs_[run].folder / kResult};
}

fs::path Sweep::log(const PlannedRun& run) const {
    return out() / run.folder / "log.txt";
}

bool Sweep::is_good(const PlannedRun& run, const RunEnd& end, FailedRun& failure) const {
    std::string damage;
    if (end.exit_code == 0 && has_result(run, damage)) return true;
    failure.exit_code = end.exit_code;
    failure.command = shell_quoted(command(run));
    failure.message = last_error(end.output);
    if (end.exit_code == 0) {
        failure.exit_code = static_cast<int>(ExitCode::kCheckFailed);
        failure.message = damage.empty() ? "the run left no result of its configuration" : damage;
    }
    if (failure.message.empty()) {
        failure.message = fmt::format("ended with exit code {}", end.exit_code);
    }
    // Rename a result that failed its checks, so that a resumed sweep does not keep it.
    const fs::path folder = out() / run.folder;
    std::error_code ignored;
    if (fs::is_regular_file(folder / kResult)) {
        fs::rename(folder / kResult, folder / "failed_result.json", ignored);
    }
    return false;
}

void Sweep::learn_times(const PlannedRun& run) {
    const auto host = read_host(run, out());
    if (!host.is_object() || !host.value("seconds", nlohmann::ordered_json()).is_number()) return;
    times_.finished(run.kind, run.variant, run.work, host.at("seconds").get<double>());
}

double Sweep::eta(const std::vector<std::size_t>& waiting) const {
    const auto now = Clock::now();
    const auto seconds = [this](std::size_t i) {
        return times_.estimate(runs_[i].kind, runs_[i].variant, runs_[i].work).value_or(0);
    };
    std::vector<double> later;
    later.reserve(waiting.size());
    for (const std::size_t run : waiting) later.push_back(seconds(run));
    std::vector<double> running;
    running.reserve(started_.size());
    const double elapsed = std::chrono::duration<double>(now - began_).count();
    if (backend_->free_slots() == SweepBackend::kUnlimited) {
        // The running jobs are unknown; extrapolate the rate of completions so far.
        if (seconds_ended_ == 0) return 0;
        double left = std::accumulate(later.begin(), later.end(), 0.0);
        for (const auto& [run, at] : started_) left += seconds(run);
        return left * elapsed / seconds_ended_;
    }
    for (const auto& [run, at] : started_) {
        const double ago = std::chrono::duration<double>(now - at).count();
        running.push_back(std::max(0.0, seconds(run) - ago));
    }
    return seconds_left(std::move(running), later, backend_->running() + backend_->free_slots());
}

void Sweep::update(SweepProgress& progress, const std::vector<std::size_t>& waiting) {
    updated_ = Clock::now();
    progress.running = started_.size();
    progress.eta_seconds = eta(waiting);
}

std::vector<std::size_t> Sweep::missing(SweepOutcome& outcome, SweepProgress& progress,
                                        SweepListener& listener) {
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        if (!there_[i]) continue;
        ++outcome.skipped;
        ++progress.done;
        learn_times(runs_[i]);
        listener.on_skipped(runs_[i], progress);
    }
    for (const auto& [steps, equal] : equal_) {
        const auto known = std::find_if(equal.begin(), equal.end(),
                                        [this](std::size_t run) { return there_[run]; });
        if (known == equal.end()) {
            waiting.push_back(equal.front());
        } else {
            share(*known, outcome, progress, listener);
        }
    }
    // Start long runs first, so that the last ones are short and no core idles for long at the end.
    std::sort(waiting.begin(), waiting.end(), [this](std::size_t a, std::size_t b) {
        return std::pair(-runs_[a].work, a) < std::pair(-runs_[b].work, b);
    });
    return waiting;
}

void Sweep::resume(std::vector<std::size_t>& waiting) {
    std::vector<RunJob> jobs;
    jobs.reserve(waiting.size());
    for (const std::size_t run : waiting) jobs.push_back(job(run));
    std::vector<RunJob> done;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
        if (there_[run]) done.push_back(job(run));
    }
    std::vector<bool> is_at_work(waiting.size());
    for (const std::size_t place : backend_->resume(jobs, done)) {
        is_at_work[place] = true;
        started_[waiting[place]] = Clock::now();
    }
    std::vector<std::size_t> left;
    for (std::size_t place = 0; place < waiting.size(); ++place) {
        if (!is_at_work[place]) left.push_back(waiting[place]);
    }
    waiting = std::move(left);
}

/// Threads for each of `starting` runs: distributes the cores of jobs without a run, within the
/// computer's core count.
std::size_t Sweep::threads_each(std::size_t starting) const {
    if (backend_->free_slots() == SweepBackend::kUnlimited) return 1;
    const std::size_t running = backend_->running();
    const std::size_t jobs = std::min<std::size_t>(running + backend_->free_slots(),
                                                   std::thread::hardware_concurrency());
    return std::clamp<std::size_t>(jobs / (running + starting), 1, HostConfig::kMostThreads);
}

std::vector<RunEnd> Sweep::start(const std::vector<std::size_t>& runs) {
    std::vector<RunJob> jobs;
    jobs.reserve(runs.size());
    const std::size_t threads = threads_each(runs.size());
    std::vector<RunEnd> refused;
    for (const std::size_t run : runs) {
        const fs::path folder = out() / runs_[run].folder;
        try {
            const bool is_new = !fs::exists(folder);
            make_output_folder(folder, "--out");
            if (!is_new) remove_run_files(folder);
            std::error_code unknown;  // writing the log reports the reason
            if (fs::is_directory(log(runs_[run]), unknown)) {
                throw ConfigError(
                    fmt::format("--out: {} is a folder, expected a run's log or nothing",
                                log(runs_[run]).string()));
            }
            jobs.push_back(job(run));
            if (threads > 1 && !runs_[run].has_threads) {
                std::vector<std::string>& command = jobs.back().command;
                command.insert(command.end(), {"--set", fmt::format("host.threads={}", threads)});
            }
        } catch (const ConfigError& error) {
            refused.push_back(could_not_start(run, error));
        }
    }
    for (const RunJob& started : jobs) started_[started.id] = Clock::now();
    for (RunEnd& end : backend_->start(jobs)) refused.push_back(std::move(end));
    return refused;
}

void Sweep::ended(const RunEnd& end, SweepOutcome& outcome, SweepProgress& progress,
                  SweepListener& listener, std::vector<std::size_t>& waiting) {
    const PlannedRun& run = runs_[end.id];
    started_.erase(end.id);
    FailedRun failure;
    failure.run = end.id;
    const bool good = is_good(run, end, failure);
    if (!good && outcome.interrupted) return;  // ended by the interrupt
    ++progress.done;
    if (good) {
        there_[end.id] = true;
        ++outcome.finished;
        seconds_ended_ += end.seconds;
        const bool simulated = read_host(run, out()).is_object();
        if (simulated) times_.finished(run.kind, run.variant, run.work, end.seconds);
        update(progress, waiting);
        listener.on_finished(run, end.seconds, progress);
        share(end.id, outcome, progress, listener);
        return;
    }
    update(progress, waiting);
    outcome.failed.push_back(failure);
    listener.on_failed(run, failure, progress);
    // Try the next equal run: if a key without effect is set, only one of two may be refused.
    const std::vector<std::size_t>& equal = equal_.at(run.acting);
    const auto next = std::find(equal.begin(), equal.end(), end.id) + 1;
    if (next != equal.end()) waiting.insert(waiting.begin(), *next);
}

SweepOutcome Sweep::run(SweepListener& listener) {
    SweepOutcome outcome;
    outcome.folder = folder_;
    SweepProgress progress;
    progress.total = runs_.size();
    progress.activity = backend_->activity();
    began_ = Clock::now();
    std::vector<std::size_t> waiting = missing(outcome, progress, listener);
    resume(waiting);
    while (backend_->running() != 0 || (!waiting.empty() && !outcome.interrupted)) {
        if (interrupt_requested() && !outcome.interrupted) {
            outcome.interrupted = true;
            backend_->cancel();
        }
        if (const auto end = backend_->poll()) {
            ended(*end, outcome, progress, listener, waiting);
            continue;
        }
        const std::size_t count = std::min(waiting.size(), backend_->free_slots());
        if (count != 0 && !outcome.interrupted) {
            const auto last = waiting.begin() + static_cast<std::ptrdiff_t>(count);
            const std::vector<std::size_t> next(waiting.begin(), last);
            waiting.erase(waiting.begin(), last);
            for (const RunEnd& refused : start(next)) {
                ended(refused, outcome, progress, listener, waiting);
            }
            continue;
        }
        if (Clock::now() - updated_ > std::chrono::milliseconds(100)) update(progress, waiting);
        listener.on_tick(progress);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::sort(outcome.failed.begin(), outcome.failed.end(),
              [](const FailedRun& a, const FailedRun& b) { return a.run < b.run; });
    return outcome;
}

}  // namespace tessera
