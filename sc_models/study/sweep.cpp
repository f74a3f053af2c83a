#include "sc_models/study/sweep.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>
#include <thread>

#include "sc_models/common/error.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/version_info.h"
#include "sc_models/config/config_node.h"
#include "sc_models/run/run_files.h"
#include "sc_models/study/summary.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kResult = "result.json";
constexpr const char* kPlan = "sweep.json";
/// A run's files without full statistics.
constexpr std::uintmax_t kBytesPerRun = 256 << 10;

/// Takes the lock of a sweep's folder for as long as the file is open.
int lock_folder(const fs::path& folder) {
    const fs::path path = folder / ".lock";
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) {
        throw ConfigError(
            fmt::format("--out: cannot write {}: {}", path.string(), std::strerror(errno)));
    }
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
        close(file);
        throw ConfigError(fmt::format("--out: another sweep is at work in {}", folder.string()));
    }
    return file;
}

void check_space(const fs::path& folder, std::size_t runs) {
    std::error_code error;
    const fs::space_info space = fs::space(folder, error);
    const std::uintmax_t wanted = runs * kBytesPerRun;
    if (!error && space.available < wanted) {
        throw ConfigError(fmt::format("--out: {} has {} KiB free, {} runs need about {} KiB",
                                      folder.string(), space.available >> 10, runs, wanted >> 10));
    }
}

bool is_in_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::string folders = path == nullptr ? "" : path;
    for (std::size_t begin = 0; begin <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', begin), folders.size());
        const fs::path file = fs::path(folders.substr(begin, end - begin)) / program;
        if (access(file.c_str(), X_OK) == 0) return true;
        begin = end + 1;
    }
    return false;
}

/// The line of a run's output that says why it failed.
std::string last_error(std::istream& in) {
    std::string line;
    std::string last;
    std::string error;
    while (std::getline(in, line)) {
        if (line.empty()) continue;
        last = line;
        if (line.rfind("tessera: ", 0) == 0) error = line;
    }
    return error.empty() ? last : error;
}

nlohmann::ordered_json plan_json(const Experiment& experiment, const std::vector<std::string>& sets,
                                 const std::vector<PlannedRun>& runs) {
    nlohmann::ordered_json j;
    j["experiment"] = experiment.name;
    j["title"] = experiment.title;
    j["set"] = sets;
    j["runs"] = nlohmann::ordered_json::array();
    for (const PlannedRun& run : runs) {
        j["runs"].push_back({{"layer", run.layer},
                             {"variant", run.variant},
                             {"baseline", run.baseline},
                             {"seed", run.seed},
                             {"folder", run.folder.string()},
                             {"config_hash", run.hash},
                             {"arguments", run.arguments}});
        for (const auto& [key, value] : run.point) j["runs"].back()["grid"][key] = value;
    }
    return j;
}

}  // namespace

void refuse_other_sweep(const fs::path& folder, const std::string& name) {
    if (fs::exists(folder / kResult)) {
        throw ConfigError(fmt::format("--out: {} holds a run, expected a folder for the sweep {}",
                                      folder.string(), in_quotes(name)));
    }
    std::ifstream in(folder / kPlan);
    const auto plan = nlohmann::ordered_json::parse(in, nullptr, false);
    if (!plan.is_object() || !plan.contains("experiment") || plan["experiment"] == name) return;
    throw ConfigError(fmt::format("--out: {} holds the sweep {}, expected a folder for {}",
                                  folder.string(), plan["experiment"].dump(), in_quotes(name)));
}

std::string shell_quoted(const std::vector<std::string>& argv) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    std::string text;
    for (const std::string& argument : argv) {
        if (!text.empty()) text += ' ';
        if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) {
            text += argument;
            continue;
        }
        text += '\'';
        for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
        text += '\'';
    }
    return text;
}

std::size_t equal_runs(const std::vector<PlannedRun>& runs) {
    std::set<std::string> different;
    for (const PlannedRun& run : runs) different.insert(run.acting);
    return runs.size() - different.size();
}

std::string equal_runs_note(const std::vector<PlannedRun>& runs) {
    const std::size_t equal = equal_runs(runs);
    return equal == 0 ? "" : fmt::format(" ({} of them equal to others)", equal);
}

/// host.json of a run; no object if the run failed or has the results of another one.
static nlohmann::ordered_json read_host(const PlannedRun& run, const fs::path& folder) {
    std::ifstream in(folder / run.folder / "host.json");
    auto host = nlohmann::ordered_json::parse(in, nullptr, false);
    if (host.is_object() && host.contains("shared_with")) return nullptr;
    return host;
}

std::string rate_text(const std::vector<PlannedRun>& runs, const fs::path& folder) {
    double instructions = 0;
    double seconds = 0;
    double slowest = 0;
    double fastest = 0;
    for (const PlannedRun& run : runs) {
        const auto host = read_host(run, folder);
        if (!host.is_object()) continue;
        const double rate = host.value("warp_instructions_per_second", 0.0);
        slowest = seconds == 0 ? rate : std::min(slowest, rate);
        fastest = std::max(fastest, rate);
        instructions += host.value("warp_instructions", 0.0);
        seconds += host.value("seconds", 0.0);
    }
    if (seconds == 0) return "";
    return fmt::format(
        "simulated {:.1f} million warp instructions in {:.0f} s of all processes, {:.2f} to {:.2f} "
        "million a second each\n",
        instructions / 1e6, seconds, slowest / 1e6, fastest / 1e6);
}

std::string host_csv(const std::vector<PlannedRun>& runs, const fs::path& folder) {
    constexpr std::array<const char*, 4> kColumns = {
        "seconds", "peak_memory_bytes", "warp_instructions", "warp_instructions_per_second"};
    std::string text = "layer,variant,seed";
    for (const char* column : kColumns) text += fmt::format(",{}", column);
    text += "\n";
    for (const PlannedRun& run : runs) {
        const auto host = read_host(run, folder);
        if (!host.is_object()) continue;
        text += fmt::format("{},{},{}", run.layer, run.variant, run.seed);
        for (const char* column : kColumns)
            text += "," + host.value(column, nlohmann::ordered_json()).dump();
        text += "\n";
    }
    return text;
}

Sweep::Sweep(const Experiment& experiment, const std::vector<std::string>& sets,
             std::vector<PlannedRun> runs, SweepOptions options)
    : runs_(std::move(runs)), options_(std::move(options)) {
    program_ = fs::read_symlink("/proc/self/exe").string();
    job_name_ = fmt::format("tessera-{}-{}", experiment.name, getpid());
    if (options_.backend == SweepBackend::kSlurm && !is_in_path("sbatch")) {
        throw ConfigError("--backend slurm: there is no sbatch in PATH");
    }
    options_.out = fs::absolute(options_.out).lexically_normal();
    make_output_folder(options_.out, "--out");
    for (std::size_t i = 0; i < runs_.size(); ++i) equal_[runs_[i].acting].push_back(i);
    lock_ = lock_folder(options_.out);
    refuse_other_sweep(options_.out, experiment.name);
    check_space(options_.out, runs_.size());
    write_file_atomically(options_.out / kPlan, plan_json(experiment, sets, runs_).dump(2) + "\n");
    there_.reserve(runs_.size());
    for (const PlannedRun& run : runs_) there_.push_back(has_result(run));
}

Sweep::~Sweep() {
    close(lock_);
}

bool Sweep::has_result(const PlannedRun& run) const {
    if (!fs::is_regular_file(options_.out / run.folder / kResult)) return false;
    try {
        const auto result = read_result(options_.out / run.folder);
        const auto& tool = result.at("tool");
        const bool same_tool =
            tool.at("version") == build_info().version &&
            (options_.keep || tool.at("git_revision") == build_info().git_revision);
        return same_tool && result.at("config_hash") == run.hash && is_good_result(result);
    } catch (const ConfigError&) {
        return false;  // torn, or of another schema
    } catch (const nlohmann::json::exception&) {
        return false;  // not written by this program
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
    const fs::path folder = options_.out / run.folder;
    try {
        make_output_folder(folder, "--out");
        remove_run_files(folder);
        write_file_atomically(log(run), fmt::format("not run: it takes the same steps as {}\n",
                                                    from.folder.string()));
        share_run_files(options_.out / from.folder, folder, config_of(run, ConfigCatalog()));
    } catch (const std::exception& error) {
        return error.what();
    }
    return has_result(run) ? "" : "its configuration has changed since the sweep began";
}

void Sweep::share(std::size_t run, SweepOutcome& outcome, SweepProgress& progress,
                  SweepListener& listener) {
    for (const std::size_t other : equal_.at(runs_[run].acting)) {
        if (there_[other]) continue;
        FailedRun failure;
        failure.run = other;
        failure.message = take_files(runs_[run], runs_[other]);
        ++progress.done;
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
    argv.insert(argv.end(), {"--out", (options_.out / run.folder).string(), "-q"});
    if (options_.allow_unused) argv.emplace_back("--allow-unused");
    return argv;
}

std::vector<std::string> Sweep::process(const PlannedRun& run) const {
    if (options_.backend == SweepBackend::kLocal) return command(run);
    return {"sbatch",
            "--wait",
            "--quiet",
            "--job-name=" + job_name_,
            "--output=" + (options_.out / run.folder / "job.txt").string(),
            "--wrap=" + shell_quoted(command(run))};
}

fs::path Sweep::log(const PlannedRun& run) const {
    return options_.out / run.folder / "log.txt";
}

bool Sweep::is_good(const PlannedRun& run, const ProcessEnd& end, FailedRun& failure) const {
    if (end.exit_code == 0 && has_result(run)) return true;
    failure.exit_code = end.exit_code;
    failure.command = shell_quoted(command(run));
    std::istringstream output(end.output);
    failure.message = last_error(output);
    if (failure.message.empty() && options_.backend == SweepBackend::kSlurm) {
        std::ifstream job(options_.out / run.folder / "job.txt");
        failure.message = last_error(job);
    }
    if (end.exit_code == 0) {
        failure.exit_code = static_cast<int>(ExitCode::kCheckFailed);
        failure.message = "the run left no result of its configuration";
    }
    if (failure.message.empty()) {
        failure.message = fmt::format("ended with exit code {}", end.exit_code);
    }
    // A result that did not pass its checks must not be mistaken for one when resuming.
    std::error_code ignored;
    fs::rename(options_.out / run.folder / kResult,
               options_.out / run.folder / "failed_result.json", ignored);
    return false;
}

void Sweep::cancel(ProcessPool& pool) const {
    if (options_.backend == SweepBackend::kSlurm) {
        // Ending sbatch leaves its job in the queue.
        ProcessPool cancelling(1);
        cancelling.start(0, {"scancel", "--name=" + job_name_}, options_.out / "scancel.txt");
        while (!cancelling.poll()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    pool.terminate();
}

void Sweep::learn_times(const PlannedRun& run) {
    const auto host = read_host(run, options_.out);
    if (!host.is_object() || !host.value("seconds", nlohmann::ordered_json()).is_number()) return;
    times_.finished(run.kind, run.variant, run.work, host.at("seconds").get<double>());
}

double Sweep::eta(const std::vector<std::size_t>& waiting,
                  const std::map<std::size_t, double>& started) const {
    const auto seconds = [this](std::size_t i) {
        return times_.estimate(runs_[i].kind, runs_[i].variant, runs_[i].work).value_or(0);
    };
    std::vector<double> running;
    running.reserve(started.size());
    for (const auto& [run, ago] : started) running.push_back(std::max(0.0, seconds(run) - ago));
    std::vector<double> later;
    later.reserve(waiting.size());
    for (const std::size_t run : waiting) later.push_back(seconds(run));
    return seconds_left(std::move(running), later, options_.jobs);
}

SweepOutcome Sweep::run(SweepListener& listener) {
    SweepOutcome outcome;
    SweepProgress progress;
    progress.total = runs_.size();
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
    // The last to run should be a short one, so that no core waits long at the end.
    std::sort(waiting.begin(), waiting.end(), [this](std::size_t a, std::size_t b) {
        return std::pair(-runs_[a].work, a) < std::pair(-runs_[b].work, b);
    });

    std::map<std::size_t, Clock::time_point> started;
    Clock::time_point updated;
    const auto update = [&] {
        updated = Clock::now();
        std::map<std::size_t, double> ago;
        for (const auto& [run, at] : started) {
            ago[run] = std::chrono::duration<double>(updated - at).count();
        }
        progress.running = started.size();
        progress.eta_seconds = eta(waiting, ago);
    };
    ProcessPool pool(options_.jobs);
    while (pool.running() != 0 || (!waiting.empty() && !outcome.interrupted)) {
        while (!outcome.interrupted && !waiting.empty() && pool.has_slot()) {
            const std::size_t next = waiting.front();
            waiting.erase(waiting.begin());
            make_output_folder(options_.out / runs_[next].folder, "--out");
            remove_run_files(options_.out / runs_[next].folder);
            pool.start(next, process(runs_[next]), log(runs_[next]));
            started[next] = Clock::now();
        }
        if (interrupt_requested() && !outcome.interrupted) {
            outcome.interrupted = true;
            cancel(pool);
        }
        const auto end = pool.poll();
        if (!end) {
            if (Clock::now() - updated > std::chrono::milliseconds(100)) update();
            listener.on_tick(progress);
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            continue;
        }
        const PlannedRun& run = runs_[end->id];
        started.erase(end->id);
        FailedRun failure;
        failure.run = end->id;
        const bool good = is_good(run, *end, failure);
        if (!good && outcome.interrupted) continue;  // it was told to stop
        ++progress.done;
        if (good) {
            there_[end->id] = true;
            ++outcome.finished;
            times_.finished(run.kind, run.variant, run.work, end->seconds);
            update();
            listener.on_finished(run, end->seconds, progress);
            share(end->id, outcome, progress, listener);
        } else {
            update();
            outcome.failed.push_back(failure);
            listener.on_failed(run, failure, progress);
            // Its equals may do better, as of two that set a key of no use only one is refused.
            const std::vector<std::size_t>& equal = equal_.at(run.acting);
            const auto next = std::find(equal.begin(), equal.end(), end->id) + 1;
            if (next != equal.end()) waiting.insert(waiting.begin(), *next);
        }
    }
    std::sort(outcome.failed.begin(), outcome.failed.end(),
              [](const FailedRun& a, const FailedRun& b) { return a.run < b.run; });
    return outcome;
}

}  // namespace tessera
