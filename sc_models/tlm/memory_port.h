// TLM extension of the memory sockets.
#pragma once

#include <tlm>

#include "sc_models/common/types.h"

namespace tessera {

/// Level that supplied a sector.
enum class ServedBy : std::uint8_t { kNone, kL1, kL1Pending, kL2, kL2Pending, kDram };

/// Operation of L2 on a write, besides storing it. The data of an atomic are FP32 words, each added
/// to the one in memory.
enum class AtomicKind : std::uint8_t {
    kNone,
    kAdd,      ///< RED: no result is returned
    kFetchAdd  ///< ATOM: the old value replaces the transaction's data
};

/// Ignorable extension in which levels of the hierarchy report to the sender; a target without
/// support leaves it unchanged. Times are core cycles.
class AccessInfo : public tlm::tlm_extension<AccessInfo> {
public:
    Cycle accepted = 0;  ///< cycle of entry (it may wait for an MSHR); 0: not reported
    ServedBy served_by = ServedBy::kNone;
    bool bypass_l1 = false;  ///< set by the sender: reads are served by L2, not the L1
    /// Set by the sender, on reads: the data comes with that of another SM's request (multicast),
    /// so it takes nothing of its slice's output.
    bool multicast = false;
    AtomicKind atomic = AtomicKind::kNone;  ///< set by the sender, on writes
    bool added = false;                     ///< the atomic has been executed
    /// Set by loosely-timed senders: with values, the bytes were moved already or are not needed.
    bool moved = false;
    /// Set by the sender, for prefetchers: equal for reads that a warp repeats.
    std::uint32_t stream = 0;
    /// Response in a quantum that runs ahead of SystemC's time (LookAhead): the future that
    /// resolves to the completion, of which the delay is a lower bound. kNoFuture: the delay is
    /// exact.
    std::uint32_t future = kNoFuture;
    static constexpr std::uint32_t kNoFuture = ~std::uint32_t{0};
    /// Set by the sender in observed runs: number of the warp instruction that caused the
    /// transaction, passed on by every level; 0: none. Bits 32 to 47 are the SM.
    std::uint64_t id = 0;
    /// Cycles of a kFetchAdd result from L2 to the registers, after the transaction; each level
    /// adds its part.
    Cycle return_cycles = 0;

    tlm::tlm_extension_base* clone() const override { return new AccessInfo(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const AccessInfo&>(other);
    }
};

/// Returns the id in `info` (or null); 0: none.
[[nodiscard]] inline std::uint64_t access_id(const AccessInfo* info) {
    return info == nullptr ? 0 : info->id;
}
/// Width of a signal that holds an id.
inline constexpr std::uint32_t kAccessIdBits = 48;

/// Returns whether a loosely-timed target moves the bytes of a transaction with `info` (or null).
[[nodiscard]] inline bool moves_bytes(const AccessInfo* info) {
    return info == nullptr || !info->moved;
}

}  // namespace tessera
