#include "sc_models/cosim/bitmap_unit_rtl.h"

#include <Vbitmap_unit.h>
#include <Vbitmap_unit_bitmap_unit_pkg.h>
#include "sc_models/cosim/bitmap_unit_ports.h"
#include "sc_models/cosim/rtl_model.h"
#include "sc_models/cosim/verilated_block.h"

namespace tessera {

static_assert(Vbitmap_unit_bitmap_unit_pkg::TileSize == kTileSize);
static_assert(Vbitmap_unit_bitmap_unit_pkg::TileDepth == kTileDepth);
static_assert(Vbitmap_unit_bitmap_unit_pkg::Rows == kOhmmaRows);
static_assert(Vbitmap_unit_bitmap_unit_pkg::Columns == kOhmmaColumns);

const BitmapUnitRtl::Build& BitmapUnitRtl::default_build() {
    static const Build kBuild = verilated_build<BitmapUnitRtl, BitmapUnitPorts, Vbitmap_unit>({});
    return kBuild;
}

BitmapUnitRtl::BitmapUnitRtl(std::uint32_t seed, const Build& build) : block_(build.make(seed)) {}
BitmapUnitRtl::~BitmapUnitRtl() = default;

void BitmapUnitRtl::trace(WaveRecorder& wave, const std::string& scope) {
    block_->trace(wave, scope);
}

void BitmapUnitRtl::not_before(Cycle at) {
    block_->not_before(at);
}

std::uint64_t BitmapUnitRtl::clock_cycles() const {
    return block_->clock_cycles();
}

void BitmapUnitRtl::reset() {
    block_->reset();
}

BitmapUnit::Outputs& BitmapUnitRtl::step(const BitmapUnit::Inputs& in) {
    return block_->step(in);
}

}  // namespace tessera
