// Coverage plan of the assign table's bench.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sc_models/cosim/assign_table_rtl.h"
#include "sc_models/pins/clocked_assign_table.h"
#include "testbenches/cosim/coverage_plan.h"

namespace tessera {

/// Input pins of the assign table that carry numbers.
namespace assign_pins {

using Rtl = AssignTableRtl;
using InputPin = PlannedPin<Rtl::Inputs>;

inline constexpr InputPin kEntries = {
    "setup_entries_i", Rtl::kEntryBits + 1,
    [](const Rtl::Inputs& in) { return std::uint64_t{in.setup_entries}; },
    [](Rtl::Inputs& in, std::uint64_t value) {
        in.setup_entries = static_cast<std::uint32_t>(value);
    }};
inline constexpr InputPin kOp = {
    "op_i", 2, [](const Rtl::Inputs& in) { return static_cast<std::uint64_t>(in.op); },
    [](Rtl::Inputs& in, std::uint64_t value) { in.op = static_cast<Rtl::Op>(value); }};
inline constexpr InputPin kInput = {
    "input_i", Rtl::kBlockBits, [](const Rtl::Inputs& in) { return in.pair.input; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.pair.input = value; }};
inline constexpr InputPin kWeights = {
    "weights_i", Rtl::kBlockBits, [](const Rtl::Inputs& in) { return in.pair.weights; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.pair.weights = value; }};
inline constexpr InputPin kSm = {
    "sm_i", Rtl::kSmBits, [](const Rtl::Inputs& in) { return std::uint64_t{in.sm}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.sm = static_cast<std::uint32_t>(value); }};

/// Returns the pin in RTL with these parameters.
inline InputPin with(const Rtl::Parameters& parameters, InputPin pin) {
    if (pin.name == kEntries.name) pin.width_bits = parameters.entry_bits + 1;
    if (pin.name == kInput.name || pin.name == kWeights.name) {
        pin.width_bits = parameters.block_bits;
    }
    if (pin.name == kSm.name) pin.width_bits = parameters.sm_bits;
    return pin;
}

inline constexpr std::array<const InputPin*, 5> kAll = {&kEntries, &kOp, &kInput, &kWeights, &kSm};

}  // namespace assign_pins

/// Situations and pins that the bench must reach.
class AssignPlan : public CoveragePlan {
public:
    using Rtl = AssignTableRtl;

    const Bin found = add("look-up finds the pair"), absent = add("look-up of an absent pair"),
              other_input = add("look-up misses by a bit of the input"),
              other_weights = add("look-up misses by a bit of the weights"),
              swapped = add("look-up of a pair whose blocks are the other way round"),
              inserted = add("insertion of a new pair"),
              present = add("insertion of a pair that has an entry"),
              other_holder = add("insertion of a pair that another SM has"),
              same_block = add("insertion of a block with itself"),
              replaces = add("insertion replaces the oldest entry"),
              replaces_gap = add("insertion replaces an entry after others left"),
              lost_none = add("invalidation of a block that is not there"),
              lost_input = add("invalidation of an input block"),
              lost_weights = add("invalidation of a weight block"),
              lost_several = add("invalidation of several entries"),
              lost_all = add("invalidation of all entries of a full table"),
              spares = add("invalidation spares the entry of another SM"),
              other_block = add("invalidation misses by a bit of the block"),
              flush_none = add("flush of an empty table"),
              flush_some = add("flush of some entries"), flush_all = add("flush of a full table"),
              stall = add("answer waits"), back_to_back = add("operation while an answer is taken"),
              lost_behind = add("invalidation while an answer is taken"),
              refused_none = add("set-up of no entry"),
              refused_many = add("set-up of too many entries"), one = add("table of one entry"),
              largest = add("table of all entries"), full = add("table of all entries is full"),
              beside_setup = add("operation beside a set-up"),
              before_setup = add("operation before the first set-up"),
              after_refusal = add("operation after a refused set-up"),
              setup_waits = add("set-up waits for an invalidation"),
              setup_beside_answer = add("set-up beside an answer that waits"),
              reset_invalidation = add("reset with an invalidation under way"),
              reset_answer = add("reset with an answer that waits");

    explicit AssignPlan(const Rtl::Parameters& parameters) : parameters_(parameters) {}
    /// Notes the situation of an operation before it changes the table for the first time.
    void change(const ClockedAssignTable& model, const Rtl::Inputs& in);
    /// Notes an operation that was taken: the pins that it uses.
    void operation(const Rtl::Inputs& in) {
        using Op = Rtl::Op;
        sample(op_, static_cast<std::uint64_t>(in.op));
        if (in.op == Op::kFlush) return;
        sample(input_, in.pair.input);
        if (in.op != Op::kInvalidate) sample(weights_, in.pair.weights);
        if (in.op != Op::kLookup) sample(sm_, in.sm);
    }
    /// Notes a set-up that was taken, and whether the table refused it.
    void set_up(std::uint32_t entries, bool was_refused) {
        gap_ = false;
        sample(entries_, entries);
        hit_if(refused_none, was_refused && entries == 0);
        hit_if(refused_many, was_refused && entries != 0);
        hit_if(one, entries == 1);
        hit_if(largest, entries == parameters_.max_entries());
    }
    /// Notes the numbers of an answer to `op` that was taken.
    void answer(Rtl::Op op, const Rtl::Outputs& out) {
        sample(size_, out.size);
        if (out.done == 0) return;
        if (op == Rtl::Op::kLookup) sample(sm_given_, out.sm);
        if (op == Rtl::Op::kInvalidate) sample(invalidated_, out.count);
        if (op == Rtl::Op::kFlush) sample(flushed_, out.count);
    }

private:
    void note_lookup(const AssignTable& table, const Rtl::Inputs& in);
    void note_insertion(const ClockedAssignTable& model, const Rtl::Inputs& in);
    void note_invalidation(const ClockedAssignTable& model, const Rtl::Inputs& in);
    Pin pin(const assign_pins::InputPin& input) {
        return add_pin(input.name, assign_pins::with(parameters_, input).width_bits);
    }

    const Rtl::Parameters parameters_;
    const Pin entries_ = pin(assign_pins::kEntries), op_ = pin(assign_pins::kOp),
              input_ = pin(assign_pins::kInput), weights_ = pin(assign_pins::kWeights),
              sm_ = pin(assign_pins::kSm), sm_given_ = add_pin("sm_o", parameters_.sm_bits),
              invalidated_ = add_pin("count_o of an invalidation", parameters_.entry_bits + 1),
              flushed_ = add_pin("count_o of a flush", parameters_.entry_bits + 1),
              size_ = add_pin("size_o", parameters_.entry_bits + 1);
    bool gap_ = false;  ///< an entry left that was not the oldest
};

/// Error of the RTL at its inputs, which the bench has to find.
struct AssignError {
    using Rtl = AssignTableRtl;

    StuckPin stuck;
    std::string wrong;  ///< situation of the plan; empty: none
    Rtl::Parameters parameters;

    /// Returns the inputs with the error. `organised`: there was a set-up since the reset.
    [[nodiscard]] Rtl::Inputs seen_by_rtl(const Rtl::Inputs& in, const ClockedAssignTable& model,
                                          bool organised) const;
};

}  // namespace tessera
