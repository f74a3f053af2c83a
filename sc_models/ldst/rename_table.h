// Register renaming with shared physical registers.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Rename table of one SM: architectural units (pieces of A fragments) to physical units, each
/// physical unit with a count of its references and, at count 0, a place in a first-in-first-out
/// free list. References are held by mappings and by whoever called `retain` or `detach`.
class RenameTable {
public:
    static constexpr std::uint32_t kUnmapped = ~0u;

    RenameTable() { reset(0, 0, false); }
    /// All architectural units unmapped, all physical ones free in ascending order. `growing`: the
    /// pool doubles when it runs out instead of being exhausted.
    void reset(std::uint32_t architectural, std::uint32_t physical, bool growing);
    /// Replaces the order of the free list, right after `reset`; every physical unit must occur
    /// once.
    void set_free_order(const std::vector<std::uint32_t>& order);

    /// Maps an unmapped architectural unit to the first unit of the free list. Throws
    /// std::logic_error if there is none.
    PhysRegId map_new(std::uint32_t arch);
    /// Maps an unmapped architectural unit to `phys` too; takes it off the free list if it lies
    /// there. True if it did (a revival).
    bool share(std::uint32_t arch, PhysRegId phys);
    /// Ends a mapping but keeps its reference, which the caller must `drop`. Invalid if unmapped.
    PhysRegId detach(std::uint32_t arch);
    /// One more reference.
    void retain(PhysRegId phys) { ++units_[phys.value()].count; }
    /// One reference less; true if it was the last and the unit went to the end of the free list.
    bool drop(PhysRegId phys);

    [[nodiscard]] PhysRegId mapping(std::uint32_t arch) const {
        return map_[arch] == kUnmapped ? PhysRegId{} : PhysRegId{map_[arch]};
    }
    [[nodiscard]] std::uint32_t count(PhysRegId phys) const { return units_[phys.value()].count; }
    [[nodiscard]] std::uint32_t architectural_units() const {
        return static_cast<std::uint32_t>(map_.size());
    }
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
        std::uint32_t next = 0, previous = 0;  ///< in the free list
    };

    void append_free(std::uint32_t unit);
    void unlink(std::uint32_t unit);
    void grow();
    /// Sentinel of the circular free list.
    static constexpr std::uint32_t kHead = 0;

    // Unit i is stored at i + 1 behind the sentinel.
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

}  // namespace tessera
