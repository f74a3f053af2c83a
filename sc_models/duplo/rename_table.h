// Rename table with shared physical registers.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/host_memory.h"
#include "sc_models/common/types.h"

namespace tessera {

/// Rename table of one SM: maps architectural units (parts of fragments) to physical units. Each
/// physical unit has a reference count and, at count 0, a position in a first-in-first-out free
/// list. References are held by mappings and by callers of `retain` and `detach`.
class RenameTable {
public:
    static constexpr std::uint32_t kUnmapped = ~0u;

    RenameTable() { reset(0, 0, false); }
    /// Unmaps all architectural units and frees all physical ones, in ascending order. `growing`:
    /// the pool doubles instead of being exhausted.
    void reset(std::uint32_t architectural, std::uint32_t physical, bool growing);
    /// Replaces the order of the free list, right after `reset`; every physical unit must occur
    /// once.
    void set_free_order(const std::vector<std::uint32_t>& order);

    /// Maps an unmapped architectural unit to the first unit of the free list. Throws
    /// std::logic_error if there is none.
    PhysRegId map_new(std::uint32_t arch);
    /// Maps an unmapped architectural unit to `phys` too; takes `phys` off the free list if it is
    /// free, and returns true then (a revival).
    bool share(std::uint32_t arch, PhysRegId phys);
    /// Ends a mapping but keeps its reference, which the caller must `drop`. Returns invalid if
    /// unmapped.
    PhysRegId detach(std::uint32_t arch);
    /// Adds a reference.
    void retain(PhysRegId phys) { ++units_[phys.value()].count; }
    /// Removes a reference; returns true if it was the last, which appends the unit to the free
    /// list.
    bool drop(PhysRegId phys);

    /// Moves a free unit to the front of the free list.
    void put_first(PhysRegId phys);

    /// Host prefetch of the mappings of `count` architectural units from `first` on.
    void host_prefetch_mappings(std::uint32_t first, std::uint32_t count) const {
        host_prefetch_lines(map_.data() + first, map_.data() + first + count);
    }
    /// Host prefetch of the count of a physical unit.
    void host_prefetch(PhysRegId phys) const { host_prefetch_line(&units_[phys.value()]); }

    [[nodiscard]] PhysRegId mapping(std::uint32_t arch) const {
        return map_[arch] == kUnmapped ? PhysRegId{} : PhysRegId{map_[arch]};
    }
    /// Returns the first unit of the free list, which must not be empty.
    [[nodiscard]] PhysRegId first_free() const { return PhysRegId{units_.store[kHead].next - 1}; }
    [[nodiscard]] std::uint32_t count(PhysRegId phys) const { return units_[phys.value()].count; }
    [[nodiscard]] std::uint32_t physical_units() const { return physical_; }
    [[nodiscard]] std::uint32_t free_units() const { return free_; }
    [[nodiscard]] std::uint32_t mapped_units() const { return mapped_; }
    [[nodiscard]] bool growing() const { return growing_; }
    /// Throws CheckError unless every count equals the mappings to that unit (nothing retained or
    /// detached) and the free list holds exactly the units of count 0.
    void check() const;

private:
    struct Unit {
        std::uint32_t count = 0;
        std::uint32_t next = 0, previous = 0;  ///< links of the free list
    };

    void append_free(std::uint32_t unit) { link_behind(unit, units_.store[kHead].previous); }
    /// Inserts a unit into the free list, behind the one stored at `previous`.
    void link_behind(std::uint32_t unit, std::uint32_t previous);
    void unlink(std::uint32_t unit);
    /// Grows the pool; throws std::logic_error unless it may grow.
    void grow();
    [[noreturn]] static void refuse_drop(PhysRegId phys);
    /// Sentinel of the circular free list.
    static constexpr std::uint32_t kHead = 0;

    // Unit i is stored at i + 1, behind the sentinel.
    struct Units {
        std::vector<Unit> store;
        Unit& operator[](std::uint32_t i) { return store[i + 1]; }
        const Unit& operator[](std::uint32_t i) const { return store[i + 1]; }
    };

    std::vector<std::uint32_t> map_;
    Units units_;
    std::uint32_t physical_ = 0;
    std::uint32_t free_ = 0;
    std::uint32_t mapped_ = 0;
    bool growing_ = false;
};

// Inline, since every unit of every load executes these.

inline PhysRegId RenameTable::map_new(std::uint32_t arch) {
    if (free_ == 0) {
        grow();
    }
    const std::uint32_t unit = units_.store[kHead].next - 1;
    unlink(unit);
    units_[unit].count = 1;
    map_[arch] = unit;
    ++mapped_;
    return PhysRegId{unit};
}

inline bool RenameTable::share(std::uint32_t arch, PhysRegId phys) {
    const bool revived = units_[phys.value()].count == 0;
    if (revived) {
        unlink(phys.value());
    }
    ++units_[phys.value()].count;
    map_[arch] = phys.value();
    ++mapped_;
    return revived;
}

inline PhysRegId RenameTable::detach(std::uint32_t arch) {
    if (map_[arch] == kUnmapped) {
        return {};
    }
    const PhysRegId phys{map_[arch]};
    map_[arch] = kUnmapped;
    --mapped_;
    return phys;
}

inline bool RenameTable::drop(PhysRegId phys) {
    Unit& unit = units_[phys.value()];
    if (unit.count == 0) {
        refuse_drop(phys);
    }
    if (--unit.count != 0) {
        return false;
    }
    append_free(phys.value());
    return true;
}

inline void RenameTable::link_behind(std::uint32_t unit, std::uint32_t previous) {
    auto& store = units_.store;
    const std::uint32_t slot = unit + 1;
    const std::uint32_t next = store[previous].next;
    store[slot].next = next;
    store[slot].previous = previous;
    store[previous].next = slot;
    store[next].previous = slot;
    ++free_;
}

inline void RenameTable::unlink(std::uint32_t unit) {
    auto& store = units_.store;
    const Unit& u = store[unit + 1];
    store[u.previous].next = u.next;
    store[u.next].previous = u.previous;
    --free_;
}

}  // namespace tessera
