// Table of the pending accesses of an approximately-timed cache.
#pragma once

#include <algorithm>
#include <tlm>
#include <typeinfo>
#include <vector>

#include "sc_models/tlm/payload_pool.h"

namespace tessera {

/// Returns the AccessInfo of a transaction, or null. A PooledPayload contains its own, which is
/// found without reading the list of extensions, stored elsewhere in the host's memory.
[[nodiscard]] inline AccessInfo* access_info_of(tlm::tlm_generic_payload& payload) {
    if (typeid(payload) == typeid(PooledPayload)) return &PooledPayload::of(payload).info();
    return payload.get_extension<AccessInfo>();
}

/// One access, from BEGIN_REQ to its response.
struct CacheAccess {
    tlm::tlm_generic_payload* payload = nullptr;
    AccessInfo* info = nullptr;  ///< AccessInfo of the payload; null: none
    Cycle arrival = 0;
    Cycle done = 0;             ///< arrival of the sectors served so far
    std::uint64_t next = 0;     ///< next sector to look up
    std::uint32_t awaited = 0;  ///< pending sectors
    bool looked_up = false;     ///< all sectors are looked up
    ServedBy served_by = ServedBy::kNone;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;

    /// Records a sector served at `at` by `level`.
    void serve(Cycle at, ServedBy level) {
        done = std::max(done, at);
        served_by = std::max(served_by, level);
    }
};

/// Accesses by index, which MSHRs store; entries are recycled.
class AccessTable {
public:
    using Index = std::uint32_t;
    Index add(tlm::tlm_generic_payload& payload, Cycle arrival) {
        auto index = static_cast<Index>(accesses_.size());
        if (free_.empty()) {
            accesses_.emplace_back();
        } else {
            index = free_.back();
            free_.pop_back();
        }
        CacheAccess& access = accesses_[index];
        access = CacheAccess{};
        access.payload = &payload;
        access.info = access_info_of(payload);
        access.arrival = access.done = arrival;
        return index;
    }
    void remove(Index index) { free_.push_back(index); }
    [[nodiscard]] CacheAccess& operator[](Index index) { return accesses_[index]; }
    [[nodiscard]] const CacheAccess& operator[](Index index) const { return accesses_[index]; }
    [[nodiscard]] std::size_t size() const { return accesses_.size() - free_.size(); }

private:
    std::vector<CacheAccess> accesses_;
    std::vector<Index> free_;
};

}  // namespace tessera
