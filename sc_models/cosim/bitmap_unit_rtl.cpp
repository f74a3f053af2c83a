#include "sc_models/cosim/bitmap_unit_rtl.h"

#include <Vbitmap_unit.h>
#include <Vbitmap_unit_bitmap_unit_pkg.h>
#include <cstring>

#include "sc_models/cosim/rtl_model.h"
#include "sc_models/cosim/summary_ports.h"

namespace tessera {

static_assert(Vbitmap_unit_bitmap_unit_pkg::TileSize == kTileSize);
static_assert(Vbitmap_unit_bitmap_unit_pkg::TileDepth == kTileDepth);
static_assert(Vbitmap_unit_bitmap_unit_pkg::Rows == kOhmmaRows);
static_assert(Vbitmap_unit_bitmap_unit_pkg::Columns == kOhmmaColumns);

namespace {

void read_ohmma(const Vbitmap_unit& top, BitmapUnit::Ohmma& ohmma) {
    ohmma.k = top.ohmma_k_o;
    ohmma.i = top.ohmma_i_o;
    ohmma.j = top.ohmma_j_o;
    unpack<5>(top.ohmma_row_o, ohmma.row);
    ohmma.row_valid = top.ohmma_row_valid_o;
    unpack<5>(top.ohmma_column_o, ohmma.column);
    ohmma.column_valid = top.ohmma_column_valid_o;
    ohmma.a_offset = top.ohmma_a_offset_o;
    ohmma.b_offset = top.ohmma_b_offset_o;
    ohmma.first = top.ohmma_first_o;
    ohmma.last = top.ohmma_last_o;
}

}  // namespace

struct BitmapUnitRtl::Model : RtlModel<Vbitmap_unit> {
    explicit Model(std::uint32_t seed) : RtlModel("bitmap_unit", seed) {}
    SummaryPorts<Vbitmap_unit> summary;
    BitmapUnit::Outputs out;
};

BitmapUnitRtl::BitmapUnitRtl(std::uint32_t seed) : model_(std::make_unique<Model>(seed)) {}
BitmapUnitRtl::~BitmapUnitRtl() = default;

void BitmapUnitRtl::trace(WaveRecorder& wave, const std::string& scope) {
    model_->trace(wave, scope);
}

void BitmapUnitRtl::not_before(Cycle at) {
    model_->not_before(at);
}

std::uint64_t BitmapUnitRtl::clock_cycles() const {
    return model_->cycles();
}

void BitmapUnitRtl::reset() {
    (*model_)->tile_valid_i = 0;
    model_->reset();
}

BitmapUnit::Outputs& BitmapUnitRtl::step(const BitmapUnit::Inputs& in) {
    Vbitmap_unit& top = **model_;
    top.tile_valid_i = in.tile_valid != 0;
    if (in.tile_valid != 0) {
        static_assert(sizeof top.a_bitmap_i == sizeof in.a_bitmap);
        std::memcpy(&top.a_bitmap_i, in.a_bitmap.data(), sizeof in.a_bitmap);
        std::memcpy(&top.b_bitmap_i, in.b_bitmap.data(), sizeof in.b_bitmap);
    }
    top.ohmma_ready_i = in.ohmma_ready != 0;
    model_->settle();

    BitmapUnit::Outputs& out = model_->out;
    out.tile_ready = top.tile_ready_o;
    out.summary_valid = top.summary_valid_o;
    if (out.summary_valid != 0) out.summary = model_->summary.read(top);
    out.tile_done = top.tile_done_o;
    out.ohmma_valid = top.ohmma_valid_o;
    if (out.ohmma_valid != 0) read_ohmma(top, out.ohmma);
    out.idle = top.idle_o;
    model_->edge();
    return out;
}

}  // namespace tessera
