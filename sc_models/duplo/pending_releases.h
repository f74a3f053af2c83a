// Pending releases: mappings that end when the load that overwrites them has its data.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// References to physical units that end at a later time, for release at commit, ordered by time;
/// the overwriting load's arrival may become known later than its issue.
class PendingReleases {
public:
    void reset(std::uint32_t registers);
    /// Adds physical units.
    void grow(std::uint32_t registers) { waiting_.resize(registers, kNone); }

    /// Ends `old` at `at`.
    void end_at(PhysRegId old, Cycle at);
    /// Ends `old` when the data of `until` arrives, not before `at`.
    void end_with(PhysRegId old, PhysRegId until, Cycle at);
    /// Reports that the data of `phys` arrives at `at`.
    void announce(PhysRegId phys, Cycle at);

    /// Removes and returns the next reference that ended by `now`, invalid if none.
    PhysRegId pop_due(Cycle now);
    /// Removes and returns the oldest reference, invalid if none; for lack of registers.
    PhysRegId pop_oldest();
    [[nodiscard]] std::uint32_t size() const { return size_; }

private:
    static constexpr std::uint32_t kNone = ~0u;
    /// One reference; `old` is invalid once it was popped early and only the node remains.
    struct Node {
        PhysRegId old;
        Cycle at = 0;
        std::uint32_t next =
            kNone;  ///< next node that waits for the same data or ends at the same time
        std::uint32_t older = kNone, younger = kNone;  ///< in order of issue
    };
    /// References that end at the same time, as those of one load often do.
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
    Cycle open_at_ = 0;  ///< cycle of the group begun last
    std::uint32_t open_group_ = kNone;
    std::uint32_t due_ = kNone;           ///< remaining nodes of the group being popped
    std::vector<std::uint32_t> waiting_;  ///< register to first node that waits for its data
    std::uint32_t oldest_ = kNone, youngest_ = kNone;
    std::uint32_t size_ = 0;
};

}  // namespace tessera
