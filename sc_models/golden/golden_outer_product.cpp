// C interface of the outer-product tensor cores: multiplier array, accumulation buffer, bitmap
// unit, bitmap im2col.
#include <array>
#include <cstring>

#include "sc_models/config/spwmma_config.h"
#include "sc_models/golden/golden_call.h"
#include "sc_models/tensor_core/accumulation_buffer.h"
#include "sc_models/tensor_core/bitmap_im2col.h"
#include "sc_models/tensor_core/bitmap_unit.h"
#include "sc_models/tensor_core/feop_array.h"

struct tessera_golden_feop_array {
    tessera::FeopArray model;
};

struct tessera_golden_accumulation_buffer {
    tessera::AccumulationBuffer model{tessera::AccumulationBufferConfig{}};
};

struct tessera_golden_bitmap_unit {
    tessera::BitmapUnit model;
};

struct tessera_golden_bitmap_im2col {
    tessera::BitmapIm2col model;
};

namespace tessera {
namespace {

/// Copies an array of the interface to the model's or back; both have the same size.
template <class To, class From>
void copy(To& to, const From& from) {
    static_assert(sizeof to == sizeof from);
    std::memcpy(&to, &from, sizeof to);
}

tessera_golden_feop_array_outputs step(FeopArray& model,
                                       const tessera_golden_feop_array_inputs& in) {
    need_at_most(in.op, 1, "op");
    FeopArrayInputs pins;
    pins.valid = in.valid;
    pins.op = static_cast<FeopArrayOp>(in.op);
    pins.predicate = in.predicate;
    copy(pins.a, in.a);
    copy(pins.b, in.b);
    copy(pins.meta, in.meta);
    pins.ready = in.ready;
    const FeopArrayOutputs from = model.step(pins);
    tessera_golden_feop_array_outputs out{};
    out.ready = from.ready;
    out.valid = from.valid;
    out.op = static_cast<uint32_t>(from.op);
    copy(out.meta, from.meta);
    copy(out.product, from.product);
    copy(out.bits, from.bits);
    return out;
}

/// Refuses operands that have no place in the tile.
void check(const tessera_golden_accumulation_buffer_inputs& in) {
    if (in.preload_valid != 0) need_at_most(in.preload_word, 7, "preload_word");
    if (in.op_valid == 0) return;
    if (in.op_dense != 0) {
        need_at_most(in.op_word, 7, "op_word");
        return;
    }
    need_at_most(in.op_row_valid, (1U << kOhmmaRows) - 1, "op_row_valid");
    need_at_most(in.op_column_valid, (1U << kOhmmaColumns) - 1, "op_column_valid");
    for (const uint32_t row : in.op_row) need_at_most(row, kTileSize - 1, "op_row");
    uint32_t seen = 0;
    for (uint32_t j = 0; j < kOhmmaColumns; ++j) {
        need_at_most(in.op_column[j], kTileSize - 1, "op_column");
        if ((in.op_column_valid >> j & 1U) == 0) continue;
        const uint32_t bit = 1U << in.op_column[j];
        if ((seen & bit) != 0) {
            throw GoldenRefusal(
                TESSERA_GOLDEN_BAD_ARGUMENT,
                "op_column has " + std::to_string(in.op_column[j]) + " twice among the valid ones");
        }
        seen |= bit;
    }
}

tessera_golden_accumulation_buffer_outputs step(
    AccumulationBuffer& model, const tessera_golden_accumulation_buffer_inputs& in) {
    check(in);
    AccumulationBuffer::Inputs pins;
    pins.op_valid = in.op_valid;
    pins.op_dense = in.op_dense;
    pins.op_first = in.op_first;
    pins.op_last = in.op_last;
    pins.op_word = in.op_word;
    pins.op_row_valid = in.op_row_valid;
    pins.op_column_valid = in.op_column_valid;
    copy(pins.op_row, in.op_row);
    copy(pins.op_column, in.op_column);
    copy(pins.op_product, in.op_product);
    copy(pins.op_c, in.op_c);
    pins.preload_valid = in.preload_valid;
    pins.preload_word = in.preload_word;
    copy(pins.preload_data, in.preload_data);
    pins.drain_valid = in.drain_valid;
    pins.drain_clear = in.drain_clear;
    pins.row_ready = in.row_ready;
    pins.result_ready = in.result_ready;
    const AccumulationBuffer::Outputs& from = model.step(pins);
    tessera_golden_accumulation_buffer_outputs out{};
    out.op_ready = from.op_ready;
    out.preload_ready = from.preload_ready;
    out.drain_ready = from.drain_ready;
    out.row_valid = from.row_valid;
    out.row_word = from.row_word;
    copy(out.row_data, from.row_data);
    out.result_valid = from.result_valid;
    out.result_word = from.result_word;
    copy(out.result_data, from.result_data);
    out.idle = from.idle;
    return out;
}

tessera_golden_bitmap_unit_outputs step(BitmapUnit& model,
                                        const tessera_golden_bitmap_unit_inputs& in) {
    BitmapUnit::Inputs pins;
    pins.tile_valid = in.tile_valid;
    copy(pins.a_bitmap, in.a_bitmap);
    copy(pins.b_bitmap, in.b_bitmap);
    pins.ohmma_ready = in.ohmma_ready;
    const BitmapUnit::Outputs& from = model.step(pins);
    tessera_golden_bitmap_unit_outputs out{};
    out.tile_ready = from.tile_ready;
    out.summary_valid = from.summary_valid;
    copy(out.a_count, from.summary.a_count);
    copy(out.b_count, from.summary.b_count);
    copy(out.a_offset, from.summary.a_offset);
    copy(out.b_offset, from.summary.b_offset);
    copy(out.row_groups, from.summary.row_groups);
    copy(out.column_groups, from.summary.column_groups);
    copy(out.predicates, from.summary.predicates);
    out.tile_done = from.tile_done;
    out.ohmma_valid = from.ohmma_valid;
    out.ohmma_k = from.ohmma.k;
    out.ohmma_i = from.ohmma.i;
    out.ohmma_j = from.ohmma.j;
    copy(out.ohmma_row, from.ohmma.row);
    out.ohmma_row_valid = from.ohmma.row_valid;
    copy(out.ohmma_column, from.ohmma.column);
    out.ohmma_column_valid = from.ohmma.column_valid;
    out.ohmma_a_offset = from.ohmma.a_offset;
    out.ohmma_b_offset = from.ohmma.b_offset;
    out.ohmma_first = from.ohmma.first;
    out.ohmma_last = from.ohmma.last;
    out.idle = from.idle;
    return out;
}

tessera_golden_bitmap_im2col_outputs step(BitmapIm2col& model,
                                          const tessera_golden_bitmap_im2col_inputs& in) {
    BitmapIm2col::Inputs pins;
    pins.row_valid = in.row_valid;
    if (in.row_valid != 0) {
        constexpr std::uint32_t kMostLength = 127;
        need_at_most(in.row_length, kMostLength, "row_length");
        need_at_most(in.row_filter, kMostLength, "row_filter");
        need_at_most(in.row_stride2, 1, "row_stride2");
        pins.row = {in.row_bitmap_low | std::uint64_t{in.row_bitmap_high} << 32U, in.row_length,
                    in.row_filter, in.row_stride2, in.row_base};
    }
    pins.column_ready = in.column_ready;
    const BitmapIm2col::Outputs& from = model.step(pins);
    tessera_golden_bitmap_im2col_outputs out{};
    out.row_ready = from.row_ready;
    out.column_valid = from.column_valid;
    out.column_bitmap_low = static_cast<uint32_t>(from.column.bitmap);
    out.column_bitmap_high = static_cast<uint32_t>(from.column.bitmap >> 32U);
    out.column_window_low = static_cast<uint32_t>(from.column.window);
    out.column_window_high = static_cast<uint32_t>(from.column.window >> 32U);
    out.column_address = from.column.address;
    out.column_length = from.column.length;
    out.column_count = from.column.count;
    out.column_first = from.column.first;
    out.column_last = from.column.last;
    out.column_error = from.column.error;
    return out;
}

}  // namespace
}  // namespace tessera

int tessera_golden_feop_array_create(tessera_golden_feop_array** handle) {
    return tessera::golden_create(__func__, handle);
}

void tessera_golden_feop_array_destroy(tessera_golden_feop_array* handle) {
    delete handle;
}

int tessera_golden_feop_array_reset(tessera_golden_feop_array* handle) {
    return tessera::golden_reset(__func__, handle);
}

int tessera_golden_feop_array_step(tessera_golden_feop_array* handle,
                                   const tessera_golden_feop_array_inputs* in,
                                   tessera_golden_feop_array_outputs* out) {
    return tessera::golden_step(__func__, handle, in, out, [](auto& model, const auto& pins) {
        return tessera::step(model, pins);
    });
}

int tessera_golden_accumulation_buffer_create(tessera_golden_accumulation_buffer** handle) {
    return tessera::golden_create(__func__, handle);
}

void tessera_golden_accumulation_buffer_destroy(tessera_golden_accumulation_buffer* handle) {
    delete handle;
}

int tessera_golden_accumulation_buffer_reset(tessera_golden_accumulation_buffer* handle) {
    return tessera::golden_reset(__func__, handle);
}

int tessera_golden_accumulation_buffer_step(tessera_golden_accumulation_buffer* handle,
                                            const tessera_golden_accumulation_buffer_inputs* in,
                                            tessera_golden_accumulation_buffer_outputs* out) {
    return tessera::golden_step(__func__, handle, in, out, [](auto& model, const auto& pins) {
        return tessera::step(model, pins);
    });
}

int tessera_golden_bitmap_unit_create(tessera_golden_bitmap_unit** handle) {
    return tessera::golden_create(__func__, handle);
}

void tessera_golden_bitmap_unit_destroy(tessera_golden_bitmap_unit* handle) {
    delete handle;
}

int tessera_golden_bitmap_unit_reset(tessera_golden_bitmap_unit* handle) {
    return tessera::golden_reset(__func__, handle);
}

int tessera_golden_bitmap_unit_step(tessera_golden_bitmap_unit* handle,
                                    const tessera_golden_bitmap_unit_inputs* in,
                                    tessera_golden_bitmap_unit_outputs* out) {
    return tessera::golden_step(__func__, handle, in, out, [](auto& model, const auto& pins) {
        return tessera::step(model, pins);
    });
}

int tessera_golden_bitmap_im2col_create(tessera_golden_bitmap_im2col** handle) {
    return tessera::golden_create(__func__, handle);
}

void tessera_golden_bitmap_im2col_destroy(tessera_golden_bitmap_im2col* handle) {
    delete handle;
}

int tessera_golden_bitmap_im2col_reset(tessera_golden_bitmap_im2col* handle) {
    return tessera::golden_reset(__func__, handle);
}

int tessera_golden_bitmap_im2col_step(tessera_golden_bitmap_im2col* handle,
                                      const tessera_golden_bitmap_im2col_inputs* in,
                                      tessera_golden_bitmap_im2col_outputs* out) {
    return tessera::golden_step(__func__, handle, in, out, [](auto& model, const auto& pins) {
        return tessera::step(model, pins);
    });
}
