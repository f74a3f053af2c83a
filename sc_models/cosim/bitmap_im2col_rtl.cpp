#include "sc_models/cosim/bitmap_im2col_rtl.h"

#include <Vbitmap_im2col.h>
#include <Vbitmap_im2col_bitmap_im2col.h>
#include "sc_models/cosim/bitmap_im2col_ports.h"
#include "sc_models/cosim/rtl_model.h"
#include "sc_models/cosim/verilated_block.h"

namespace tessera {

static_assert(Vbitmap_im2col_bitmap_im2col::RowBits == kMapRowBits);
static_assert(Vbitmap_im2col_bitmap_im2col::AddressBits == 32);
static_assert(Vbitmap_im2col_bitmap_im2col::Latency == BitmapIm2col::kLatency);

const BitmapIm2colRtl::Build& BitmapIm2colRtl::default_build() {
    static const Build kBuild =
        verilated_build<BitmapIm2colRtl, BitmapIm2colPorts, Vbitmap_im2col>({});
    return kBuild;
}

BitmapIm2colRtl::BitmapIm2colRtl(std::uint32_t seed, const Build& build)
    : block_(build.make(seed)) {}
BitmapIm2colRtl::~BitmapIm2colRtl() = default;

void BitmapIm2colRtl::trace(WaveRecorder& wave, const std::string& scope) {
    block_->trace(wave, scope);
}

void BitmapIm2colRtl::not_before(Cycle at) {
    block_->not_before(at);
}

std::uint64_t BitmapIm2colRtl::clock_cycles() const {
    return block_->clock_cycles();
}

void BitmapIm2colRtl::reset() {
    block_->reset();
}

BitmapIm2col::Outputs BitmapIm2colRtl::step(const BitmapIm2col::Inputs& in) {
    return block_->step(in);
}

}  // namespace tessera
