// Does the C interface of Duplo's detection unit give what the model gives?
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>

#include "sc_models/isa/convolution_packet.h"
#include "sc_models/pins/clocked_duplo_core.h"
#include "tests/unit/golden_block.h"

namespace tessera {
namespace {

using Kind = DuploCoreRtl::Kind;

constexpr std::uint32_t kCoreUnits = 64;
constexpr std::uint32_t kSetupCycles = 320;  ///< until the first unit is taken

ConvolutionPacket packet_of_a_layer() {
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

ClockedDuploCore::Inputs setup() {
    ClockedDuploCore::Inputs pins;
    pins.setup_valid = true;
    pins.setup.packet = packet_of_a_layer().encode();
    pins.setup.kernel_tag = 7;
    pins.setup.log_sets = 4;
    pins.setup.log_ways = 1;
    pins.setup.shift = 2;
    pins.setup.fold = true;
    pins.setup.units = pins.setup.registers = kCoreUnits;
    return pins;
}

tessera_golden_duplo_core_inputs inputs_of(const ClockedDuploCore::Inputs& pins) {
    tessera_golden_duplo_core_inputs in{};
    in.setup_valid = pins.setup_valid ? 1 : 0;
    std::memcpy(in.setup_packet, pins.setup.packet.data(), sizeof in.setup_packet);
    in.setup_kernel_tag = pins.setup.kernel_tag;
    in.setup_log_sets = pins.setup.log_sets;
    in.setup_log_ways = pins.setup.log_ways;
    in.setup_shift = pins.setup.shift;
    in.setup_fold = pins.setup.fold ? 1 : 0;
    in.setup_units = pins.setup.units;
    in.setup_registers = pins.setup.registers;
    in.clear_valid = pins.clear_valid ? 1 : 0;
    in.in_valid = pins.in_valid ? 1 : 0;
    in.op = static_cast<std::uint32_t>(pins.op);
    in.address_low = static_cast<std::uint32_t>(pins.address);
    in.address_high = static_cast<std::uint32_t>(pins.address >> 32U);
    in.unit = pins.unit;
    in.domain = pins.domain;
    return in;
}

TEST(GoldenLibrary, DuploCoreIsTheModel) {
    const Block<tessera_golden_duplo_core> block(tessera_golden_duplo_core_create,
                                                 tessera_golden_duplo_core_destroy);
    std::mt19937 random(kSeed);
    ClockedDuploCore model;
    std::array<int, 5> kinds{};
    std::uint32_t next_unit = 0;
    int clears = 0;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        ClockedDuploCore::Inputs pins;
        if (cycle % 4096 < 64) pins = setup();  // until the pipe is empty
        pins.clear_valid = cycle % 1024 > 1000;
        pins.in_valid = random() % 4 != 0;
        constexpr std::array<PipeUnit::Op, 8> kOps = {PipeUnit::Op::kEnd, PipeUnit::Op::kFresh};
        pins.op = kOps[random() % kOps.size()];  // mostly kLoad
        pins.address = 0x10000 + 32 * (random() % 200) + (random() % 16 == 0 ? 2 : 0);
        if (random() % 64 == 0) pins.address |= 1ULL << 40;
        pins.unit = next_unit;
        pins.domain = random() % 2;
        const ClockedDuploCore::Outputs expected = model.step(pins);
        const tessera_golden_duplo_core_inputs in = inputs_of(pins);
        tessera_golden_duplo_core_outputs out;
        ASSERT_EQ(tessera_golden_duplo_core_step(block.get(), &in, &out), TESSERA_GOLDEN_OK)
            << tessera_golden_message();
        ASSERT_TRUE(same(out, expected)) << "cycle " << cycle;
        if (pins.in_valid && out.in_ready != 0) next_unit = (next_unit + 1) % kCoreUnits;
        if (out.out_valid != 0) ++kinds.at(out.kind);
        clears += pins.clear_valid && out.clear_ready != 0 ? 1 : 0;
        if (cycle == kCycles / 2) {
            model.reset();
            ASSERT_EQ(tessera_golden_duplo_core_reset(block.get()), TESSERA_GOLDEN_OK);
        }
    }
    for (const int number : kinds) EXPECT_GT(number, 100);
    EXPECT_GT(clears, 5);
}

TEST(GoldenLibrary, DuploCoreRefusesWhatBreaksTheCallersPart) {
    const Block<tessera_golden_duplo_core> block(tessera_golden_duplo_core_create,
                                                 tessera_golden_duplo_core_destroy);
    tessera_golden_duplo_core_outputs out{};
    const auto step = [&](const tessera_golden_duplo_core_inputs& in) {
        return tessera_golden_duplo_core_step(block.get(), &in, &out);
    };
    const auto expect_refused = [&](const tessera_golden_duplo_core_inputs& in, int status,
                                    const std::string& message) {
        EXPECT_EQ(step(in), status);
        EXPECT_EQ(tessera_golden_message(), "tessera_golden_duplo_core_step: " + message);
    };
    tessera_golden_duplo_core_inputs in = inputs_of(setup());
    in.setup_shift = 32;
    expect_refused(in, TESSERA_GOLDEN_BAD_ARGUMENT, "setup_shift is 32, expected at most 31");
    in = inputs_of(setup());
    in.setup_registers = 63;
    expect_refused(in, TESSERA_GOLDEN_BAD_OPERATION, "63 registers are fewer than the 64 units");
    ASSERT_EQ(step(inputs_of(setup())), TESSERA_GOLDEN_OK);
    in = {};
    std::uint32_t waited = 1;
    while (out.in_ready == 0 && waited < 2 * kSetupCycles) {
        ASSERT_EQ(step(in), TESSERA_GOLDEN_OK);
        ++waited;
    }
    EXPECT_EQ(waited, kSetupCycles + 1);
    EXPECT_EQ(out.setup_error, 0U);
    in.in_valid = 1;
    in.op = 3;
    expect_refused(in, TESSERA_GOLDEN_BAD_ARGUMENT, "op is 3, expected at most 2");
    in.op = 0;
    in.unit = kCoreUnits;
    expect_refused(in, TESSERA_GOLDEN_BAD_OPERATION, "unit 64 is not one of the set-up");
    for (in.unit = 0; in.unit < 16; ++in.unit) ASSERT_EQ(step(in), TESSERA_GOLDEN_OK);
    in.unit = 1;
    expect_refused(in, TESSERA_GOLDEN_BAD_OPERATION, "unit 1 was one of the last 15 units");
    in.unit = 0;  // 15 others came between
    EXPECT_EQ(step(in), TESSERA_GOLDEN_OK);
}

}  // namespace
}  // namespace tessera
