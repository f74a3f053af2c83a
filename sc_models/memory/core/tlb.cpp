#include "sc_models/memory/core/tlb.h"

#include <algorithm>

namespace tessera {

Tlb::Tlb(const TlbConfig& config, StatGroup& cache)
    : page_bytes_(Address{config.page_kib} * 1024),
      entries_(config.entries),
      miss_latency_(config.miss_latency_cycles) {
    pages_.reserve(entries_ + 1);
    StatGroup& statistics = cache.child("tlb");
    statistics.counter("hits", hits_, "count", "requests to L2 whose page was there");
    statistics.counter("misses", misses_, "count", "pages that were not");
    statistics.counter("stall_cycles", stall_cycles_, "cycles", "requests waited for pages");
}

Cycle Tlb::translate(Address address, Cycle at) {
    const Address page = address / page_bytes_;
    Cycle leaves = std::max(at, free_);
    const auto found = std::find(pages_.begin(), pages_.end(), page);
    if (found != pages_.end()) {
        ++hits_;
        std::rotate(pages_.begin(), found, found + 1);
    } else {
        ++misses_;
        leaves += miss_latency_;
        free_ = leaves;
        pages_.insert(pages_.begin(), page);
        if (pages_.size() > entries_) pages_.pop_back();
    }
    stall_cycles_ += leaves - at;
    return leaves;
}

}  // namespace tessera
