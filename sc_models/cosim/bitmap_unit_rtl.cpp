#include "sc_models/cosim/bitmap_unit_rtl.h"

#include <Vbitmap_unit.h>
#include <Vbitmap_unit_bitmap_unit_pkg.h>
#include <cstring>
#include <type_traits>

#include "sc_models/cosim/rtl_model.h"

namespace tessera {

static_assert(Vbitmap_unit_bitmap_unit_pkg::TileSize == kTileSize);
static_assert(Vbitmap_unit_bitmap_unit_pkg::TileDepth == kTileDepth);
static_assert(Vbitmap_unit_bitmap_unit_pkg::Rows == kOhmmaRows);
static_assert(Vbitmap_unit_bitmap_unit_pkg::Columns == kOhmmaColumns);

namespace {

constexpr std::uint32_t kWordBits = 32;

/// Element `index` of a flat port of fields of `kBits` bits.
template <std::uint32_t kBits>
std::uint32_t field(const std::uint32_t* words, std::uint32_t index) {
    const std::uint32_t bit = index * kBits;
    std::uint64_t two = words[bit / kWordBits];
    if (bit % kWordBits + kBits > kWordBits) {
        two |= std::uint64_t{words[bit / kWordBits + 1]} << kWordBits;
    }
    return static_cast<std::uint32_t>(two >> (bit % kWordBits)) & ((1U << kBits) - 1);
}

template <std::uint32_t kBits, class Port, std::size_t kCount>
void unpack(const Port& port, std::array<std::uint32_t, kCount>& fields) {
    std::uint32_t words[(kCount * kBits + kWordBits - 1) / kWordBits + 1] = {};
    static_assert(sizeof port <= sizeof words);
    std::memcpy(words, &port, sizeof port);
    for (std::uint32_t n = 0; n < kCount; ++n) fields[n] = field<kBits>(words, n);
}

/// Unpacks the fields of a port if the port has changed.
template <std::uint32_t kBits, class Port, std::size_t kCount>
void follow(const Port& port, Port& last, std::array<std::uint32_t, kCount>& fields) {
    if (std::memcmp(&port, &last, sizeof port) == 0) return;
    std::memcpy(&last, &port, sizeof port);
    unpack<kBits>(port, fields);
}

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

/// Reader of the summary ports, which are constant while a tile's OHMMAs are made.
class SummaryPorts {
public:
    const BitmapUnit::Summary& read(const Vbitmap_unit& top) {
        follow<6>(top.a_count_o, a_count_, summary_.a_count);
        follow<6>(top.b_count_o, b_count_, summary_.b_count);
        follow<9>(top.a_offset_o, a_offset_, summary_.a_offset);
        follow<9>(top.b_offset_o, b_offset_, summary_.b_offset);
        follow<3>(top.row_groups_o, row_groups_, summary_.row_groups);
        follow<2>(top.column_groups_o, column_groups_, summary_.column_groups);
        follow<8>(top.predicates_o, predicates_, summary_.predicates);
        return summary_;
    }

private:
    template <class Port>
    using Copy = std::remove_cv_t<std::remove_reference_t<Port>>;

    BitmapUnit::Summary summary_;
    Copy<decltype(Vbitmap_unit::a_count_o)> a_count_{}, b_count_{};
    Copy<decltype(Vbitmap_unit::a_offset_o)> a_offset_{}, b_offset_{};
    Copy<decltype(Vbitmap_unit::row_groups_o)> row_groups_{};
    Copy<decltype(Vbitmap_unit::column_groups_o)> column_groups_{};
    Copy<decltype(Vbitmap_unit::predicates_o)> predicates_{};
};

}  // namespace

struct BitmapUnitRtl::Model : RtlModel<Vbitmap_unit> {
    explicit Model(std::uint32_t seed) : RtlModel("bitmap_unit", seed) {}
    SummaryPorts summary;
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
