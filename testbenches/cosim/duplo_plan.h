// Coverage plan of the detection unit's bench.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/cosim/duplo_core_rtl.h"
#include "sc_models/pins/clocked_duplo_core.h"
#include "testbenches/cosim/coverage_plan.h"

namespace tessera {

/// Input pins of the detection unit that carry numbers, but the packet, whose fields are in the ID
/// generator's plan, and the kernel's tag. A set-up empties the buffer, so that all keys in it have
/// the same tag.
namespace duplo_pins {

using Rtl = DuploCoreRtl;
using InputPin = PlannedPin<Rtl::Inputs>;

inline constexpr InputPin kLogSets = {
    "setup_log_sets_i", 4, [](const Rtl::Inputs& in) { return std::uint64_t{in.setup.log_sets}; },
    [](Rtl::Inputs& in, std::uint64_t value) {
        in.setup.log_sets = static_cast<std::uint8_t>(value);
    }};
inline constexpr InputPin kLogWays = {
    "setup_log_ways_i", 3, [](const Rtl::Inputs& in) { return std::uint64_t{in.setup.log_ways}; },
    [](Rtl::Inputs& in, std::uint64_t value) {
        in.setup.log_ways = static_cast<std::uint8_t>(value);
    }};
inline constexpr InputPin kShift = {
    "setup_shift_i", 5, [](const Rtl::Inputs& in) { return std::uint64_t{in.setup.shift}; },
    [](Rtl::Inputs& in, std::uint64_t value) {
        in.setup.shift = static_cast<std::uint8_t>(value);
    }};
inline constexpr InputPin kFold = {
    "setup_fold_i", 1, [](const Rtl::Inputs& in) { return std::uint64_t{in.setup.fold}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.setup.fold = value != 0; }};
inline constexpr InputPin kUnits = {
    "setup_units_i", 15, [](const Rtl::Inputs& in) { return std::uint64_t{in.setup.units}; },
    [](Rtl::Inputs& in, std::uint64_t value) {
        in.setup.units = static_cast<std::uint32_t>(value);
    }};
inline constexpr InputPin kRegisters = {
    "setup_registers_i", 15,
    [](const Rtl::Inputs& in) { return std::uint64_t{in.setup.registers}; },
    [](Rtl::Inputs& in, std::uint64_t value) {
        in.setup.registers = static_cast<std::uint32_t>(value);
    }};
inline constexpr InputPin kOp = {
    "op_i", 2, [](const Rtl::Inputs& in) { return static_cast<std::uint64_t>(in.op); },
    [](Rtl::Inputs& in, std::uint64_t value) { in.op = static_cast<PipeUnit::Op>(value); }};
inline constexpr InputPin kAddress = {
    "address_i", 64, [](const Rtl::Inputs& in) { return std::uint64_t{in.address}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.address = value; }};
inline constexpr InputPin kUnit = {
    "unit_i", 14, [](const Rtl::Inputs& in) { return std::uint64_t{in.unit}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.unit = static_cast<std::uint32_t>(value); }};
inline constexpr InputPin kDomain = {
    "domain_i", 24, [](const Rtl::Inputs& in) { return std::uint64_t{in.domain}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.domain = static_cast<std::uint32_t>(value); }};

/// Returns the pin in RTL with these parameters.
inline InputPin with(const Rtl::Parameters& parameters, InputPin pin) {
    if (pin.name == kUnits.name) pin.width_bits = parameters.unit_bits + 1;
    if (pin.name == kRegisters.name) pin.width_bits = parameters.phys_bits + 1;
    if (pin.name == kUnit.name) pin.width_bits = parameters.unit_bits;
    return pin;
}

inline constexpr std::array<const InputPin*, 10> kAll = {
    &kLogSets, &kLogWays, &kShift, &kFold, &kUnits, &kRegisters, &kOp, &kAddress, &kUnit, &kDomain};

}  // namespace duplo_pins

/// Situations and pins that the bench must reach.
class DuploPlan : public CoveragePlan {
public:
    using Rtl = DuploCoreRtl;

    const Bin hit_ = add("look-up hits"), miss = add("look-up misses"),
              zero = add("chunk of zeros"), fresh = add("load without a look-up"),
              ended = add("end of a unit"),
              own_dead = add("look-up finds the register that its unit gave up, which died"),
              late_image = add("look-up in image 512 or later"),
              high_unit = add("unit in the upper half"),
              unit_waits = add("unit waits for the buffer"),
              insertion_waits = add("insertion waits for a release"),
              release_waits = add("release waits for an insertion"),
              setup_waits = add("set-up waits for units"),
              clear_waits = add("clear waits for units"), clear = add("clear"),
              clear_beside_setup = add("clear beside a set-up"),
              unit_beside_setup = add("unit beside a set-up"),
              unit_beside_clear = add("unit beside a clear"),
              unit_before_setup = add("unit before the first set-up"),
              clear_before_setup = add("clear before the first set-up"),
              unit_after_refusal = add("unit after a refused set-up"),
              clear_after_refusal = add("clear after a refused set-up"),
              all_units = add("set-up of all units"),
              all_registers = add("set-up of all registers"),
              packet_refused = add("set-up refused for its packet alone"),
              buffer_refused = add("set-up refused for the buffer alone"),
              table_refused = add("set-up refused for the table alone"),
              refused = add("set-up refused for two reasons"),
              reset_units = add("reset with units under way"),
              reset_settling = add("reset during a set-up");

    explicit DuploPlan(const Rtl::Parameters& parameters) : parameters_(parameters) {
        for (const char* reason :
             {"off", "outside", "unaligned", "crossing", "row tail", "batch tail"}) {
            reasons_.push_back(add(std::string("bypass: ") + reason));
        }
    }
    /// Notes what is offered in a cycle. Outputs are those of the model.
    void cycle(const ClockedDuploCore& model, const Rtl::Inputs& in, const Rtl::Outputs& out);
    /// Notes the reasons for which a set-up that was taken is refused.
    void set_up(const Rtl::Setup& setup, bool bad_packet, bool bad_buffer, bool bad_table);
    void reset(bool units_under_way, bool settling) {
        hit_if(reset_units, units_under_way);
        hit_if(reset_settling, settling);
        forget_transactions();
        organised_ = false;
    }

private:
    void note_offers(const ClockedDuploCore& model, const Rtl::Inputs& in, const Rtl::Outputs& out);
    void note_answer(const ClockedDuploCore& model, const Rtl::Outputs& out);
    Pin pin(const duplo_pins::InputPin& input) {
        return add_pin(input.name, duplo_pins::with(parameters_, input).width_bits);
    }

    const Rtl::Parameters parameters_;

    const Pin log_sets_ = pin(duplo_pins::kLogSets), log_ways_ = pin(duplo_pins::kLogWays),
              shift_ = pin(duplo_pins::kShift), fold_ = pin(duplo_pins::kFold),
              units_ = pin(duplo_pins::kUnits), registers_ = pin(duplo_pins::kRegisters),
              op_ = pin(duplo_pins::kOp), address_ = pin(duplo_pins::kAddress),
              unit_ = pin(duplo_pins::kUnit), domain_ = pin(duplo_pins::kDomain),
              unit_given_ = add_pin("unit_o", parameters_.unit_bits),
              phys_ = add_pin("phys_o", parameters_.phys_bits);
    std::vector<Bin> reasons_;
    bool organised_ = false;  ///< there was a set-up since the reset
};

/// Error of the RTL at its inputs, which the bench has to find.
struct DuploError {
    using Rtl = DuploCoreRtl;

    StuckPin stuck;
    std::string wrong;  ///< situation of the plan; empty: none
    Rtl::Parameters parameters;

    [[nodiscard]] bool is(std::string_view situation) const { return wrong == situation; }
    /// Returns the inputs with the error. Outputs are those of the model.
    [[nodiscard]] Rtl::Inputs seen_by_rtl(const Rtl::Inputs& in, const Rtl::Outputs& out,
                                          const ClockedDuploCore& model) const;
};

}  // namespace tessera
