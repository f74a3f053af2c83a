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
        std::uint32_t next_waiting = kNone;            ///< for the same register's data
        std::uint32_t older = kNone, younger = kNone;  ///< in order of issue
    };
    struct Timed {
        Cycle at;
        std::uint32_t node;
        friend bool operator<(const Timed& a,
                              const Timed& b) {  // heap: earliest first, then oldest
            return a.at != b.at ? a.at > b.at : a.node > b.node;
        }
    };

    std::uint32_t make(PhysRegId old, Cycle at);
    void push_timed(std::uint32_t node);
    PhysRegId take(std::uint32_t node);

    std::vector<Node> nodes_;
    std::vector<std::uint32_t> spare_;
    std::vector<Timed> heap_;
    std::vector<std::uint32_t> waiting_;  ///< register -> first node that waits for its data
    std::uint32_t oldest_ = kNone, youngest_ = kNone;
    std::uint32_t size_ = 0;
};

}  // namespace tessera
