#include "sc_models/run/observers.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/observe/access_timeline.h"
#include "sc_models/observe/chrome_timeline.h"
#include "sc_models/observe/dram_trace_file.h"
#include "sc_models/observe/over_time_file.h"
#include "sc_models/observe/page_timeline.h"
#include "sc_models/observe/timeline_tee.h"
#include "sc_models/observe/waveform_recorder.h"
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
        {"sm", {"sm0.sub_core0"}}};
    return kViews;
}

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
    : options_(std::move(options)) {
    const ClockDomain clock(config.gpu.core_clock_mhz);
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
        dram_trace_ = std::make_unique<DramTraceFile>(options_.dram_trace_file);
    }
    if (!options_.recorded.empty()) {
        if (config.protocol_check) {
            throw ConfigError(
                "--record: got protocol_check: true, expected false: both stand on the links");
        }
        recorder_ = std::make_unique<StimulusRecorder>(options_.recorded, config);
    }
    if (timeline_ && over_time_) both_ = std::make_unique<TimelineTee>(*timeline_, *over_time_);
}

ObserverSet::~ObserverSet() = default;

RunObservers ObserverSet::get() const {
    RunObservers all;
    all.blocks = {wave_.get(), timeline_.get(), dram_trace_.get()};
    if (accesses_) all.blocks.wave = accesses_.get();
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
    return recorder_.get();
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
    if (recorder_) {
        for (std::string& line : recorder_->files()) lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace tessera
