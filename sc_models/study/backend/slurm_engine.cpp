#include "sc_models/study/backend/slurm_engine.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/study/backend/captured_process.h"

namespace tessera {
namespace {

/// Slurm's default of MaxArraySize.
constexpr std::size_t kMaxArraySize = 1001;

/// Reasons of pending jobs that persist until the job or the cluster is changed.
constexpr std::array<std::string_view, 9> kForEver = {
    "PartitionConfig",   "PartitionTimeLimit", "PartitionNodeLimit",
    "BadConstraints",    "InvalidAccount",     "InvalidQOS",
    "AccountNotAllowed", "QOSNotAllowed",      "DependencyNeverSatisfied"};

/// States in which another attempt would fail likewise.
constexpr std::array<std::string_view, 3> kNoUse = {"TIMEOUT", "OUT_OF_MEMORY", "DEADLINE"};

template <std::size_t kNames>
bool contains(const std::array<std::string_view, kNames>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Error messages of a command, joined to one line.
std::string errors_of(const CapturedProcess& process, const std::string& command) {
    std::istringstream in(process.err);
    std::string errors;
    const std::string begin = command + ": error: ";
    for (std::string line; std::getline(in, line);) {
        if (line.rfind(begin, 0) == 0) line.erase(0, begin.size());
        if (line.empty()) continue;
        errors += (errors.empty() ? "" : "; ") + line;
    }
    return errors.empty() ? fmt::format("exit code {}", process.exit_code) : errors;
}

/// Value of KEY=VALUE in the output of scontrol.
std::string value_of(const std::string& text, const std::string& key) {
    const std::size_t at = text.find(key + "=");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + key.size() + 1;
    return text.substr(begin, text.find_first_of(" \n", begin) - begin);
}

}  // namespace

std::optional<std::set<std::size_t>> array_elements(const std::string& text) {
    std::set<std::size_t> elements;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto number = [&at, end](std::size_t& value) {
        const auto [next, error] = std::from_chars(at, end, value);
        at = next;
        return error == std::errc();
    };
    const auto is_next = [&at, end](char c) {
        if (at == end || *at != c) return false;
        ++at;
        return true;
    };
    do {
        std::size_t first = 0;
        std::size_t step = 1;
        if (!number(first)) return std::nullopt;
        std::size_t last = first;
        if (is_next('-') && !number(last)) return std::nullopt;
        if (is_next(':') && (!number(step) || step == 0)) return std::nullopt;
        for (std::size_t element = first; element <= last; element += step)
            elements.insert(element);
    } while (is_next(','));
    if (at != end && *at != '%') return std::nullopt;
    return elements;
}

void SlurmEngine::check() {
    for (const char* program : {"sbatch", "squeue", "scancel", "scontrol"}) {
        if (!is_in_path(program)) {
            throw ConfigError(fmt::format("--backend slurm: there is no {} in PATH", program));
        }
    }
}

std::size_t SlurmEngine::array_size() {
    if (array_size_ != 0) return array_size_;
    const CapturedProcess config = capture({"scontrol", "show", "config"});
    std::size_t most = kMaxArraySize;
    const std::size_t at = config.out.find("MaxArraySize");
    if (at != std::string::npos) {
        std::istringstream in(config.out.substr(config.out.find('=', at) + 1));
        if (!(in >> most)) most = kMaxArraySize;
    }
    if (config.exit_code != 0) {
        throw ConfigError("--backend slurm: " + errors_of(config, "scontrol"));
    }
    array_size_ = std::max<std::size_t>(most, 2) - 1;  // elements are numbered from 1
    return array_size_;
}

std::size_t SlurmEngine::arrays(const JobList& batch) {
    return (batch.elements() + array_size() - 1) / array_size();
}

std::string SlurmEngine::array_name(const JobList& batch, std::size_t array) {
    return fmt::format("{}-{}", batch.name(), array + 1);
}

std::string SlurmEngine::names(const JobList& batch) {
    std::string names;
    for (std::size_t array = 0; array < arrays(batch); ++array) {
        names += (array == 0 ? "" : ",") + array_name(batch, array);
    }
    return names;
}

std::string SlurmEngine::submit_array(const JobList& batch, std::size_t array) {
    const std::size_t before = array * array_size();
    const std::size_t size = std::min(array_size(), batch.elements() - before);
    const std::filesystem::path script = batch.folder() / fmt::format("array{}", array + 1);
    write_file_atomically(
        script, fmt::format("#!/bin/sh\n"
                            "({}) || exit {}\n"
                            "{}\n"
                            "result=$?\n"
                            "[ $result -ne {} ] || scontrol requeue \"$SLURM_JOB_ID\"\n"
                            "exit $result\n",
                            batch.is_shared(), JobList::kNotShared,
                            batch.command(fmt::format("$((SLURM_ARRAY_TASK_ID + {}))", before)),
                            JobList::kTryAgain));
    std::string elements = fmt::format("1-{}", size);
    if (options_.jobs) {
        const std::size_t count = arrays(batch);
        elements += fmt::format("%{}", *options_.jobs / count + (array < *options_.jobs % count));
    }
    // Runs print to their own logs, and an output file that cannot be opened would fail the job.
    std::vector<std::string> argv = {"sbatch",
                                     "--parsable",
                                     "--job-name=" + array_name(batch, array),
                                     "--array=" + elements,
                                     "--output=/dev/null",
                                     "--nodes=1",
                                     "--ntasks=1",
                                     "--cpus-per-task=1",
                                     "--requeue"};
    for (const auto& [option, value] :
         {std::pair("--partition=", &options_.partition),
          std::pair("--account=", &options_.account), std::pair("--time=", &options_.time),
          std::pair("--mem=", &options_.memory)}) {
        if (!value->empty()) argv.push_back(option + *value);
    }
    argv.push_back(script.string());
    const CapturedProcess sbatch = capture(argv);
    return sbatch.exit_code == 0 ? "" : errors_of(sbatch, "sbatch");
}

void SlurmEngine::submit(const JobList& batch) {
    if (options_.jobs && *options_.jobs < arrays(batch)) {
        throw ConfigError(
            fmt::format("--jobs: got '{}', expected at least {}, as {} elements are so many arrays "
                        "(MaxArraySize of this Slurm), or a larger --pack",
                        *options_.jobs, arrays(batch), batch.elements()));
    }
    for (std::size_t array = 0; array < arrays(batch); ++array) {
        const std::string refusal = submit_array(batch, array);
        if (refusal.empty()) continue;
        if (array != 0) cancel(batch);
        throw ConfigError("--backend slurm: sbatch refused: " + refusal);
    }
}

std::optional<std::set<std::size_t>> SlurmEngine::at_work(const JobList& batch) {
    const CapturedProcess squeue =
        capture({"squeue", "--noheader", "--name=" + names(batch), "--format=%j|%K|%T|%r"},
                {{"SLURM_BITSTR_LEN", "0"}});  // prints all numbers of waiting elements
    if (squeue.exit_code != 0) return std::nullopt;
    std::set<std::size_t> at_work;
    std::istringstream in(squeue.out);
    for (std::string line; std::getline(in, line);) {
        std::array<std::string, 4> fields;
        std::istringstream split(line);
        for (std::string& field : fields) std::getline(split, field, '|');
        const auto& [name, numbers, state, reason] = fields;
        std::size_t array = 0;
        const std::size_t dash = name.rfind('-');
        if (dash == std::string::npos) continue;
        std::from_chars(name.data() + dash + 1, name.data() + name.size(), array);
        const auto elements = array_elements(numbers);
        if (array == 0 || !elements) continue;
        if (state == "PENDING" && contains(kForEver, reason)) {
            throw ConfigError("--backend slurm: the jobs would wait for ever: " + reason);
        }
        for (const std::size_t element : *elements) {
            at_work.insert((array - 1) * array_size() + element - 1);
        }
    }
    return at_work;
}

ElementState SlurmEngine::state(const JobList& batch, std::size_t element) {
    const std::size_t array = element / array_size();
    const std::string number = std::to_string(element % array_size() + 1);
    const CapturedProcess squeue =
        capture({"squeue", "--noheader", "--states=all", "--name=" + array_name(batch, array),
                 "--format=%A %K"});
    std::istringstream in(squeue.out);
    std::string job;
    for (std::string id, at; in >> id >> at;) {
        if (at == number) job = id;
    }
    if (job.empty()) return {};  // Slurm has discarded the job
    const std::string text = capture({"scontrol", "--oneliner", "show", "job", job}).out;
    if (value_of(text, "ExitCode") == fmt::format("{}:0", JobList::kNotShared)) {
        throw ConfigError(fmt::format(
            "--out: the node {} does not share {} or {}, expected folders that all nodes share",
            value_of(text, "BatchHost"), batch.folder().parent_path().parent_path().string(),
            std::filesystem::current_path().string()));
    }
    const std::string state = value_of(text, "JobState");
    return {state, !contains(kNoUse, state)};
}

void SlurmEngine::cancel(const JobList& batch) {
    for (std::size_t array = 0; array < arrays(batch); ++array) {
        static_cast<void>(capture({"scancel", "--quiet", "--name=" + array_name(batch, array)}));
    }
}

}  // namespace tessera
