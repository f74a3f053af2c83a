#include "sc_models/tlm/at/island_observers.h"

namespace tessera {

IslandObservers::IslandObservers(Island& island, Observers observers) {
    waves_.island = timeline_.island = &island;
    waves_.to = observers.wave;
    timeline_.to = observers.timeline;
    if (observers.wave != nullptr || observers.timeline != nullptr) island.has_news(*this);
}

void IslandObservers::pass_on() {
    waves_.pass_on();
    timeline_.pass_on();
}

void IslandObservers::Waves::set(Signal signal, Cycle at, std::uint64_t value) {
    if (signal == kNoSignal) return;
    if (passes_at_once()) return to->set(signal, at, value);
    kept.push_back({signal, false, at, value});
}

void IslandObservers::Waves::pulse(Signal signal, Cycle at, Cycle cycles) {
    if (signal == kNoSignal) return;
    if (passes_at_once()) return to->pulse(signal, at, cycles);
    kept.push_back({signal, true, at, cycles});
}

void IslandObservers::Waves::pass_on() {
    for (const News& news : kept) {
        if (news.is_pulse) {
            to->pulse(news.signal, news.at, news.value);
        } else {
            to->set(news.signal, news.at, news.value);
        }
    }
    kept.clear();
}

void IslandObservers::Timeline::span(Track track, std::string_view name, Cycle begin, Cycle end,
                                     std::string_view args) {
    if (passes_at_once()) return to->span(track, name, begin, end, args);
    kept.push_back({track, begin, end, std::string(name), std::string(args)});
}

void IslandObservers::Timeline::pass_on() {
    for (const News& news : kept) {
        to->span(news.track, news.name, news.begin, news.end, news.args);
    }
    kept.clear();
}

}  // namespace tessera
