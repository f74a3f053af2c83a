// Coverage plan of the ID generator's bench.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/cosim/id_generator_rtl.h"
#include "sc_models/duplo/data_id.h"
#include "testbenches/cosim/coverage_plan.h"

namespace tessera {

/// Input pins of the ID generator that carry numbers; those of a packet by field.
namespace id_pins {

using Rtl = IdGeneratorRtl;
using InputPin = PlannedPin<Rtl::Inputs>;

/// Field of kBits bits of the packet, from bit kFirst on.
template <std::size_t kFirst, std::uint32_t kBits>
constexpr InputPin field(std::string_view name) {
    return {name, kBits,
            [](const Rtl::Inputs& in) {
                std::uint64_t value = 0;
                for (std::size_t i = 0; i < kBits; ++i) {
                    const std::size_t bit = kFirst + i;
                    value |= std::uint64_t{in.packet[bit / 8] >> bit % 8 & 1U} << i;
                }
                return value;
            },
            [](Rtl::Inputs& in, std::uint64_t value) {
                for (std::size_t i = 0; i < kBits; ++i) {
                    const std::size_t bit = kFirst + i;
                    std::uint8_t& byte = in.packet[bit / 8];
                    const auto mask = static_cast<std::uint8_t>(1U << bit % 8);
                    byte = static_cast<std::uint8_t>((value >> i & 1U) != 0 ? byte | mask
                                                                            : byte & ~mask);
                }
            }};
}

inline constexpr InputPin kAddress = {
    "address_i", 64, [](const Rtl::Inputs& in) { return std::uint64_t{in.address}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.address = value; }};
inline constexpr InputPin kTag = {
    "tag_i", 8, [](const Rtl::Inputs& in) { return std::uint64_t{in.tag}; },
    [](Rtl::Inputs& in, std::uint64_t value) { in.tag = static_cast<std::uint8_t>(value); }};
inline constexpr InputPin kValid = field<58, 1>("packet_i.valid");
/// Fields of a packet but `valid`, and but the kernel tag, which this block does not read.
inline constexpr std::array<InputPin, 17> kFields = {field<0, 48>("packet_i.base"),
                                                     field<48, 10>("packet_i.batch"),
                                                     field<59, 1>("packet_i.transposed"),
                                                     field<60, 1>("packet_i.zero_rule"),
                                                     field<61, 3>("packet_i.index_shift"),
                                                     field<64, 16>("packet_i.padded_width"),
                                                     field<80, 16>("packet_i.output_height"),
                                                     field<96, 16>("packet_i.output_width"),
                                                     field<112, 16>("packet_i.channels"),
                                                     field<128, 4>("packet_i.filter_height"),
                                                     field<132, 4>("packet_i.up_factor"),
                                                     field<136, 8>("packet_i.pad"),
                                                     field<144, 8>("packet_i.stride"),
                                                     field<160, 16>("packet_i.filter_row"),
                                                     field<176, 16>("packet_i.padded_height"),
                                                     field<192, 32>("packet_i.row_pitch"),
                                                     field<224, 32>("packet_i.chunks")};

}  // namespace id_pins

/// Situations and pins that the bench must reach.
class IdPlan : public CoveragePlan {
public:
    using Rtl = IdGeneratorRtl;
    const Bin zero = add("chunk of zeros"), last_image = add("id in image 1023"),
              stall = add("id waits"), packet_waits = add("packet behind addresses"),
              beside_packet = add("address beside a packet"),
              during_check = add("address during a packet's check"),
              off = add("address before the first packet"),
              reset_with_addresses = add("reset with addresses under way"),
              reset_in_check = add("reset during a packet's check");

    IdPlan() {
        for (const char* field :
             {"none", "valid", "base", "stride", "channels", "filter height", "filter row",
              "up-factor", "padded width", "padded height", "output height", "output width",
              "row pitch", "index shift", "chunks", "range of ids"}) {
            errors_.push_back(add(std::string("packet refused for ") + field));
        }
        for (const char* reason : {"an id", "off", "asleep", "outside", "unaligned", "crossing",
                                   "row tail", "batch tail"}) {
            const bool reached = std::string_view(reason) != "asleep";  // never of this block
            reasons_.push_back(reached ? add(std::string("address with ") + reason) : zero);
        }
        for (const id_pins::InputPin& field : id_pins::kFields) {
            fields_.push_back(add_pin(field.name, field.width_bits));
            const bool is_base = good_.empty();
            good_.push_back(is_base
                                ? add_pin("good packet_i.base / 32", field.width_bits - kBaseZeros)
                                : add_pin("good " + std::string(field.name), field.width_bits));
        }
    }
    /// Notes an address that was taken.
    void address(const Rtl::Inputs& in) {
        sample(address_, in.address);
        sample(tag_, in.tag);
    }
    /// Notes a packet and the result of its check.
    void packet(const Rtl::Inputs& in, std::uint32_t error) {
        hit(errors_.at(error));
        sample(valid_, id_pins::kValid.get(in));
        for (std::size_t i = 0; i < id_pins::kFields.size(); ++i) {
            const std::uint64_t value = id_pins::kFields[i].get(in);
            sample(fields_[i], value);
            if (error == 0) sample(good_[i], i == 0 ? value >> kBaseZeros : value);
        }
    }
    /// Notes an id that was taken.
    void result(const Rtl::Outputs& out) {
        hit(reasons_.at(out.bypass));
        hit_if(zero, out.zero != 0);
        if (out.bypass != 0) return;
        sample(element_, out.element_low | std::uint64_t{out.element_high} << 32U);
        sample(batch_, out.batch);
        hit_if(last_image, out.batch == 1023);
    }

private:
    /// An image has at most 2^32 halves, so ids have no more bits, although the pin has 48.
    static constexpr std::uint32_t kElementBits = 32;
    /// Low bits of a base, 0 in each packet that is accepted.
    static constexpr std::uint32_t kBaseZeros = 5;

    const Pin address_ = add_pin(id_pins::kAddress.name, id_pins::kAddress.width_bits),
              tag_ = add_pin(id_pins::kTag.name, id_pins::kTag.width_bits),
              valid_ = add_pin(id_pins::kValid.name, id_pins::kValid.width_bits),
              element_ = add_pin("element_o", kElementBits), batch_ = add_pin("batch_o", 10);
    std::vector<Bin> errors_, reasons_;
    std::vector<Pin> fields_, good_;
};

}  // namespace tessera
