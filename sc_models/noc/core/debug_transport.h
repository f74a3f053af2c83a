// Debug accesses through a network.
#pragma once

#include <algorithm>
#include <tlm>

#include "sc_models/memory/core/address_map.h"

namespace tessera {

/// Performs transport_dbg of any length: split where the slice changes, each part through the
/// initiator socket of its slice. Returns the bytes moved and restores the payload. Thread-safe for
/// distinct payloads.
template <class Initiators>
unsigned int debug_by_slice(tlm::tlm_generic_payload& payload, const AddressMap& map,
                            Initiators& initiators) {
    const Address begin = payload.get_address();
    unsigned char* const data = payload.get_data_ptr();
    const unsigned bytes = payload.get_data_length();
    unsigned done = 0;
    while (done < bytes) {
        const Address at = begin + done;
        const auto room =
            static_cast<unsigned>(map.interleave_bytes() - at % map.interleave_bytes());
        const unsigned part = std::min(bytes - done, room);
        payload.set_address(at);
        payload.set_data_ptr(data + done);
        payload.set_data_length(part);
        const unsigned moved = initiators[map.find_slice(at)]->transport_dbg(payload);
        done += moved;
        if (moved != part) break;
    }
    payload.set_address(begin);
    payload.set_data_ptr(data);
    payload.set_data_length(bytes);
    return done;
}

}  // namespace tessera
