// tessera align: the first transaction in which two runs, or two traces, differ.
#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sc_models/align/align_report.h"
#include "sc_models/align/aligner.h"
#include "sc_models/align/trace_aligner.h"
#include "sc_models/common/error.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/observe/wave_writer.h"
#include "sc_models/study/backend/process_pool.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/model_layers.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRun = "run ";  ///< begin of an argument that is a run

struct AlignArguments {
    std::string a, b, wave, keep;
    bool cycles = false, content = false, quiet = false;
};

/// Words of the arguments of a run: separated by blanks, quoted as in a shell.
std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    bool in_word = false;
    char quote = 0;
    for (const char c : text) {
        if (quote != 0) {
            if (c == quote) {
                quote = 0;
            } else {
                word += c;
            }
        } else if (c == '\'' || c == '"') {
            quote = c;
            in_word = true;
        } else if (c == ' ' || c == '\t' || c == '\n') {
            if (in_word) words.push_back(word);
            word.clear();
            in_word = false;
        } else {
            word += c;
            in_word = true;
        }
    }
    if (quote != 0) {
        throw ConfigError(fmt::format("align: got '{}', expected a second {}", text, quote));
    }
    if (in_word) words.push_back(word);
    return words;
}

bool is_trace(const std::string& file) {
    return fs::path(file).extension() == ".g";
}

/// Runs of this program that record themselves. Each is a process of its own, as SystemC allows one
/// machine in a process.
class RecordedRuns {
public:
    explicit RecordedRuns(fs::path folder) : folder_(std::move(folder)) {}

    /// Starts the run of a side; returns where its recording will be.
    fs::path start(const std::string& arguments, const std::string& side) {
        const fs::path recording = folder_ / (side + ".transactions.xz");
        std::vector<std::string> words = {fs::read_symlink("/proc/self/exe").string()};
        for (std::string& word : words_of(arguments)) words.push_back(std::move(word));
        words.insert(words.end(), {"--quiet", "--record-transactions", recording.string()});
        pool_.start(runs_.size(), words, folder_ / (side + ".log"));
        runs_.push_back({arguments, recording});
        return recording;
    }

    /// Waits for all runs. A run that failed a check or ended in a deadlock has a recording, too.
    /// Throws ConfigError if one has none, and Interrupted.
    void finish() {
        constexpr std::chrono::milliseconds kPause(5);
        constexpr int kFirstSignal = 128;
        while (pool_.running() != 0) {
            if (interrupt_requested()) throw Interrupted();  // the pool ends what runs
            const std::optional<ProcessEnd> end = pool_.poll();
            if (!end) {
                std::this_thread::sleep_for(kPause);
                continue;
            }
            const auto& [arguments, recording] = runs_[end->id];
            const bool refused = end->exit_code == static_cast<int>(ExitCode::kUserError) ||
                                 end->exit_code >= kFirstSignal;
            if (!refused && fs::exists(recording)) continue;
            throw ConfigError(fmt::format("'{}': {}", arguments, message_of(end->output)));
        }
    }

private:
    /// The message of a run that ended without a recording.
    static std::string message_of(std::string output) {
        while (!output.empty() && output.back() == '\n') output.pop_back();
        constexpr std::string_view kPrefix = "tessera: ";
        if (output.substr(0, kPrefix.size()) == kPrefix) output.erase(0, kPrefix.size());
        return output.empty() ? "ended by a signal" : output;
    }

    struct Run {
        std::string arguments;
        fs::path recording;
    };
    const fs::path folder_;
    std::vector<Run> runs_;
    ProcessPool pool_;
};

/// A recording that is there or that a run makes.
class AlignSide {
public:
    AlignSide(const std::string& text, RecordedRuns& runs, const char* side) : text_(text) {
        std::error_code too_long_for_a_name;
        if (fs::is_regular_file(text, too_long_for_a_name)) {
            if (!is_recording(text)) {
                throw ConfigError(
                    fmt::format("align: got file '{}', expected a recording (tessera run ... "
                                "--record-transactions FILE) or a kernelslist.g",
                                text));
            }
            return;
        }
        if (text.substr(0, kRun.size()) != kRun) {
            throw ConfigError(
                fmt::format("align: got '{}', which is no file; expected a recording, a "
                            "kernelslist.g, or a run "
                            "in quotes: 'run duplo_paper resnet.C2'",
                            text));
        }
        made_ = runs.start(text, side);
    }
    /// Reads the recording, after the runs.
    [[nodiscard]] Recording read() const {
        return read_recording(made_.empty() ? text_ : made_.string());
    }
    [[nodiscard]] const std::string& name() const { return text_; }
    /// File of the run that was made; empty if there was none.
    [[nodiscard]] const fs::path& made() const { return made_; }

private:
    const std::string text_;
    fs::path made_;
};

int align_trace_lists(const AlignArguments& arguments) {
    if (!is_trace(arguments.a) || !is_trace(arguments.b)) {
        throw ConfigError("align: got one trace, expected two kernelslist.g, or two runs");
    }
    if (arguments.cycles || !arguments.wave.empty() || arguments.content ||
        !arguments.keep.empty()) {
        throw ConfigError(
            "align: got --cycles, --content, --wave or --keep with traces, expected none: a trace "
            "has no cycles");
    }
    const TraceAlignment result = align_traces(arguments.a, arguments.b);
    if (!arguments.quiet) {
        print_text("A {}\nB {}\ncompared: {} instructions\n{}", arguments.a, arguments.b,
                   result.instructions,
                   result.equal()
                       ? "no difference\n"
                       : fmt::format("differences: {}\n\n{}", result.differences, result.first));
    }
    return static_cast<int>(result.equal() ? ExitCode::kGood : ExitCode::kCheckFailed);
}

AlignRules rules_of(const AlignArguments& arguments, const Recording& a, const Recording& b) {
    AlignRules rules;
    const bool levels_differ = a.value("timing") != b.value("timing");
    rules.cycles = arguments.cycles;
    rules.content_only = arguments.content || levels_differ;
    if (arguments.cycles && levels_differ) {
        throw ConfigError(fmt::format(
            "align --cycles: got timing {} and {}, expected the same level of timing twice",
            a.value("timing"), b.value("timing")));
    }
    return rules;
}

/// The end of a run that failed is a difference, if nothing before it differs.
bool ends_alike(const Recording& a, const Recording& b) {
    return a.complete == b.complete && (a.complete || a.end == b.end);
}

int align_runs(const AlignArguments& arguments) {
    if (!arguments.wave.empty()) (void)wave_format(arguments.wave);
    TemporaryFolder folder;
    RecordedRuns runs(folder.path());
    const AlignSide side_a(arguments.a, runs, "a");
    const AlignSide side_b(arguments.b, runs, "b");
    runs.finish();
    const Recording a = side_a.read();
    const Recording b = side_b.read();
    const AlignRules rules = rules_of(arguments, a, b);
    const Alignment alignment = align(a, b, rules);
    if (!arguments.keep.empty()) {
        fs::create_directories(arguments.keep);
        for (const AlignSide* side : {&side_a, &side_b}) {
            if (side->made().empty()) continue;
            fs::copy_file(side->made(), fs::path(arguments.keep) / side->made().filename(),
                          fs::copy_options::overwrite_existing);
        }
    }
    const bool equal = alignment.equal() && ends_alike(a, b);
    if (!arguments.quiet) {
        print_text("{}", align_report(a, b, alignment, {side_a.name(), side_b.name()}));
        if (rules.content_only) {
            print_text(
                "compared was content alone: the order and the cycles of transactions differ "
                "between levels of timing\n");
        }
        if (alignment.equal() && !equal) {
            print_text("first difference: the end; no transaction before it differs\n");
        }
    }
    if (!arguments.wave.empty() && !alignment.equal()) {
        write_align_wave(arguments.wave, a, b, alignment.first.front());
        if (!arguments.quiet) {
            print_text("  waveform {0}: 100 cycles before it and after (gtkwave {0})\n",
                       arguments.wave);
        }
    }
    return static_cast<int>(equal ? ExitCode::kGood : ExitCode::kCheckFailed);
}

}  // namespace

void add_align_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "align", "Line up two runs or two traces and print the first transaction that differs");
    auto arguments = std::make_shared<AlignArguments>();
    constexpr const char* kSide =
        "a recording of tessera run --record-transactions, a run in quotes ('run duplo_paper "
        "resnet.C2 --set timing=at'), or a kernelslist.g";
    command->add_option("A", arguments->a, kSide)->required()->type_name("RUN");
    command->add_option("B", arguments->b, "the other one, likewise")->required()->type_name("RUN");
    command->add_flag("--cycles", arguments->cycles,
                      "compare the cycles of requests and responses, too");
    command->add_flag("--content", arguments->content,
                      "compare what does not depend on the order of transactions only: warp "
                      "instructions, their operands and results, requests to the L1. Implied by "
                      "different levels of timing");
    command
        ->add_option("--wave", arguments->wave,
                     "write both sides from 100 cycles before the difference to 100 after: FST if "
                     "FILE ends in .fst, VCD if it ends in .vcd")
        ->type_name("FILE");
    command
        ->add_option("--keep", arguments->keep,
                     "keep the recordings of the runs in this folder, as a.transactions.xz and "
                     "b.transactions.xz")
        ->type_name("DIR");
    command->add_flag("-q,--quiet", arguments->quiet, "print nothing; the exit code says it");
    command->footer("Exit codes: 0 no difference, 1 a difference, 2 wrong input.");
    command->callback([arguments, &code] {
        const bool traces = is_trace(arguments->a) || is_trace(arguments->b);
        code = traces ? align_trace_lists(*arguments) : align_runs(*arguments);
    });
}

}  // namespace tessera
