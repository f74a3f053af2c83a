// Values in the approximately-timed L1: the tags control timing, and the memory below holds the
// bytes.
#include "sc_models/memory/at/l1_cache_at.h"

#include "sc_models/memory/core/overlap.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

/// Reads the bytes of an access within a sector that is present or pending from the memory below.
void L1CacheAt::read_data(std::uint64_t sector, const Payload& access) {
    const Address begin = access.get_address();
    const Address first = std::max(begin, geometry_.sector_address(sector));
    const Address end =
        std::min(begin + access.get_data_length(), geometry_.sector_address(sector + 1));
    unsigned char* const data = access.get_data_ptr() + (first - begin);
    const auto bytes = static_cast<std::uint32_t>(end - first);
    PooledPayload& request = pool_.acquire(tlm::TLM_READ_COMMAND, first, data, bytes);
    move_at_once(initiator, request);
    request.release();
    forward_pending_writes(first, data, bytes);
}

/// Copies the data of a read from below to the access that requested it.
void L1CacheAt::keep_data(const PooledPayload& read) {
    const Payload& access = payload_of(static_cast<Index>(read.tag));
    copy_overlap(read.requested_address(), read.get_data_ptr(), read.get_data_length(),
                 access.get_address(), access.get_data_ptr(), access.get_data_length());
}

/// Merges pending writes, which the memory below has not got yet, oldest first.
void L1CacheAt::forward_pending_writes(Address address, unsigned char* data,
                                       std::uint32_t bytes) const {
    for (const PooledPayload* write : writes_) {
        copy_overlap(write->requested_address(), write->get_data_ptr(), write->get_data_length(),
                     address, data, bytes);
    }
}

unsigned int L1CacheAt::transport_dbg(Payload& payload) {
    const Address address = payload.get_address();
    const unsigned moved = initiator->transport_dbg(payload);
    if (payload.is_read()) forward_pending_writes(address, payload.get_data_ptr(), moved);
    return moved;
}

}  // namespace tessera
