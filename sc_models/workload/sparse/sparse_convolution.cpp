#include "sc_models/workload/sparse/sparse_convolution.h"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/sparse/sparsity.h"
#include "sc_models/workload/fragment/im2col_kernel.h"
#include "sc_models/workload/fragment/lowered_convolution.h"
#include "sc_models/workload/sparse/feature_map_operand.h"
#include "sc_models/workload/sparse/tile_im2col_kernel.h"

namespace tessera {
namespace {

LoweringShape lowering_shape(const ConvolutionGeometry& g) {
    return {g.batch,         g.height,       g.width, g.channels,
            g.filter_height, g.filter_width, g.pad,   g.stride};
}

/// Returns `layer` if it supports sparse lowering.
const LayerConfig& checked(const LayerConfig& layer) {
    if (layer.transposed) {
        throw ConfigError(
            "workload.layer.transposed: got on, expected off with workload.kind "
            "sparse_convolution");
    }
    if (layer.groups != 1) {
        throw ConfigError(
            fmt::format("workload.layer.groups: got {}, expected 1 with workload.kind "
                        "sparse_convolution (of which a composition has one)",
                        layer.groups));
    }
    return layer;
}

/// Returns `matrix` with its k-tiles in another order.
BitmapMatrix reordered(const BitmapMatrix& matrix, const std::vector<std::uint32_t>& order) {
    const auto masks = [&](std::uint32_t line_tile, std::uint32_t k_tile, std::uint32_t* out) {
        std::copy_n(matrix.masks(matrix.tile(line_tile, order[k_tile])), kSparseTileK, out);
    };
    if (!matrix.has_values()) return BitmapMatrix::pattern(matrix.lines(), matrix.k(), masks);
    return BitmapMatrix::from_masks(
        matrix.lines(), matrix.k(), masks, [&](std::uint64_t line, std::uint64_t k) {
            return matrix.at(line,
                             std::uint64_t{order[k / kDepthTile]} * kDepthTile + k % kDepthTile);
        });
}

}  // namespace

SparseConvolution::SparseConvolution(const WorkloadConfig& config, std::uint64_t seed, bool values,
                                     const PacketOptions& packet, const TargetMachine& machine)
    : SparseProduct(config.layer.name.empty() ? "sparse_convolution" : config.layer.name, config,
                    seed, values),
      geometry_(ConvolutionGeometry::make(checked(config.layer), ChannelRule::kDense)),
      shape_(lowering_shape(geometry_)),
      packet_options_(packet) {
    check();
    map_ = make_operand(SparseOperand::kA, shape_.pixels(), shape_.channels, values);
    set_operands(lower_feature_map(map_, shape_, values),
                 make_operand(SparseOperand::kB, geometry_.n, shape_.k(), values));
    auto a = config.sparse.lowering == Lowering::kExplicit ? lowered_in_memory() : gathered();
    add_product(name() + ".gemm", std::move(a), machine);
}

void SparseConvolution::check() const {
    const SparseConfig& sparse = config().sparse;
    const bool unstaged = sparse.a_fragments;
    if (unstaged && sparse.lowering == Lowering::kImplicit) {
        throw ConfigError(
            "workload.sparse.a_fragments: got on, expected off with workload.sparse.lowering "
            "implicit, where there is no lowered feature map to load from");
    }
    if (unstaged && (a_in_bitmaps() || sparse.method == ProductMethod::kVectorWise)) {
        throw ConfigError(
            "workload.sparse.a_fragments: got on, expected off unless workload.sparse.method is "
            "dense or single: only a dense A has elements at addresses that say which they are");
    }
}

bool SparseConvolution::timed_im2col() const {
    return config().sparse.lowering == Lowering::kExplicit && config().im2col == Im2colMode::kTimed;
}

std::unique_ptr<StagedOperand> SparseConvolution::unstaged() {
    const std::uint32_t line_bytes = a().k_tiles() * kFragmentRowBytes;
    if (geometry_.k_pitch * sizeof(HalfBits) != line_bytes) {
        throw std::logic_error("SparseConvolution: two pitches of one lowered map");
    }
    if (timed_im2col()) allocate("map", geometry_.input_halves() * sizeof(HalfBits));
    (void)place_lines("a", a(), kFragmentRowBytes);
    const Address base = region("a").base;
    const Address packet = allocate("packet", ConvolutionPacket::kBytes);
    packet_ = ConvolutionPacket::make(lowered_geometry(geometry_, base, packet_options_)).encode();
    set_unstaged_a({base, line_bytes, packet});
    if (timed_im2col()) {
        add(std::make_unique<Im2colKernel>(name() + ".im2col", geometry_, region("map").base, base,
                                           geometry_.m));
    }
    if (fragments()) return std::make_unique<UnstagedLines>();
    return std::make_unique<UnstagedTiles>(
        make_full_a(round_up(a().k(), std::uint64_t{kDepthTile})));
}

std::unique_ptr<StagedOperand> SparseConvolution::lowered_in_memory() {
    if (config().sparse.a_fragments) return unstaged();
    if (!timed_im2col()) return place_a();
    const std::string kernel = name() + ".im2col";
    if (fragments()) {
        const Address map = allocate("map", geometry_.input_halves() * sizeof(HalfBits));
        auto placed = place_a();
        add(std::make_unique<Im2colKernel>(kernel, geometry_, map, region("a").base, geometry_.m));
        return placed;
    }
    // Taps of a filter row that read the same channels share a warp's loads of bitmaps; in a dense
    // map each tap reads its own pixels.
    if (a_in_bitmaps()) {
        const BitmapTiles::TilePlace map = allocate_bitmaps("map", map_);
        const BitmapTiles::TilePlace lowered = allocate_bitmaps("a", a());
        const std::vector<std::uint32_t> order = taps_together(shape_);
        add(std::make_unique<TileIm2colKernel>(
            kernel, std::make_unique<MapTiles>(a(), map_, map, shape_, order),
            PlacedTiles{a(), lowered}, TileGroups{order, taps_in_a_row(shape_)}, values()));
        return std::make_unique<BitmapTiles>(a(), lowered);
    }
    const Address map = allocate("map", geometry_.input_halves() * sizeof(HalfBits));
    auto placed = place_a();
    const auto& tiles = static_cast<const BitmapTiles&>(*placed);
    TileGroups groups;
    groups.order.resize(tiles.matrix().k_tiles());
    std::iota(groups.order.begin(), groups.order.end(), 0U);
    add(std::make_unique<TileIm2colKernel>(
        kernel, std::make_unique<DenseMapTiles>(tiles.matrix(), shape_, map),
        PlacedTiles{tiles.matrix(), {0, 0, region("a.values").base, false}}, std::move(groups),
        values()));
    return placed;
}

std::unique_ptr<StagedOperand> SparseConvolution::gathered() {
    if (a_in_bitmaps()) {
        const std::vector<std::uint32_t> order = taps_together(shape_);
        if (values()) filters_ = b();
        set_operands(reordered(a(), order), reordered(b(), order));
        return std::make_unique<MapTiles>(a(), map_, allocate_bitmaps("map", map_), shape_, order);
    }
    const Address map = allocate("map", geometry_.input_halves() * sizeof(HalfBits));
    if (fragments()) return std::make_unique<MapLines>(shape_, map);
    // Zeros follow the last k.
    const std::uint64_t k = round_up(a().k(), std::uint64_t{kDepthTile});
    return std::make_unique<DenseMapTiles>(make_full_a(k), shape_, map);
}

void SparseConvolution::initialise(const MemoryWriter& write) const {
    if (config().sparse.a_fragments) write(region("packet").base, packet_.data(), packet_.size());
    if (!values()) return;
    if (!timed_im2col() && config().sparse.lowering == Lowering::kExplicit) {
        SparseProduct::initialise(write);
        return;
    }
    write_b(write);
    write_epilogue(write);
    if (a_in_bitmaps()) {
        write_tiles(write, "map", map_, map_);
        if (timed_im2col()) write_descriptors(write, "a", a());
        return;
    }
    std::vector<HalfBits> pixel(map_.k());
    for (std::uint64_t i = 0; i < map_.lines(); ++i) {
        for (std::uint64_t c = 0; c < map_.k(); ++c) pixel[c] = map_.at(i, c);
        write(region("map").base + i * map_.k() * sizeof(HalfBits), pixel.data(),
              map_.k() * sizeof(HalfBits));
    }
}

std::vector<Reference> SparseConvolution::references() const {
    Reference reference;
    reference.kind = Reference::Kind::kConvolution;
    reference.channels_last = true;
    reference.pad_y = config().layer.pad;
    reference.source = [this] { return map_.floats(); };
    reference.weights = [this] { return filters().floats(); };
    reference.result = product();
    return {reference};
}

}  // namespace tessera
