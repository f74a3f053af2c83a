// Interfaces to observe the blocks a cache holds.
#pragma once

#include "sc_models/common/types.h"

namespace tessera {

/// Observer of lost lines, missed sectors and fills of a cache.
class BlockWatcher {
public:
    virtual ~BlockWatcher() = default;
    /// The line at `address` has been evicted.
    virtual void on_line_lost(Address address) = 0;
    /// The sector at `address` is neither present nor pending, and is requested now.
    virtual void on_sector_missed(Address address) = 0;
    /// A sector has arrived whose time BlockPresence could not return.
    virtual void on_sector_filled() {}
};

/// Interface to query the contents of a cache, without cost or side effects.
class BlockPresence {
public:
    virtual ~BlockPresence() = default;
    /// The sector is pending with an unknown arrival.
    static constexpr Cycle kOnItsWay = kNever - 1;
    /// Returns the cycle from which the sector at `address` can be read without a miss: 0 if it is
    /// present, its expected arrival (maybe kOnItsWay) if it is pending, kNever otherwise.
    [[nodiscard]] virtual Cycle sector_ready(Address address) const = 0;
    /// Sets the observer, at most one; null: none.
    virtual void watch(BlockWatcher* watcher) = 0;
};

}  // namespace tessera
