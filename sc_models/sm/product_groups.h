// Groups of a warp's asynchronous products.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Groups of the products of a warpgroup that one warp has issued (wgmma), in program order.
/// Products since the last commit() form the open group. Products end in order.
class ProductGroups {
public:
    void reset() {
        end_ = 0;
        ends_.clear();
    }
    /// Adds a product that ends at cycle `end` to the open group.
    void add(Cycle end) { end_ = std::max(end_, end); }
    /// Closes the open group, which may be empty.
    void commit() { ends_.push_back(end_); }
    /// Returns the end of the last product that a wait for all groups but the last `groups` needs;
    /// 0: none.
    [[nodiscard]] Cycle needed(std::uint32_t groups) const {
        return ends_.size() > groups ? ends_[ends_.size() - 1 - groups] : 0;
    }
    /// Records that such a wait is over.
    void waited(std::uint32_t groups) {
        if (ends_.size() <= groups) return;
        ends_.erase(ends_.begin(), ends_.end() - static_cast<std::ptrdiff_t>(groups));
    }

private:
    Cycle end_ = 0;
    std::vector<Cycle> ends_;  ///< of groups not waited for
};

}  // namespace tessera
