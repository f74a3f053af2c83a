// RTL blocks of outer-product tensor cores in the machine: bitmap unit, array, accumulation buffer,
// and the core that joins them.
#include "sc_models/cosim/accumulation_buffer_rtl.h"
#include "sc_models/cosim/bitmap_unit_rtl.h"
#include "sc_models/cosim/clocked_rtl.h"
#include "sc_models/cosim/feop_array_rtl.h"
#include "sc_models/cosim/rtl_devices.h"
#include "sc_models/cosim/spwmma_core_rtl.h"
#include "sc_models/cosim/spwmma_pins.h"
#include "sc_models/tensor_core/tensor_devices.h"

namespace tessera {
namespace {

class ArrayRtl final : public ClockedRtl<FeopArrayDevice, FeopArrayRtl, FeopArray> {
public:
    ArrayRtl(const Config& config, const DevicePlace& place)
        : ClockedRtl(config, place, RtlBlock::kFeopArray) {}

private:
    void compare(const FeopArrayInputs& inputs, const FeopArrayOutputs& expected,
                 const FeopArrayOutputs& got, Scoreboard& scoreboard) override {
        if (inputs.valid != 0) scoreboard.note("OHMMA {} offered", inputs.meta[0]);
        scoreboard.expect("ready", expected.ready, got.ready);
        scoreboard.expect("valid", expected.valid, got.valid);
        if (expected.valid == 0) return;
        scoreboard.expect("op", static_cast<std::uint64_t>(expected.op),
                          static_cast<std::uint64_t>(got.op));
        compare_words("meta", expected.meta, got.meta, scoreboard);
        compare_words("product", expected.product, got.product, scoreboard);
    }
};

class BufferRtl final
    : public ClockedRtl<AccumulationDevice, AccumulationBufferRtl, DefaultAccumulationBuffer> {
public:
    BufferRtl(const Config& config, const DevicePlace& place)
        : ClockedRtl(config, place, RtlBlock::kAccumulationBuffer) {}

private:
    void compare(const Inputs& inputs, const Outputs& expected, const Outputs& got,
                 Scoreboard& scoreboard) override {
        note(inputs, scoreboard);
        scoreboard.expect("op_ready", expected.op_ready, got.op_ready);
        scoreboard.expect("preload_ready", expected.preload_ready, got.preload_ready);
        scoreboard.expect("drain_ready", expected.drain_ready, got.drain_ready);
        scoreboard.expect("idle", expected.idle, got.idle);
        scoreboard.expect("row_valid", expected.row_valid, got.row_valid);
        if (expected.row_valid != 0) {
            scoreboard.expect("row_word", expected.row_word, got.row_word);
            compare_words("row_data", expected.row_data, got.row_data, scoreboard);
        }
        scoreboard.expect("result_valid", expected.result_valid, got.result_valid);
        if (expected.result_valid == 0) return;
        scoreboard.expect("result_word", expected.result_word, got.result_word);
        compare_words("result_data", expected.result_data, got.result_data, scoreboard);
    }

    static void note(const Inputs& inputs, Scoreboard& scoreboard) {
        if (inputs.op_valid != 0 && inputs.op_dense != 0) {
            scoreboard.note("dense OHMMA for word {}, first {}, last {}", inputs.op_word,
                            inputs.op_first, inputs.op_last);
        } else if (inputs.op_valid != 0) {
            scoreboard.note("sparse OHMMA, row lanes {:02x} columns {:04x}, first for ({}, {})",
                            inputs.op_row_valid, inputs.op_column_valid, inputs.op_row[0],
                            inputs.op_column[0]);
        }
        if (inputs.preload_valid != 0) scoreboard.note("preload of word {}", inputs.preload_word);
        if (inputs.drain_valid != 0) scoreboard.note("drain, clear {}", inputs.drain_clear);
    }
};

class BitmapRtl final : public ClockedRtl<BitmapDevice, BitmapUnitRtl, BitmapUnit> {
public:
    BitmapRtl(const Config& config, const DevicePlace& place)
        : ClockedRtl(config, place, RtlBlock::kBitmapUnit) {}

private:
    void compare(const Inputs& inputs, const Outputs& expected, const Outputs& got,
                 Scoreboard& scoreboard) override {
        if (inputs.tile_valid != 0) {
            scoreboard.note("tile offered, k 0: a {:08x} b {:08x}", inputs.a_bitmap[0],
                            inputs.b_bitmap[0]);
        }
        scoreboard.expect("tile_ready", expected.tile_ready, got.tile_ready);
        scoreboard.expect("tile_done", expected.tile_done, got.tile_done);
        scoreboard.expect("idle", expected.idle, got.idle);
        scoreboard.expect("summary_valid", expected.summary_valid, got.summary_valid);
        if (expected.summary_valid != 0) {
            compare_summary(expected.summary, got.summary, scoreboard);
        }
        scoreboard.expect("ohmma_valid", expected.ohmma_valid, got.ohmma_valid);
        if (expected.ohmma_valid != 0) compare_ohmma(expected.ohmma, got.ohmma, scoreboard);
    }

    static void compare_ohmma(const BitmapUnit::Ohmma& expected, const BitmapUnit::Ohmma& got,
                              Scoreboard& scoreboard) {
        scoreboard.note("OHMMA k {} i {} j {}", expected.k, expected.i, expected.j);
        scoreboard.expect("ohmma_k", expected.k, got.k);
        scoreboard.expect("ohmma_i", expected.i, got.i);
        scoreboard.expect("ohmma_j", expected.j, got.j);
        compare_words("ohmma_row", expected.row, got.row, scoreboard);
        scoreboard.expect("ohmma_row_valid", expected.row_valid, got.row_valid);
        compare_words("ohmma_column", expected.column, got.column, scoreboard);
        scoreboard.expect("ohmma_column_valid", expected.column_valid, got.column_valid);
        scoreboard.expect("ohmma_a_offset", expected.a_offset, got.a_offset);
        scoreboard.expect("ohmma_b_offset", expected.b_offset, got.b_offset);
        scoreboard.expect("ohmma_first", expected.first, got.first);
        scoreboard.expect("ohmma_last", expected.last, got.last);
    }
};

class CoreRtl final : public ClockedRtl<SpwmmaCoreDevice, SpwmmaCoreRtl, SpwmmaCore> {
public:
    CoreRtl(const Config& config, const DevicePlace& place)
        : ClockedRtl(config, place, RtlBlock::kSpwmmaCore) {}

private:
    void compare(const Inputs& inputs, const Outputs& expected, const Outputs& got,
                 Scoreboard& scoreboard) override {
        if (inputs.tile_valid != 0) {
            scoreboard.note("tile {} offered, k 0: a {:08x} b {:08x}", inputs.tile_tag,
                            inputs.a_bitmap[0], inputs.b_bitmap[0]);
        }
        if (inputs.preload_valid != 0) scoreboard.note("preload of word {}", inputs.preload_word);
        if (inputs.drain_valid != 0) scoreboard.note("drain, clear {}", inputs.drain_clear);
        compare_pins(expected, got, scoreboard);
    }
};

}  // namespace

std::unique_ptr<Device> make_rtl_feop_array(const Config& config, const DevicePlace& place) {
    return std::make_unique<ArrayRtl>(config, place);
}

std::unique_ptr<Device> make_rtl_accumulation_buffer(const Config& config,
                                                     const DevicePlace& place) {
    return std::make_unique<BufferRtl>(config, place);
}

std::unique_ptr<Device> make_rtl_bitmap_unit(const Config& config, const DevicePlace& place) {
    return std::make_unique<BitmapRtl>(config, place);
}

std::unique_ptr<Device> make_rtl_spwmma_core(const Config& config, const DevicePlace& place) {
    return std::make_unique<CoreRtl>(config, place);
}

}  // namespace tessera
