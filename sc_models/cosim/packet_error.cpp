#include "sc_models/cosim/packet_error.h"

#include <array>
#include <stdexcept>
#include <string>

namespace tessera {
namespace {

/// Field names in the order of packet_error_e.
constexpr std::array<std::string_view, 14> kFields = {
    "valid",         "base",          "stride",       "channels",
    "filter_height", "filter_row",    "up_factor",    "padded_width",
    "padded_height", "output_height", "output_width", "row_pitch_chunks",
    "index_shift",   "n_chunks"};
constexpr std::uint32_t kIdRange = 15;
constexpr std::string_view kPacketPrefix = "convolution packet: ";

}  // namespace

std::uint32_t packet_error_code(std::string_view refusal) {
    if (refusal.substr(0, kPacketPrefix.size()) != kPacketPrefix) return kIdRange;
    refusal.remove_prefix(kPacketPrefix.size());
    const std::string_view field = refusal.substr(0, refusal.find(':'));
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        if (kFields[i] == field) return static_cast<std::uint32_t>(i) + 1;
    }
    throw std::logic_error("packet_error_code: no code for field " + std::string(field));
}

}  // namespace tessera
