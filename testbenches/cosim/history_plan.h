// Coverage plan of the load history buffer's bench.
#pragma once

#include <fmt/format.h>
#include <array>
#include <cstdint>
#include <vector>

#include "sc_models/cosim/load_history_buffer_rtl.h"
#include "testbenches/cosim/coverage_plan.h"

namespace tessera {

/// Input pins of the buffer that carry numbers.
namespace history_pins {

using Rtl = LoadHistoryBufferRtl;
using InputPin = PlannedPin<Rtl::Inputs>;

inline constexpr InputPin kElement = {
    "element_i", 48, [](const Rtl::Inputs& in) { return in.key.element(); },
    [](Rtl::Inputs& in, std::uint64_t value) { in.key.low = in.key.batch() << 48U | value; }};
inline constexpr InputPin kBatch = {
    "batch_i", 16, [](const Rtl::Inputs& in) { return in.key.batch(); },
    [](Rtl::Inputs& in, std::uint64_t value) { in.key.low = value << 48U | in.key.element(); }};
inline constexpr InputPin kOwner = {
    "owner_i", 64, [](const Rtl::Inputs& in) { return in.key.high; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.key.high = value; }};
inline constexpr InputPin kPhys = {
    "phys_i", Rtl::kPhysBits, [](const Rtl::Inputs& in) { return std::uint64_t{in.phys}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.phys = static_cast<std::uint32_t>(value); }};
inline constexpr InputPin kOp = {
    "op_i", 2, [](const Rtl::Inputs& in) { return static_cast<std::uint64_t>(in.op); },
    [](Rtl::Inputs& in, std::uint64_t value) { in.op = static_cast<Rtl::Op>(value); }};
inline constexpr InputPin kKeep = {
    "setup_keep_i", 1, [](const Rtl::Inputs& in) { return std::uint64_t{in.setup_keep}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.setup_keep = value != 0; }};
inline constexpr InputPin kFold = {
    "setup_fold_i", 1, [](const Rtl::Inputs& in) { return std::uint64_t{in.setup_fold}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.setup_fold = value != 0; }};
inline constexpr InputPin kLogSets = {
    "setup_log_sets_i", 4, [](const Rtl::Inputs& in) { return std::uint64_t{in.setup_log_sets}; },
    [](Rtl::Inputs& in, std::uint64_t value) {
        in.setup_log_sets = static_cast<std::uint8_t>(value);
    }};
inline constexpr InputPin kLogWays = {
    "setup_log_ways_i", 3, [](const Rtl::Inputs& in) { return std::uint64_t{in.setup_log_ways}; },
    [](Rtl::Inputs& in, std::uint64_t value) {
        in.setup_log_ways = static_cast<std::uint8_t>(value);
    }};
inline constexpr InputPin kShift = {
    "setup_shift_i", 5, [](const Rtl::Inputs& in) { return std::uint64_t{in.setup_shift}; },
    [](Rtl::Inputs& in, std::uint64_t value) {
        in.setup_shift = static_cast<std::uint8_t>(value);
    }};

/// Returns the pin in RTL with these parameters.
inline InputPin with(const Rtl::Parameters& parameters, InputPin pin) {
    if (pin.name == kPhys.name) pin.width_bits = parameters.phys_bits;
    return pin;
}

inline constexpr std::array<const InputPin*, 10> kAll = {
    &kElement, &kBatch, &kOwner, &kPhys, &kOp, &kKeep, &kFold, &kLogSets, &kLogWays, &kShift};

}  // namespace history_pins

/// Situations and pins that the bench must reach.
class HistoryPlan : public CoveragePlan {
public:
    using Rtl = LoadHistoryBufferRtl;

    const Bin look_up_hits = add("look-up hits"), look_up_misses = add("look-up misses"),
              vacant = add("insertion into a vacant way"),
              evicts = add("insertion replaces another key"),
              own_key = add("insertion replaces its own key"),
              released = add("release of a named register"),
              unnamed = add("release of a register without entry"),
              no_operation = add("operation 3 does nothing"), stall = add("result waits"),
              refused_sets = add("set-up with too many entries"),
              refused_ways = add("set-up with too many ways"), clear = add("clear"),
              beside_setup = add("operation beside a set-up"),
              beside_clear = add("operation beside a clear"),
              before_setup = add("operation before the first set-up"),
              after_refusal = add("operation after a refused set-up"),
              reset = add("reset with operations under way");
    std::vector<Bin> ways, sets;

    explicit HistoryPlan(const Rtl::Parameters& parameters) : parameters_(parameters) {
        for (std::uint32_t log = 0; log <= parameters.log_ways(); ++log) {
            ways.push_back(add(fmt::format("{} ways", 1U << log)));
        }
        for (std::uint32_t log = 0; log <= parameters.log_entries(); ++log) {
            sets.push_back(add(fmt::format("{} sets", 1U << log)));
        }
    }
    /// Notes an operation that was taken: the pins that it uses.
    void operation(const Rtl::Inputs& in) {
        const auto op = static_cast<std::uint64_t>(in.op);
        sample(op_, op);
        if (in.op == Rtl::Op::kLookup || in.op == Rtl::Op::kInsert) {
            sample(element_, in.key.element());
            sample(batch_, in.key.batch());
            sample(owner_, in.key.high);
        }
        if (in.op == Rtl::Op::kInsert || in.op == Rtl::Op::kRelease) sample(phys_, in.phys);
    }
    /// Notes a set-up that was taken, and whether the buffer refused it.
    void set_up(const Rtl::Inputs& in, bool refused) {
        sample(keep_, in.setup_keep ? 1 : 0);
        hit_if(clear, in.setup_keep);
        if (in.setup_keep) return;
        sample(fold_, in.setup_fold ? 1 : 0);
        sample(shift_, in.setup_shift);
        sample(log_sets_, in.setup_log_sets);
        sample(log_ways_, in.setup_log_ways);
        const bool many_ways = in.setup_log_ways > parameters_.log_ways();
        hit_if(refused_ways, many_ways);
        hit_if(refused_sets, refused && !many_ways);
        if (refused) return;
        hit(ways.at(in.setup_log_ways));
        hit(sets.at(in.setup_log_sets));
    }
    /// Notes a result that was taken.
    void result(Rtl::Op op, const Rtl::Outputs& out) {
        sample(found_register_, out.phys);
        const bool found = out.found != 0;
        switch (op) {
            case Rtl::Op::kLookup:
                hit(found ? look_up_hits : look_up_misses);
                return;
            case Rtl::Op::kInsert:
                hit(!found ? vacant : out.same_key != 0 ? own_key : evicts);
                return;
            case Rtl::Op::kRelease:
                hit(found ? released : unnamed);
                return;
        }
        hit(no_operation);
    }

private:
    Pin pin(const history_pins::InputPin& input) {
        return add_pin(input.name, history_pins::with(parameters_, input).width_bits);
    }

    const Rtl::Parameters parameters_;
    const Pin element_ = pin(history_pins::kElement), batch_ = pin(history_pins::kBatch),
              owner_ = pin(history_pins::kOwner), phys_ = pin(history_pins::kPhys),
              op_ = pin(history_pins::kOp), keep_ = pin(history_pins::kKeep),
              fold_ = pin(history_pins::kFold), log_sets_ = pin(history_pins::kLogSets),
              log_ways_ = pin(history_pins::kLogWays), shift_ = pin(history_pins::kShift),
              found_register_ = add_pin("phys_o", parameters_.phys_bits);
};

}  // namespace tessera
