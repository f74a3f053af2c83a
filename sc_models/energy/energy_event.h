// What the energy account prices: each kind of event once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// Kinds of events, in the order of the account. docs/energy.md says which counters each is counted
/// from.
enum class EnergyEvent : std::uint8_t {
    kRegisterRead,
    kRegisterWrite,
    kInstruction,
    kSchedule,
    kAluInstruction,
    kMultiplyAddLane,
    kTensorMultiplyAdd,
    kTensorMultiply,
    kSharedWavefront,
    kL1ReadHit,
    kL1ReadMiss,
    kL1Probe,
    kL1WriteHit,
    kL1WriteMiss,
    kNocFlit,
    kNocFlitHop,
    kL2ReadHit,
    kL2ReadMiss,
    kL2WriteHit,
    kL2WriteMiss,
    kL2AtomicWord,
    kDramRead,
    kDramWrite,
    kDramPrecharge,
    kDuploId,
    kLhbLookup,
    kLhbWrite,
    kRenameRead,
    kRenameWrite,
    kAccumulationRead,
    kAccumulationWrite,
    kAccumulationAdd,
    kCollectorEntry,
    kBitmapSet,
    kPrecomputeSearch,
    kPrecomputeWrite,
    kPrecomputeResultWrite,
    kPrecomputeResultRead,
    kAssignSearch,
    kAssignWrite,
    kConstantPower,
    kSmLeakage,
    kL2SliceLeakage,
    kLhbLeakage,
    kRenameLeakage,
    kAccumulationLeakage,
    kPrecomputeLeakage,
    kAssignLeakage
};
inline constexpr std::size_t kEnergyEvents = 48;
static_assert(static_cast<std::size_t>(EnergyEvent::kAssignLeakage) + 1 == kEnergyEvents);

/// Which sums of the account an event is part of.
enum class EnergyScope : std::uint8_t {
    kStorage,  ///< registers, caches and what a mechanism adds, and the chip
    kOnChip,   ///< the chip
    kOffChip   ///< DRAM and the board
};

/// What the key of a configuration is on whose value the price of an event depends.
enum class EnergySize : std::uint8_t {
    kNone,
    kLhbEntries,
    kAccumulationBanks,
    kPrecomputeEntries,
    kAssignEntries
};
[[nodiscard]] std::string_view key_of(EnergySize size);

/// How tables and results name an event.
struct EnergyEventText {
    std::string_view name;
    std::string_view part;  ///< of the machine
    std::string_view one;   ///< what is counted
    EnergyScope scope;
    EnergySize size = EnergySize::kNone;
    /// Counted in cycles of the hardware that leaks, priced in milliwatts.
    bool leaks = false;
};

/// By EnergyEvent.
[[nodiscard]] const std::array<EnergyEventText, kEnergyEvents>& energy_events();
[[nodiscard]] inline const EnergyEventText& text_of(EnergyEvent event) {
    return energy_events()[static_cast<std::size_t>(event)];
}
/// The event of that name, or nothing.
[[nodiscard]] std::optional<EnergyEvent> energy_event_named(std::string_view name);

}  // namespace tessera
