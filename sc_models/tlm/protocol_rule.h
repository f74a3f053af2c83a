// Rules of the TLM-2.0 base protocol that the checker verifies.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera {

/// One value for each kind of violation; clauses are those of IEEE Std 1666-2011.
enum class ProtocolRule : std::uint8_t {
    // Phases and their order.
    kForwardPhase,
    kBackwardPhase,
    kPhaseOrder,
    kPhaseOutsideTransaction,
    kRequestExclusion,
    kResponseExclusion,
    kReturnValue,
    kTimingDecreases,
    kMixedTransport,
    kBlockingInMethod,
    // Transaction objects.
    kNoMemoryManager,
    kNoReference,
    kPayloadReused,
    // Attributes of the generic payload as a request starts.
    kCommand,
    kDataPointer,
    kDataLength,
    kByteEnables,
    kStreamingWidth,
    kDmiHint,
    kOption,
    kInitialStatus,
    // Attributes later on.
    kAttributeModified,
    kDataModified,
    kResponseStatus,
    // The other interfaces.
    kDebug,
    kDmi
};
inline constexpr std::size_t kProtocolRules = static_cast<std::size_t>(ProtocolRule::kDmi) + 1;

/// Returns a short name ("request exclusion").
[[nodiscard]] std::string_view name_of(ProtocolRule rule);
/// Returns the requirement of the standard as a sentence.
[[nodiscard]] std::string_view demand_of(ProtocolRule rule);
/// Returns the clause of IEEE Std 1666-2011.
[[nodiscard]] std::string_view clause_of(ProtocolRule rule);

}  // namespace tessera
