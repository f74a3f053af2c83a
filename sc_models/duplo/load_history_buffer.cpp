#include "sc_models/duplo/load_history_buffer.h"

#include <algorithm>
#include <string>

#include "sc_models/common/error.h"

namespace tessera {

LoadHistoryBuffer::LoadHistoryBuffer(std::uint32_t entries, std::uint32_t ways, bool fold,
                                     bool keeps)
    : infinite_(entries == 0), fold_(fold), keeps_(keeps), ways_(ways) {
    if (ways == 0) {
        throw ConfigError("duplo.lhb.ways: got 0, expected at least 1");
    }
    if (entries % ways != 0) {
        throw ConfigError("duplo.lhb.entries: got " + std::to_string(entries) +
                          ", expected a multiple of duplo.lhb.ways (" + std::to_string(ways) + ")");
    }
    if (infinite_) {
        return;
    }
    sets_ = entries / ways;
    set_mask_ = is_power_of_two(sets_) ? sets_ - 1 : 0;
    while ((2u << fold_bits_) <= sets_) {
        ++fold_bits_;
    }
    entries_.resize(entries);
    last_use_.resize(ways > 1 ? entries : 0);
}

void LoadHistoryBuffer::program(std::uint32_t shift, std::uint32_t registers) {
    shift_ = shift;
    entry_of_.clear();
    key_of_.clear();
    named_.clear();
    recurs_.clear();
    grow(registers);
    clear();
    if (infinite_) {
        map_.reserve(registers);
    }
}

void LoadHistoryBuffer::grow(std::uint32_t registers) {
    if (keeps_) recurs_.resize(registers, 0);
    if (infinite_) {
        key_of_.resize(registers);
        named_.resize(registers, 0);
    } else {
        entry_of_.resize(registers, kNone);
    }
}

LoadHistoryBuffer::Replaced LoadHistoryBuffer::insert(const LhbKey& key, PhysRegId phys) {
    Replaced replaced;
    if (infinite_) {
        const auto [it, fresh] = map_.try_emplace(key, phys.value());
        if (!fresh) {
            replaced = {PhysRegId{it->second}, true};
            named_[it->second] = 0;
            it.value() = phys.value();
        }
        key_of_[phys.value()] = key;
        named_[phys.value()] = 1;
        return replaced;
    }
    const std::uint32_t victim = place_of(key);
    Entry& entry = entries_[victim];
    if (entry.phys != kNone) {
        const bool same_key = entry.key == key;
        if (keeps_ && !same_key && recurs_[entry.phys] != 0 && recurs_[phys.value()] == 0) {
            replaced.kept_out = true;
            return replaced;
        }
        replaced = {PhysRegId{entry.phys}, same_key};
        entry_of_[entry.phys] = kNone;
    } else {
        ++size_;
    }
    entry = {key, phys.value()};
    entry_of_[phys.value()] = victim;
    touch(victim);
    return replaced;
}

/// Returns the entry for this value in its set: its own, an empty one or the victim.
std::uint32_t LoadHistoryBuffer::place_of(const LhbKey& key) const {
    const std::uint32_t first = set_of(key) * ways_;
    std::uint32_t victim = first;
    for (std::uint32_t i = first; i < first + ways_; ++i) {
        if (entries_[i].phys != kNone && entries_[i].key == key) {
            return i;
        }
        if (entries_[victim].phys != kNone &&
            (entries_[i].phys == kNone || goes_before(i, victim))) {
            victim = i;
        }
    }
    return victim;
}

/// Returns whether `entry` is replaced before `victim`; both are valid entries of one set.
bool LoadHistoryBuffer::goes_before(std::uint32_t entry, std::uint32_t victim) const {
    if (ways_ == 1) return false;
    if (keeps_ && recurs_[entries_[entry].phys] != recurs_[entries_[victim].phys]) {
        return recurs_[entries_[entry].phys] == 0;
    }
    return last_use_[entry] < last_use_[victim];
}

void LoadHistoryBuffer::clear() {
    for (Entry& entry : entries_) {
        entry.phys = kNone;
    }
    std::fill(entry_of_.begin(), entry_of_.end(), kNone);
    std::fill(named_.begin(), named_.end(), std::uint8_t{0});
    map_.clear();
    size_ = 0;
    uses_ = 0;
}

}  // namespace tessera
