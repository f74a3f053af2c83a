#include "sc_models/energy/energy_event.h"

#include <algorithm>

namespace tessera {

std::string_view key_of(EnergySize size) {
    constexpr std::array<std::string_view, 5> kKeys = {
        "", "duplo.lhb.entries", "tensor_core.accumulation_buffer.banks",
        "opportunistic.pt_entries", "opportunistic.at_entries"};
    return kKeys[static_cast<std::size_t>(size)];
}

const std::array<EnergyEventText, kEnergyEvents>& energy_events() {
    using Scope = EnergyScope;
    using Size = EnergySize;
    static constexpr std::array<EnergyEventText, kEnergyEvents> kTexts = {{
        {"register_read", "register_file", "128-byte warp register read", Scope::kStorage},
        {"register_write", "register_file", "128-byte warp register written", Scope::kStorage},
        {"instruction", "issue", "warp instruction fetched and decoded", Scope::kOnChip},
        {"schedule", "issue", "warp instruction scheduled, other than memory's", Scope::kOnChip},
        {"alu_instruction", "cuda_cores", "warp instruction of the CUDA cores", Scope::kOnChip},
        {"multiply_add_lane", "cuda_cores", "FP32 multiply-add of a vector operation",
         Scope::kOnChip},
        {"tensor_multiply_add", "tensor_cores", "multiply-add of a dot product unit",
         Scope::kOnChip},
        {"tensor_multiply", "tensor_cores", "product of an outer product unit", Scope::kOnChip},
        {"shared_wavefront", "shared_memory", "cycle of the banks", Scope::kStorage},
        {"l1_read_hit", "l1", "32 bytes", Scope::kStorage},
        {"l1_read_miss", "l1", "32 bytes, with their fill", Scope::kStorage},
        {"l1_probe", "l1", "look-up of tags beside that of the load history buffer, which hits",
         Scope::kStorage},
        {"l1_write_hit", "l1", "32 bytes", Scope::kStorage},
        {"l1_write_miss", "l1", "32 bytes", Scope::kStorage},
        {"noc_flit", "noc", "40 bytes through the crossbar", Scope::kOnChip},
        {"noc_flit_hop", "noc", "16 bytes through a router of the mesh", Scope::kOnChip},
        {"l2_read_hit", "l2", "32 bytes", Scope::kStorage},
        {"l2_read_miss", "l2", "32 bytes, with their fill", Scope::kStorage},
        {"l2_write_hit", "l2", "32 bytes", Scope::kStorage},
        {"l2_write_miss", "l2", "32 bytes", Scope::kStorage},
        {"l2_atomic_word", "l2", "FP32 word added by the atomic unit", Scope::kOnChip},
        {"dram_read", "dram", "32 bytes", Scope::kOffChip},
        {"dram_write", "dram", "32 bytes", Scope::kOffChip},
        {"dram_precharge", "dram", "row closed for another", Scope::kOffChip},
        {"duplo_id", "duplo", "address turned into an id", Scope::kStorage},
        {"lhb_lookup", "duplo", "look-up of the load history buffer", Scope::kStorage,
         Size::kLhbEntries},
        {"lhb_write", "duplo", "entry of the load history buffer written", Scope::kStorage,
         Size::kLhbEntries},
        {"rename_read", "duplo", "rename unit of an operand looked up", Scope::kStorage},
        {"rename_write", "duplo", "rename unit mapped", Scope::kStorage},
        {"accumulation_read", "dual_side", "accumulator read", Scope::kStorage,
         Size::kAccumulationBanks},
        {"accumulation_write", "dual_side", "accumulator written", Scope::kStorage,
         Size::kAccumulationBanks},
        {"accumulation_add", "dual_side", "FP32 addition to an accumulator", Scope::kStorage},
        {"collector_entry", "dual_side", "product through the operand collector", Scope::kStorage},
        {"bitmap_set", "dual_side", "k that the bitmap unit makes OHMMAs of", Scope::kStorage},
        {"precompute_search", "opportunistic", "search of a precompute table", Scope::kStorage,
         Size::kPrecomputeEntries},
        {"precompute_write", "opportunistic", "prediction entered", Scope::kStorage,
         Size::kPrecomputeEntries},
        {"precompute_result_write", "opportunistic", "result of 32 lanes entered", Scope::kStorage},
        {"precompute_result_read", "opportunistic", "result of 32 lanes used", Scope::kStorage},
        {"assign_search", "opportunistic", "search of an assign table", Scope::kStorage,
         Size::kAssignEntries},
        {"assign_write", "opportunistic", "pair of blocks entered", Scope::kStorage,
         Size::kAssignEntries},
        {"constant_power", "board", "cycle", Scope::kOffChip, Size::kNone, true},
        {"sm_static_tensor", "static", "cycle of an SM with warps, in a kernel of tensor cores",
         Scope::kOnChip, Size::kNone, true},
        {"sm_static_cuda", "static", "cycle of an SM with warps, in any other kernel",
         Scope::kOnChip, Size::kNone, true},
        {"sm_idle", "static", "cycle of an SM without warps", Scope::kOnChip, Size::kNone, true},
        {"sm_leakage", "leakage", "cycle of an SM", Scope::kStorage, Size::kNone, true},
        {"l2_slice_leakage", "leakage", "cycle of an L2 slice", Scope::kStorage, Size::kNone, true},
        {"lhb_leakage", "leakage", "cycle of a load history buffer", Scope::kStorage,
         Size::kLhbEntries, true},
        {"rename_leakage", "leakage", "cycle of a sub-core's rename table", Scope::kStorage,
         Size::kNone, true},
        {"accumulation_leakage", "leakage", "cycle of an accumulation buffer", Scope::kStorage,
         Size::kAccumulationBanks, true},
        {"precompute_leakage", "leakage", "cycle of a precompute table", Scope::kStorage,
         Size::kPrecomputeEntries, true},
        {"assign_leakage", "leakage", "cycle of an assign table", Scope::kStorage,
         Size::kAssignEntries, true},
    }};
    return kTexts;
}

std::optional<EnergyEvent> energy_event_named(std::string_view name) {
    const auto& texts = energy_events();
    const auto* const found =
        std::find_if(texts.begin(), texts.end(),
                     [name](const EnergyEventText& text) { return text.name == name; });
    if (found == texts.end()) return std::nullopt;
    return static_cast<EnergyEvent>(found - texts.begin());
}

}  // namespace tessera
