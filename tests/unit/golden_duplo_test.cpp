// Does the C interface of Duplo's ID generator and load history buffer give what the models give?
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "sc_models/isa/convolution_packet.h"
#include "sc_models/pins/clocked_id_generator.h"
#include "sc_models/pins/clocked_load_history_buffer.h"
#include "tests/unit/golden_block.h"

namespace tessera {
namespace {

ConvolutionPacket example_packet() {
    ConvolutionPacket packet;
    packet.base = 0x10000;
    packet.batch = 2;
    packet.zero_rule = true;
    packet.padded_width = packet.padded_height = 10;
    packet.output_height = packet.output_width = 8;
    packet.channels = 64;
    packet.filter_height = 3;
    packet.pad = 1;
    packet.filter_row = 12;
    packet.row_pitch_chunks = 36;
    packet.n_chunks = 2 * 8 * 8 * 36;
    return packet;
}

TEST(GoldenLibrary, IdGeneratorIsTheModel) {
    const Block<tessera_golden_id_generator> block(tessera_golden_id_generator_create,
                                                   tessera_golden_id_generator_destroy);
    std::mt19937 random(kSeed);
    ClockedIdGenerator model;
    int ids = 0;
    int refused = 0;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        tessera_golden_id_generator_inputs in{};
        ClockedIdGenerator::Inputs pins;
        pins.program_valid = cycle % 1024 < 100;  // until the pipeline is empty
        pins.packet = example_packet().encode();
        if (random() % 2 == 0) pins.packet[18] = 0;  // no stride
        pins.in_valid = random() % 4 != 0;
        pins.address = 0x10000 + 32 * (random() % 5000) + (random() % 16 == 0 ? 2 : 0);
        if (random() % 64 == 0) pins.address |= 1ULL << 40;
        pins.tag = static_cast<std::uint8_t>(random());
        pins.out_ready = random() % 4 != 0;
        in.program_valid = pins.program_valid ? 1 : 0;
        std::memcpy(in.packet, pins.packet.data(), sizeof in.packet);
        in.in_valid = pins.in_valid ? 1 : 0;
        in.address_low = static_cast<std::uint32_t>(pins.address);
        in.address_high = static_cast<std::uint32_t>(pins.address >> 32U);
        in.tag = pins.tag;
        in.out_ready = pins.out_ready ? 1 : 0;
        const ClockedIdGenerator::Outputs expected = model.outputs(pins);
        model.edge(pins);
        tessera_golden_id_generator_outputs out;
        ASSERT_EQ(tessera_golden_id_generator_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
        ASSERT_EQ(out.program_ready, expected.program_ready);
        ASSERT_EQ(out.busy, expected.busy);
        ASSERT_EQ(out.packet_error, expected.packet_error);
        ASSERT_EQ(out.in_ready, expected.in_ready);
        ASSERT_EQ(out.out_valid, expected.out_valid);
        ASSERT_EQ(out.element_low, expected.element_low);
        ASSERT_EQ(out.element_high, expected.element_high);
        ASSERT_EQ(out.batch, expected.batch);
        ASSERT_EQ(out.bypass, expected.bypass);
        ASSERT_EQ(out.zero, expected.zero);
        ASSERT_EQ(out.tag, expected.tag);
        ids += out.out_valid != 0 && out.bypass == 0 ? 1 : 0;
        refused += out.packet_error != 0 ? 1 : 0;
        if (cycle == kCycles / 2) {
            model.reset();
            ASSERT_EQ(tessera_golden_id_generator_reset(block.get()), TESSERA_GOLDEN_OK);
        }
    }
    EXPECT_GT(ids, 1000);
    EXPECT_GT(refused, 0);
}

/// Number of the field for which the ID generator refuses a packet, 0 for none.
std::uint32_t packet_error(const ConvolutionPacket& packet) {
    const Block<tessera_golden_id_generator> block(tessera_golden_id_generator_create,
                                                   tessera_golden_id_generator_destroy);
    tessera_golden_id_generator_inputs in{};
    tessera_golden_id_generator_outputs out{};
    const ConvolutionPacket::Bytes bytes = packet.encode();
    std::memcpy(in.packet, bytes.data(), sizeof in.packet);
    in.program_valid = 1;
    do {
        EXPECT_EQ(tessera_golden_id_generator_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
        in.program_valid = 0;
    } while (out.program_ready != 0);  // the cycle that takes the packet
    while (out.busy != 0) {
        EXPECT_EQ(tessera_golden_id_generator_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
    }
    return out.packet_error;
}

TEST(GoldenLibrary, IdGeneratorRefusesWhatTheRtlRefuses) {
    constexpr std::uint32_t kPacketStride = 3;  // id_generator_pkg::packet_error_e
    constexpr std::uint32_t kPacketChannels = 4;
    constexpr std::uint32_t kPacketFilterHeight = 5;
    ConvolutionPacket packet = example_packet();
    EXPECT_EQ(packet_error(packet), 0U);
    packet.filter_height = 0;
    EXPECT_EQ(packet_error(packet), kPacketFilterHeight);
    packet.stride = 0;
    EXPECT_EQ(packet_error(packet), kPacketStride);
    EXPECT_EQ(packet_error(ConvolutionPacket::by_place(0x10000, 64)), kPacketChannels);
}

TEST(GoldenLibrary, LoadHistoryBufferIsTheModel) {
    const Block<tessera_golden_load_history_buffer> block(
        tessera_golden_load_history_buffer_create, tessera_golden_load_history_buffer_destroy);
    std::mt19937 random(kSeed);
    ClockedLoadHistoryBuffer model;
    int found = 0;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        ClockedLoadHistoryBuffer::Inputs pins;
        pins.setup_valid = cycle < 20 || random() % 2000 == 0;
        pins.setup_keep = cycle > 20 && random() % 2 == 0;
        pins.setup_log_sets = 4;
        pins.setup_log_ways = 2;
        pins.setup_shift = 1;
        pins.setup_fold = random() % 2 != 0;
        pins.in_valid = random() % 4 != 0;
        pins.op = static_cast<LoadHistoryBufferRtl::Op>(random() % 3);
        pins.key = {random() % 256 | (random() % 2 == 0 ? 0ULL : 7ULL << 48U), random() % 2};
        pins.phys = random() % 128;
        pins.out_ready = random() % 4 != 0;
        if (pins.op == LoadHistoryBufferRtl::Op::kInsert && model.ready() &&
            model.names(pins.phys)) {
            pins.op = LoadHistoryBufferRtl::Op::kRelease;
        }
        tessera_golden_load_history_buffer_inputs in{};
        in.setup_valid = pins.setup_valid ? 1 : 0;
        in.setup_keep = pins.setup_keep ? 1 : 0;
        in.setup_log_sets = pins.setup_log_sets;
        in.setup_log_ways = pins.setup_log_ways;
        in.setup_shift = pins.setup_shift;
        in.setup_fold = pins.setup_fold ? 1 : 0;
        in.in_valid = pins.in_valid ? 1 : 0;
        in.op = static_cast<std::uint32_t>(pins.op);
        in.element_low = static_cast<std::uint32_t>(pins.key.low);
        in.element_high = static_cast<std::uint32_t>(pins.key.low >> 32U) & 0xffffU;
        in.batch = static_cast<std::uint32_t>(pins.key.low >> 48U);
        in.owner_low = static_cast<std::uint32_t>(pins.key.high);
        in.owner_high = static_cast<std::uint32_t>(pins.key.high >> 32U);
        in.phys = pins.phys;
        in.out_ready = pins.out_ready ? 1 : 0;
        const ClockedLoadHistoryBuffer::Outputs expected = model.outputs(pins);
        model.edge(pins);
        tessera_golden_load_history_buffer_outputs out;
        ASSERT_EQ(tessera_golden_load_history_buffer_step(block.get(), &in, &out),
                  TESSERA_GOLDEN_OK)
            << tessera_golden_message();
        ASSERT_EQ(out.setup_ready, expected.setup_ready);
        ASSERT_EQ(out.setup_error, expected.setup_error);
        ASSERT_EQ(out.in_ready, expected.in_ready);
        ASSERT_EQ(out.out_valid, expected.out_valid);
        ASSERT_EQ(out.found, expected.found);
        ASSERT_EQ(out.same_key, expected.same_key);
        ASSERT_EQ(out.phys, expected.phys);
        found += out.found != 0 ? 1 : 0;
        if (cycle == kCycles / 2) {
            model.reset();
            ASSERT_EQ(tessera_golden_load_history_buffer_reset(block.get()), TESSERA_GOLDEN_OK);
        }
    }
    EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace tessera
