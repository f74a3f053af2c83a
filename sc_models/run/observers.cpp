#include "sc_models/run/observers.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "sc_models/observe/chrome_timeline.h"
#include "sc_models/observe/waveform_recorder.h"

namespace tessera {
namespace {

/// A saved view of waveforms/ and what has to be recorded for it to show anything.
struct SavedView {
    const char* name;
    std::vector<const char*> needs;
};

/// Those of a mechanism before those of any machine.
const std::vector<SavedView>& saved_views() {
    static const std::vector<SavedView> kViews = {
        {"rtl_sparse", {"sm0.tensor0.rtl.bitmap_unit"}},
        {"rtl_tensor_core", {"sm0.tensor0.rtl"}},
        {"rtl_detection", {"sm0.rtl"}},
        {"mesh", {"memory.mesh", "sm0.opportunistic", "sm1.opportunistic"}},
        {"opportunistic", {"sm7.opportunistic"}},
        {"spwmma", {"sm0.tensor0.ohmmas"}},
        {"sm", {"sm0.sub_core0"}}};
    return kViews;
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
        timeline_ = std::make_unique<ChromeTimeline>(options_.timeline_file, options_.window,
                                                     options_.scope, clock);
    }
}

ObserverSet::~ObserverSet() = default;

Observers ObserverSet::get() const {
    return {wave_.get(), timeline_.get()};
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
}

std::vector<std::string> ObserverSet::files() const {
    std::vector<std::string> lines;
    if (wave_) {
        lines.push_back(fmt::format("waveform: {0} (gtkwave {0}{1})", options_.wave_file, view()));
    }
    if (timeline_) {
        lines.push_back(fmt::format("timeline: {} (open it at https://ui.perfetto.dev)",
                                    options_.timeline_file));
    }
    return lines;
}

}  // namespace tessera
