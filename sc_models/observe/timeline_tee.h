// Recorder that forwards timelines to two recorders.
#pragma once

#include <array>
#include <vector>

#include "sc_models/common/observer.h"

namespace tessera {

/// Forwards all calls to both recorders, which must outlive it.
class TimelineTee final : public TimelineRecorder {
public:
    TimelineTee(TimelineRecorder& first, TimelineRecorder& second) : recorders_{&first, &second} {}

    Track add_track(std::string_view process, std::string_view thread) override {
        return joined(recorders_[0]->add_track(process, thread),
                      recorders_[1]->add_track(process, thread));
    }
    Track add_detail_track(std::string_view process, std::string_view thread) override {
        return joined(recorders_[0]->add_detail_track(process, thread),
                      recorders_[1]->add_detail_track(process, thread));
    }
    void span(Track track, std::string_view name, Cycle begin, Cycle end,
              std::string_view args) override {
        if (track == kNoTrack) return;
        for (std::size_t i = 0; i < recorders_.size(); ++i) {
            if (tracks_[track][i] == kNoTrack) continue;
            recorders_[i]->span(tracks_[track][i], name, begin, end, args);
        }
    }

private:
    Track joined(Track first, Track second) {
        if (first == kNoTrack && second == kNoTrack) return kNoTrack;
        tracks_.push_back({first, second});
        return static_cast<Track>(tracks_.size() - 1);
    }

    std::array<TimelineRecorder*, 2> recorders_;
    std::vector<std::array<Track, 2>> tracks_;
};

}  // namespace tessera
