// Energy events of the dual-side sparse tensor core.
#pragma once

#include "sc_models/mechanism/mechanism_energy.h"

namespace tessera {

namespace energy_event {
inline constexpr EnergyEvent kAccumulationRead = {"accumulation_read", "dual_side",
                                                  "accumulator read", EnergyScope::kStorage,
                                                  "tensor_core.accumulation_buffer.banks"};
inline constexpr EnergyEvent kAccumulationWrite = {"accumulation_write", "dual_side",
                                                   "accumulator written", EnergyScope::kStorage,
                                                   "tensor_core.accumulation_buffer.banks"};
inline constexpr EnergyEvent kAccumulationAdd = {
    "accumulation_add", "dual_side", "FP32 addition to an accumulator", EnergyScope::kStorage};
inline constexpr EnergyEvent kCollectorEntry = {
    "collector_entry", "dual_side", "product through the operand collector", EnergyScope::kStorage};
inline constexpr EnergyEvent kBitmapSet = {
    "bitmap_set", "dual_side", "k that the bitmap unit makes OHMMAs of", EnergyScope::kStorage};
inline constexpr EnergyEvent kAccumulationLeakage = {"accumulation_leakage",
                                                     "leakage",
                                                     "cycle of an accumulation buffer",
                                                     EnergyScope::kStorage,
                                                     "tensor_core.accumulation_buffer.banks",
                                                     true};
}  // namespace energy_event

[[nodiscard]] const MechanismEnergy& dual_side_energy();

}  // namespace tessera
