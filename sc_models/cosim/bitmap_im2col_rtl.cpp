#include "sc_models/cosim/bitmap_im2col_rtl.h"

#include <Vbitmap_im2col.h>
#include <Vbitmap_im2col_bitmap_im2col.h>

#include "sc_models/cosim/rtl_model.h"

namespace tessera {

static_assert(Vbitmap_im2col_bitmap_im2col::RowBits == kMapRowBits);
static_assert(Vbitmap_im2col_bitmap_im2col::AddressBits == 32);
static_assert(Vbitmap_im2col_bitmap_im2col::Latency == BitmapIm2col::kLatency);

struct BitmapIm2colRtl::Model : RtlModel<Vbitmap_im2col> {
    explicit Model(std::uint32_t seed) : RtlModel("bitmap_im2col", seed) {}
};

BitmapIm2colRtl::BitmapIm2colRtl(std::uint32_t seed) : model_(std::make_unique<Model>(seed)) {}
BitmapIm2colRtl::~BitmapIm2colRtl() = default;

void BitmapIm2colRtl::trace(WaveRecorder& wave, const std::string& scope) {
    model_->trace(wave, scope);
}

void BitmapIm2colRtl::not_before(Cycle at) {
    model_->not_before(at);
}

std::uint64_t BitmapIm2colRtl::clock_cycles() const {
    return model_->cycles();
}

void BitmapIm2colRtl::reset() {
    (*model_)->row_valid_i = 0;
    model_->reset();
}

BitmapIm2col::Outputs BitmapIm2colRtl::step(const BitmapIm2col::Inputs& in) {
    Vbitmap_im2col& top = **model_;
    top.row_valid_i = in.row_valid != 0;
    top.row_bitmap_i = in.row.bitmap;
    top.row_length_i = static_cast<std::uint8_t>(in.row.length);
    top.row_filter_i = static_cast<std::uint8_t>(in.row.filter_width);
    top.row_stride2_i = in.row.stride2 != 0;
    top.row_base_i = in.row.base;
    top.column_ready_i = in.column_ready != 0;
    model_->settle();

    BitmapIm2col::Outputs out;
    out.row_ready = top.row_ready_o;
    out.column_valid = top.column_valid_o;
    out.column.bitmap = top.column_bitmap_o;
    out.column.window = top.column_window_o;
    out.column.address = top.column_address_o;
    out.column.length = top.column_length_o;
    out.column.count = top.column_count_o;
    out.column.first = top.column_first_o;
    out.column.last = top.column_last_o;
    out.column.error = top.column_error_o;
    model_->edge();
    return out;
}

}  // namespace tessera
