// Mappings whose end waits until the load that overwrites them has its data.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// References to physical units that end at a later time, for release at commit. Time-ordered; the
/// overwriting load's arrival may become known later than its issue.
class PendingReleases {
public:
    void reset(std::uint32_t registers);
    /// More physical units.
    void grow(std::uint32_t registers) { waiting_.resize(registers, kNone); }

    /// `old` ends at `at`.
    void end_at(PhysRegId old, Cycle at);
    /// `old` ends when the data of `until` arrives, not before `at`.
    void end_with(PhysRegId old, PhysRegId until, Cycle at);
    /// The data of `phys` arrives at `at`.
    void announce(PhysRegId phys, Cycle at);

    /// Next reference that ended by `now`, invalid if none.
    PhysRegId pop_due(Cycle now);
    /// The reference that waits longest, invalid if none; for when registers run out.
    PhysRegId pop_oldest();
    [[nodiscard]] std::uint32_t size() const { return size_; }

private:
    static constexpr std::uint32_t kNone = ~0u;
    /// One reference; `old` becomes invalid when it was popped early and only bookkeeping is left.
    struct Node {
        PhysRegId old;
        Cycle at = 0;
        std::uint32_t next = kNone;  ///< waits for the same data, or ends at the same time
        std::uint32_t older = kNone, younger = kNone;  ///< in order of issue
    };
    /// References that end at the same time, which those of one load often do.
    struct Group {
        Cycle at;
        std::uint32_t index;
        friend bool operator<(const Group& a, const Group& b) {  // heap: earliest first
            return a.at != b.at ? a.at > b.at : a.index > b.index;
        }
    };

    std::uint32_t make(PhysRegId old, Cycle at);
    void push_timed(std::uint32_t node);
    PhysRegId take(std::uint32_t node);

    std::vector<Node> nodes_;
    std::vector<std::uint32_t> spare_;
    std::vector<Group> heap_;
    std::vector<std::uint32_t> first_of_group_;
    std::vector<std::uint32_t> spare_groups_;
    Cycle open_at_ = 0;  ///< the group last begun, while it is in the heap
    std::uint32_t open_group_ = kNone;
    std::uint32_t due_ = kNone;           ///< nodes of the group that is being popped
    std::vector<std::uint32_t> waiting_;  ///< register -> first node that waits for its data
    std::uint32_t oldest_ = kNone, youngest_ = kNone;
    std::uint32_t size_ = 0;
};

}  // namespace tessera
