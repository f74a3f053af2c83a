#include "sc_models/duplo/rename_table.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sc_models/common/error.h"

namespace tessera {

namespace {
constexpr std::uint32_t kSmallestPool = 1024;
}

void RenameTable::reset(std::uint32_t architectural, std::uint32_t physical, bool growing) {
    growing_ = growing;
    map_.assign(architectural, kUnmapped);
    mapped_ = 0;
    physical_ = physical;
    free_ = 0;
    units_.store.assign(std::size_t{physical} + 1, Unit{});
    for (std::uint32_t i = 0; i < physical; ++i) {
        append_free(i);
    }
}

void RenameTable::set_free_order(const std::vector<std::uint32_t>& order) {
    if (free_ != physical_ || order.size() != physical_) {
        throw std::logic_error("RenameTable: a free order needs every unit, all of them free");
    }
    units_.store.assign(std::size_t{physical_} + 1, Unit{});
    free_ = 0;
    for (const std::uint32_t unit : order) {
        append_free(unit);
    }
}

void RenameTable::put_first(PhysRegId phys) {
    if (units_[phys.value()].count != 0) {
        throw std::logic_error("RenameTable: physical unit " + std::to_string(phys.value()) +
                               " is not free");
    }
    unlink(phys.value());
    link_behind(phys.value(), kHead);
}

void RenameTable::refuse_drop(PhysRegId phys) {
    throw std::logic_error("RenameTable: physical unit " + std::to_string(phys.value()) +
                           " dropped more often than referenced");
}

void RenameTable::grow() {
    if (!growing_) {
        throw std::logic_error("RenameTable: no free physical unit");
    }
    const std::uint32_t before = physical_;
    physical_ = std::max(kSmallestPool, 2 * before);
    units_.store.resize(std::size_t{physical_} + 1);
    for (std::uint32_t i = before; i < physical_; ++i) {
        append_free(i);
    }
}

void RenameTable::check() const {
    std::vector<std::uint32_t> references(physical_, 0);
    for (const std::uint32_t unit : map_) {
        if (unit != kUnmapped) {
            ++references[unit];
        }
    }
    std::vector<std::uint8_t> is_free(physical_, 0);
    std::uint32_t listed = 0;
    for (std::uint32_t slot = units_.store[kHead].next; slot != kHead && listed <= physical_;
         slot = units_.store[slot].next) {
        is_free[slot - 1] = 1;
        ++listed;
    }
    if (listed != free_) {
        throw CheckError("rename table: the free list holds " + std::to_string(listed) +
                         " units, its count says " + std::to_string(free_));
    }
    for (std::uint32_t i = 0; i < physical_; ++i) {
        const std::uint32_t count = units_[i].count;
        if (count != references[i] || (count == 0) != (is_free[i] != 0)) {
            throw CheckError("rename table: physical unit " + std::to_string(i) + " has count " +
                             std::to_string(count) + " and " + std::to_string(references[i]) +
                             " mappings, " + (is_free[i] != 0 ? "is" : "is not") +
                             " on the free list");
        }
    }
}

}  // namespace tessera
