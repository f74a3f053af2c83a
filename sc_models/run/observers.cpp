#include "sc_models/run/observers.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <utility>

#include "sc_models/align/recording.h"
#include "sc_models/common/command_line.h"
#include "sc_models/common/error.h"
#include "sc_models/common/logging.h"
#include "sc_models/common/partial_file.h"
#include "sc_models/common/version_info.h"
#include "sc_models/cosim/mismatch.h"
#include "sc_models/observe/access_timeline.h"
#include "sc_models/observe/chrome_timeline.h"
#include "sc_models/observe/dram_trace_file.h"
#include "sc_models/observe/over_time_file.h"
#include "sc_models/observe/page_timeline.h"
#include "sc_models/observe/timeline_tee.h"
#include "sc_models/observe/wave_ring.h"
#include "sc_models/observe/waveform_recorder.h"
#include "sc_models/record/transaction_recorder.h"
#include "sc_models/run/stimulus_recorder.h"

namespace tessera {
namespace {

/// A saved view of waveforms/, with the scopes it requires.
struct SavedView {
    const char* name;
    std::vector<const char*> needs;
};

/// Views, with those of mechanisms before those of any machine.
const std::vector<SavedView>& saved_views() {
    static const std::vector<SavedView> kViews = {
        {"rtl_sparse", {"sm0.tensor0.rtl.bitmap_unit"}},
        {"rtl_tensor_core", {"sm0.tensor0.rtl"}},
        {"rtl_detection", {"sm0.rtl"}},
        {"mesh", {"memory.mesh", "sm0.opportunistic", "sm3.opportunistic"}},
        {"opportunistic", {"sm7.opportunistic"}},
        {"spwmma", {"sm0.tensor0.ohmmas"}},
        {"sm", {"sm0.sub_core0"}},
        {"memory", {"memory.crossbar", "memory.l2_0", "memory.dram_0"}}};
    return kViews;
}

constexpr Cycle kMismatchCycles = 200;

bool is_page(const std::string& file) {
    return std::filesystem::path(file).extension() == ".html";
}

std::unique_ptr<TimelineFile> timeline_file(const ObserverOptions& options,
                                            const ClockDomain& clock) {
    const std::string& file = options.timeline_file;
    if (is_page(file)) {
        return std::make_unique<PageTimeline>(file, options.window, options.scope, clock);
    }
    return std::make_unique<ChromeTimeline>(file, options.window, options.scope, clock);
}

}  // namespace

ObserverSet::ObserverSet(ObserverOptions options, const Config& config)
    : options_(std::move(options)),
      clock_(config.gpu.core_clock_mhz),
      checks_protocol_(config.protocol_check) {
    const ClockDomain& clock = clock_;
    if (!options_.wave_file.empty()) {
        wave_ = std::make_unique<WaveformRecorder>(options_.wave_file, options_.window,
                                                   options_.scope, clock);
    }
    if (!options_.timeline_file.empty()) {
        timeline_ = timeline_file(options_, clock);
        if (!is_page(options_.timeline_file)) {
            accesses_ = std::make_unique<AccessTimeline>(wave_.get(), *timeline_);
        }
    }
    if (!options_.over_time_file.empty()) {
        over_time_ = std::make_unique<OverTimeFile>(options_.over_time_file, clock);
    }
    if (!options_.dram_trace_file.empty()) {
        if (config.timing == Timing::kLooselyTimed) {
            throw ConfigError(
                "--dram-trace: got timing 'lt', expected 'at': at lt a request gets its time "
                "before later ones are known, so its commands break JEDEC's rules");
        }
        dram_trace_ = std::make_unique<DramTraceFile>(options_.dram_trace_file);
    }
    if (!options_.recorded.empty()) {
        if (config.protocol_check) {
            throw ConfigError(
                "--record: got protocol_check: true, expected false: both stand on the links");
        }
        recorder_ = std::make_unique<StimulusRecorder>(options_.recorded, config);
    }
    add_transaction_recorder(config);
    if (timeline_ && over_time_) both_ = std::make_unique<TimelineTee>(*timeline_, *over_time_);
}

ObserverSet::~ObserverSet() {
    if (saved_ || options_.transactions_file.empty() || transactions_->rows() == 0) return;
    try {
        save_transactions("the run was interrupted");
    } catch (const std::exception& error) {
        logger("run").error(error.what());
    }
}

void ObserverSet::add_transaction_recorder(const Config& config) {
    constexpr std::size_t kLastRows = 4096;
    const auto& blocks = config.impl.blocks;
    const bool compares = std::any_of(blocks.begin(), blocks.end(), [](const auto& block) {
        return block == Implementation::kBoth;
    });
    const bool records = !options_.transactions_file.empty() || !options_.planted_fault.empty();
    if (records && (checks_protocol_ || recorder_)) {
        throw ConfigError(
            fmt::format("{}: got {} beside it, expected none: both stand on the links",
                        options_.planted_fault.empty() ? "--record-transactions" : "--plant-fault",
                        recorder_ ? "--record" : "protocol_check: true"));
    }
    if (records) {
        std::optional<PlantedPlan> fault;
        if (!options_.planted_fault.empty()) fault = PlantedPlan::parse(options_.planted_fault);
        transactions_ = std::make_unique<TransactionRecorder>(
            config, RecordedSpan{options_.transactions_limit, false}, std::move(fault),
            dram_trace_.get());
        if (!options_.transactions_file.empty()) {
            // Throws before the run if the file cannot be written.
            const PartialFile probe(options_.transactions_file);
        }
        header_ = {{"tool", fmt::format("{} {}", build_info().version, build_info().git_revision)},
                   {"command", command_line()},
                   {"timing", config.timing == Timing::kLooselyTimed ? "lt" : "at"},
                   {"values", config.values ? "on" : "off"},
                   {"core_clock_mhz", std::to_string(clock_.frequency_mhz())}};
    } else if (compares && !options_.mismatch_wave.empty()) {
        transactions_ = std::make_unique<TransactionRecorder>(config, RecordedSpan{kLastRows, true},
                                                              std::nullopt, dram_trace_.get());
    }
    if (compares && !options_.mismatch_wave.empty()) {
        ring_ = std::make_unique<WaveRing>(kMismatchCycles, wave_.get());
    }
}

RunObservers ObserverSet::get() const {
    RunObservers all;
    all.blocks = {wave_.get(), timeline_.get(), dram_trace_.get()};
    if (accesses_) all.blocks.wave = accesses_.get();
    if (ring_) all.blocks.wave = ring_.get();
    if (transactions_) {
        all.blocks.transactions = transactions_.get();
        all.blocks.dram = transactions_.get();
        all.listeners.push_back(transactions_.get());
    }
    if (both_) {
        all.blocks.timeline = both_.get();
    } else if (over_time_) {
        all.blocks.timeline = over_time_.get();
    }
    if (wave_) all.listeners.push_back(wave_.get());
    if (timeline_) all.listeners.push_back(timeline_.get());
    if (over_time_) all.listeners.push_back(over_time_.get());
    return all;
}

LinkBinder* ObserverSet::links() const {
    if (recorder_) return recorder_.get();
    return checks_protocol_ ? nullptr : static_cast<LinkBinder*>(transactions_.get());
}

void ObserverSet::finish_elaboration() const {
    if (wave_) wave_->finish_elaboration();
    if (timeline_) timeline_->finish_elaboration();
}

void ObserverSet::check_window(const std::vector<std::string>& kernels) const {
    options_.window.check_kernel(kernels, "--wave-window");
}

std::string ObserverSet::view() const {
    for (const SavedView& view : saved_views()) {
        const bool shows = std::all_of(view.needs.begin(), view.needs.end(),
                                       [this](const char* name) { return wave_->records(name); });
        if (shows) return fmt::format(" waveforms/{}.gtkw", view.name);
    }
    return "";
}

void ObserverSet::finish() {
    if (wave_) wave_->finish();
    if (timeline_) timeline_->finish();
    if (over_time_) over_time_->finish();
    if (dram_trace_) dram_trace_->finish();
    if (recorder_) recorder_->finish();
    saved_ = true;  // a refused fault leaves no recording
    if (transactions_) transactions_->require_planted();
    if (!options_.transactions_file.empty()) save_transactions("");
}

void ObserverSet::save_transactions(const std::string& end) {
    saved_ = true;
    Recording recording = transactions_->take(end);
    recording.header.insert(recording.header.begin(), header_.begin(), header_.end());
    rows_ = recording.instructions.size() + recording.transactions.size();
    write_recording(recording, options_.transactions_file);
}

std::string ObserverSet::explain_failure(const std::string& reason) {
    std::string text = reason;
    if (found_mismatch() != nullptr) text = explain_mismatch();
    if (!options_.transactions_file.empty()) {
        std::string line = text;
        std::replace(line.begin(), line.end(), '\n', ' ');
        save_transactions(line);
    }
    return text;
}

std::string ObserverSet::explain_mismatch() {
    static const std::regex kPlace(R"(sm(\d+)(?:\.tensor(\d+))?(?:\..*)?)");
    const Mismatch& mismatch = *found_mismatch();
    std::string text = mismatch.report;
    std::smatch match;
    if (!transactions_ || !std::regex_match(mismatch.scope, match, kPlace)) return text;
    const SmId sm(static_cast<std::uint32_t>(std::stoul(match[1])));
    std::optional<SubCoreId> sub_core;
    if (match[2].matched) sub_core.emplace(static_cast<std::uint32_t>(std::stoul(match[2])));
    text += transactions_->history(sm, sub_core, mismatch.access);
    if (!ring_) return text;
    std::map<std::string, std::pair<RingSignal, RingSignal>> pins;
    if (mismatch.pins != nullptr) {
        for (const PinHistory::Value& value : mismatch.pins->values) {
            auto& [model, rtl] = pins[value.pin];
            model.values.emplace_back(value.cycle, value.model);
            rtl.values.emplace_back(value.cycle, value.rtl);
        }
    }
    std::vector<RingSignal> signals;
    for (auto& [name, both] : pins) {
        both.first.scope = fmt::format("{}.model.{}", mismatch.scope, mismatch.block);
        both.second.scope = fmt::format("{}.rtl.{}", mismatch.scope, mismatch.block);
        both.first.name = both.second.name = name;
        signals.push_back(std::move(both.first));
        signals.push_back(std::move(both.second));
    }
    const std::string scope = fmt::format("sm{}", sm.value());
    ring_->write(options_.mismatch_wave, clock_, scope, mismatch.cycle, signals);
    return text + fmt::format("  waveform {}: the last {} cycles of SM {} (gtkwave {})\n",
                              options_.mismatch_wave, kMismatchCycles, sm.value(),
                              options_.mismatch_wave);
}

std::vector<std::string> ObserverSet::files() const {
    std::vector<std::string> lines;
    if (wave_) {
        lines.push_back(fmt::format("waveform: {0} (gtkwave {0}{1})", options_.wave_file, view()));
    }
    if (timeline_) {
        lines.push_back(fmt::format(
            "timeline: {} (open it {})", options_.timeline_file,
            is_page(options_.timeline_file) ? "in a browser" : "at https://ui.perfetto.dev"));
    }
    if (dram_trace_) {
        lines.push_back(fmt::format("DRAM commands: {} ({} of them)", options_.dram_trace_file,
                                    dram_trace_->commands()));
    }
    if (!options_.transactions_file.empty()) {
        lines.push_back(fmt::format("transactions: {} ({} rows; tessera align {} OTHER)",
                                    options_.transactions_file, rows_, options_.transactions_file));
    }
    if (recorder_) {
        for (std::string& line : recorder_->files()) lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace tessera
