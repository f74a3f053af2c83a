// The 32-byte packet in global memory that describes a workspace to the detection unit. The
// compiler writes it.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/common/types.h"

namespace tessera {

/// Geometry of a lowered convolution: the workspace is a row-major matrix of batch * output_height
/// * output_width rows, one per filter position. A row holds the halves that the filter covers
/// there (filter row after filter row, pixels of `channels` halves). Transposed convolutions are
/// described after zero insertion: input of H * up_factor, pad F - 1 - pad, stride 1.
struct LoweredGeometry {
    Address base = 0;  ///< of the workspace, bytes
    std::uint32_t batch =
        1;  ///< images; a layer in groups counts the images of every group separately
    std::uint32_t input_height = 0, input_width = 0;  ///< without padding, zeros inserted
    std::uint32_t output_height = 0, output_width = 0;
    std::uint32_t channels = 0;  ///< of the input as stored in the workspace, padded or not
    std::uint32_t filter_height = 0, filter_width = 0;
    std::uint32_t pad = 0;        ///< effective: F - 1 - pad of the layer if transposed
    std::uint32_t stride = 1;     ///< 1 if transposed
    std::uint32_t up_factor = 1;  ///< transposed: up_factor - 1 zeros follow each pixel
    bool transposed = false;
    bool zero_rule = false;  ///< recognise all-zero chunks
    /// Filter rows follow each other without padding although they are no whole number of chunks;
    /// the chunks that cross a row boundary have no id.
    bool dense = false;
    std::uint32_t filter_row_chunks = 0;  ///< ceil(filter_width * channels / 16)
    std::uint32_t row_pitch_chunks = 0;   ///< from one workspace row to the next, 32-byte chunks
    std::uint32_t n_chunks = 0;           ///< size of the workspace, 32-byte chunks
    std::uint32_t index_shift = 0;        ///< low bits of an element id that the LHB index omits
    std::uint8_t kernel_tag = 0;          ///< distinguishes kernels and processes
};

/// The largest index shift that still maps neighbouring workspace rows, `stride * channels` halves
/// apart, to different sets: min(4, log2 gcd(16, stride * channels)).
[[nodiscard]] std::uint32_t auto_index_shift(std::uint32_t stride, std::uint32_t channels);

/// Packet that programs the detection unit (Duplo IV-A: "totals only 32 bytes per kernel").
///
/// Layout, little endian: bytes 0-5 base; 6-7 batch - 1 [9:0], valid [10], transposed [11], zero
/// rule [12], index shift [15:13]; 8-9 padded width; 10-11 output height; 12-13 output width; 14-15
/// channels; 16 filter height [3:0], up-factor [7:4]; 17 pad; 18 stride; 19 kernel tag; 20-21
/// length of a filter row, in chunks, or with bit 15 set (dense) in halves; 22-23 padded height;
/// 24-27 row pitch in chunks; 28-31 workspace chunks.
///
/// A filter height of 0 denotes an implicit GEMM, which has no workspace and loads from the tensor
/// itself: base and chunks describe the tensor, a chunk's id is its position in it, and the other
/// fields are unused (not in the paper).
struct ConvolutionPacket {
    static constexpr std::size_t kBytes = 32;
    static constexpr std::uint32_t kMostImages = 1024;
    static constexpr std::uint32_t kMostFilterWidth = 255;
    static constexpr std::uint32_t kMostFilterHeight = 15;  ///< four bits
    using Bytes = std::array<std::uint8_t, kBytes>;

    Address base = 0;
    std::uint32_t batch = 1;
    bool valid = true;
    bool transposed = false;
    bool zero_rule = false;
    std::uint32_t index_shift = 0;
    std::uint32_t padded_width = 0, padded_height = 0;
    std::uint32_t output_height = 0, output_width = 0;
    std::uint32_t channels = 0;
    std::uint32_t filter_height = 0;
    std::uint32_t up_factor = 1;
    std::uint32_t pad = 0;
    std::uint32_t stride = 1;
    std::uint8_t kernel_tag = 0;
    bool dense = false;
    std::uint32_t filter_row = 0;  ///< chunks, halves if dense
    std::uint32_t row_pitch_chunks = 0;
    std::uint32_t n_chunks = 0;

    /// Returns the packet of an implicit GEMM that gathers from `n_chunks` chunks at `base`. Throws
    /// ConfigError.
    [[nodiscard]] static ConvolutionPacket by_place(Address base, std::uint64_t n_chunks);
    /// Checks the geometry, including fields that the packet does not store such as the filter's
    /// width, and packs it. Throws ConfigError naming the field.
    [[nodiscard]] static ConvolutionPacket make(const LoweredGeometry& geometry);
    /// Unpacks without validation; check() validates.
    [[nodiscard]] static ConvolutionPacket decode(const Bytes& bytes);
    [[nodiscard]] Bytes encode() const;
    /// Throws ConfigError naming the field that exceeds its bits or contradicts the others.
    void check() const;

    [[nodiscard]] bool is_by_place() const { return filter_height == 0; }
    /// Halves of one filter row that have ids (a whole number of chunks unless dense).
    [[nodiscard]] std::uint32_t filter_row_halves() const {
        return dense ? filter_row : filter_row * 16;
    }
    [[nodiscard]] std::uint32_t rows() const { return batch * output_height * output_width; }
    [[nodiscard]] Address end() const { return base + Address{n_chunks} * 32; }

    friend bool operator==(const ConvolutionPacket& a, const ConvolutionPacket& b) {
        return a.encode() == b.encode();
    }
};

}  // namespace tessera
