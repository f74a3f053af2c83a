// Load history buffer of Duplo: maps workspace data to the registers that hold them.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "sc_models/common/host_memory.h"
#include "sc_models/common/types.h"
#include "sc_models/duplo/data_id.h"

namespace tessera {

/// Key of the buffer; two loads with equal keys are duplicates.
struct LhbKey {
    std::uint64_t low = 0;   ///< element id [47:0], image [63:48]
    std::uint64_t high = 0;  ///< group tag [31:0], sharing domain [55:32], kernel tag [63:56]

    [[nodiscard]] static LhbKey make(const DataId& id, std::uint32_t owner,
                                     std::uint8_t kernel_tag) {
        return {id.element | std::uint64_t{id.batch} << 48,
                id.extra | std::uint64_t{owner} << 32 | std::uint64_t{kernel_tag} << 56};
    }
    [[nodiscard]] std::uint64_t element() const { return low & ((std::uint64_t{1} << 48) - 1); }
    [[nodiscard]] std::uint64_t batch() const { return low >> 48; }

    friend bool operator==(const LhbKey& a, const LhbKey& b) {
        return a.low == b.low && a.high == b.high;
    }
};

/// Hash of a key, for host tables.
struct LhbKeyHash {
    std::size_t operator()(const LhbKey& key) const {
        std::uint64_t h = (key.low ^ (key.high << 32 | key.high >> 32)) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
        return static_cast<std::size_t>(h);
    }
};

/// Load history buffer (Duplo IV-B): set-associative, least recently used entry replaced, or
/// without limit. An entry names one register; a register is named by at most one entry, which it
/// finds through a back pointer when it dies.
///
/// Set index: (element id >> shift) mod sets; with `fold`, i ^ i >> b ^ i >> 2b ^ 37 * image
/// instead of i, with b = log2(sets) rounded down. The tag compares the whole key.
class LoadHistoryBuffer {
public:
    /// Entry replaced by an insertion.
    struct Replaced {
        PhysRegId phys;         ///< its register; invalid: none
        bool same_key = false;  ///< the replaced entry had the same key
        bool kept_out = false;  ///< not inserted: every entry of the set is retained
    };

    /// `entries` 0: without limit. `keeps`: entries that recur are replaced only by entries that
    /// recur. Throws ConfigError if `entries` is no multiple of `ways`, or `ways` is 0.
    LoadHistoryBuffer(std::uint32_t entries, std::uint32_t ways, bool fold, bool keeps = false);

    /// Empties the buffer and programs it for a kernel with `registers` physical units.
    void program(std::uint32_t shift, std::uint32_t registers);
    /// Adds physical units (their number only grows within a kernel).
    void grow(std::uint32_t registers);

    /// Returns the register named for this value, invalid if none. A hit becomes the set's most
    /// recently used entry.
    [[nodiscard]] PhysRegId find(const LhbKey& key);
    /// Host prefetch of the value's set.
    void host_prefetch(const LhbKey& key) const {
        if (!infinite_) host_prefetch_line(&entries_[std::size_t{set_of(key)} * ways_]);
    }
    /// Host prefetch of the state that release(phys) accesses.
    void host_prefetch(PhysRegId phys) const {
        if (!infinite_) host_prefetch_line(&entry_of_[phys.value()]);
    }
    /// Names `phys` for this value in the entry of the same key, otherwise in an empty entry,
    /// otherwise in place of the least recently used one. With `keeps`, entries that do not recur
    /// are replaced first; if all recur, nothing is inserted unless `phys` recurs too. `phys` must
    /// not be named by another entry.
    Replaced insert(const LhbKey& key, PhysRegId phys);
    /// Sets whether the value of a register will be loaded again (with `keeps`).
    void set_recurs(PhysRegId phys, bool recurs) { recurs_[phys.value()] = recurs ? 1 : 0; }
    /// Returns whether an entry names this register and its value will be loaded again.
    [[nodiscard]] bool keeps(PhysRegId phys) const {
        return keeps_ && names(phys) && recurs_[phys.value()] != 0;
    }
    /// Clears the entry that names a register that died. Returns false if there is none.
    bool release(PhysRegId phys);
    /// Returns whether an entry names this register.
    [[nodiscard]] bool names(PhysRegId phys) const;
    void clear();

    /// Number of valid entries.
    [[nodiscard]] std::size_t size() const { return infinite_ ? map_.size() : size_; }
    [[nodiscard]] std::uint32_t sets() const { return sets_; }
    [[nodiscard]] std::uint32_t ways() const { return ways_; }
    /// Returns the set of a value (0 if without limit).
    [[nodiscard]] std::uint32_t set_of(const LhbKey& key) const;

private:
    static constexpr std::uint32_t kNone = ~0u;
    struct Entry {
        LhbKey key;
        std::uint32_t phys = kNone;
    };

    void touch(std::uint32_t entry) {
        if (ways_ > 1) {
            last_use_[entry] = ++uses_;
        }
    }

    [[nodiscard]] std::uint32_t place_of(const LhbKey& key) const;
    [[nodiscard]] bool goes_before(std::uint32_t entry, std::uint32_t victim) const;

    bool infinite_;
    bool fold_;
    bool keeps_;
    std::uint32_t ways_;
    std::uint32_t sets_ = 0;
    std::uint32_t set_mask_ = 0;  ///< sets - 1 if sets is a power of two
    std::uint32_t fold_bits_ = 0;
    std::uint32_t shift_ = 0;
    std::size_t size_ = 0;
    std::uint64_t uses_ = 0;
    std::vector<Entry> entries_;
    std::vector<std::uint64_t> last_use_;
    std::vector<std::uint32_t> entry_of_;  ///< register to entry, finite
    tsl::robin_map<LhbKey, std::uint32_t, LhbKeyHash> map_;
    std::vector<LhbKey> key_of_;        ///< register to key, infinite
    std::vector<std::uint8_t> named_;   ///< register has an entry, infinite
    std::vector<std::uint8_t> recurs_;  ///< the register's value will be loaded again
};

// Inline, since every unit of every load executes these.

inline std::uint32_t LoadHistoryBuffer::set_of(const LhbKey& key) const {
    if (infinite_) {
        return 0;
    }
    std::uint64_t index = key.element() >> shift_;
    if (fold_) {
        index ^= index >> fold_bits_ ^ index >> 2 * fold_bits_ ^ 37 * key.batch();
    }
    return static_cast<std::uint32_t>(set_mask_ != 0 ? index & set_mask_ : index % sets_);
}

inline bool LoadHistoryBuffer::names(PhysRegId phys) const {
    return infinite_ ? named_[phys.value()] != 0 : entry_of_[phys.value()] != kNone;
}

inline PhysRegId LoadHistoryBuffer::find(const LhbKey& key) {
    if (infinite_) {
        const auto it = map_.find(key);
        return it == map_.end() ? PhysRegId{} : PhysRegId{it->second};
    }
    const std::uint32_t first = set_of(key) * ways_;
    for (std::uint32_t i = first; i < first + ways_; ++i) {
        if (entries_[i].phys != kNone && entries_[i].key == key) {
            touch(i);
            return PhysRegId{entries_[i].phys};
        }
    }
    return {};
}

inline bool LoadHistoryBuffer::release(PhysRegId phys) {
    if (!names(phys)) {
        return false;
    }
    if (infinite_) {
        map_.erase(key_of_[phys.value()]);
        named_[phys.value()] = 0;
    } else {
        entries_[entry_of_[phys.value()]].phys = kNone;
        entry_of_[phys.value()] = kNone;
        --size_;
    }
    return true;
}

}  // namespace tessera
