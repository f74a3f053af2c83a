// Error codes of the RTL's packet check.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera {

/// Value of pin packet_error_o for a packet that ConvolutionPacket::check or IdGenerator::program
/// refuses with this message: the number of the field that it names.
[[nodiscard]] std::uint32_t packet_error_code(std::string_view refusal);

}  // namespace tessera
