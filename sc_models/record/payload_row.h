// Fields of a recorded row that a payload gives.
#pragma once

#include <cstdint>
#include <string_view>
#include <tlm>

namespace tessera {

/// Command of an access to memory: read, write, atomic, bypass (a read past the L1) or message.
[[nodiscard]] std::string_view command_of(const tlm::tlm_generic_payload& payload);

/// Hash of the values that the request carries: operands of a product, or bytes written; 0 if it
/// has none. Precondition: values are simulated.
[[nodiscard]] std::uint32_t sent_hash(const tlm::tlm_generic_payload& payload);
/// Likewise of the values that the response carries: sums of a product, or bytes read.
[[nodiscard]] std::uint32_t returned_hash(const tlm::tlm_generic_payload& payload);

}  // namespace tessera
