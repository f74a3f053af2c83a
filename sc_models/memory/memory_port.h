// What travels on the memory sockets besides the generic payload.
#pragma once

#include <tlm>

#include "sc_models/common/types.h"

namespace tessera {

/// Level that supplied a sector.
enum class ServedBy : std::uint8_t { kNone, kL1, kL1Pending, kL2, kL2Pending, kDram };

/// Ignorable extension that levels of the hierarchy fill in for whoever asked: a target that does
/// not know it leaves it as it is. Times are core cycles.
class AccessInfo : public tlm::tlm_extension<AccessInfo> {
public:
    Cycle accepted = 0;  ///< when the access entered (it may wait for an MSHR); 0: not told
    ServedBy served_by = ServedBy::kNone;
    bool bypass_l1 = false;  ///< set by the sender: reads come straight from L2

    tlm::tlm_extension_base* clone() const override { return new AccessInfo(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const AccessInfo&>(other);
    }
};

}  // namespace tessera
