// Convolution with zeros: explicit or implicit lowering of its feature map, then a sparse product.
#pragma once

#include "sc_models/isa/convolution_packet.h"
#include "sc_models/sparse/lowered_operand.h"
#include "sc_models/workload/fragment/convolution_geometry.h"
#include "sc_models/workload/sparse/sparse_product.h"

namespace tessera {

/// SpCONV (dual-side sparse tensor core, IV): workload.layer as the product of its lowered feature
/// map (lines: output pixels; k: filter row, filter column, channel) and its filters, with the
/// zeros of workload.sparse: those of A in the feature map, those of B in the filters.
///
/// - explicit: A is stored in memory. With workload.im2col timed a separate kernel writes it first:
///   dense rows (Im2colKernel), or the tiles of SpWMMAs (TileIm2colKernel), for the method dual
///   from and to bitmaps.
/// - implicit: CTAs copy the needed parts of the feature map (MapLines, DenseMapTiles, MapTiles).
/// For
///   the method dual, k is reordered so that the taps of a filter row are consecutive.
///
/// With workload.sparse.a_fragments warps load A from the lowered map themselves, as fragments that
/// Duplo's detection unit looks up.
class SparseConvolution : public SparseProduct {
public:
    /// Throws ConfigError naming the key if the layer is impossible, transposed or in groups.
    SparseConvolution(const WorkloadConfig& config, std::uint64_t seed, bool values,
                      const PacketOptions& packet, const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    [[nodiscard]] std::vector<Reference> references() const override;

    [[nodiscard]] const ConvolutionGeometry& geometry() const { return geometry_; }
    [[nodiscard]] const LoweringShape& shape() const { return shape_; }
    /// Lines: pixels; k: channels.
    [[nodiscard]] const BitmapMatrix& map() const { return map_; }
    /// Lines: filters; k: filter row, filter column, channel. With values only.
    [[nodiscard]] const BitmapMatrix& filters() const {
        return filters_.lines() > 0 ? filters_ : b();
    }

private:
    void check() const;
    [[nodiscard]] bool timed_im2col() const;
    [[nodiscard]] std::unique_ptr<StagedOperand> lowered_in_memory();
    [[nodiscard]] std::unique_ptr<StagedOperand> unstaged();
    [[nodiscard]] std::unique_ptr<StagedOperand> gathered();

    ConvolutionGeometry geometry_;
    LoweringShape shape_;
    PacketOptions packet_options_;
    ConvolutionPacket::Bytes packet_{};
    BitmapMatrix map_;
    BitmapMatrix filters_;  ///< if the order of b() differs
};

}  // namespace tessera
