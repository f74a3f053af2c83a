// Transactors of blocks in pins: operations go in, results come back with their tags.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <systemc>
#include <vector>

#include "sc_models/pins/accumulation_buffer_pins.h"
#include "sc_models/pins/bitmap_im2col_pins.h"
#include "sc_models/pins/bitmap_unit_pins.h"
#include "sc_models/pins/duplo_core_pins.h"
#include "sc_models/pins/feop_array_pins.h"
#include "sc_models/pins/id_generator_pins.h"
#include "sc_models/pins/load_history_buffer_pins.h"
#include "sc_models/pins/spwmma_core_pins.h"
#include "sc_models/tensor_core/feop.h"

namespace tessera::test {
namespace {

/// A model in pins with its transactor, out of reset. Every third cycle stalls each side if
/// `stalls`.
template <class Block>
class Rig {
public:
    explicit Rig(bool stalls = true) {
        pins::bind(dut, wires);
        pins::bind(driver, wires);
        dut.clk_i(clock);
        driver.clk_i(clock);
        dut.rst_ni(reset);
        driver.rst_ni(reset);
        driver.on_result([this](const auto& result) { results.push_back(result); });
        if (stalls) {
            driver.stall_by([this] { return ++offers_ % 3 != 0; },
                            [this] { return ++takes_ % 3 != 1; });
        }
        run(2);
        reset.write(true);
    }
    void run(std::uint32_t cycles) {
        sc_core::sc_start(cycles * sc_core::sc_time(1, sc_core::SC_NS));
    }
    /// Runs until all results have come; returns the number of cycles.
    std::uint32_t finish() {
        std::uint32_t cycles = 0;
        for (; !driver.idle() && cycles < 10'000; ++cycles) run(1);
        return cycles;
    }

    sc_core::sc_clock clock{"clock", sc_core::sc_time(1, sc_core::SC_NS)};
    sc_core::sc_signal<bool> reset{"reset"};
    pins::PinSignals<Block> wires{"wires"};
    pins::PinModel<Block> dut{"dut"};
    pins::Transactor<Block> driver{"driver"};
    std::vector<typename Block::Result> results;

private:
    std::uint32_t offers_ = 0, takes_ = 0;
};

ConvolutionPacket::Bytes small_packet() {
    LoweredGeometry g;
    g.base = 0x1000;
    g.input_height = g.input_width = 4;
    g.output_height = g.output_width = 2;
    g.channels = 16;
    g.filter_height = g.filter_width = 3;
    g.filter_row_chunks = 3;
    g.row_pitch_chunks = 9;
    g.n_chunks = 4 * 9;
    return ConvolutionPacket::make(g).encode();
}

TEST(PinTransactors, IdGenerator) {
    using Operation = pins::IdGeneratorBlock::Operation;
    Rig<pins::IdGeneratorBlock> rig;
    ConvolutionPacket::Bytes bad = small_packet();
    bad[0] ^= 0xffU;
    Operation packet;
    packet.kind = Operation::Kind::kPacket;
    packet.tag = 7;
    packet.packet = bad;
    rig.driver.send(packet);
    packet.tag = 8;
    packet.packet = small_packet();
    rig.driver.send(packet);
    IdGenerator core;
    core.program(ConvolutionPacket::decode(packet.packet), IdFormula::kCorrected);
    for (std::uint32_t chunk = 0; chunk < 36; ++chunk) {
        rig.driver.send({Operation::Kind::kAddress, 100 + chunk, {}, 0x1000 + 32 * Address{chunk}});
    }
    rig.finish();
    ASSERT_EQ(38U, rig.results.size());
    EXPECT_EQ(7U, rig.results[0].tag);
    EXPECT_NE(0U, rig.results[0].packet_error);
    EXPECT_EQ(8U, rig.results[1].tag);
    EXPECT_EQ(0U, rig.results[1].packet_error);
    for (std::uint32_t chunk = 0; chunk < 36; ++chunk) {
        const auto& result = rig.results[chunk + 2];
        std::array<DataId, kFragmentRows> ids;
        core.generate(0x1000 + 32 * Address{chunk}, 32, 1, ids.data());
        EXPECT_EQ(100 + chunk, result.tag);
        ASSERT_TRUE(ids[0].valid());
        EXPECT_EQ(ids[0].element, result.element);
        EXPECT_EQ(0U, result.bypass);
    }
}

TEST(PinTransactors, LoadHistoryBuffer) {
    using Operation = pins::LoadHistoryBufferBlock::Operation;
    using Kind = Operation::Kind;
    Rig<pins::LoadHistoryBufferBlock> rig;
    Operation set_up;
    set_up.kind = Kind::kSetUp;
    set_up.log_sets = 4;
    rig.driver.send(set_up);
    const auto send = [&rig](Kind kind, std::uint64_t tag, std::uint64_t element,
                             std::uint32_t phys) {
        Operation operation;
        operation.kind = kind;
        operation.tag = tag;
        operation.key.low = element;
        operation.phys = phys;
        rig.driver.send(operation);
    };
    send(Kind::kLookup, 1, 5, 0);
    send(Kind::kInsert, 2, 5, 77);
    send(Kind::kLookup, 3, 5, 0);
    send(Kind::kRelease, 4, 0, 77);
    send(Kind::kLookup, 5, 5, 0);
    rig.finish();
    ASSERT_EQ(5U, rig.results.size());
    const std::array<bool, 5> found = {false, false, true, true, false};
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(i + 1, rig.results[i].tag);
        EXPECT_EQ(found[i], rig.results[i].found) << i;
    }
    EXPECT_EQ(77U, rig.results[2].phys);
}

/// A refused set-up, then one for 32 units. Of twelve units the last one has the address of the
/// first: it hits, and shares its register until the buffer is cleared.
TEST(PinTransactors, DuploCore) {
    using Operation = pins::DuploCoreBlock::Operation;
    using Kind = Operation::Kind;
    using Answer = tessera::DuploCoreRtl::Kind;
    Rig<pins::DuploCoreBlock> rig;
    Operation set_up;
    set_up.kind = Kind::kSetUp;
    set_up.setup.packet = small_packet();
    set_up.setup.log_sets = 6;
    set_up.setup.shift = 4;  // a chunk has 16 halves
    set_up.setup.units = 0;
    set_up.setup.registers = 32;
    rig.driver.send(set_up);
    set_up.tag = 1;
    set_up.setup.units = 32;
    rig.driver.send(set_up);
    const auto load = [&rig](std::uint64_t tag, std::uint32_t unit, std::uint32_t chunk) {
        Operation operation;
        operation.tag = tag;
        operation.unit = unit;
        operation.address = 0x1000 + 32 * Address{chunk};
        rig.driver.send(operation);
    };
    for (std::uint32_t unit = 0; unit < 12; ++unit) load(2 + unit, unit, unit == 11 ? 0 : unit);
    Operation clear;
    clear.kind = Kind::kClear;
    rig.driver.send(clear);
    load(14, 12, 0);
    Operation end;
    end.tag = 15;
    end.op = PipeUnit::Op::kEnd;
    end.unit = 20;
    rig.driver.send(end);
    EXPECT_LT(rig.finish(), 2000U);
    ASSERT_EQ(16U, rig.results.size());
    for (std::uint64_t tag = 1; tag < 16; ++tag) EXPECT_EQ(tag, rig.results[tag].tag);
    EXPECT_TRUE(rig.results[0].refused);
    EXPECT_FALSE(rig.results[1].refused);
    EXPECT_EQ(Answer::kMiss, rig.results[2].answer);
    EXPECT_EQ(Answer::kHit, rig.results[13].answer);
    EXPECT_EQ(rig.results[2].phys, rig.results[13].phys);
    EXPECT_EQ(Answer::kMiss, rig.results[14].answer);
    EXPECT_NE(rig.results[2].phys, rig.results[14].phys);
    EXPECT_EQ(Answer::kEnded, rig.results[15].answer);
    EXPECT_EQ(20U, rig.results[15].unit);
}

TEST(PinTransactors, FeopArray) {
    Rig<pins::FeopArrayBlock> rig;
    for (std::uint64_t tag = 0; tag < 20; ++tag) {
        pins::FeopArrayBlock::Operation operation;
        operation.tag = tag;
        operation.predicate = tag % 4 != 0;
        operation.a[3] = static_cast<HalfBits>(0x3c00 + tag);
        operation.b[5] = 0x4000;
        rig.driver.send(operation);
    }
    rig.finish();
    ASSERT_EQ(15U, rig.results.size());
    std::uint64_t tag = 1;
    for (const auto& result : rig.results) {
        EXPECT_EQ(tag, result.tag);
        EXPECT_EQ(fp16_product(static_cast<HalfBits>(0x3c00 + tag), 0x4000),
                  result.product[3 * kOhmmaColumns + 5]);
        tag += tag % 4 == 3 ? 2 : 1;
    }
}

TEST(PinTransactors, AccumulationBuffer) {
    using Operation = pins::AccumulationBufferBlock::Operation;
    using Kind = Operation::Kind;
    constexpr std::uint32_t kOne = 0x3f800000U;
    constexpr std::uint32_t kTwo = 0x40000000U;
    Rig<pins::AccumulationBufferBlock> rig;
    Operation preload;
    preload.kind = Kind::kPreload;
    for (preload.word = 0; preload.word < 8; ++preload.word) rig.driver.send(preload);
    Operation dense;
    dense.kind = Kind::kDense;
    dense.tag = 21;
    dense.first = dense.last = true;
    dense.word = 2;
    dense.data.fill(kOne);
    dense.c.fill(kOne);
    rig.driver.send(dense);
    Operation drain;
    drain.kind = Kind::kDrain;
    drain.tag = 22;
    rig.driver.send(drain);
    rig.finish();
    ASSERT_EQ(9U, rig.results.size());
    EXPECT_EQ(21U, rig.results[0].tag);
    EXPECT_EQ(kTwo, rig.results[0].data[100]);
    for (std::uint32_t word = 0; word < 8; ++word) {
        const auto& row = rig.results[word + 1];
        EXPECT_EQ(22U, row.tag);
        EXPECT_EQ(word, row.word);
        EXPECT_EQ(word == 2 ? kTwo : 0U, row.data[100]);
    }
}

TEST(PinTransactors, BitmapUnit) {
    Rig<pins::BitmapUnitBlock> rig;
    std::map<std::uint64_t, std::uint32_t> expected;  // OHMMAs of a tile
    for (std::uint64_t tag = 0; tag < 9; ++tag) {
        pins::BitmapUnitBlock::Operation tile;
        tile.tag = tag;
        if (tag % 3 != 0) {  // 20 x 11 non-zeros: three groups of rows, one of columns
            tile.a_bitmap[tag] = (1U << 20U) - 1;
            tile.b_bitmap[tag] = (1U << 11U) - 1;
        }
        expected[tag] = tag % 3 == 0 ? 0 : 3;
        rig.driver.send(tile);
    }
    rig.finish();
    std::map<std::uint64_t, std::uint32_t> got;
    std::uint64_t last = 0;
    for (const auto& result : rig.results) {
        EXPECT_GE(result.tag, last);
        last = result.tag;
        got[result.tag] += result.empty ? 0 : 1;
    }
    EXPECT_EQ(expected, got);
}

/// Row n has n + 1 columns under its filter, and a filter of no column is refused with one.
TEST(PinTransactors, BitmapIm2col) {
    Rig<pins::BitmapIm2colBlock> rig;
    std::map<std::uint64_t, std::uint32_t> expected, got;  // columns of a row
    for (std::uint64_t tag = 0; tag < 9; ++tag) {
        const auto columns = static_cast<std::uint32_t>(tag) + 1;
        rig.driver.send({tag, {0x155, 10, tag == 4 ? 0 : columns, 0, 100}});
        expected[tag] = tag == 4 ? 1 : columns;
    }
    rig.finish();
    std::uint64_t last = 0;
    for (const auto& result : rig.results) {
        EXPECT_GE(result.tag, last);
        last = result.tag;
        ++got[result.tag];
        EXPECT_EQ(result.tag == 4 ? 1U : 0U, result.column.error);
    }
    EXPECT_EQ(expected, got);
    EXPECT_EQ(104U, rig.results.back().column.address);  // elements 0, 2, 4 and 6 have gone
}

/// Each tile adds 2 x 3 to the element in row and column `tag`; tiles without an OHMMA are between
/// them. The drain gives the sums.
TEST(PinTransactors, SpwmmaCore) {
    using Operation = pins::SpwmmaCoreBlock::Operation;
    using Kind = Operation::Kind;
    constexpr std::uint64_t kTiles = 24;
    Rig<pins::SpwmmaCoreBlock> rig;
    Operation preload;
    preload.kind = Kind::kPreload;
    for (preload.word = 0; preload.word < 8; ++preload.word) rig.driver.send(preload);
    for (std::uint64_t tag = 0; tag < kTiles; ++tag) {
        Operation tile;
        tile.tag = tag;
        if (tag % 3 != 0) {  // in the second k set the values begin behind those of the first
            tile.a_bitmap[3] = tile.b_bitmap[3] = 1U << tag;
            tile.a_bitmap[5] = tile.b_bitmap[5] = 1U << tag;
            tile.a[0] = tile.b[1] = 0x3c00;
            tile.a[1] = 0x4000;
            tile.b[0] = 0x4400;
        }
        rig.driver.send(tile);
    }
    Operation drain;
    drain.kind = Kind::kDrain;
    drain.tag = 99;
    EXPECT_LT(rig.finish(), 400U);
    rig.driver.send(drain);
    rig.finish();
    ASSERT_EQ(kTiles + 8, rig.results.size());
    for (std::uint64_t tag = 0; tag < kTiles; ++tag) {
        EXPECT_EQ(tag, rig.results[tag].tag);
        EXPECT_EQ(tag % 3 == 0 ? 0U : 2U, rig.results[tag].ohmmas);
    }
    constexpr std::uint32_t kSix = 0x40c00000U;  // 1 x 4 + 2 x 1
    for (std::uint32_t n = 0; n < kTiles; ++n) {
        // Element (r, c) is word r / 4 of bank 32 (r % 4) + (c ^ 4 (r / 4)).
        const auto& row = rig.results[kTiles + n / 4];
        EXPECT_EQ(n / 4, row.word);
        EXPECT_EQ(n % 3 == 0 ? 0U : kSix, row.data[32 * (n % 4) + (n ^ 4 * (n / 4))]) << n;
    }
}

/// Without stalls the array takes an operation per cycle: 100 results within 100 cycles and its
/// latency.
TEST(PinTransactors, KeepABlockBusy) {
    Rig<pins::FeopArrayBlock> rig(false);
    for (std::uint64_t tag = 0; tag < 100; ++tag) {
        pins::FeopArrayBlock::Operation operation;
        operation.tag = tag;
        rig.driver.send(operation);
    }
    EXPECT_LE(rig.finish(), 100 + kFeopArrayLatency + 2);
    EXPECT_EQ(100U, rig.results.size());
}

TEST(PinTransactors, AResetDropsOperations) {
    Rig<pins::FeopArrayBlock> rig;
    for (std::uint64_t tag = 0; tag < 50; ++tag) {
        pins::FeopArrayBlock::Operation operation;
        operation.tag = tag;
        rig.driver.send(operation);
    }
    rig.run(10);
    rig.reset.write(false);
    rig.run(2);
    EXPECT_TRUE(rig.driver.idle());
    rig.reset.write(true);
    const std::size_t before = rig.results.size();
    EXPECT_GT(before, 0U);
    rig.run(20);
    EXPECT_EQ(before, rig.results.size());
}

TEST(PinTransactors, PinsAreTracedUnderTheirNames) {
    const std::string file = testing::TempDir() + "pins_trace";
    {
        Rig<pins::BitmapUnitBlock> rig;
        sc_core::sc_trace_file* trace = sc_core::sc_create_vcd_trace_file(file.c_str());
        pins::trace(trace, rig.dut, "dut");
        pins::trace(trace, rig.wires, "wires");
        pins::BitmapUnitBlock::Operation tile;
        tile.a_bitmap[0] = tile.b_bitmap[0] = 1;
        rig.driver.send(tile);
        rig.finish();
        EXPECT_EQ(1U, rig.results.size());
        sc_core::sc_close_vcd_trace_file(trace);
    }
    std::ifstream in(file + ".vcd");
    std::stringstream text;
    text << in.rdbuf();
    for (const char* name :
         {"tile_valid_i", "a_bitmap_i", "ohmma_valid_o", "ohmma_k_o", "idle_o"}) {
        EXPECT_NE(std::string::npos, text.str().find(name)) << name;
    }
    std::remove((file + ".vcd").c_str());
}

}  // namespace
}  // namespace tessera::test
