// Coverage plan of the rename table's bench.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sc_models/cosim/rename_table_rtl.h"
#include "sc_models/pins/clocked_rename_table.h"
#include "testbenches/cosim/coverage_plan.h"

namespace tessera {

/// Input pins of the rename table that carry numbers.
namespace rename_pins {

using Rtl = RenameTableRtl;
using InputPin = PlannedPin<Rtl::Inputs>;

inline constexpr InputPin kUnits = {
    "setup_units_i", Rtl::kUnitBits + 1,
    [](const Rtl::Inputs& in) { return std::uint64_t{in.setup_units}; },
    [](Rtl::Inputs& in, std::uint64_t value) {
        in.setup_units = static_cast<std::uint32_t>(value);
    }};
inline constexpr InputPin kRegisters = {
    "setup_registers_i", Rtl::kPhysBits + 1,
    [](const Rtl::Inputs& in) { return std::uint64_t{in.setup_registers}; },
    [](Rtl::Inputs& in, std::uint64_t value) {
        in.setup_registers = static_cast<std::uint32_t>(value);
    }};
inline constexpr InputPin kUnit = {
    "unit_i", Rtl::kUnitBits, [](const Rtl::Inputs& in) { return std::uint64_t{in.unit}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.unit = static_cast<std::uint32_t>(value); }};
inline constexpr InputPin kMapOp = {
    "map_op_i", 2, [](const Rtl::Inputs& in) { return static_cast<std::uint64_t>(in.map_op); },
    [](Rtl::Inputs& in, std::uint64_t value) { in.map_op = static_cast<Rtl::Op>(value); }};
inline constexpr InputPin kMapUnit = {
    "map_unit_i", Rtl::kUnitBits, [](const Rtl::Inputs& in) { return std::uint64_t{in.map_unit}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.map_unit = static_cast<std::uint32_t>(value); }};
inline constexpr InputPin kMapPhys = {
    "map_phys_i", Rtl::kPhysBits, [](const Rtl::Inputs& in) { return std::uint64_t{in.map_phys}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.map_phys = static_cast<std::uint32_t>(value); }};

/// Returns the pin in RTL with these parameters.
inline InputPin with(const Rtl::Parameters& parameters, InputPin pin) {
    if (pin.name == kUnits.name) pin.width_bits = parameters.unit_bits + 1;
    if (pin.name == kRegisters.name) pin.width_bits = parameters.phys_bits + 1;
    if (pin.name == kUnit.name || pin.name == kMapUnit.name) pin.width_bits = parameters.unit_bits;
    if (pin.name == kMapPhys.name) pin.width_bits = parameters.phys_bits;
    return pin;
}

inline constexpr std::array<const InputPin*, 6> kAll = {&kUnits, &kRegisters, &kUnit,
                                                        &kMapOp, &kMapUnit,   &kMapPhys};

}  // namespace rename_pins

/// Situations and pins that the bench must reach.
class RenamePlan : public CoveragePlan {
public:
    using Rtl = RenameTableRtl;
    using Op = Rtl::Op;

    const Bin unmapped_ends = add("end of a unit without a register"),
              others_stay = add("end of a unit whose register others have"),
              dies = add("register dies with its last unit"),
              relayed = add("share of a register in the cycle in which it would die"),
              shared_beside_end = add("share of a register whose unit ended in the cycle before"),
              to_none = add("mapping to no register"),
              operation_3 = add("mapping operation 3 maps to no register"),
              never_used = add("new register that was never used"),
              came_back = add("new register that came back"),
              last_free = add("new register is the last free one"),
              just_died = add("new register died in the cycle before"),
              shared = add("share of a register"), register_waits = add("old register waits"),
              unit_waits = add("unit waits behind an old register"),
              mapping_waits = add("mapping waits for a free register"),
              both = add("a unit ends and another one is mapped");
    const Bin no_unit = add("set-up of no unit"), no_register = add("set-up of no register"),
              many_units = add("set-up of too many units"),
              many_registers = add("set-up of too many registers"),
              all_units = add("table of all units"), all_registers = add("table of all registers"),
              one_unit = add("table of one unit"), one_register = add("table of one register"),
              full_row = add("units end with their row"),
              begun_row = add("units end with the first of a row"),
              all_mapped = add("all units of the largest table are mapped");
    const Bin unit_beside_setup = add("unit beside a set-up"),
              mapping_beside_setup = add("mapping beside a set-up"),
              before_setup = add("unit and mapping before the first set-up"),
              after_refusal = add("unit and mapping after a refused set-up"),
              during_walk = add("unit and mapping while a set-up unmaps"),
              setup_waits = add("set-up waits for a unit"),
              reset_units = add("reset with units under way"),
              reset_walk = add("reset while a set-up unmaps");

    explicit RenamePlan(const Rtl::Parameters& parameters) : parameters_(parameters) {}
    /// Notes what is offered in a cycle. `organised`: there was a set-up since the reset.
    void offer(const ClockedRenameTable& model, const Rtl::Inputs& in, const Rtl::Outputs& out,
               bool organised);
    /// Notes what is taken in a cycle, before the model's edge.
    void edge(const ClockedRenameTable& model, const Rtl::Inputs& in, const Rtl::Outputs& out);
    /// Notes a set-up that was taken, and whether the table refused it.
    void set_up(const Rtl::Inputs& in, bool refused);
    /// Notes a reset behind the cycle that was noted last.
    void reset(const ClockedRenameTable& model);

private:
    void note_mapping(const ClockedRenameTable& model, const Rtl::Inputs& in,
                      const Rtl::Outputs& out);
    Pin pin(const rename_pins::InputPin& input) {
        return add_pin(input.name, rename_pins::with(parameters_, input).width_bits);
    }

    const Rtl::Parameters parameters_;

    const Pin units_ = pin(rename_pins::kUnits), registers_ = pin(rename_pins::kRegisters),
              unit_ = pin(rename_pins::kUnit), map_op_ = pin(rename_pins::kMapOp),
              map_unit_ = pin(rename_pins::kMapUnit), map_phys_ = pin(rename_pins::kMapPhys),
              old_ = add_pin("old_o", parameters_.phys_bits),
              died_phys_ = add_pin("died_phys_o", parameters_.phys_bits),
              given_ = add_pin("map_phys_o", parameters_.phys_bits),
              free_ = add_pin("free_o", parameters_.phys_bits + 1),
              mapped_ = add_pin("mapped_o", parameters_.unit_bits + 1);
    std::uint32_t pool_ = 0;          ///< registers of the set-up
    std::uint32_t new_mappings_ = 0;  ///< since the set-up
    bool died_before_ = false;        ///< a register did in the cycle before
};

/// Error of the RTL at its inputs, which the bench has to find.
struct RenameError {
    using Rtl = RenameTableRtl;

    StuckPin stuck;
    std::string wrong;  ///< situation of the plan; empty: none
    Rtl::Parameters parameters;

    /// Returns the inputs with the error. `organised`: there was a set-up since the reset.
    [[nodiscard]] Rtl::Inputs seen_by_rtl(const Rtl::Inputs& in, const ClockedRenameTable& model,
                                          bool organised) const;
    /// Whether the RTL misses a reset in this state of the model.
    [[nodiscard]] bool skips_reset(const ClockedRenameTable& model) const {
        return (wrong == "reset with units under way" && model.units_under_way()) ||
               (wrong == "reset while a set-up unmaps" && model.unmaps());
    }
};

}  // namespace tessera
