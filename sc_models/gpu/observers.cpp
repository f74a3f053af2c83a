#include "sc_models/gpu/observers.h"

#include <fmt/format.h>
#include <utility>

#include "sc_models/observe/chrome_timeline.h"
#include "sc_models/observe/vcd_recorder.h"

namespace tessera {

ObserverSet::ObserverSet(ObserverOptions options, const Config& config)
    : options_(std::move(options)) {
    const ClockDomain clock(config.gpu.core_clock_mhz);
    if (!options_.wave_file.empty()) {
        wave_ = std::make_unique<VcdRecorder>(options_.wave_file, options_.window, options_.scope,
                                              clock);
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

void ObserverSet::finish() {
    if (wave_) wave_->finish();
    if (timeline_) timeline_->finish();
}

std::vector<std::string> ObserverSet::files() const {
    std::vector<std::string> lines;
    if (wave_) {
        lines.push_back(
            fmt::format("waveform: {0} (gtkwave {0} waveforms/sm.gtkw)", options_.wave_file));
    }
    if (timeline_) {
        lines.push_back(fmt::format("timeline: {} (open it at https://ui.perfetto.dev)",
                                    options_.timeline_file));
    }
    return lines;
}

}  // namespace tessera
