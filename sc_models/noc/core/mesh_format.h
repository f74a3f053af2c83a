// Packet format of memory transactions on the mesh.
#pragma once

#include <cstdint>
#include <tlm>

#include "sc_models/common/types.h"
#include "sc_models/tlm/memory_port.h"

namespace tessera {

/// A packet consists of a header and data: a request carries the data written, a reply the data
/// read.
class MeshFormat {
public:
    explicit MeshFormat(std::uint32_t flit_bytes) : flit_bytes_(flit_bytes) {}
    [[nodiscard]] std::uint32_t flits(std::uint32_t data_bytes) const {
        return 1 + ceil_div(data_bytes, flit_bytes_);
    }
    [[nodiscard]] std::uint32_t request(const tlm::tlm_generic_payload& transaction) const {
        return flits(transaction.is_read() ? 0 : transaction.get_data_length());
    }
    /// Returns the flits of the response: an error, and the acknowledgement of a write, has no
    /// data.
    [[nodiscard]] std::uint32_t reply(const tlm::tlm_generic_payload& transaction) const {
        const auto* const info = transaction.get_extension<AccessInfo>();
        const bool fetches = info != nullptr && info->atomic == AtomicKind::kFetchAdd;
        const bool data = transaction.is_response_ok() && (transaction.is_read() || fetches);
        return flits(data ? transaction.get_data_length() : 0);
    }

private:
    std::uint32_t flit_bytes_;
};

}  // namespace tessera
