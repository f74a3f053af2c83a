// Does the C interface of Duplo's ID generator, load history buffer and rename table give what the
// models give?
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>
#include <vector>

#include "sc_models/isa/convolution_packet.h"
#include "sc_models/pins/clocked_id_generator.h"
#include "sc_models/pins/clocked_load_history_buffer.h"
#include "sc_models/pins/clocked_rename_table.h"
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

tessera_golden_rename_table_inputs inputs_of(const ClockedRenameTable::Inputs& pins) {
    return {pins.setup_valid ? 1U : 0U,
            pins.setup_units,
            pins.setup_registers,
            pins.in_valid ? 1U : 0U,
            pins.unit,
            pins.out_ready ? 1U : 0U,
            pins.map_valid ? 1U : 0U,
            static_cast<std::uint32_t>(pins.map_op),
            pins.map_unit,
            pins.map_phys};
}

TEST(GoldenLibrary, RenameTableIsTheModel) {
    constexpr std::uint32_t kUnits = 90;
    const Block<tessera_golden_rename_table> block(tessera_golden_rename_table_create,
                                                   tessera_golden_rename_table_destroy);
    std::mt19937 random(kSeed);
    ClockedRenameTable model;
    std::vector<bool> busy(kUnits, false);  // under way, or waiting for a mapping
    std::deque<std::uint32_t> way, taken;
    int deaths = 0;
    int shared = 0;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        ClockedRenameTable::Inputs pins;
        pins.setup_valid = cycle % 3000 < 8;
        pins.setup_units = random() % 16 == 0 ? 20000 : kUnits;
        pins.setup_registers = kUnits;
        pins.unit = random() % kUnits;
        pins.in_valid = model.ready() && !busy[pins.unit] && random() % 4 != 0;
        pins.out_ready = random() % 4 != 0;
        pins.map_valid = !taken.empty() && random() % 4 != 0;
        pins.map_op = static_cast<RenameTableRtl::Op>(random() % 3);
        if (pins.map_valid) {
            pins.map_unit = taken.front();
            const PhysRegId used = model.core().mapping(random() % kUnits);
            if (used.valid()) {
                pins.map_phys = used.value();
            } else if (pins.map_op == RenameTableRtl::Op::kShare) {
                pins.map_op = RenameTableRtl::Op::kNew;
            }
        }
        const ClockedRenameTable::Outputs expected = model.outputs(pins);
        model.edge(pins);
        const tessera_golden_rename_table_inputs in = inputs_of(pins);
        tessera_golden_rename_table_outputs out;
        ASSERT_EQ(tessera_golden_rename_table_step(block.get(), &in, &out), TESSERA_GOLDEN_OK)
            << tessera_golden_message();
        ASSERT_TRUE(same(out, expected)) << "in cycle " << cycle;
        deaths += out.died != 0 ? 1 : 0;
        if (pins.map_valid && out.map_ready != 0) {
            shared += pins.map_op == RenameTableRtl::Op::kShare ? 1 : 0;
            busy[pins.map_unit] = false;
            taken.pop_front();
        }
        if (out.out_valid != 0 && pins.out_ready) {
            taken.push_back(way.front());
            way.pop_front();
        }
        if (pins.in_valid && out.in_ready != 0) {
            busy[pins.unit] = true;
            way.push_back(pins.unit);
        }
        const bool reset = cycle == kCycles / 2;
        if (reset) {
            model.reset();
            ASSERT_EQ(tessera_golden_rename_table_reset(block.get()), TESSERA_GOLDEN_OK);
        }
        if (reset || (pins.setup_valid && out.setup_ready != 0 && model.ready())) {
            busy.assign(kUnits, false);
            way.clear();
            taken.clear();
        }
    }
    EXPECT_GT(deaths, 1000);
    EXPECT_GT(shared, 1000);
}

TEST(GoldenLibrary, RenameTableRefusesWhatBreaksTheCallersPart) {
    const Block<tessera_golden_rename_table> block(tessera_golden_rename_table_create,
                                                   tessera_golden_rename_table_destroy);
    tessera_golden_rename_table_inputs in{};
    tessera_golden_rename_table_outputs out{};
    const auto step = [&] { return tessera_golden_rename_table_step(block.get(), &in, &out); };
    const auto expect_refused = [&](int status, const std::string& message) {
        EXPECT_EQ(step(), status);
        EXPECT_EQ(tessera_golden_message(), "tessera_golden_rename_table_step: " + message);
    };
    in.setup_valid = 1;
    in.setup_units = in.setup_registers = 2;
    ASSERT_EQ(step(), TESSERA_GOLDEN_OK);
    in = {};
    ASSERT_EQ(step(), TESSERA_GOLDEN_OK);  // empties the only row
    in.map_valid = 1;
    in.map_op = 3;
    expect_refused(TESSERA_GOLDEN_BAD_ARGUMENT, "map_op is 3, expected at most 2");
    in.map_op = 2;
    in.map_phys = 1;
    expect_refused(TESSERA_GOLDEN_BAD_OPERATION, "register 1 has no unit");
    in.map_op = 1;
    ASSERT_EQ(step(), TESSERA_GOLDEN_OK);
    expect_refused(TESSERA_GOLDEN_BAD_OPERATION, "unit 0 has a register");
    in.map_unit = 2;
    expect_refused(TESSERA_GOLDEN_BAD_OPERATION, "unit 2 is not one of the set-up");
    in = {};
    in.in_valid = 1;
    in.unit = 7;
    expect_refused(TESSERA_GOLDEN_BAD_OPERATION, "unit 7 is not one of the set-up");
    in.unit = 0;
    ASSERT_EQ(step(), TESSERA_GOLDEN_OK);
    expect_refused(TESSERA_GOLDEN_BAD_OPERATION, "unit 0 is under way or waits for its mapping");
}

}  // namespace
}  // namespace tessera
