#include "sc_models/tlm/at/partition_observers.h"

namespace tessera {

PartitionObservers::PartitionObservers(Partition& partition, Observers observers)
    : transactions_(observers.transactions) {
    waves_.partition = commands_.partition = timeline_.partition = &partition;
    waves_.to = observers.wave;
    timeline_.to = observers.timeline;
    commands_.to = observers.dram;
    const bool observed =
        observers.wave != nullptr || observers.timeline != nullptr || observers.dram != nullptr;
    if (observed) partition.set_notifications(*this);
}

void PartitionObservers::deliver() {
    waves_.deliver();
    timeline_.deliver();
    commands_.deliver();
}

void PartitionObservers::Waves::set(Signal signal, Cycle at, std::uint64_t value) {
    if (signal == kNoSignal) return;
    if (delivers_at_once()) return to->set(signal, at, value);
    kept.push_back({signal, false, at, value});
}

void PartitionObservers::Waves::pulse(Signal signal, Cycle at, Cycle cycles) {
    if (signal == kNoSignal) return;
    if (delivers_at_once()) return to->pulse(signal, at, cycles);
    kept.push_back({signal, true, at, cycles});
}

void PartitionObservers::Waves::deliver() {
    for (const Notification& news : kept) {
        if (news.is_pulse) {
            to->pulse(news.signal, news.at, news.value);
        } else {
            to->set(news.signal, news.at, news.value);
        }
    }
    kept.clear();
}

void PartitionObservers::Timeline::span(Track track, std::string_view name, Cycle begin, Cycle end,
                                        std::string_view args) {
    if (delivers_at_once()) return to->span(track, name, begin, end, args);
    kept.push_back({track, begin, end, std::string(name), std::string(args)});
}

void PartitionObservers::Timeline::deliver() {
    for (const Notification& news : kept) {
        to->span(news.track, news.name, news.begin, news.end, news.args);
    }
    kept.clear();
}

void PartitionObservers::Commands::record(Channel channel, const DramCommand& command) {
    if (delivers_at_once()) return to->record(channel, command);
    kept.push_back({channel, false, command});
}

void PartitionObservers::Commands::advance(Channel channel, Cycle cycle) {
    if (delivers_at_once()) return to->advance(channel, cycle);
    DramCommand command;
    command.cycle = cycle;
    kept.push_back({channel, true, command});
}

void PartitionObservers::Commands::deliver() {
    for (const Notification& news : kept) {
        if (news.is_advance) {
            to->advance(news.channel, news.command.cycle);
        } else {
            to->record(news.channel, news.command);
        }
    }
    kept.clear();
}

}  // namespace tessera
