// Coverage plan of the precompute table's bench.
#pragma once

#include <fmt/format.h>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/cosim/precompute_table_rtl.h"
#include "sc_models/pins/clocked_precompute_table.h"
#include "testbenches/cosim/coverage_plan.h"

namespace tessera {

/// Input pins of the precompute table that carry numbers.
namespace precompute_pins {

using Rtl = PrecomputeTableRtl;
using InputPin = PlannedPin<Rtl::Inputs>;

inline constexpr InputPin kEntries = {
    "setup_entries_i", Rtl::kEntryBits + 1,
    [](const Rtl::Inputs& in) { return std::uint64_t{in.setup_entries}; },
    [](Rtl::Inputs& in, std::uint64_t value) {
        in.setup_entries = static_cast<std::uint32_t>(value);
    }};
inline constexpr InputPin kOp = {
    "op_i", 3, [](const Rtl::Inputs& in) { return static_cast<std::uint64_t>(in.op); },
    [](Rtl::Inputs& in, std::uint64_t value) { in.op = static_cast<Rtl::Op>(value); }};
inline constexpr InputPin kInput = {
    "input_i", Rtl::kAddressBits, [](const Rtl::Inputs& in) { return in.key.input; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.key.input = value; }};
inline constexpr InputPin kWeights = {
    "weights_i", Rtl::kAddressBits, [](const Rtl::Inputs& in) { return in.key.weights; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.key.weights = value; }};
inline constexpr InputPin kGeometry = {
    "geometry_i", Rtl::kGeometryBits,
    [](const Rtl::Inputs& in) { return std::uint64_t{in.key.geometry}; },
    [](Rtl::Inputs& in, std::uint64_t value) {
        in.key.geometry = static_cast<std::uint32_t>(value);
    }};
inline constexpr InputPin kSlot = {
    "slot_i", Rtl::kEntryBits, [](const Rtl::Inputs& in) { return std::uint64_t{in.slot}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.slot = static_cast<std::uint32_t>(value); }};
inline constexpr InputPin kAfter = {
    "after_i", 1, [](const Rtl::Inputs& in) { return std::uint64_t{in.after}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.after = value != 0; }};
inline constexpr InputPin kGeneration = {
    "generation_i", Rtl::kGenerationBits,
    [](const Rtl::Inputs& in) { return std::uint64_t{in.generation}; },
    [](Rtl::Inputs& in, std::uint64_t value) {
        in.generation = static_cast<std::uint32_t>(value);
    }};
inline constexpr InputPin kCount = {
    "count_i", Rtl::kEntryBits + 1, [](const Rtl::Inputs& in) { return std::uint64_t{in.count}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.count = static_cast<std::uint32_t>(value); }};

/// Returns the pin in RTL with these parameters.
inline InputPin with(const Rtl::Parameters& parameters, InputPin pin) {
    if (pin.name == kEntries.name || pin.name == kCount.name) {
        pin.width_bits = parameters.entry_bits + 1;
    }
    if (pin.name == kSlot.name) pin.width_bits = parameters.entry_bits;
    if (pin.name == kInput.name || pin.name == kWeights.name) {
        pin.width_bits = parameters.address_bits;
    }
    if (pin.name == kGeometry.name) pin.width_bits = parameters.geometry_bits;
    if (pin.name == kGeneration.name) pin.width_bits = parameters.generation_bits;
    return pin;
}

inline constexpr std::array<const InputPin*, 9> kNumbers = {
    &kEntries, &kOp, &kInput, &kWeights, &kGeometry, &kSlot, &kAfter, &kGeneration, &kCount};

inline std::string lane_name(std::size_t lane) {
    return fmt::format("results_i_{}", lane);
}
/// Returns the inputs with the stuck bit, of a number or of a lane's result.
inline void stick(Rtl::Inputs& in, const StuckPin& stuck) {
    for (const InputPin* pin : kNumbers) pin->stick(in, stuck);
    for (std::size_t lane = 0; lane < Rtl::kLanes; ++lane) {
        if (stuck.pin != lane_name(lane)) continue;
        const std::uint32_t bit = 1U << stuck.bit;
        in.results[lane] = stuck.value ? in.results[lane] | bit : in.results[lane] & ~bit;
    }
}
/// All input pins with their widths.
inline std::vector<std::pair<std::string, std::uint32_t>> all(
    const Rtl::Parameters& parameters = {}) {
    std::vector<std::pair<std::string, std::uint32_t>> pins;
    for (const InputPin* pin : kNumbers) {
        pins.emplace_back(pin->name, with(parameters, *pin).width_bits);
    }
    for (std::size_t lane = 0; lane < parameters.lanes; ++lane) {
        pins.emplace_back(lane_name(lane), parameters.result_bits);
    }
    return pins;
}

}  // namespace precompute_pins

/// Situations and pins that the bench must reach.
class PrecomputePlan : public CoveragePlan {
public:
    using Rtl = PrecomputeTableRtl;

    const Bin complete = add("look-up of a complete entry"),
              still_waits = add("look-up of a waiting entry"),
              still_runs = add("look-up of an entry that is being computed"),
              absent = add("look-up of an absent key"),
              other_input = add("look-up misses by a bit of the input"),
              other_weights = add("look-up misses by a bit of the weights"),
              other_geometry = add("look-up misses by a bit of the geometry"),
              fresh = add("prediction gets a slot that was never used"),
              again = add("prediction gets a slot that came back"),
              present = add("prediction has an entry"),
              replaces = add("prediction replaces the oldest entry"),
              spares = add("prediction spares an oldest entry that is being computed"),
              rejected = add("prediction finds all entries being computed"),
              oldest = add("oldest waiting entry"), none_waits = add("no entry waits"),
              next = add("next waiting entry"), no_next = add("no next waiting entry"),
              not_behind = add("waiting entry behind one that does not wait"),
              start = add("start of a waiting entry"), no_start = add("start of another slot"),
              stored = add("finish stores results"),
              other_generation = add("finish of an older generation"),
              not_running = add("finish of an entry that is not computed"),
              drop_none = add("drop of no entry"), drop_some = add("drop of some entries"),
              drop_all = add("drop of more entries than there are"),
              drop_running = add("drop of an entry that is being computed"),
              no_operation = add("operations 6 and 7 do nothing"), stall = add("answer waits"),
              refused_none = add("set-up of no entry"),
              refused_many = add("set-up of too many entries"), one = add("table of one entry"),
              largest = add("table of all entries"), full = add("table of all entries is full"),
              beside_setup = add("operation beside a set-up"),
              before_setup = add("operation before the first set-up"),
              after_refusal = add("operation after a refused set-up"),
              setup_waits = add("set-up waits for an operation"),
              reset_apply = add("reset with an operation under way"),
              reset_answer = add("reset with an answer that waits");

    explicit PrecomputePlan(const Rtl::Parameters& parameters) : parameters_(parameters) {
        for (std::size_t lane = 0; lane < parameters_.lanes; ++lane) {
            results_.push_back(add_pin(precompute_pins::lane_name(lane), parameters_.result_bits));
        }
    }
    /// Notes the situation of an operation in a cycle in which it changes the table.
    void change(const ClockedPrecomputeTable& model, const Rtl::Inputs& in);
    /// Notes an operation that was taken: the pins that it uses.
    void operation(const Rtl::Inputs& in) {
        using Op = Rtl::Op;
        sample(op_, static_cast<std::uint64_t>(in.op));
        if (in.op == Op::kLookup || in.op == Op::kPredict) {
            sample(input_, in.key.input);
            sample(weights_, in.key.weights);
            sample(geometry_, in.key.geometry);
        }
        if (in.op == Op::kWaiting) sample(after_, in.after ? 1 : 0);
        if (in.op == Op::kStart || in.op == Op::kFinish || (in.op == Op::kWaiting && in.after)) {
            sample(slot_, in.slot);
        }
        if (in.op == Op::kFinish) sample(generation_, in.generation);
        if (in.op == Op::kDrop) sample(count_, in.count);
    }
    /// Notes a set-up that was taken, and whether the table refused it.
    void set_up(std::uint32_t entries, bool was_refused) {
        sample(entries_, entries);
        hit_if(refused_none, was_refused && entries == 0);
        hit_if(refused_many, was_refused && entries != 0);
        hit_if(one, entries == 1);
        hit_if(largest, entries == parameters_.max_entries());
    }
    /// Notes results that were stored.
    void store(const Rtl::Results& results) {
        for (std::size_t lane = 0; lane < parameters_.lanes; ++lane) {
            sample(results_[lane], results[lane]);
        }
    }
    /// Notes the numbers of an answer that was taken.
    void answer(const Rtl::Inputs& in, const Rtl::Outputs& out) {
        if (out.done == 0) return;
        if (in.op == Rtl::Op::kDrop) {
            sample(dropped_, out.count);
            return;
        }
        sample(slot_given_, out.slot);
        if (in.op == Rtl::Op::kStart) sample(generation_given_, out.generation);
        if (in.op != Rtl::Op::kWaiting) return;
        sample(input_given_, out.input);
        sample(weights_given_, out.weights);
        sample(geometry_given_, out.geometry);
    }

private:
    void note_lookup(const ClockedPrecomputeTable& model, const Rtl::Inputs& in);
    void note_prediction(const ClockedPrecomputeTable& model, const Rtl::Inputs& in);
    void note_finish(const ClockedPrecomputeTable& model, const Rtl::Inputs& in);
    /// Called in each cycle of a drop, and as it is taken.
    void note_drop(const ClockedPrecomputeTable& model, const Rtl::Inputs& in);
    Pin pin(const precompute_pins::InputPin& input) {
        return add_pin(input.name, precompute_pins::with(parameters_, input).width_bits);
    }

    const Rtl::Parameters parameters_;
    const Pin entries_ = pin(precompute_pins::kEntries), op_ = pin(precompute_pins::kOp),
              input_ = pin(precompute_pins::kInput), weights_ = pin(precompute_pins::kWeights),
              geometry_ = pin(precompute_pins::kGeometry), slot_ = pin(precompute_pins::kSlot),
              after_ = pin(precompute_pins::kAfter),
              generation_ = pin(precompute_pins::kGeneration),
              count_ = pin(precompute_pins::kCount),
              slot_given_ = add_pin("slot_o", parameters_.entry_bits),
              generation_given_ = add_pin("generation_o", parameters_.generation_bits),
              input_given_ = add_pin("input_o", parameters_.address_bits),
              weights_given_ = add_pin("weights_o", parameters_.address_bits),
              geometry_given_ = add_pin("geometry_o", parameters_.geometry_bits),
              dropped_ = add_pin("count_o", parameters_.entry_bits + 1);
    std::vector<Pin> results_;
};

/// Error of the RTL at its inputs, which the bench has to find.
struct PrecomputeError {
    using Rtl = PrecomputeTableRtl;

    StuckPin stuck;
    std::string wrong;  ///< situation of the plan; empty: none
    Rtl::Parameters parameters;

    /// Returns the inputs with the error. `organised`: there was a set-up since the reset.
    [[nodiscard]] Rtl::Inputs seen_by_rtl(const Rtl::Inputs& in,
                                          const ClockedPrecomputeTable& model,
                                          bool organised) const;
};

}  // namespace tessera
