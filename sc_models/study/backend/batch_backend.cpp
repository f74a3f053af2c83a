#include "sc_models/study/backend/batch_backend.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/study/backend/process_pool.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

constexpr const char* kFolder = ".jobs";
/// File in this folder with the description of the engine.
constexpr const char* kEngine = "engine";

/// Time limit for cancelled runs to end.
constexpr Seconds kEnding{10};
/// A poll may take at most 1/kShare of the time.
constexpr double kShare = 50;

/// Makes a batch's name safe for command lines of batch systems.
std::string plain(std::string text) {
    for (char& c : text) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '_' || c == '.';
        if (!is_plain) c = '_';
    }
    return text;
}

std::string end_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in) return "";
    const auto size = static_cast<std::size_t>(in.tellg());
    const std::size_t kept = std::min(size, kKeptOutput);
    in.seekg(static_cast<std::streamoff>(size - kept));
    return {std::istreambuf_iterator<char>(in), {}};
}

bool is_there(const fs::path& file) {
    std::error_code ignored;
    return fs::is_regular_file(file, ignored);
}

void remove_folder(const fs::path& folder) {
    std::error_code ignored;  // a node may keep files open for a while
    fs::remove_all(folder, ignored);
}

}  // namespace

template <class Action>
void BatchBackend::Rhythm::tick(Action action) {
    const auto began = Clock::now();
    if (began < next) return;
    action();
    const Seconds took = Clock::now() - began;
    const Seconds pause = std::clamp<Seconds>(took * kShare, least, most);
    next = Clock::now() + std::chrono::duration_cast<Clock::duration>(pause);
}

BatchBackend::BatchBackend(std::unique_ptr<BatchEngine> engine, const std::string& sweep,
                           std::string stamp, const fs::path& folder, std::size_t pack,
                           std::chrono::milliseconds grace)
    : engine_(std::move(engine)),
      folder_(folder / kFolder),
      name_(fmt::format("tessera-{}-{:08x}", plain(sweep), std::random_device()())),
      stamp_(std::move(stamp)),
      pack_(pack),
      grace_(grace),
      reading_{Seconds(0.2), Seconds(10)},
      asking_{Seconds(1), Seconds(60)} {}

BatchBackend::~BatchBackend() {
    if (has_looked_ && batches_.empty()) remove_folder(folder_);
}

std::string BatchBackend::engine_of(const fs::path& folder) {
    std::ifstream in(folder / kFolder / kEngine);
    std::string engine;
    std::getline(in, engine);
    return engine;
}

std::string BatchBackend::description() const {
    return "through " + engine_->description();
}

std::size_t BatchBackend::running() const {
    std::size_t count = ends_.size();
    for (const Batch& batch : batches_) {
        for (std::size_t line = 0; line < batch.list.runs(); ++line) {
            if (batch.jobs[line] && !batch.list.has_ended(line)) ++count;
        }
    }
    return count;
}

std::vector<std::size_t> BatchBackend::resume(const std::vector<RunJob>& jobs,
                                              const std::vector<RunJob>& done) {
    std::map<std::string, std::size_t> wanted;
    for (std::size_t i = 0; i < jobs.size(); ++i) wanted[JobList::line_of(jobs[i])] = i;
    std::set<std::string> excluded;
    for (const RunJob& job : done) excluded.insert(JobList::line_of(job));

    std::vector<std::size_t> taken_over;
    std::error_code none;
    std::vector<fs::path> folders;
    for (fs::directory_iterator at(folder_, none), end; at != end; at.increment(none)) {
        folders.push_back(at->path());
    }
    std::sort(folders.begin(), folders.end());
    for (const fs::path& folder : folders) {
        const std::string number = folder.filename().string();
        std::size_t n = 0;
        std::from_chars(number.data(), number.data() + number.size(), n);
        next_number_ = std::max(next_number_, n + 1);
        auto list = JobList::read(folder);
        if (!list) continue;  // no element was started
        std::optional<std::set<std::size_t>> at_work;
        try {
            at_work = engine_->at_work(*list);
        } catch (const ConfigError&) {  // the batch would wait forever
            engine_->cancel(*list);
            remove_folder(folder);
            continue;
        }
        if (!at_work) {
            throw ConfigError(
                fmt::format("--backend: no answer from {}, and runs of an earlier sweep in {} may "
                            "be at work; expected an answer",
                            engine_->description(), folder_.parent_path().string()));
        }
        static_cast<void>(list->new_ended());
        Batch batch{std::move(*list), {}, {}};
        batch.jobs.resize(batch.list.runs());
        bool is_selected = batch.list.stamp() == stamp_;
        std::vector<std::size_t> found;
        for (std::size_t element = 0; element < batch.list.elements(); ++element) {
            for (const std::size_t line : batch.list.lines_of(element)) {
                if (batch.list.has_ended(line)) continue;
                if (at_work->count(element) == 0) {
                    batch.list.forget(line);
                    continue;
                }
                const auto job = wanted.find(batch.list.lines()[line]);
                if (job != wanted.end()) {
                    batch.jobs[line] = jobs[job->second];
                    found.push_back(job->second);
                } else if (excluded.count(batch.list.lines()[line]) == 0) {
                    is_selected = false;
                }
            }
        }
        if (!is_selected || found.empty()) {
            if (!at_work->empty()) {
                engine_->cancel(batch.list);
                end(batch.list);
            }
            remove_folder(folder);
            continue;
        }
        for (const std::size_t job : found) wanted.erase(JobList::line_of(jobs[job]));
        for (const std::size_t job : found) excluded.insert(JobList::line_of(jobs[job]));
        taken_over.insert(taken_over.end(), found.begin(), found.end());
        batches_.push_back(std::move(batch));
    }
    has_looked_ = true;
    return taken_over;
}

std::vector<RunEnd> BatchBackend::start(const std::vector<RunJob>& jobs) {
    if (!jobs.empty()) submit(jobs);
    return {};
}

void BatchBackend::submit(const std::vector<RunJob>& jobs) {
    has_looked_ = true;
    const std::size_t number = next_number_++;
    const fs::path folder = folder_ / std::to_string(number);
    try {
        make_output_folder(folder, "--out");
        write_file_atomically(folder_ / kEngine, engine_->description() + "\n");
        JobList list(folder, fmt::format("{}-{}", name_, number), stamp_, jobs, pack_);
        engine_->submit(list);
        batches_.push_back({std::move(list), {jobs.begin(), jobs.end()}, {}});
    } catch (...) {
        remove_folder(folder);
        throw;
    }
    asking_.next = Clock::now() + std::chrono::seconds(1);
}

std::optional<RunEnd> BatchBackend::poll() {
    if (ends_.empty()) {
        try {
            reading_.tick([this] { read_ended(); });
            asking_.tick([this] { find_lost(); });
        } catch (...) {
            cancel();
            throw;
        }
        drop_finished();
    }
    if (ends_.empty()) return std::nullopt;
    RunEnd end = std::move(ends_.front());
    ends_.pop_front();
    return end;
}

void BatchBackend::read_ended() {
    for (Batch& batch : batches_) {
        for (const JobList::Ended& ended : batch.list.new_ended()) report(batch, ended);
    }
}

void BatchBackend::report(Batch& batch, const JobList::Ended& ended) {
    const auto& job = batch.jobs[ended.line];
    if (!job) return;
    ends_.push_back(
        {job->id, ended.exit_code, ended.seconds, ended.exit_code == 0 ? "" : end_of(job->log)});
}

void BatchBackend::find_lost() {
    std::vector<RunJob> again;
    for (Batch& batch : batches_) {
        const auto at_work = engine_->at_work(batch.list);
        if (!at_work) continue;
        // Read results that arrived since the engine was queried.
        for (const JobList::Ended& ended : batch.list.new_ended()) report(batch, ended);
        for (std::size_t element = 0; element < batch.list.elements(); ++element) {
            const auto lines = batch.list.lines_of(element);
            const bool is_over = std::all_of(lines.begin(), lines.end(), [&](std::size_t line) {
                return batch.list.has_ended(line);
            });
            if (is_over || at_work->count(element) != 0) {
                batch.gone.erase(element);
                continue;
            }
            const auto since = batch.gone.emplace(element, Clock::now()).first->second;
            if (Clock::now() - since >= grace_) lose(batch, element, again);
        }
    }
    if (!again.empty()) submit(again);
}

void BatchBackend::lose(Batch& batch, std::size_t element, std::vector<RunJob>& again) {
    const ElementState state = engine_->state(batch.list, element);
    bool is_first = true;  // the first unfinished line was running
    for (const std::size_t line : batch.list.lines_of(element)) {
        if (batch.list.has_ended(line)) continue;
        batch.list.forget(line);
        const auto& job = batch.jobs[line];
        if (!job) continue;
        const bool is_guilty = std::exchange(is_first, false);
        if (is_there(job->result)) {
            ends_.push_back({job->id, 0, 0, ""});
        } else if (is_guilty && (!state.try_again || ++losses_[job->id] >= JobList::kMostTries)) {
            ends_.push_back(
                {job->id, static_cast<int>(ExitCode::kCheckFailed), 0,
                 fmt::format("tessera: {} left it without a result{}{}", engine_->description(),
                             state.words.empty() ? "" : ": ", state.words)});
        } else {
            again.push_back(*job);
        }
    }
}

void BatchBackend::drop_finished() {
    for (auto batch = batches_.begin(); batch != batches_.end();) {
        if (!batch->list.is_over()) {
            ++batch;
            continue;
        }
        remove_folder(batch->list.folder());
        batch = batches_.erase(batch);
    }
}

void BatchBackend::end(const JobList& list) {
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(kEnding);
    while (Clock::now() < until) {
        const auto at_work = engine_->at_work(list);
        if (at_work && at_work->empty()) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
}

void BatchBackend::cancel() {
    for (const Batch& batch : batches_) engine_->cancel(batch.list);
    for (Batch& batch : batches_) {
        end(batch.list);
        for (const JobList::Ended& ended : batch.list.new_ended()) report(batch, ended);
        remove_folder(batch.list.folder());
    }
    batches_.clear();
}

}  // namespace tessera
