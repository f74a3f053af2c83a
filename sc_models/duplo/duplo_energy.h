// Energy events of Duplo.
#pragma once

#include "sc_models/mechanism/mechanism_energy.h"

namespace tessera {

namespace energy_event {
inline constexpr EnergyEvent kDuploId = {"duplo_id", "duplo", "address turned into an id",
                                         EnergyScope::kStorage};
inline constexpr EnergyEvent kLhbLookup = {"lhb_lookup", "duplo",
                                           "look-up of the load history buffer",
                                           EnergyScope::kStorage, "duplo.lhb.entries"};
inline constexpr EnergyEvent kLhbWrite = {"lhb_write", "duplo",
                                          "entry of the load history buffer written",
                                          EnergyScope::kStorage, "duplo.lhb.entries"};
inline constexpr EnergyEvent kRenameRead = {
    "rename_read", "duplo", "rename unit of an operand looked up", EnergyScope::kStorage};
inline constexpr EnergyEvent kRenameWrite = {"rename_write", "duplo", "rename unit mapped",
                                             EnergyScope::kStorage};
inline constexpr EnergyEvent kLhbLeakage = {
    "lhb_leakage",         "leakage",           "cycle of a load history buffer",
    EnergyScope::kStorage, "duplo.lhb.entries", true};
inline constexpr EnergyEvent kRenameLeakage = {
    "rename_leakage",      "leakage", "cycle of a sub-core's rename table",
    EnergyScope::kStorage, {},        true};
}  // namespace energy_event

[[nodiscard]] const MechanismEnergy& duplo_energy();

}  // namespace tessera
