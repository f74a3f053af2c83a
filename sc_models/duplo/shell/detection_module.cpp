#include "sc_models/duplo/shell/detection_module.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <ostream>

#include "sc_models/duplo/duplo_metrics.h"

namespace tessera {

DetectionModule::DetectionModule(sc_core::sc_module_name name, const DuploConfig& config,
                                 std::uint32_t sub_cores, const RtlMaker& rtl)
    : sc_module(name),
      ids_("id_generator", rtl),
      history_("load_history_buffer", config, rtl),
      rename_("rename_table", rtl),
      core_(device_as<CoreDevice>(rtl(RtlBlock::kDuploCore))),
      unit_(config, sub_cores,
            DetectionBlocks{ids_.port(), history_.port(), rename_.port(), core_.get()}),
      latency_cycles_(config.latency_cycles),
      hit_frees_slot_(config.hit_frees_slot),
      limited_(config.lookups_per_cycle != DuploConfig::kUnlimitedLookups) {}

FilterTraits DetectionModule::traits() const {
    return {unit_.shape(), latency_cycles_, hit_frees_slot_, limited_};
}

LoadFilter::Program DetectionModule::start_kernel(const KernelInfo& kernel, std::uint32_t warps) {
    unit_.power_off();
    warps_ = warps;
    a_fragments_ = kernel.a_fragments;
    first_a_register_ = kernel.first_a_register;
    registers_per_fragment_ = kernel.registers_per_a_fragment;
    if (kernel.convolution_packet == 0) return {};
    return {kernel.convolution_packet, ConvolutionPacket::kBytes};
}

void DetectionModule::program(const std::vector<std::byte>& bytes, Cycle arrival) {
    ConvolutionPacket::Bytes packet{};
    std::memcpy(packet.data(), bytes.data(), packet.size());
    unit_.launch(ConvolutionPacket::decode(packet), warps_, a_fragments_, arrival);
}

void DetectionModule::end_kernel() {
    if (unit_.powered()) unit_.check_drained();
}

void DetectionModule::begin(Cycle now, const FilteredLoad& load) {
    const auto fragment =
        static_cast<std::uint32_t>(load.reg - first_a_register_) / registers_per_fragment_;
    unit_.begin(now,
                {load.warp, load.sub_core, fragment, load.address, load.row_pitch_bytes, load.rows},
                active_);
}

FilterAnswer DetectionModule::look_up(Cycle now, std::uint32_t unit) {
    const UnitOutcome outcome = unit_.access(now, active_, unit);
    if (traces_.wave != nullptr) trace(unit, now, outcome);
    return {outcome.kind, outcome.phys, outcome.ready};
}

void DetectionModule::release_warp(std::uint32_t warp, Cycle now) {
    if (unit_.powered()) unit_.release_warp(warp, now);
}

void DetectionModule::watch(WaveRecorder& wave, const std::string& sm) {
    traces_.wave = &wave;
    traces_.lookups = wave.add(sm + ".detection", "lookups", 6);
    traces_.bypasses = wave.add(sm + ".detection", "bypasses", 6);
    traces_.zeros = wave.add(sm + ".detection", "zeros", 6);
    ids_.watch(wave, sm);
    history_.watch(wave, sm);
    rename_.watch(wave, sm);
}

/// Traces one unit of the load, looked up at `now`.
void DetectionModule::trace(std::uint32_t unit, Cycle now, const UnitOutcome& outcome) {
    ids_.trace(now, active_.ids[unit_.shape().group_of(unit)]);
    const bool zero = outcome.kind == AccessKind::kZero;
    const bool bypass = outcome.kind == AccessKind::kBypass;
    traces_.wave->pulse(zero ? traces_.zeros : bypass ? traces_.bypasses : traces_.lookups, now, 1);
    // The buffer responds in the last cycle of its latency.
    const Cycle answer = now + unit_.late() + std::max<Cycle>(latency_cycles_, 1) - 1;
    history_.trace(answer, outcome);
    rename_.trace(answer, active_.load.fragment * unit_.shape().count() + unit, outcome.phys);
}

void DetectionModule::add_statistics(StatGroup& ldst) {
    const DetectionCounters& counters = unit_.counters();
    CounterList list;
    add_policy_counters(list, counters);
    IdGeneratorModule::add_counters(list, counters);
    LoadHistoryBufferModule::add_counters(list, counters);
    RenameTableModule::add_counters(list, counters);
    register_detection_counters(list, ldst.child("detection"));
}

void DetectionModule::add_metrics(const StatGroup& machine, nlohmann::ordered_json& metrics) const {
    add_duplo_metrics(machine, metrics);
}

void DetectionModule::check(std::string_view ldst, std::vector<std::string>& violations) const {
    const DetectionCounters& c = unit_.counters();
    const std::uint64_t units = c.total_hits() + c.misses + c.total_bypasses() + c.skipped;
    const std::uint64_t expected = c.loads * unit_.shape().count();
    if (units != expected) {
        violations.push_back(fmt::format(
            "{}: {} hits, misses, bypasses and skipped ones for {} units", ldst, units, expected));
    }
}

FilterValueId DetectionModule::value_id(std::uint32_t unit) const {
    const DataId& id = active_.ids[unit_.shape().group_of(unit)];
    return {id.element, id.batch};
}

std::string DetectionModule::describe(const FilterValueId& value) const {
    return fmt::format("element id {}, batch {}", value.element, value.batch);
}

void DetectionModule::dump(std::ostream& out) const {
    sc_module::dump(out);
    out << fmt::format("powered = {}\ndetecting = {}\nloads = {}\n", unit_.powered(),
                       unit_.detecting(), unit_.counters().loads);
}

}  // namespace tessera
