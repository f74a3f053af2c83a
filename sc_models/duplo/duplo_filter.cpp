#include "sc_models/duplo/duplo_filter.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <utility>

#include "sc_models/duplo/duplo_metrics.h"

namespace tessera {

DuploFilter::DuploFilter(const DuploConfig& config, std::uint32_t sub_cores,
                         DetectionDevices devices)
    : unit_(config, sub_cores, std::move(devices)),
      latency_cycles_(config.latency_cycles),
      hit_frees_slot_(config.hit_frees_slot),
      limited_(config.lookups_per_cycle != DuploConfig::kUnlimitedLookups) {}

FilterTraits DuploFilter::traits() const {
    return {unit_.shape(), latency_cycles_, hit_frees_slot_, limited_};
}

LoadFilter::Program DuploFilter::start_kernel(const KernelInfo& kernel, std::uint32_t warps) {
    unit_.power_off();
    warps_ = warps;
    a_fragments_ = kernel.a_fragments;
    first_a_register_ = kernel.first_a_register;
    registers_per_fragment_ = kernel.registers_per_a_fragment;
    if (kernel.convolution_packet == 0) return {};
    return {kernel.convolution_packet, ConvolutionPacket::kBytes};
}

void DuploFilter::program(const std::vector<std::byte>& bytes, Cycle arrival) {
    ConvolutionPacket::Bytes packet{};
    std::memcpy(packet.data(), bytes.data(), packet.size());
    unit_.launch(ConvolutionPacket::decode(packet), warps_, a_fragments_, arrival);
}

void DuploFilter::end_kernel() {
    if (unit_.powered()) unit_.check_drained();
}

void DuploFilter::begin(Cycle now, const FilteredLoad& load) {
    const auto fragment =
        static_cast<std::uint32_t>(load.reg - first_a_register_) / registers_per_fragment_;
    unit_.begin(now,
                {load.warp, load.sub_core, fragment, load.address, load.row_pitch_bytes, load.rows},
                active_);
}

FilterAnswer DuploFilter::look_up(Cycle now, std::uint32_t unit) {
    const UnitOutcome outcome = unit_.access(now, active_, unit);
    if (traces_.wave != nullptr) trace(unit, now, outcome);
    return {outcome.kind, outcome.phys, outcome.ready};
}

void DuploFilter::release_warp(std::uint32_t warp, Cycle now) {
    if (unit_.powered()) unit_.release_warp(warp, now);
}

void DuploFilter::watch(WaveRecorder& wave, const std::string& sm) {
    traces_.wave = &wave;
    traces_.lookups = wave.add(sm + ".detection", "lookups", 6);
    traces_.bypasses = wave.add(sm + ".detection", "bypasses", 6);
    traces_.zeros = wave.add(sm + ".detection", "zeros", 6);
    traces_.element = wave.add(sm + ".detection", "element_id", 40);
    traces_.batch = wave.add(sm + ".detection", "batch_id", 10);
    traces_.hits = wave.add(sm + ".lhb", "hits", 6);
    traces_.misses = wave.add(sm + ".lhb", "misses", 6);
    traces_.hit_class = wave.add(sm + ".lhb", "hit_class", 3);
    traces_.entries = wave.add(sm + ".lhb", "entries", 16);
    traces_.architectural = wave.add(sm + ".rename", "architectural_unit", 16);
    traces_.physical = wave.add(sm + ".rename", "physical_unit", kPhysicalUnitBits);
}

/// Traces one unit of the load, looked up at `now`.
void DuploFilter::trace(std::uint32_t unit, Cycle now, const UnitOutcome& outcome) {
    WaveRecorder& wave = *traces_.wave;
    const DataId& id = active_.ids[unit_.shape().group_of(unit)];
    wave.set(traces_.element, now, id.element);
    wave.set(traces_.batch, now, id.batch);
    // The buffer responds in the last cycle of its latency.
    const Cycle answer = now + unit_.late() + std::max<Cycle>(latency_cycles_, 1) - 1;
    switch (outcome.kind) {
        case AccessKind::kHit:
            wave.pulse(traces_.lookups, now, 1);
            wave.pulse(traces_.hits, answer, 1);
            wave.set(traces_.hit_class, answer, static_cast<std::uint64_t>(outcome.hit_class));
            break;
        case AccessKind::kMiss:
            wave.pulse(traces_.lookups, now, 1);
            wave.pulse(traces_.misses, answer, 1);
            break;
        case AccessKind::kZero:
            wave.pulse(traces_.zeros, now, 1);
            break;
        case AccessKind::kBypass:
            wave.pulse(traces_.bypasses, now, 1);
            break;
    }
    constexpr std::uint64_t kNone = (std::uint64_t{1} << kPhysicalUnitBits) - 1;
    wave.set(traces_.entries, answer, unit_.history().size());
    wave.set(traces_.architectural, answer, active_.load.fragment * unit_.shape().count() + unit);
    wave.set(traces_.physical, answer, outcome.phys.valid() ? outcome.phys.value() : kNone);
}

void DuploFilter::add_statistics(StatGroup& ldst) {
    add_detection_statistics(ldst.child("detection"), unit_.counters());
}

void DuploFilter::add_metrics(const StatGroup& machine, nlohmann::ordered_json& metrics) const {
    add_duplo_metrics(machine, metrics);
}

void DuploFilter::check(std::string_view ldst, std::vector<std::string>& violations) const {
    const DetectionCounters& c = unit_.counters();
    const std::uint64_t units = c.total_hits() + c.misses + c.total_bypasses() + c.skipped;
    const std::uint64_t expected = c.loads * unit_.shape().count();
    if (units != expected) {
        violations.push_back(fmt::format(
            "{}: {} hits, misses, bypasses and skipped ones for {} units", ldst, units, expected));
    }
}

FilterValueId DuploFilter::value_id(std::uint32_t unit) const {
    const DataId& id = active_.ids[unit_.shape().group_of(unit)];
    return {id.element, id.batch};
}

std::string DuploFilter::describe(const FilterValueId& value) const {
    return fmt::format("element id {}, batch {}", value.element, value.batch);
}

}  // namespace tessera
