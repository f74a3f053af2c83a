// Table of distinct values with stable numbers.
#pragma once

#include <tsl/robin_set.h>

#include <cstddef>
#include <cstdint>
#include <deque>

namespace tessera {

/// Numbers values in the order of their first occurrence. `Container` is std::deque where
/// references must stay valid, std::vector where lookup by number must be fast. `T` has `hash()`
/// and `==`.
template <class T, class Container = std::deque<T>>
class InternTable {
public:
    InternTable() : index_(0, Hash{&items_}, Equal{&items_}) {}
    InternTable(const InternTable&) = delete;
    InternTable& operator=(const InternTable&) = delete;

    static constexpr std::uint32_t kFull = UINT32_MAX;

    /// Returns the number of `value`, adding it if it is new and the table has fewer than `limit`
    /// values; otherwise returns kFull.
    std::uint32_t find_or_add(const T& value, std::size_t limit) {
        const auto next = static_cast<std::uint32_t>(items_.size());
        items_.push_back(value);
        if (next >= limit) {
            const auto found = index_.find(next);
            items_.pop_back();
            return found == index_.end() ? kFull : *found;
        }
        const auto [at, added] = index_.insert(next);
        const std::uint32_t number = *at;
        if (!added) items_.pop_back();
        return number;
    }
    [[nodiscard]] const T& operator[](std::uint32_t number) const { return items_[number]; }
    [[nodiscard]] T& operator[](std::uint32_t number) { return items_[number]; }
    [[nodiscard]] std::size_t size() const { return items_.size(); }
    [[nodiscard]] std::size_t memory_bytes() const {
        return items_.size() * sizeof(T) + index_.bucket_count() * 2 * sizeof(std::uint64_t);
    }

private:
    struct Hash {
        const Container* items;
        std::size_t operator()(std::uint32_t i) const { return (*items)[i].hash(); }
    };
    struct Equal {
        const Container* items;
        bool operator()(std::uint32_t a, std::uint32_t b) const {
            return (*items)[a] == (*items)[b];
        }
    };

    Container items_;
    tsl::robin_set<std::uint32_t, Hash, Equal, std::allocator<std::uint32_t>, true> index_;
};

/// Mixes `value` into `hash` (the finaliser of SplitMix64).
[[nodiscard]] constexpr std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t value) {
    std::uint64_t x = hash + value + 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

}  // namespace tessera
