// Observers of the blocks of an island.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/tlm/at/island.h"

namespace tessera {

/// Forwards observations of an island's blocks to the recorders shared by all islands. Observations
/// made while the island runs are kept until all islands of the round have run and are then
/// forwarded in island order, so recorders receive the same sequence on any number of threads.
class IslandObservers : private IslandNews {
public:
    IslandObservers(Island& island, Observers observers);
    IslandObservers(const IslandObservers&) = delete;
    IslandObservers& operator=(const IslandObservers&) = delete;

    /// Returns the observers for the island's blocks; null without a recorder.
    [[nodiscard]] Observers get() {
        return {waves_.to == nullptr ? nullptr : &waves_,
                timeline_.to == nullptr ? nullptr : &timeline_};
    }

private:
    /// Forwards the kept observations.
    void pass_on() override;

    struct Waves : WaveRecorder {
        struct News {
            Signal signal;
            bool is_pulse;
            Cycle at;
            std::uint64_t value;  ///< value, or duration in cycles
        };
        Signal add(std::string_view scope, std::string_view name,
                   std::uint32_t width_bits) override {
            return to->add(scope, name, width_bits);
        }
        void set(Signal signal, Cycle at, std::uint64_t value) override;
        void pulse(Signal signal, Cycle at, Cycle cycles) override;
        DumpPlan add_dump(std::string_view scope, std::function<void()> close) override {
            return to->add_dump(scope, std::move(close));
        }
        void pass_on();
        [[nodiscard]] bool passes_at_once() const { return !island->running() && kept.empty(); }

        const Island* island = nullptr;
        WaveRecorder* to = nullptr;
        std::vector<News> kept;
    };

    struct Timeline : TimelineRecorder {
        struct News {
            Track track;
            Cycle begin, end;
            std::string name, args;
        };
        /// May wait for earlier islands: recorders number tracks in island order.
        Track add_track(std::string_view process, std::string_view thread) override {
            island->in_order();
            return to->add_track(process, thread);
        }
        Track add_detail_track(std::string_view process, std::string_view thread) override {
            island->in_order();
            return to->add_detail_track(process, thread);
        }
        void span(Track track, std::string_view name, Cycle begin, Cycle end,
                  std::string_view args) override;
        void pass_on();
        [[nodiscard]] bool passes_at_once() const { return !island->running() && kept.empty(); }

        Island* island = nullptr;
        TimelineRecorder* to = nullptr;
        std::vector<News> kept;
    };

    Waves waves_;
    Timeline timeline_;
};

}  // namespace tessera
