#include "sc_models/duplo/pending_releases.h"

#include <algorithm>
#include <utility>

namespace tessera {

void PendingReleases::reset(std::uint32_t registers) {
    nodes_.clear();
    spare_.clear();
    heap_.clear();
    first_of_group_.clear();
    spare_groups_.clear();
    open_group_ = kNone;
    due_ = kNone;
    waiting_.assign(registers, kNone);
    oldest_ = youngest_ = kNone;
    size_ = 0;
}

std::uint32_t PendingReleases::make(PhysRegId old, Cycle at) {
    std::uint32_t index = 0;
    if (spare_.empty()) {
        index = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
    } else {
        index = spare_.back();
        spare_.pop_back();
    }
    nodes_[index] = {old, at, kNone, youngest_, kNone};
    (youngest_ == kNone ? oldest_ : nodes_[youngest_].younger) = index;
    youngest_ = index;
    ++size_;
    return index;
}

void PendingReleases::push_timed(std::uint32_t node) {
    const Cycle at = nodes_[node].at;
    if (open_group_ == kNone || open_at_ != at) {
        if (spare_groups_.empty()) {
            open_group_ = static_cast<std::uint32_t>(first_of_group_.size());
            first_of_group_.push_back(kNone);
        } else {
            open_group_ = spare_groups_.back();
            spare_groups_.pop_back();
            first_of_group_[open_group_] = kNone;
        }
        open_at_ = at;
        heap_.push_back({at, open_group_});
        std::push_heap(heap_.begin(), heap_.end());
    }
    nodes_[node].next = first_of_group_[open_group_];
    first_of_group_[open_group_] = node;
}

void PendingReleases::end_at(PhysRegId old, Cycle at) {
    push_timed(make(old, at));
}

void PendingReleases::end_with(PhysRegId old, PhysRegId until, Cycle at) {
    const std::uint32_t node = make(old, at);
    nodes_[node].next = waiting_[until.value()];
    waiting_[until.value()] = node;
}

void PendingReleases::announce(PhysRegId phys, Cycle at) {
    std::uint32_t node = waiting_[phys.value()];
    waiting_[phys.value()] = kNone;
    while (node != kNone) {
        const std::uint32_t next = nodes_[node].next;
        if (nodes_[node].old.valid()) {
            nodes_[node].at = std::max(nodes_[node].at, at);
            push_timed(node);
        } else {
            spare_.push_back(node);
        }
        node = next;
    }
}

/// Removes a reference from the issue order; the node itself stays until nothing refers to it.
PhysRegId PendingReleases::take(std::uint32_t index) {
    Node& node = nodes_[index];
    (node.older == kNone ? oldest_ : nodes_[node.older].younger) = node.younger;
    (node.younger == kNone ? youngest_ : nodes_[node.younger].older) = node.older;
    --size_;
    return std::exchange(node.old, PhysRegId{});
}

PhysRegId PendingReleases::pop_due(Cycle now) {
    for (;;) {
        while (due_ != kNone) {
            const std::uint32_t node = due_;
            due_ = nodes_[node].next;
            spare_.push_back(node);
            if (nodes_[node].old.valid()) {
                return take(node);
            }
        }
        if (heap_.empty() || heap_.front().at > now) {
            return {};
        }
        std::pop_heap(heap_.begin(), heap_.end());
        const std::uint32_t group = heap_.back().index;
        heap_.pop_back();
        due_ = first_of_group_[group];
        spare_groups_.push_back(group);
        if (group == open_group_) {
            open_group_ = kNone;
        }
    }
}

PhysRegId PendingReleases::pop_oldest() {
    return oldest_ == kNone ? PhysRegId{} : take(oldest_);
}

}  // namespace tessera
