// Instructions that the warps of a machine issued, as far as a recording needs them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sc_models/align/recording.h"
#include "sc_models/common/types.h"

namespace tessera {

/// The warp in each slot, how many instructions it issued, and the instruction that each sub-core
/// issued last.
class WarpIssues {
public:
    /// The instruction that a sub-core issued last, and its warp (kNoNumber: an assistant warp).
    struct Issued {
        std::uint32_t cta = kNoNumber, warp = kNoNumber;
        std::uint32_t index = 0;  ///< instructions that the warp issued before
        std::uint32_t opcode = 0;
        Cycle at = 0;
    };

    void launch(SmId sm, WarpId slot, CtaId cta, std::uint32_t warp_of_cta);
    void issue(SmId sm, SubCoreId sub_core, WarpId slot, std::uint32_t opcode, Cycle at);

    /// Returns whether a warp was launched or issued in the SM.
    [[nodiscard]] bool has(std::uint32_t sm) const { return sms_.count(sm) != 0; }
    [[nodiscard]] bool has(std::uint32_t sm, std::uint32_t sub_core) const {
        const auto here = sms_.find(sm);
        return here != sms_.end() && sub_core < here->second.last.size();
    }
    /// Returns the last instruction of a sub-core, with the warp that its slot has now.
    [[nodiscard]] Issued last(std::uint32_t sm, std::uint32_t sub_core) const;

private:
    /// A warp slot, and the instructions its warp has issued.
    struct Slot {
        std::uint32_t cta = kNoNumber, warp = kNoNumber, issued = 0;
    };
    struct LastIssue {
        WarpId slot;
        std::uint32_t index = 0, opcode = 0;
        Cycle at = 0;
    };
    struct Sm {
        std::vector<Slot> slots;
        std::vector<LastIssue> last;  ///< by sub-core
    };

    std::map<std::uint32_t, Sm> sms_;
};

}  // namespace tessera
