// What a cache tells of the blocks it holds.
#pragma once

#include "sc_models/common/types.h"

namespace tessera {

/// Is told when a cache loses a line or has to ask for one.
class BlockWatcher {
public:
    virtual ~BlockWatcher() = default;
    /// The line at `address` has been pushed out.
    virtual void on_line_lost(Address address) = 0;
    /// The sector at `address` is neither here nor on its way, and is asked for now.
    virtual void on_sector_missed(Address address) = 0;
    /// A sector has arrived whose time BlockPresence could not tell.
    virtual void on_sector_filled() {}
};

/// A cache that can be asked what it holds, at no cost and without any effect.
class BlockPresence {
public:
    virtual ~BlockPresence() = default;
    /// On its way, and nobody knows how long.
    static constexpr Cycle kOnItsWay = kNever - 1;
    /// From which cycle on the sector at `address` can be read without a miss: 0 if it is here,
    /// when it is expected (maybe kOnItsWay) if it has been asked for, kNever otherwise.
    [[nodiscard]] virtual Cycle sector_ready(Address address) const = 0;
    /// At most one; null: nobody.
    virtual void watch(BlockWatcher* watcher) = 0;
};

}  // namespace tessera
