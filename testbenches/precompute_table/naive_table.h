// Naive reference of the precompute table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <vector>

#include "sc_models/opportunistic/precompute_table.h"

namespace tessera::testbench {

/// Precompute table as a list, oldest entry first, which every operation searches from end to end.
class NaiveTable {
public:
    struct Entry {
        PrecomputeKey key;
        std::uint64_t number = 0;  ///< order of insertion
        bool running = false, complete = false;
        std::vector<float> results;
    };
    using Place = std::list<Entry>::iterator;

    explicit NaiveTable(std::size_t capacity) : capacity_(capacity) {}

    PrecomputeTable::Counts counts;

    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] std::size_t complete() const {
        return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(),
                                                      [](const Entry& e) { return e.complete; }));
    }
    [[nodiscard]] bool full() const { return entries_.size() == capacity_; }
    /// Returns the entry with this key, or null.
    [[nodiscard]] const Entry* find(const PrecomputeKey& key) {
        const Place place = place_of(key);
        return place == entries_.end() ? nullptr : &*place;
    }
    /// Inserts unless the key is present. A full table replaces its oldest entry that is not being
    /// computed; without one it rejects the prediction. Returns whether an entry was inserted.
    bool predict(const PrecomputeKey& key) {
        if (place_of(key) != entries_.end()) return false;
        if (full()) {
            const auto oldest = std::find_if(entries_.begin(), entries_.end(),
                                             [](const Entry& e) { return !e.running; });
            if (oldest == entries_.end()) {
                ++counts.rejected;
                return false;
            }
            ++counts.replaced;
            entries_.erase(oldest);
        }
        entries_.push_back({key, counts.inserted++, false, false, {}});
        return true;
    }
    /// Removes the entry that a lookup has found.
    void use(const PrecomputeKey& key) {
        const Place place = place_of(key);
        ++(place->complete ? counts.used : counts.too_late);
        entries_.erase(place);
    }
    /// Marks the oldest waiting entry as being computed; returns it, or null.
    [[nodiscard]] const Entry* start() {
        const auto oldest = std::find_if(entries_.begin(), entries_.end(),
                                         [](const Entry& e) { return !e.running && !e.complete; });
        if (oldest == entries_.end()) return nullptr;
        oldest->running = true;
        return &*oldest;
    }
    /// Stores results for the entry that was inserted as `number`; returns whether it still exists.
    bool finish(std::uint64_t number, const std::vector<float>& results) {
        const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                        [&](const Entry& e) { return e.number == number; });
        if (entry == entries_.end()) {
            ++counts.late_results;
            return false;
        }
        entry->running = false;
        entry->complete = true;
        entry->results = results;
        ++counts.completed;
        return true;
    }
    /// Returns whether one of the oldest `entries` is being computed.
    [[nodiscard]] bool computes_among(std::uint32_t entries) const {
        for (const Entry& entry : entries_) {
            if (entries-- == 0) return false;
            if (entry.running) return true;
        }
        return false;
    }
    void eliminate(std::uint32_t entries) {
        for (; entries > 0 && !entries_.empty(); --entries) {
            ++counts.eliminated;
            entries_.pop_front();
        }
    }
    void flush() {
        counts.flushed += entries_.size();
        entries_.clear();
    }

private:
    [[nodiscard]] Place place_of(const PrecomputeKey& key) {
        return std::find_if(entries_.begin(), entries_.end(),
                            [&](const Entry& e) { return e.key == key; });
    }

    std::size_t capacity_;
    std::list<Entry> entries_;
};

}  // namespace tessera::testbench
