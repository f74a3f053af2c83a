// Does the C interface of the golden models give what the models give, and does it refuse wrong
// calls with a status?
#include "sc_models/golden/tessera_golden.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>

#include "sc_models/isa/convolution_packet.h"
#include "sc_models/pins/clocked_id_generator.h"
#include "sc_models/pins/clocked_load_history_buffer.h"
#include "sc_models/tensor_core/accumulation_buffer.h"
#include "sc_models/tensor_core/bitmap_unit.h"
#include "sc_models/tensor_core/fedp.h"
#include "sc_models/tensor_core/feop.h"
#include "sc_models/tensor_core/feop_array.h"

namespace tessera {
namespace {

constexpr std::uint32_t kSeed = 20261128;
constexpr int kCycles = 20000;

/// A block behind its handle; frees it in the end.
template <class Handle>
class Block {
public:
    using Create = int (*)(Handle**);
    using Destroy = void (*)(Handle*);
    Block(Create create, Destroy destroy) : handle_(nullptr, destroy) {
        Handle* handle = nullptr;
        EXPECT_EQ(create(&handle), TESSERA_GOLDEN_OK);
        handle_.reset(handle);
    }
    [[nodiscard]] Handle* get() const { return handle_.get(); }

private:
    std::unique_ptr<Handle, Destroy> handle_;
};

template <class C, class Model>
::testing::AssertionResult same(const C& c, const Model& model) {
    static_assert(sizeof c == sizeof model);
    if (std::memcmp(&c, &model, sizeof c) == 0) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "the arrays differ";
}

template <class Array, class Random>
void fill(Array& array, Random&& random) {
    for (auto& element : array) {
        element = static_cast<std::remove_reference_t<decltype(element)>>(random());
    }
}

TEST(GoldenLibrary, VersionIsThatOfTheHeader) {
    EXPECT_EQ(tessera_golden_abi(), static_cast<std::uint32_t>(TESSERA_GOLDEN_ABI));
}

TEST(GoldenLibrary, ArithmeticIsThatOfTheModels) {
    std::mt19937 random(kSeed);
    for (int i = 0; i < kCycles; ++i) {
        std::uint16_t a[4];
        std::uint16_t b[4];
        std::uint32_t c[4];
        fill(a, random);
        fill(b, random);
        fill(c, random);
        std::uint32_t got[4] = {};
        ASSERT_EQ(tessera_golden_fp16_product(a[0], b[0], got), TESSERA_GOLDEN_OK);
        ASSERT_EQ(got[0], fp16_product(a[0], b[0]));
        ASSERT_EQ(tessera_golden_fp32_add(c[0], c[1], got), TESSERA_GOLDEN_OK);
        ASSERT_EQ(got[0], fp32_add(c[0], c[1]));
        ASSERT_EQ(tessera_golden_feop(a[0], b, c, got), TESSERA_GOLDEN_OK);
        for (int lane = 0; lane < 4; ++lane) {
            ASSERT_EQ(got[lane], fp32_add(c[lane], fp16_product(a[0], b[lane])));
        }
        ASSERT_EQ(tessera_golden_fedp(a, b, c[0], got), TESSERA_GOLDEN_OK);
        ASSERT_EQ(got[0], float_bits(fedp4(a, b, float_from_bits(c[0]))));
    }
}

TEST(GoldenLibrary, FeopArrayIsTheModel) {
    const Block<tessera_golden_feop_array> block(tessera_golden_feop_array_create,
                                                 tessera_golden_feop_array_destroy);
    std::mt19937 random(kSeed);
    FeopArray model;
    int results = 0;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        tessera_golden_feop_array_inputs in{};
        FeopArrayInputs pins;
        in.valid = pins.valid = random() % 2;
        in.op = random() % 2;
        pins.op = static_cast<FeopArrayOp>(in.op);
        in.predicate = pins.predicate = random() % 8 != 0 ? 1 : 0;
        fill(in.a, random);
        fill(in.b, random);
        fill(in.meta, random);
        std::memcpy(pins.a.data(), in.a, sizeof in.a);
        std::memcpy(pins.b.data(), in.b, sizeof in.b);
        std::memcpy(pins.meta.data(), in.meta, sizeof in.meta);
        in.ready = pins.ready = random() % 4 != 0 ? 1 : 0;
        const FeopArrayOutputs expected = model.step(pins);
        tessera_golden_feop_array_outputs out;
        ASSERT_EQ(tessera_golden_feop_array_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
        ASSERT_EQ(out.ready, expected.ready);
        ASSERT_EQ(out.valid, expected.valid);
        if (out.valid == 0) continue;
        ++results;
        ASSERT_EQ(out.op, static_cast<std::uint32_t>(expected.op));
        ASSERT_TRUE(same(out.meta, expected.meta));
        ASSERT_TRUE(same(out.product, expected.product));
        ASSERT_TRUE(same(out.bits, expected.bits));
        if (cycle == kCycles / 2) {
            model.reset();
            ASSERT_EQ(tessera_golden_feop_array_reset(block.get()), TESSERA_GOLDEN_OK);
        }
    }
    EXPECT_GT(results, kCycles / 4);
}

TEST(GoldenLibrary, AccumulationBufferIsTheModel) {
    const Block<tessera_golden_accumulation_buffer> block(
        tessera_golden_accumulation_buffer_create, tessera_golden_accumulation_buffer_destroy);
    std::mt19937 random(kSeed);
    AccumulationBuffer model{AccumulationBufferConfig{}};
    int rows = 0;
    int results = 0;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        tessera_golden_accumulation_buffer_inputs in{};
        AccumulationBuffer::Inputs pins;
        in.op_valid = pins.op_valid = random() % 2;
        in.op_dense = pins.op_dense = random() % 2;
        in.op_first = pins.op_first = random() % 4 == 0 ? 1 : 0;
        in.op_last = pins.op_last = random() % 4 == 0 ? 1 : 0;
        in.op_word = pins.op_word = random() % 8;
        in.op_row_valid = pins.op_row_valid = random() % 256;
        in.op_column_valid = pins.op_column_valid = random() % 65536;
        for (std::uint32_t& row : in.op_row) row = random() % 32;
        const std::uint32_t step = 2 * (random() % 16) + 1;  // odd, so that columns are distinct
        for (std::uint32_t j = 0; j < 16; ++j) in.op_column[j] = (step * (j + 1)) % 32;
        for (std::uint32_t& product : in.op_product) product = float_bits(float(random() % 64));
        for (std::uint32_t& c : in.op_c) c = float_bits(float(random() % 64));
        in.preload_valid = pins.preload_valid = random() % 16 == 0 ? 1 : 0;
        in.preload_word = pins.preload_word = random() % 8;
        for (std::uint32_t& data : in.preload_data) data = float_bits(float(random() % 64));
        in.drain_valid = pins.drain_valid = random() % 16 == 0 ? 1 : 0;
        in.drain_clear = pins.drain_clear = random() % 2;
        in.row_ready = pins.row_ready = random() % 4 != 0 ? 1 : 0;
        in.result_ready = pins.result_ready = random() % 4 != 0 ? 1 : 0;
        std::memcpy(pins.op_row.data(), in.op_row, sizeof in.op_row);
        std::memcpy(pins.op_column.data(), in.op_column, sizeof in.op_column);
        std::memcpy(pins.op_product.data(), in.op_product, sizeof in.op_product);
        std::memcpy(pins.op_c.data(), in.op_c, sizeof in.op_c);
        std::memcpy(pins.preload_data.data(), in.preload_data, sizeof in.preload_data);
        const AccumulationBuffer::Outputs& expected = model.step(pins);
        tessera_golden_accumulation_buffer_outputs out;
        ASSERT_EQ(tessera_golden_accumulation_buffer_step(block.get(), &in, &out),
                  TESSERA_GOLDEN_OK)
            << tessera_golden_message();
        ASSERT_EQ(out.op_ready, expected.op_ready);
        ASSERT_EQ(out.preload_ready, expected.preload_ready);
        ASSERT_EQ(out.drain_ready, expected.drain_ready);
        ASSERT_EQ(out.idle, expected.idle);
        ASSERT_EQ(out.row_valid, expected.row_valid);
        ASSERT_EQ(out.result_valid, expected.result_valid);
        if (out.row_valid != 0) {
            ++rows;
            ASSERT_EQ(out.row_word, expected.row_word);
            ASSERT_TRUE(same(out.row_data, expected.row_data));
        }
        if (out.result_valid != 0) {
            ++results;
            ASSERT_EQ(out.result_word, expected.result_word);
            ASSERT_TRUE(same(out.result_data, expected.result_data));
        }
        if (cycle == kCycles / 2) {
            model.reset();
            ASSERT_EQ(tessera_golden_accumulation_buffer_reset(block.get()), TESSERA_GOLDEN_OK);
        }
    }
    EXPECT_GT(rows, 100);
    EXPECT_GT(results, 100);
}

TEST(GoldenLibrary, BitmapUnitIsTheModel) {
    const Block<tessera_golden_bitmap_unit> block(tessera_golden_bitmap_unit_create,
                                                  tessera_golden_bitmap_unit_destroy);
    std::mt19937 random(kSeed);
    BitmapUnit model;
    int ohmmas = 0;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        tessera_golden_bitmap_unit_inputs in{};
        BitmapUnit::Inputs pins;
        in.tile_valid = pins.tile_valid = random() % 2;
        const std::uint32_t density = random() % 4;
        const auto bits = [&] {
            return density == 0 ? 0 : random() & (density == 1 ? random() : ~0U);
        };
        fill(in.a_bitmap, bits);
        fill(in.b_bitmap, bits);
        std::memcpy(pins.a_bitmap.data(), in.a_bitmap, sizeof in.a_bitmap);
        std::memcpy(pins.b_bitmap.data(), in.b_bitmap, sizeof in.b_bitmap);
        in.ohmma_ready = pins.ohmma_ready = random() % 4 != 0 ? 1 : 0;
        const BitmapUnit::Outputs& expected = model.step(pins);
        tessera_golden_bitmap_unit_outputs out;
        ASSERT_EQ(tessera_golden_bitmap_unit_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
        ASSERT_EQ(out.tile_ready, expected.tile_ready);
        ASSERT_EQ(out.tile_done, expected.tile_done);
        ASSERT_EQ(out.idle, expected.idle);
        ASSERT_EQ(out.summary_valid, expected.summary_valid);
        if (out.summary_valid != 0) {
            ASSERT_TRUE(same(out.a_count, expected.summary.a_count));
            ASSERT_TRUE(same(out.b_count, expected.summary.b_count));
            ASSERT_TRUE(same(out.a_offset, expected.summary.a_offset));
            ASSERT_TRUE(same(out.b_offset, expected.summary.b_offset));
            ASSERT_TRUE(same(out.row_groups, expected.summary.row_groups));
            ASSERT_TRUE(same(out.column_groups, expected.summary.column_groups));
            ASSERT_TRUE(same(out.predicates, expected.summary.predicates));
        }
        ASSERT_EQ(out.ohmma_valid, expected.ohmma_valid);
        if (out.ohmma_valid == 0) continue;
        ++ohmmas;
        ASSERT_EQ(out.ohmma_k, expected.ohmma.k);
        ASSERT_EQ(out.ohmma_i, expected.ohmma.i);
        ASSERT_EQ(out.ohmma_j, expected.ohmma.j);
        ASSERT_TRUE(same(out.ohmma_row, expected.ohmma.row));
        ASSERT_EQ(out.ohmma_row_valid, expected.ohmma.row_valid);
        ASSERT_TRUE(same(out.ohmma_column, expected.ohmma.column));
        ASSERT_EQ(out.ohmma_column_valid, expected.ohmma.column_valid);
        ASSERT_EQ(out.ohmma_a_offset, expected.ohmma.a_offset);
        ASSERT_EQ(out.ohmma_b_offset, expected.ohmma.b_offset);
        ASSERT_EQ(out.ohmma_first, expected.ohmma.first);
        ASSERT_EQ(out.ohmma_last, expected.ohmma.last);
    }
    EXPECT_GT(ohmmas, kCycles / 4);
    ASSERT_EQ(tessera_golden_bitmap_unit_reset(block.get()), TESSERA_GOLDEN_OK);
    tessera_golden_bitmap_unit_inputs in{};
    tessera_golden_bitmap_unit_outputs out;
    ASSERT_EQ(tessera_golden_bitmap_unit_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
    EXPECT_EQ(out.idle, 1U);
}

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

TEST(GoldenLibrary, NullPointersAreRefused) {
    const std::uint16_t halves[4] = {};
    std::uint32_t word = 0;
    EXPECT_EQ(tessera_golden_fp16_product(0, 0, nullptr), TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_STREQ(tessera_golden_message(), "tessera_golden_fp16_product: product is null");
    EXPECT_EQ(tessera_golden_fp32_add(0, 0, nullptr), TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(tessera_golden_feop(0, halves, nullptr, &word), TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(tessera_golden_fedp(nullptr, halves, 0, &word), TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(tessera_golden_feop_array_create(nullptr), TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(tessera_golden_bitmap_unit_reset(nullptr), TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(tessera_golden_id_generator_step(nullptr, nullptr, nullptr),
              TESSERA_GOLDEN_BAD_ARGUMENT);
    tessera_golden_load_history_buffer_destroy(nullptr);
}

TEST(GoldenLibrary, WrongOperandsAreRefusedAndTheBlockDoesNotMove) {
    const Block<tessera_golden_accumulation_buffer> block(
        tessera_golden_accumulation_buffer_create, tessera_golden_accumulation_buffer_destroy);
    tessera_golden_accumulation_buffer_inputs in{};
    tessera_golden_accumulation_buffer_outputs out{};
    in.op_valid = 1;
    in.op_row_valid = 1;
    in.op_column_valid = 3;
    in.op_column[0] = in.op_column[1] = 9;
    EXPECT_EQ(tessera_golden_accumulation_buffer_step(block.get(), &in, &out),
              TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_STREQ(
        tessera_golden_message(),
        "tessera_golden_accumulation_buffer_step: op_column has 9 twice among the valid ones");
    in.op_column[1] = 32;
    EXPECT_EQ(tessera_golden_accumulation_buffer_step(block.get(), &in, &out),
              TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_STREQ(tessera_golden_message(),
                 "tessera_golden_accumulation_buffer_step: op_column is 32, expected at most 31");
    in.op_dense = 1;
    in.op_word = 8;
    EXPECT_EQ(tessera_golden_accumulation_buffer_step(block.get(), &in, &out),
              TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(out.op_ready, 0U);  // as it was before the call
    in = {};
    EXPECT_EQ(tessera_golden_accumulation_buffer_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
    EXPECT_EQ(out.idle, 1U);
}

TEST(GoldenLibrary, ARegisterIsInsertedOnce) {
    const Block<tessera_golden_load_history_buffer> block(
        tessera_golden_load_history_buffer_create, tessera_golden_load_history_buffer_destroy);
    tessera_golden_load_history_buffer_inputs in{};
    tessera_golden_load_history_buffer_outputs out{};
    const auto step = [&] {
        return tessera_golden_load_history_buffer_step(block.get(), &in, &out);
    };
    in.setup_valid = 1;
    in.out_ready = 1;
    ASSERT_EQ(step(), TESSERA_GOLDEN_OK);
    in.setup_valid = 0;
    ASSERT_EQ(step(), TESSERA_GOLDEN_OK);  // empties the only row
    in.in_valid = 1;
    in.op = 1;
    in.phys = 5;
    ASSERT_EQ(step(), TESSERA_GOLDEN_OK);
    ASSERT_EQ(out.in_ready, 1U);
    EXPECT_EQ(step(), TESSERA_GOLDEN_BAD_OPERATION);
    in.op = 2;
    EXPECT_EQ(step(), TESSERA_GOLDEN_OK);
    in.op = 3;
    EXPECT_EQ(step(), TESSERA_GOLDEN_BAD_ARGUMENT);
}

}  // namespace
}  // namespace tessera
