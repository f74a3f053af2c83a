// Geometry of a convolution lowered to a matrix product (explicit im2col).
#pragma once

#include <cstdint>
#include <optional>

#include "sc_models/common/types.h"
#include "sc_models/config/workload_config.h"

namespace tessera {

/// A convolution layer as the matrix product D = A x B. A is the workspace, one row per output
/// pixel, one column per filter tap and channel (m x k halves, rows `k_pitch` halves apart); B the
/// filters (n columns of k halves); D the output in NHWC order (m x n floats). Design notes: Duplo
/// II-B and III-C.
///
/// A layer of G groups is one such product per group, and the channels of each group count as
/// separate images: memory holds the input group after group (like blocked layouts), G x batch
/// images of channels / G channels. The workspace is thus that of a layer of G x batch images; of
/// its m rows, m / G belong to each group. Below, images are these images, and channels and filters
/// are those of one group.
///
/// A transposed convolution is one of stride 1 over the input with up_factor-1 zeros inserted
/// behind every pixel and row, padded by filter-1-pad.
///
/// The "padded input" below is that (zero-inserted) input with its padding: padded_height x
/// padded_width pixels of padded_channels halves per image, all images contiguous, zeros behind the
/// last. It is not stored; the memory holds the raw input: batch x height x width pixels of
/// padded_channels halves, channels beyond `channels` zero, kInputSlackHalves zeros behind the last
/// pixel.
struct ConvolutionGeometry {
    ChannelRule rule = ChannelRule::kPad16;
    std::uint32_t groups = 1;
    std::uint32_t batch = 0, height = 0, width = 0, channels = 0;  ///< raw input, of all groups
    std::uint32_t filters = 0, filter_height = 0, filter_width = 0;
    std::uint32_t up_factor = 1;  ///< 1: not transposed
    std::uint32_t pad = 0;        ///< of the equivalent convolution, on every side, pixels
    std::uint32_t stride = 1;     ///< of the equivalent convolution: 1 for transposed ones
    std::uint32_t padded_channels = 0;
    std::uint32_t inserted_height = 0, inserted_width = 0;
    std::uint32_t padded_height = 0, padded_width = 0;
    std::uint32_t output_height = 0, output_width = 0;
    /// Halves of one filter row in a workspace row: filter_width x padded_channels, and the pitch
    /// between filter rows (larger only with kPad8FilterRow, where the next halves of the padded
    /// input fill the gap and meet zero weights).
    std::uint32_t filter_row = 0, filter_row_pitch = 0;
    std::uint64_t m = 0;         ///< of all groups
    std::uint64_t n = 0, k = 0;  ///< of a group
    std::uint64_t k_pitch = 0;  ///< halves between workspace rows: k rounded up to a multiple of 16
    std::uint64_t k_unpadded = 0;  ///< filter_height x filter_width x channels

    static constexpr std::uint32_t kInputSlackHalves = 16;

    /// Throws ConfigError if the layer is impossible (filter larger than its padded input, zero
    /// sizes, groups that do not divide it, transposed with a non-square filter or a pad larger
    /// than the filter covers, matrices of 2^31 rows).
    [[nodiscard]] static ConvolutionGeometry make(const LayerConfig& layer, ChannelRule rule);

    /// Rows of the workspace per group.
    [[nodiscard]] std::uint64_t group_rows() const { return m / groups; }
    /// Halves of the raw input in memory, slack included.
    [[nodiscard]] std::uint64_t input_halves() const {
        return std::uint64_t{batch} * height * width * padded_channels + kInputSlackHalves;
    }
    /// Elements of the workspace without any padding of channels or rows (as Duplo Table I
    /// implies).
    [[nodiscard]] std::uint64_t workspace_elements() const { return m * k_unpadded; }
    [[nodiscard]] std::uint64_t workspace_bytes() const { return m * k_pitch * 2; }
    /// Halves of one padded image.
    [[nodiscard]] std::uint64_t padded_image() const {
        return std::uint64_t{padded_height} * padded_width * padded_channels;
    }

    /// Index into the padded input (over all images) of workspace element (row, column), row < m,
    /// column < k. May be up to 15 halves behind the last image (slack).
    [[nodiscard]] std::uint64_t padded_index(std::uint64_t row, std::uint64_t column) const;
    /// Index into the raw input (halves) of an element of the padded input; no value for a zero
    /// that is not stored (padding, inserted zero, slack).
    [[nodiscard]] std::optional<std::uint64_t> raw_index(std::uint64_t padded_index) const;
    /// Source of workspace element (row, column), row < m, column < k_pitch; no value for zero.
    [[nodiscard]] std::optional<std::uint64_t> source(std::uint64_t row,
                                                      std::uint64_t column) const {
        if (column >= k) return std::nullopt;
        return raw_index(padded_index(row, column));
    }
    /// Filter tap of workspace column `column` < k_pitch: index into the filter's filter_height x
    /// filter_width x channels weights in the order of the equivalent convolution; no value if the
    /// weight is zero.
    [[nodiscard]] std::optional<std::uint64_t> tap(std::uint64_t column) const;
};

}  // namespace tessera
