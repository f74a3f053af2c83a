// Naive reference of the load history buffer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <vector>

#include "testbenches/load_history_buffer/history_driver.h"

namespace tessera::testbench {

/// Load history buffer (Duplo IV-B) written down as lists: one a set, the most recently used entry
/// first. "When the tag matches (i.e., LHB hit), Duplo skips the tensor-core-load instruction";
/// "the LHB releases an entry when the corresponding tensor-core-load instruction retires".
class NaiveHistory {
public:
    explicit NaiveHistory(const HistoryOrganisation& organisation)
        : organisation_(organisation),
          sets_(organisation.entries == 0 ? 1 : organisation.entries / organisation.ways) {}

    /// Situations that an operation met, for coverage.
    struct Situation {
        bool set_full = false;    ///< of a lookup or insertion
        bool evicts = false;      ///< an insertion replaces another value
        bool not_oldest = false;  ///< the replaced entry is not the one that was inserted first
    };
    HistoryResult perform(const HistoryOperation& operation) {
        using Kind = HistoryOperation::Kind;
        situation_ = {};
        HistoryResult result;
        switch (operation.kind) {
            case Kind::kLookup:
                result = lookup(operation.value);
                break;
            case Kind::kInsert:
                result = insert(operation);
                break;
            case Kind::kRelease:
                result.found = release(operation.phys);
                break;
            case Kind::kClear:
                for (std::list<Entry>& set : sets_) set.clear();
                break;
        }
        result.entries = size();
        return result;
    }
    [[nodiscard]] const Situation& situation() const { return situation_; }
    [[nodiscard]] std::size_t size() const {
        std::size_t size = 0;
        for (const std::list<Entry>& set : sets_) size += set.size();
        return size;
    }
    /// Returns the value of the entry that names a register; null if none does.
    [[nodiscard]] const HistoryValue* named_by(std::uint32_t phys) const {
        for (const std::list<Entry>& set : sets_) {
            for (const Entry& entry : set) {
                if (entry.phys == phys) return &entry.value;
            }
        }
        return nullptr;
    }
    /// Set of a value: "the least-significant 10 bits of element ID are hashed for indexing the
    /// 1024-entry, direct-mapped LHB" (IV-B). The model's hash is an exclusive or of the id's
    /// digits to the base 2^b, b = log2(sets), and of 37 times the image.
    [[nodiscard]] std::size_t set_of(const HistoryValue& value) const {
        std::uint64_t index = value.element;
        for (std::uint32_t i = 0; i < organisation_.shift; ++i) index /= 2;
        if (organisation_.fold) {
            std::uint64_t base = 1;
            while (base * 2 <= sets_.size()) base *= 2;
            index = index ^ index / base ^ index / base / base ^ 37 * std::uint64_t{value.batch};
        }
        return index % sets_.size();
    }

private:
    struct Entry {
        HistoryValue value;
        std::uint32_t phys = 0;
        bool recurs = false;
        std::uint64_t inserted = 0;  ///< number of its insertion
    };

    [[nodiscard]] bool is_full(const std::list<Entry>& set) const {
        return organisation_.entries != 0 && set.size() == organisation_.ways;
    }
    HistoryResult lookup(const HistoryValue& value) {
        std::list<Entry>& set = sets_[set_of(value)];
        situation_.set_full = is_full(set);
        const auto found = std::find_if(set.begin(), set.end(),
                                        [&value](const Entry& e) { return e.value == value; });
        HistoryResult result;
        if (found == set.end()) return result;
        result.found = true;
        result.phys = found->phys;
        set.splice(set.begin(), set, found);
        return result;
    }
    HistoryResult insert(const HistoryOperation& operation) {
        std::list<Entry>& set = sets_[set_of(operation.value)];
        situation_.set_full = is_full(set);
        HistoryResult result;
        auto replaced = std::find_if(set.begin(), set.end(), [&operation](const Entry& e) {
            return e.value == operation.value;
        });
        result.same_key = replaced != set.end();
        if (replaced == set.end() && is_full(set)) {
            replaced = victim(set);
            if (organisation_.keeps && replaced->recurs && !operation.recurs) {
                result.kept_out = true;
                return result;
            }
            situation_.evicts = true;
            for (const Entry& e : set) {
                if (e.inserted < replaced->inserted) situation_.not_oldest = true;
            }
        }
        if (replaced != set.end()) {
            result.found = true;
            result.phys = replaced->phys;
            set.erase(replaced);
        }
        set.push_front({operation.value, operation.phys, operation.recurs, ++insertions_});
        return result;
    }
    /// Returns the least recently used entry, or the least recently used one that does not recur.
    [[nodiscard]] std::list<Entry>::iterator victim(std::list<Entry>& set) const {
        if (organisation_.keeps) {
            const auto found =
                std::find_if(set.rbegin(), set.rend(), [](const Entry& e) { return !e.recurs; });
            if (found != set.rend()) return std::prev(found.base());
        }
        return std::prev(set.end());
    }
    bool release(std::uint32_t phys) {
        for (std::list<Entry>& set : sets_) {
            for (auto e = set.begin(); e != set.end(); ++e) {
                if (e->phys != phys) continue;
                set.erase(e);
                return true;
            }
        }
        return false;
    }

    const HistoryOrganisation organisation_;
    std::vector<std::list<Entry>> sets_;
    Situation situation_;
    std::uint64_t insertions_ = 0;
};

}  // namespace tessera::testbench
