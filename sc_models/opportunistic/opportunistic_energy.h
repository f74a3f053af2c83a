// Energy events of opportunistic computing.
#pragma once

#include "sc_models/mechanism/mechanism_energy.h"

namespace tessera {

namespace energy_event {
inline constexpr EnergyEvent kPrecomputeSearch = {
    "precompute_search", "opportunistic", "search of a precompute table", EnergyScope::kStorage,
    "opportunistic.pt_entries"};
inline constexpr EnergyEvent kPrecomputeWrite = {"precompute_write", "opportunistic",
                                                 "prediction entered", EnergyScope::kStorage,
                                                 "opportunistic.pt_entries"};
inline constexpr EnergyEvent kPrecomputeResultWrite = {"precompute_result_write", "opportunistic",
                                                       "result of 32 lanes entered",
                                                       EnergyScope::kStorage};
inline constexpr EnergyEvent kPrecomputeResultRead = {
    "precompute_result_read", "opportunistic", "result of 32 lanes used", EnergyScope::kStorage};
inline constexpr EnergyEvent kAssignSearch = {"assign_search", "opportunistic",
                                              "search of an assign table", EnergyScope::kStorage,
                                              "opportunistic.at_entries"};
inline constexpr EnergyEvent kAssignWrite = {"assign_write", "opportunistic",
                                             "pair of blocks entered", EnergyScope::kStorage,
                                             "opportunistic.at_entries"};
inline constexpr EnergyEvent kPrecomputeLeakage = {
    "precompute_leakage",       "leakage", "cycle of a precompute table", EnergyScope::kStorage,
    "opportunistic.pt_entries", true};
inline constexpr EnergyEvent kAssignLeakage = {"assign_leakage",           "leakage",
                                               "cycle of an assign table", EnergyScope::kStorage,
                                               "opportunistic.at_entries", true};
}  // namespace energy_event

[[nodiscard]] const MechanismEnergy& opportunistic_energy();

}  // namespace tessera
