#include "sc_models/observe/vcd_recorder.h"

#include <fmt/format.h>
#include <algorithm>
#include <stdexcept>

#include "sc_models/common/error.h"
#include "sc_models/common/logging.h"

namespace tessera {
namespace {

constexpr std::size_t kCycleVariable = 0;
constexpr std::uint32_t kCycleBits = 48;

constexpr std::size_t variable_of(WaveRecorder::Signal signal) {
    return signal + 1;
}

}  // namespace

VcdRecorder::VcdRecorder(const std::string& file, const CycleWindow& window,
                         std::string_view scope_patterns, const ClockDomain& clock,
                         std::string_view top_level)
    : name_(file),
      top_level_(top_level),
      window_(window),
      clock_(clock),
      filter_(scope_patterns),
      file_(file),
      writer_(file_),
      variables_{{top_level_, "cycle", kCycleBits}} {}

VcdRecorder::~VcdRecorder() {
    if (saved_ || clock_.now() <= window_.begin()) return;
    try {
        finish();
    } catch (const std::exception& error) {
        logger("run").error(error.what());
    }
}

WaveRecorder::Signal VcdRecorder::add(std::string_view scope, std::string_view name,
                                      std::uint32_t width_bits) {
    if (started_ || closed_) throw std::logic_error("VcdRecorder: signal added in the run");
    if (width_bits == 0 || width_bits > 64)
        throw std::logic_error("VcdRecorder: width not in 1..64");
    const std::string full = full_scope(scope);
    if (full.empty()) return kNoSignal;
    variables_.push_back({full, std::string(name), width_bits});
    states_.emplace_back();
    return static_cast<Signal>(states_.size() - 1);
}

std::string VcdRecorder::full_scope(std::string_view scope) {
    const std::string prefix = fmt::format("{}.", top_level_);
    if (scope.substr(0, prefix.size()) == prefix) scope.remove_prefix(prefix.size());
    return filter_.matches(std::string(scope)) ? prefix + std::string(scope) : std::string();
}

WaveRecorder::DumpPlan VcdRecorder::add_dump(std::string_view scope, std::function<void()> close) {
    const std::string full = full_scope(scope);
    if (full.empty()) return {};
    dumps_.push_back({fmt::format("{}.{}.part", name_, dumps_.size()), full});
    close_dumps_.push_back(std::move(close));
    return {dumps_.back().file, window_.span(), clock_.span(1).value()};
}

void VcdRecorder::set(Signal signal, Cycle at, std::uint64_t value) {
    if (signal == kNoSignal || closed_ || at >= window_.end()) return;
    push(signal, at, value, Kind::kSet);
}

void VcdRecorder::pulse(Signal signal, Cycle at, Cycle cycles) {
    if (signal == kNoSignal || closed_ || cycles == 0 || at >= window_.end()) return;
    const Cycle end = at + cycles;
    if (end <= window_.begin() && window_.placed()) return;
    push(signal, at, 0, Kind::kPulseBegin);
    if (end < window_.end()) push(signal, end, 0, Kind::kPulseEnd);
}

void VcdRecorder::push(Signal signal, Cycle at, std::uint64_t value, Kind kind) {
    const Cycle now = clock_.now();
    write_until(now);
    if (now >= window_.end()) {
        closed_ = true;
        return;
    }
    const Change change{std::max(at, now), at, announced_++, value, signal, kind};
    if (!window_.placed()) {  // it may yet begin at any cycle to come
        for (; !queue_.empty() && queue_.top().at < now; queue_.pop()) apply(queue_.top());
        queue_.push(change);
    } else if (change.at < window_.begin()) {
        apply(change);
    } else {
        queue_.push(change);
    }
}

void VcdRecorder::apply(const Change& change) {
    State& state = states_[change.signal];
    if (change.kind == Kind::kSet) {
        if (change.announced_for < state.announced_for) return;
        state.announced_for = change.announced_for;
        state.value = change.value;
        return;
    }
    state.pulses += change.kind == Kind::kPulseBegin ? 1 : -1;
    state.value = variables_[variable_of(change.signal)].width_bits == 1
                      ? std::min<std::uint64_t>(state.pulses, 1)
                      : state.pulses;
}

void VcdRecorder::write_until(Cycle limit) {
    limit = std::min(limit, window_.end());
    if (limit <= window_.begin()) return;
    if (!started_) write_first_values();
    while (!queue_.empty() && queue_.top().at < limit) write_cycle(queue_.top().at);
}

void VcdRecorder::write_first_values() {
    started_ = true;
    written_until_ = window_.begin();
    for (; !queue_.empty() && queue_.top().at <= window_.begin(); queue_.pop()) apply(queue_.top());
    writer_.header(variables_);
    writer_.time(clock_.span(window_.begin()).value(), true);
    writer_.value(kCycleVariable, window_.begin());
    for (Signal signal = 0; signal < states_.size(); ++signal) {
        writer_.value(variable_of(signal), states_[signal].value);
        states_[signal].written = states_[signal].value;
    }
    writer_.end_of_first_values();
}

void VcdRecorder::write_cycle(Cycle cycle) {
    touched_.clear();
    for (; !queue_.empty() && queue_.top().at == cycle; queue_.pop()) {
        apply(queue_.top());
        touched_.push_back(queue_.top().signal);
    }
    bool changed = false;
    for (const Signal signal : touched_) {
        State& state = states_[signal];
        if (state.value == state.written) continue;
        if (!changed) {
            writer_.time(clock_.span(cycle).value());
            writer_.value(kCycleVariable, cycle);
            written_until_ = cycle;
            changed = true;
        }
        writer_.value(variable_of(signal), state.value);
        state.written = state.value;
    }
}

bool VcdRecorder::records(std::string_view name) const {
    const std::string wanted = fmt::format("{}.{}.", top_level_, name);
    const auto inside = [&wanted](const std::string& path) { return path.rfind(wanted, 0) == 0; };
    return std::any_of(
               variables_.begin(), variables_.end(),
               [&](const VcdVariable& v) { return inside(v.scope + "." + v.name + "."); }) ||
           std::any_of(dumps_.begin(), dumps_.end(),
                       [&](const VcdDump& dump) { return inside(dump.scope + "."); });
}

void VcdRecorder::finish() {
    saved_ = true;
    const Cycle now = clock_.now();
    if (now < window_.begin()) {
        throw ConfigError(window_.missed(now, "waveform"));
    }
    write_until(kNever);  // with what the machine's last events announced
    const Cycle last = std::min(now, window_.end());
    if (last > written_until_) writer_.time(clock_.span(last).value());
    closed_ = true;
    file_.commit();
    for (const auto& close : close_dumps_) close();
    if (!dumps_.empty()) merge_vcd(name_, dumps_);
}

}  // namespace tessera
