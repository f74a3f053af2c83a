#include "sc_models/observe/wave_ring.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sc_models/observe/wave_writer.h"

namespace tessera {

WaveRecorder::Signal WaveRing::add(std::string_view scope, std::string_view name,
                                   std::uint32_t width_bits) {
    const Signal forwarded = next_ == nullptr ? kNoSignal : next_->add(scope, name, width_bits);
    variables_.push_back({std::string(scope), std::string(name), width_bits, forwarded});
    return static_cast<Signal>(variables_.size() - 1);
}

void WaveRing::set(Signal signal, Cycle at, std::uint64_t value) {
    if (signal == kNoSignal) return;
    if (next_ != nullptr) next_->set(variables_[signal].forwarded, at, value);
    push({at, value, signal, Kind::kSet});
}

void WaveRing::pulse(Signal signal, Cycle at, Cycle cycles) {
    if (signal == kNoSignal) return;
    if (next_ != nullptr) next_->pulse(variables_[signal].forwarded, at, cycles);
    push({at, 0, signal, Kind::kPulseBegin});
    push({at + cycles, 0, signal, Kind::kPulseEnd});
}

WaveRecorder::DumpPlan WaveRing::add_dump(std::string_view scope, std::function<void()> close) {
    return next_ == nullptr ? DumpPlan{} : next_->add_dump(scope, std::move(close));
}

void WaveRing::push(const Change& change) {
    changes_.push_back(change);
    if (change.kind != Kind::kPulseEnd) latest_ = std::max(latest_, change.at);
    if (changes_.size() >= limit_) forget_old();
}

void WaveRing::apply(const Change& change, Variable& variable) {
    switch (change.kind) {
        case Kind::kSet:
            variable.value = change.value;
            break;
        case Kind::kPulseBegin:
            ++variable.pulses;
            break;
        case Kind::kPulseEnd:
            if (variable.pulses > 0) --variable.pulses;
            break;
    }
}

void WaveRing::forget_old() {
    // Blocks of a loosely-timed machine report up to some hundred cycles ahead of each other.
    const Cycle kept = 4 * cycles_;
    const Cycle begin = latest_ - std::min(latest_, kept);
    const auto is_old = [begin](const Change& change) { return change.at < begin; };
    const auto end_of_old = std::stable_partition(changes_.begin(), changes_.end(), is_old);
    std::stable_sort(changes_.begin(), end_of_old,
                     [](const Change& a, const Change& b) { return a.at < b.at; });
    for (auto change = changes_.begin(); change != end_of_old; ++change) {
        apply(*change, variables_[change->signal]);
    }
    changes_.erase(changes_.begin(), end_of_old);
    limit_ = std::max<std::size_t>(limit_, 2 * changes_.size());
}

void WaveRing::write(const std::string& file, const ClockDomain& clock, std::string_view scope,
                     Cycle until, const std::vector<RingSignal>& others) const {
    const Cycle begin = until - std::min(until, cycles_);
    WaveScope top;
    WaveVariable count = 0;
    top.inside("gpu").signals.push_back({name_with_range("cycle", 64), 64, count++});
    std::map<Signal, WaveVariable> written;
    const auto declare = [&](const std::string& inside, const std::string& name,
                             std::uint32_t bits) {
        top.inside("gpu." + inside).signals.push_back({name_with_range(name, bits), bits, count});
        return count++;
    };
    for (Signal signal = 0; signal < variables_.size(); ++signal) {
        const Variable& variable = variables_[signal];
        const std::string_view in = variable.scope;
        const bool inside = in.substr(0, scope.size()) == scope &&
                            (in.size() == scope.size() || in[scope.size()] == '.');
        if (!inside) continue;
        written[signal] = declare(variable.scope, variable.name, variable.width_bits);
    }
    std::multimap<Cycle, std::pair<WaveVariable, std::uint64_t>> values;
    for (const RingSignal& other : others) {
        const WaveVariable variable = declare(other.scope, other.name, other.width_bits);
        for (const auto& [cycle, value] : other.values) {
            if (cycle >= begin) values.emplace(cycle, std::pair(variable, value));
        }
    }
    std::vector<Change> sorted = changes_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Change& a, const Change& b) { return a.at < b.at; });
    std::vector<Variable> state = variables_;
    const auto place = [&](Cycle at, Signal signal) {
        const auto found = written.find(signal);
        if (found == written.end()) return;
        values.emplace(at, std::pair(found->second, shown(state[signal])));
    };
    auto change = sorted.begin();
    for (; change != sorted.end() && change->at < begin; ++change) {
        apply(*change, state[change->signal]);
    }
    for (const auto& [signal, variable] : written) place(begin, signal);
    for (; change != sorted.end() && change->at <= until; ++change) {
        apply(*change, state[change->signal]);
        place(change->at, change->signal);
    }

    const std::unique_ptr<WaveWriter> writer = make_wave_writer(file);
    writer->declare(top);
    Cycle last = kNever;
    for (const auto& [cycle, value] : values) {
        if (cycle != last) {
            writer->time(clock.span(cycle).value());
            writer->value(0, cycle);
            last = cycle;
        }
        writer->value(value.first, value.second);
    }
    writer->time(clock.span(std::max(until, begin) + 1).value());
    writer->commit();
}

}  // namespace tessera
