#include "sc_models/memory/core/prefetcher.h"

#include <algorithm>

namespace tessera {

namespace {

/// Smallest line size; tags hold line numbers below SectorTags::kMaxLine.
constexpr Address kSmallestLineBytes = 32;

}  // namespace

const std::vector<Address>& PrefetchTracker::expected_after(std::uint32_t stream, Address address) {
    expected_.clear();
    prefetcher_->on_read(stream, address, expected_);
    const auto beyond = [](Address expected) {
        return expected / kSmallestLineBytes >= SectorTags::kMaxLine - 1;
    };
    expected_.erase(std::remove_if(expected_.begin(), expected_.end(), beyond), expected_.end());
    return expected_;
}

void PrefetchTracker::on_lost(std::uint64_t first, SectorMask valid) {
    for (std::uint32_t left = valid; left != 0; left &= left - 1) {
        stats_.useless += unread_.erase(first + static_cast<std::uint32_t>(__builtin_ctz(left)));
    }
}

}  // namespace tessera
