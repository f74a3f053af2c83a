// Energy events of the machine without mechanisms, and the list of all events.
#pragma once

#include <string_view>
#include <vector>

#include "sc_models/mechanism/energy_event.h"

namespace tessera {

namespace energy_event {
inline constexpr EnergyEvent kRegisterRead = {"register_read", "register_file",
                                              "128-byte warp register read", EnergyScope::kStorage};
inline constexpr EnergyEvent kRegisterWrite = {
    "register_write", "register_file", "128-byte warp register written", EnergyScope::kStorage};
inline constexpr EnergyEvent kInstruction = {
    "instruction", "issue", "warp instruction fetched and decoded", EnergyScope::kOnChip};
inline constexpr EnergyEvent kSchedule = {
    "schedule", "issue", "warp instruction scheduled, other than memory's", EnergyScope::kOnChip};
inline constexpr EnergyEvent kAluInstruction = {
    "alu_instruction", "cuda_cores", "warp instruction of the CUDA cores", EnergyScope::kOnChip};
inline constexpr EnergyEvent kMultiplyAddLane = {"multiply_add_lane", "cuda_cores",
                                                 "FP32 multiply-add of a vector operation",
                                                 EnergyScope::kOnChip};
inline constexpr EnergyEvent kTensorMultiplyAdd = {"tensor_multiply_add", "tensor_cores",
                                                   "multiply-add of a dot product unit",
                                                   EnergyScope::kOnChip};
inline constexpr EnergyEvent kTensorMultiply = {
    "tensor_multiply", "tensor_cores", "product of an outer product unit", EnergyScope::kOnChip};
inline constexpr EnergyEvent kSharedWavefront = {"shared_wavefront", "shared_memory",
                                                 "cycle of the banks", EnergyScope::kStorage};
inline constexpr EnergyEvent kL1ReadHit = {"l1_read_hit", "l1", "32 bytes", EnergyScope::kStorage};
inline constexpr EnergyEvent kL1ReadMiss = {"l1_read_miss", "l1", "32 bytes, with their fill",
                                            EnergyScope::kStorage};
inline constexpr EnergyEvent kL1WriteHit = {"l1_write_hit", "l1", "32 bytes",
                                            EnergyScope::kStorage};
inline constexpr EnergyEvent kL1WriteMiss = {"l1_write_miss", "l1", "32 bytes",
                                             EnergyScope::kStorage};
inline constexpr EnergyEvent kNocFlit = {"noc_flit", "noc", "40 bytes through the crossbar",
                                         EnergyScope::kOnChip};
inline constexpr EnergyEvent kNocFlitHop = {
    "noc_flit_hop", "noc", "16 bytes through a router of the mesh", EnergyScope::kOnChip};
inline constexpr EnergyEvent kL2ReadHit = {"l2_read_hit", "l2", "32 bytes", EnergyScope::kStorage};
inline constexpr EnergyEvent kL2ReadMiss = {"l2_read_miss", "l2", "32 bytes, with their fill",
                                            EnergyScope::kStorage};
inline constexpr EnergyEvent kL2WriteHit = {"l2_write_hit", "l2", "32 bytes",
                                            EnergyScope::kStorage};
inline constexpr EnergyEvent kL2WriteMiss = {"l2_write_miss", "l2", "32 bytes",
                                             EnergyScope::kStorage};
inline constexpr EnergyEvent kL2AtomicWord = {
    "l2_atomic_word", "l2", "FP32 word added by the atomic unit", EnergyScope::kOnChip};
inline constexpr EnergyEvent kDramRead = {"dram_read", "dram", "32 bytes", EnergyScope::kOffChip};
inline constexpr EnergyEvent kDramWrite = {"dram_write", "dram", "32 bytes", EnergyScope::kOffChip};
inline constexpr EnergyEvent kDramPrecharge = {"dram_precharge", "dram", "row closed for another",
                                               EnergyScope::kOffChip};
inline constexpr EnergyEvent kConstantPower = {"constant_power",      "board", "cycle",
                                               EnergyScope::kOffChip, {},      true};
inline constexpr EnergyEvent kSmStaticTensor = {
    "sm_static_tensor",   "static", "cycle of an SM with warps, in a kernel of tensor cores",
    EnergyScope::kOnChip, {},       true};
inline constexpr EnergyEvent kSmStaticCuda = {
    "sm_static_cuda",     "static", "cycle of an SM with warps, in any other kernel",
    EnergyScope::kOnChip, {},       true};
inline constexpr EnergyEvent kSmIdle = {
    "sm_idle", "static", "cycle of an SM without warps", EnergyScope::kOnChip, {}, true};
inline constexpr EnergyEvent kSmLeakage = {"sm_leakage",          "leakage", "cycle of an SM",
                                           EnergyScope::kStorage, {},        true};
inline constexpr EnergyEvent kL2SliceLeakage = {
    "l2_slice_leakage", "leakage", "cycle of an L2 slice", EnergyScope::kStorage, {}, true};
}  // namespace energy_event

/// All events, in the order of the account: those of the machine, those of the mechanisms, and
/// likewise for the events of leakage. docs/energy.md lists the counters of each.
[[nodiscard]] const std::vector<const EnergyEvent*>& energy_events();
/// Index of the event in energy_events().
[[nodiscard]] std::size_t index_of(const EnergyEvent& event);
/// Whether the event counts cycles of the card itself, which takes power whatever a kernel does.
[[nodiscard]] bool is_always_on(const EnergyEvent& event);
/// The event with this name, or null.
[[nodiscard]] const EnergyEvent* energy_event_named(std::string_view name);

}  // namespace tessera
