// Groups of a warp's asynchronous copies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

/// Groups of the copies from global to shared memory of one warp (cp.async), in program order. Each
/// copy has one of `entries` scoreboard entries in rotation, from `first` on; copies since the last
/// commit() form the open group.
class CopyGroups {
public:
    /// Forgets all copies; `entries` 0: the kernel has none.
    void reset(std::uint32_t first, std::uint32_t entries) {
        first_ = first;
        entries_ = entries;
        issued_ = waited_ = 0;
        ends_.clear();
    }
    [[nodiscard]] bool available() const { return entries_ != 0; }
    /// Scoreboard entry of the next copy; its last copy must have arrived.
    [[nodiscard]] std::uint8_t next_entry() const { return entry(issued_); }
    /// Adds the next copy to the open group.
    void add() { ++issued_; }
    /// Closes the open group, which may be empty.
    void commit() { ends_.push_back(issued_); }
    /// Calls `visit(entry)` for each copy that a wait for all groups but the last `groups` needs
    /// and no earlier wait has seen. Copies whose entries were used again have arrived.
    template <class Visit>
    void visit_needed(std::uint32_t groups, const Visit& visit) const {
        const std::uint64_t end = needed_end(groups);
        const std::uint64_t oldest = issued_ > entries_ ? issued_ - entries_ : 0;
        for (std::uint64_t copy = std::max(waited_, oldest); copy < end; ++copy) visit(entry(copy));
    }
    /// Records that such a wait is over.
    void waited(std::uint32_t groups) {
        waited_ = std::max(waited_, needed_end(groups));
        if (ends_.size() <= groups) return;
        ends_.erase(ends_.begin(), ends_.end() - static_cast<std::ptrdiff_t>(groups));
    }

private:
    /// Number of copies, from the first on, that a wait needs.
    [[nodiscard]] std::uint64_t needed_end(std::uint32_t groups) const {
        return ends_.size() > groups ? ends_[ends_.size() - 1 - groups] : waited_;
    }
    [[nodiscard]] std::uint8_t entry(std::uint64_t copy) const {
        return static_cast<std::uint8_t>(first_ + copy % entries_);
    }

    std::uint32_t first_ = 0, entries_ = 0;
    std::uint64_t issued_ = 0;
    std::uint64_t waited_ = 0;  ///< copies that some wait needed
    std::vector<std::uint64_t>
        ends_;  ///< number of copies at each commit, of groups not waited for
};

}  // namespace tessera
