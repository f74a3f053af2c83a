// The rules of the TLM-2.0 base protocol that a checker can see broken.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera {

/// One a kind of violation; clauses are those of IEEE Std 1666-2011.
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

/// A short name ("request exclusion").
[[nodiscard]] std::string_view name_of(ProtocolRule rule);
/// What the standard demands, in a sentence.
[[nodiscard]] std::string_view demand_of(ProtocolRule rule);
/// The clause of IEEE Std 1666-2011.
[[nodiscard]] std::string_view clause_of(ProtocolRule rule);

}  // namespace tessera
