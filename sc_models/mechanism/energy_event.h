// Kind of event that the energy account prices.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera {

/// Scope of an event: the narrowest sum of the account that includes it.
enum class EnergyScope : std::uint8_t {
    kStorage,  ///< registers, caches and added mechanisms; included in the chip
    kOnChip,   ///< the chip
    kOffChip   ///< DRAM and the board
};

/// A kind of event, with its names in tables and results. Each exists once, as a constant with
/// static storage, and its address identifies it.
struct EnergyEvent {
    std::string_view name;
    std::string_view part;  ///< of the machine
    std::string_view one;   ///< the counted unit
    EnergyScope scope = EnergyScope::kStorage;
    std::string_view size_key = {};  ///< key whose value determines the price; empty: none
    /// Whether the event counts cycles of hardware that takes power by being on, and is priced in
    /// milliwatts.
    bool leaks = false;
};

namespace energy_event {
/// Event of the L1 that mechanisms in front of it count.
inline constexpr EnergyEvent kL1Probe = {
    "l1_probe", "l1", "look-up of tags beside that of the load history buffer, which hits",
    EnergyScope::kStorage};
}  // namespace energy_event

}  // namespace tessera
