// What travels on the memory sockets besides the generic payload.
#pragma once

#include <tlm>

#include "sc_models/common/types.h"

namespace tessera {

/// Level that supplied a sector.
enum class ServedBy : std::uint8_t { kNone, kL1, kL1Pending, kL2, kL2Pending, kDram };

/// What L2 does with a write, besides storing it. The data of an atomic are FP32 words, each added
/// to the one in memory.
enum class AtomicKind : std::uint8_t {
    kNone,
    kAdd,      ///< RED: nothing comes back
    kFetchAdd  ///< ATOM: what was there before takes the place of the transaction's data
};

/// Ignorable extension that levels of the hierarchy fill in for whoever asked: a target that does
/// not know it leaves it as it is. Times are core cycles.
class AccessInfo : public tlm::tlm_extension<AccessInfo> {
public:
    Cycle accepted = 0;  ///< when the access entered (it may wait for an MSHR); 0: not told
    ServedBy served_by = ServedBy::kNone;
    bool bypass_l1 = false;                 ///< set by the sender: reads come straight from L2
    AtomicKind atomic = AtomicKind::kNone;  ///< set by the sender, on writes
    bool added = false;                     ///< the atomic has been carried out
    /// Set by loosely-timed senders: with values, memory has the bytes already, or nobody wants
    /// them.
    bool moved = false;
    /// Set by the sender: the same for reads that a warp makes again and again, for prefetchers.
    std::uint32_t stream = 0;
    /// What the result of a kFetchAdd takes, after the transaction, from L2 to the registers; each
    /// level adds its part.
    Cycle return_cycles = 0;

    tlm::tlm_extension_base* clone() const override { return new AccessInfo(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const AccessInfo&>(other);
    }
};

/// Whether a loosely-timed target moves the bytes of a transaction that carries `info`, or null.
[[nodiscard]] inline bool moves_bytes(const AccessInfo* info) {
    return info == nullptr || !info->moved;
}

}  // namespace tessera
