// Kinds of events that the energy account prices.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// Kinds of events, in the order of the account. docs/energy.md lists the counters of each.
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
    kSmStaticTensor,
    kSmStaticCuda,
    kSmIdle,
    kSmLeakage,
    kL2SliceLeakage,
    kLhbLeakage,
    kRenameLeakage,
    kAccumulationLeakage,
    kPrecomputeLeakage,
    kAssignLeakage
};
inline constexpr std::size_t kEnergyEvents = 51;
static_assert(static_cast<std::size_t>(EnergyEvent::kAssignLeakage) + 1 == kEnergyEvents);

/// Scope of an event: the narrowest sum of the account that includes it.
enum class EnergyScope : std::uint8_t {
    kStorage,  ///< registers, caches and added mechanisms; included in the chip
    kOnChip,   ///< the chip
    kOffChip   ///< DRAM and the board
};

/// Configuration key whose value determines the price of an event.
enum class EnergySize : std::uint8_t {
    kNone,
    kLhbEntries,
    kAccumulationBanks,
    kPrecomputeEntries,
    kAssignEntries
};
[[nodiscard]] std::string_view key_of(EnergySize size);

/// Names of an event in tables and results.
struct EnergyEventText {
    std::string_view name;
    std::string_view part;  ///< of the machine
    std::string_view one;   ///< the counted unit
    EnergyScope scope;
    EnergySize size = EnergySize::kNone;
    /// Whether the event counts cycles of hardware that takes power by being on, and is priced in
    /// milliwatts.
    bool leaks = false;
};

/// Texts of all events, indexed by EnergyEvent.
[[nodiscard]] const std::array<EnergyEventText, kEnergyEvents>& energy_events();
[[nodiscard]] inline const EnergyEventText& text_of(EnergyEvent event) {
    return energy_events()[static_cast<std::size_t>(event)];
}
/// Whether the event counts cycles of the card itself, which takes power whatever a kernel does.
[[nodiscard]] constexpr bool is_always_on(EnergyEvent event) {
    return event >= EnergyEvent::kConstantPower && event <= EnergyEvent::kSmIdle;
}
/// The event with this name, or nothing.
[[nodiscard]] std::optional<EnergyEvent> energy_event_named(std::string_view name);

}  // namespace tessera
