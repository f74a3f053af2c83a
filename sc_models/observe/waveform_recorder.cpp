#include "sc_models/observe/waveform_recorder.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "sc_models/common/error.h"
#include "sc_models/common/logging.h"
#include "sc_models/common/partial_file.h"
#include "sc_models/observe/vcd_writer.h"

namespace tessera {
namespace {

constexpr WaveVariable kCycleVariable = 0;
constexpr std::uint32_t kCycleBits = 48;

constexpr WaveVariable variable_of(WaveRecorder::Signal signal) {
    return signal + 1;
}

}  // namespace

WaveformRecorder::WaveformRecorder(const std::string& file, const CycleWindow& window,
                                   std::string_view scope_patterns, const ClockDomain& clock,
                                   std::string_view top_level)
    : name_(file),
      top_level_(top_level),
      window_(window),
      clock_(clock),
      filter_(scope_patterns),
      file_(make_wave_writer(file)),
      variables_{{top_level_, "cycle", kCycleBits}} {}

WaveformRecorder::~WaveformRecorder() {
    try {
        if (!saved_ && clock_.now() > window_.begin()) finish();
    } catch (const std::exception& error) {
        logger("run").error(error.what());
    }
    std::error_code ignored;  // a complete waveform leaves no dumps
    for (const ValueChangeDump& dump : dumps_) std::filesystem::remove(dump.file, ignored);
}

WaveRecorder::Signal WaveformRecorder::add(std::string_view scope, std::string_view name,
                                           std::uint32_t width_bits) {
    if (started_ || closed_) throw std::logic_error("WaveformRecorder: signal added in the run");
    if (width_bits == 0 || width_bits > 64)
        throw std::logic_error("WaveformRecorder: width not in 1..64");
    const std::string full = full_scope(scope);
    if (full.empty()) return kNoSignal;
    variables_.push_back({full, std::string(name), width_bits});
    states_.emplace_back();
    return static_cast<Signal>(states_.size() - 1);
}

std::string WaveformRecorder::full_scope(std::string_view scope) {
    const std::string prefix = fmt::format("{}.", top_level_);
    if (scope.substr(0, prefix.size()) == prefix) scope.remove_prefix(prefix.size());
    return filter_.matches(std::string(scope)) ? prefix + std::string(scope) : std::string();
}

std::string WaveformRecorder::dump_file(std::string_view what) const {
    return make_fresh_part(fmt::format("{}.{}", name_, what)).string();
}

WaveRecorder::DumpPlan WaveformRecorder::add_dump(std::string_view scope,
                                                  std::function<void()> close) {
    const std::string full = full_scope(scope);
    if (full.empty()) return {};
    dumps_.push_back({dump_file(std::to_string(dumps_.size())), full});
    close_dumps_.push_back(std::move(close));
    return {dumps_.back().file, window_.span(), clock_.span(1).value()};
}

void WaveformRecorder::set(Signal signal, Cycle at, std::uint64_t value) {
    if (signal == kNoSignal || closed_ || at >= window_.end()) return;
    push(signal, at, value, Kind::kSet);
}

void WaveformRecorder::pulse(Signal signal, Cycle at, Cycle cycles) {
    if (signal == kNoSignal || closed_ || cycles == 0 || at >= window_.end()) return;
    const Cycle end = at + cycles;
    if (end <= window_.begin() && window_.placed()) return;
    push(signal, at, 0, Kind::kPulseBegin);
    if (end < window_.end()) push(signal, end, 0, Kind::kPulseEnd);
}

void WaveformRecorder::push(Signal signal, Cycle at, std::uint64_t value, Kind kind) {
    const Cycle now = clock_.now();
    write_until(now);
    if (now >= window_.end()) {
        closed_ = true;
        return;
    }
    const Change change{std::max(at, now), at, announced_++, value, signal, kind};
    if (!window_.placed()) {  // the window may begin at any later cycle
        for (; !queue_.empty() && queue_.top().at < now; queue_.pop()) apply(queue_.top());
        queue_.push(change);
    } else if (change.at < window_.begin()) {
        apply(change);
    } else {
        queue_.push(change);
    }
}

void WaveformRecorder::apply(const Change& change) {
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

void WaveformRecorder::write_until(Cycle limit) {
    limit = std::min(limit, window_.end());
    if (limit <= window_.begin()) return;
    if (!started_) write_first_values();
    while (!queue_.empty() && queue_.top().at < limit) write_cycle(queue_.top().at);
}

void WaveformRecorder::write_first_values() {
    started_ = true;
    written_until_ = window_.begin();
    for (; !queue_.empty() && queue_.top().at <= window_.begin(); queue_.pop()) apply(queue_.top());
    if (!dumps_.empty()) {
        dumps_.insert(dumps_.begin(), {dump_file("signals"), ""});
        own_dump_ = std::make_unique<VcdWriter>(dumps_.front().file);
    }
    WaveScope top;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        const Variable& variable = variables_[i];
        top.inside(variable.scope)
            .signals.push_back({name_with_range(variable.name, variable.width_bits),
                                variable.width_bits, static_cast<WaveVariable>(i)});
    }
    writer().declare(top);
    writer().time(clock_.span(window_.begin()).value());
    writer().value(kCycleVariable, window_.begin());
    for (Signal signal = 0; signal < states_.size(); ++signal) {
        writer().value(variable_of(signal), states_[signal].value);
        states_[signal].written = states_[signal].value;
    }
}

void WaveformRecorder::write_cycle(Cycle cycle) {
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
            writer().time(clock_.span(cycle).value());
            writer().value(kCycleVariable, cycle);
            written_until_ = cycle;
            changed = true;
        }
        writer().value(variable_of(signal), state.value);
        state.written = state.value;
    }
}

bool WaveformRecorder::records(std::string_view name) const {
    const std::string wanted = fmt::format("{}.{}.", top_level_, name);
    const auto inside = [&wanted](const std::string& path) { return path.rfind(wanted, 0) == 0; };
    return std::any_of(variables_.begin(), variables_.end(),
                       [&](const Variable& v) { return inside(v.scope + "." + v.name + "."); }) ||
           std::any_of(dumps_.begin(), dumps_.end(),
                       [&](const ValueChangeDump& dump) { return inside(dump.scope + "."); });
}

void WaveformRecorder::finish() {
    saved_ = true;
    const Cycle end = std::max(clock_.now(), end_);
    if (end < window_.begin()) {
        throw ConfigError(window_.missed(end, "waveform"));
    }
    write_until(kNever);  // includes changes that the machine's last events reported
    const Cycle last = std::min(end, window_.end());
    if (last > written_until_) writer().time(clock_.span(last).value());
    closed_ = true;
    for (const auto& close : close_dumps_) close();
    writer().commit();
    if (!own_dump_) return;
    merge_dumps(dumps_, *file_);
}

}  // namespace tessera
