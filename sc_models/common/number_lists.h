// Many short lists of numbers in shared storage.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// FIFO lists of numbers, by index, most of them empty. Nodes are reused, so that the steady state
/// does not allocate.
class NumberLists {
public:
    /// Ensures that there are at least `lists` lists.
    void grow(std::size_t lists) {
        if (lists > ends_.size()) ends_.resize(lists);
    }
    void push(std::size_t list, std::uint32_t number) {
        std::uint32_t node = free_;
        if (node == kNone) {
            node = static_cast<std::uint32_t>(nodes_.size());
            nodes_.emplace_back();
        } else {
            free_ = nodes_[node].next;
        }
        nodes_[node] = {number, kNone};
        Ends& ends = ends_[list];
        (ends.first == kNone ? ends.first : nodes_[ends.last].next) = node;
        ends.last = node;
    }
    /// Empties a list and passes its numbers to `taken`, which may push to other lists.
    template <class Taken>
    void drain(std::size_t list, Taken&& taken) {
        std::uint32_t node = ends_[list].first;
        ends_[list].first = kNone;
        while (node != kNone) {
            const Node here = nodes_[node];
            nodes_[node].next = free_;
            free_ = node;
            node = here.next;
            taken(here.number);
        }
    }

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    struct Ends {
        std::uint32_t first = kNone, last = kNone;
    };
    struct Node {
        std::uint32_t number = 0, next = kNone;
    };
    std::vector<Ends> ends_;
    std::vector<Node> nodes_;
    std::uint32_t free_ = kNone;
};

}  // namespace tessera
