// Contents of an L1 for tests of assign tables.
#pragma once

#include <algorithm>
#include <list>

#include "sc_models/memory/core/block_watch.h"
#include "sc_models/opportunistic/assign_table.h"

namespace tessera::testbench {

/// Fully associative L1 with least-recently-used replacement, without time.
class ToyL1 : public BlockPresence {
public:
    ToyL1(std::size_t blocks, std::uint32_t line_bytes)
        : capacity_(blocks), line_bytes_(line_bytes) {}

    [[nodiscard]] Cycle sector_ready(Address address) const override {
        return has(address / line_bytes_) ? 0 : kNever;
    }
    void watch(BlockWatcher* watcher) override { watcher_ = watcher; }

    [[nodiscard]] bool has(BlockNumber block) const {
        return std::find(blocks_.begin(), blocks_.end(), block) != blocks_.end();
    }
    /// Makes the block the most recently used one; the least recently used one makes room.
    void fill(BlockNumber block) {
        blocks_.remove(block);
        blocks_.push_front(block);
        if (blocks_.size() > capacity_) evict(blocks_.back());
    }
    void evict(BlockNumber block) {
        if (!has(block)) return;
        blocks_.remove(block);
        ++evictions_;
        if (watcher_ != nullptr) watcher_->on_line_lost(block * line_bytes_);
    }

    [[nodiscard]] std::uint64_t evictions() const { return evictions_; }

private:
    std::size_t capacity_;
    std::uint32_t line_bytes_;
    std::list<BlockNumber> blocks_;  ///< the most recently used one first
    BlockWatcher* watcher_ = nullptr;
    std::uint64_t evictions_ = 0;
};

}  // namespace tessera::testbench
