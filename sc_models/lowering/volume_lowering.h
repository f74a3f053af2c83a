// Lowering of convolutions of volumes to convolutions of images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sc_models/lowering/node_layers.h"
#include "sc_models/network/window.h"

namespace tessera {

/// Volumes as images: the slices that the taps along the depth read become further channels of one
/// image per slice of the result. If rows and columns are dilated differently, every row of an
/// image or volume is such a slice.
class VolumeLowering {
public:
    /// The slices of volumes that a convolution reads.
    struct Slices {
        std::size_t sides = 0;  ///< spatial sides that form the slices; 0: no slices
        std::int64_t taps = 1;  ///< per slice of the result
        /// For each slice of the result and each tap, the slice it reads; the number of slices for
        /// a tap that reads none.
        std::vector<std::int64_t> read;
    };
    /// Extracts from `window` the slices of volumes. For images and volumes whose rows and columns
    /// are dilated differently, which no kernel supports, the slices are rows. The rest of the
    /// window describes images; `x` has its channels last, `weights` lie as in a file, and by rows
    /// both become volumes.
    [[nodiscard]] static Slices take_slices(network::Window& window, PlacedTensor& x,
                                            PlacedTensor& weights, bool transposed);
    /// Converts `x`, volumes with their channels last, to images with their channels last: one per
    /// slice of the result, whose channels are those of the slices that its taps read, tap by tap
    /// within each group. Appends the operations to `layers`.
    [[nodiscard]] static PlacedTensor images_of_volumes(NodeLayers& layers, const PlacedTensor& x,
                                                        const Slices& from, std::int64_t groups);
    /// Filters for the images of images_of_volumes().
    [[nodiscard]] static PlacedTensor filters_of_volumes(const PlacedTensor& weights,
                                                         std::int64_t groups, bool transposed);
};

}  // namespace tessera
