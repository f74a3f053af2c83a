#include "sc_models/observe/vcd_recorder.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "sc_models/common/error.h"
#include "sc_models/common/logging.h"

namespace tessera {
namespace {

// SystemC appends ".vcd" to the name it is given.
constexpr std::string_view kPartial = ".part";
constexpr std::string_view kPartialVcd = ".part.vcd";
constexpr std::string_view kTopLevel = "gpu.";
constexpr int kCycleBits = 48;

/// SystemC writes the first values without a time, for which viewers take zero, and the time in a
/// comment behind the header. Puts the time in the comment's place.
void stamp_first_values(const std::filesystem::path& path, std::uint64_t time) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    std::string line;
    while (std::getline(file, line) && line.rfind("$enddefinitions", 0) != 0) continue;
    while (std::getline(file, line) && line.empty()) continue;
    if (line != "$comment") return;
    const auto begin = file.tellg() - static_cast<std::streamoff>(line.size() + 1);
    while (std::getline(file, line) && line != "$end") continue;
    std::string stamp = fmt::format("#{}", time);
    stamp.resize(static_cast<std::size_t>(file.tellg() - begin) - 1, ' ');
    file.seekp(begin);
    file << stamp;
}

}  // namespace

VcdRecorder::VcdRecorder(sc_core::sc_module_name name, const std::string& file,
                         const CycleWindow& window, std::string_view scope_patterns,
                         const ClockDomain& clock)
    : sc_module(name),
      window_(window),
      clock_(clock),
      filter_(scope_patterns),
      file_(file, kPartialVcd) {
    SC_HAS_PROCESS(VcdRecorder);
    SC_METHOD(evaluate);
    sensitive << wake_;
    dont_initialize();
}

VcdRecorder::~VcdRecorder() {
    close();
    if (!in_window_ || saved_) return;
    try {
        save();
    } catch (const std::exception& error) {
        logger("run").error(error.what());
    }
}

WaveRecorder::Signal VcdRecorder::add(std::string_view scope, std::string_view name,
                                      std::uint32_t width_bits) {
    if (trace_ != nullptr || closed_)
        throw std::logic_error("VcdRecorder: signal added in the run");
    if (width_bits == 0 || width_bits > 64)
        throw std::logic_error("VcdRecorder: width not in 1..64");
    if (scope.substr(0, kTopLevel.size()) == kTopLevel) scope.remove_prefix(kTopLevel.size());
    if (!filter_.matches(std::string(scope))) return kNoSignal;
    signals_.push_back({fmt::format("{}.{}", scope, name), width_bits});
    values_.push_back(0);
    return static_cast<Signal>(signals_.size() - 1);
}

void VcdRecorder::set(Signal signal, Cycle at, std::uint64_t value) {
    if (closed_ || at >= window_.end) return;
    if (at >= window_.begin || in_window_) {
        push(signal, at, value, Kind::kSet);
        return;
    }
    if (signal != kNoSignal) apply({at, 0, value, signal, Kind::kSet});
    if (idle_) kick();
}

void VcdRecorder::pulse(Signal signal, Cycle at, Cycle cycles) {
    const Cycle end = at + cycles;
    if (closed_ || cycles == 0 || at >= window_.end || end <= window_.begin) return;
    push(signal, std::max(at, window_.begin), 0, Kind::kPulseBegin);
    if (end < window_.end) push(signal, end, 0, Kind::kPulseEnd);
}

void VcdRecorder::push(Signal signal, Cycle at, std::uint64_t value, Kind kind) {
    if (signal != kNoSignal) queue_.push({at, announced_++, value, signal, kind});
    kick();
}

void VcdRecorder::apply(const Change& change) {
    Declared& signal = signals_[change.signal];
    std::uint64_t& shown = values_[change.signal];
    if (change.kind == Kind::kSet) {
        if (change.at < signal.set_at) return;
        signal.set_at = change.at;
        shown = change.value;
        return;
    }
    signal.pulses += change.kind == Kind::kPulseBegin ? 1 : -1;
    shown = signal.width_bits == 1 ? std::min<std::uint64_t>(signal.pulses, 1) : signal.pulses;
}

void VcdRecorder::kick() {
    if (kicked_) return;
    kicked_ = true;
    idle_ = false;
    wake_.notify(sc_core::SC_ZERO_TIME);
}

Cycle VcdRecorder::present() const {
    const Cycle next = clock_.now();
    return clock_.span(next) > sc_core::sc_time_stamp() ? next - 1 : next;
}

void VcdRecorder::evaluate() {
    kicked_ = false;
    if (closed_) return;
    const Cycle now = present();
    if (now >= window_.end) {
        close();
        return;
    }
    if (now >= window_.begin) {
        bool changed = !in_window_;
        if (!in_window_) open();
        for (; !queue_.empty() && queue_.top().at <= now; queue_.pop()) {
            apply(queue_.top());
            changed = true;
        }
        if (changed) cycle_ = now;
    }
    sleep();
}

void VcdRecorder::sleep() {
    Cycle next = in_window_ ? window_.end : window_.begin;
    if (in_window_ && !queue_.empty()) next = std::min(next, queue_.top().at);
    if (draining_) {
        // One more cycle at the end, as SystemC writes values when time moves on.
        draining_ = !queue_.empty();
        wake_.notify(clock_.span(draining_ ? next : present() + 1) - sc_core::sc_time_stamp());
        return;
    }
    if (sc_core::sc_pending_activity_at_current_time()) return kick();
    idle_ = !sc_core::sc_pending_activity_at_future_time();
    if (idle_) return;
    const sc_core::sc_time machine = sc_core::sc_time_to_pending_activity();
    wake_.notify(next == kNever ? machine
                                : std::min(machine, clock_.span(next) - sc_core::sc_time_stamp()));
}

void VcdRecorder::open() {
    in_window_ = true;
    opened_at_ = sc_core::sc_time_stamp().value();
    const std::string path = file_.partial().string();
    sc_core::sc_report_handler::set_actions("tracing timescale unit set", sc_core::SC_INFO,
                                            sc_core::SC_DO_NOTHING);
    trace_ = sc_core::sc_create_vcd_trace_file(
        path.substr(0, path.size() - kPartialVcd.size() + kPartial.size()).c_str());
    trace_->set_time_unit(1, sc_core::SC_FS);
    sc_core::sc_trace(trace_, cycle_, "cycle", kCycleBits);
    for (std::size_t i = 0; i < signals_.size(); ++i) {
        sc_core::sc_trace(trace_, values_[i], signals_[i].name,
                          static_cast<int>(signals_[i].width_bits));
    }
}

void VcdRecorder::close() {
    closed_ = true;
    queue_ = {};
    if (trace_ == nullptr) return;
    sc_core::sc_close_vcd_trace_file(trace_);
    trace_ = nullptr;
    stamp_first_values(file_.partial(), opened_at_);
}

void VcdRecorder::save() {
    saved_ = true;
    file_.commit();
}

void VcdRecorder::finish() {
    if (trace_ != nullptr && sc_core::sc_get_status() == sc_core::SC_PAUSED) {
        draining_ = true;
        kick();
        sc_core::sc_start();
    }
    close();
    if (!in_window_) {
        throw ConfigError(
            fmt::format("--wave-window: got '{}', but the run ended at cycle {}: no waveform",
                        window_.text(), clock_.now()));
    }
    save();
}

}  // namespace tessera
