#include "sc_models/sparse/lowered_operand.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

void check(const BitmapMatrix& map, const LoweringShape& shape) {
    const auto expect = [](bool good, const std::string& what) {
        if (!good) throw ConfigError("lowering: " + what);
    };
    expect(shape.stride > 0 && shape.filter_height > 0 && shape.filter_width > 0,
           "a filter or stride of zero");
    expect(shape.filter_height <= shape.height + 2 * shape.pad &&
               shape.filter_width <= shape.width + 2 * shape.pad,
           "a filter larger than its image");
    expect(map.lines() == shape.pixels() && map.k() == shape.channels,
           "got a feature map of " + std::to_string(map.lines()) + " pixels and " +
               std::to_string(map.k()) + " channels, expected " + std::to_string(shape.pixels()) +
               " and " + std::to_string(shape.channels));
}

/// The feature map with the bits of a pixel's channels contiguous.
class PixelBits {
public:
    explicit PixelBits(const BitmapMatrix& map)
        : words_((map.k() + 63) / 64 + 1), bits_(map.lines() * words_) {
        for (std::uint32_t line_tile = 0; line_tile < map.line_tiles(); ++line_tile) {
            for (std::uint32_t k_tile = 0; k_tile < map.k_tiles(); ++k_tile) {
                const std::uint64_t id = map.tile(line_tile, k_tile);
                if (map.tile_empty(id)) continue;
                add_tile(map.masks(id), std::uint64_t{line_tile} * kSparseTileLines,
                         std::uint64_t{k_tile} * kSparseTileK);
            }
        }
    }

    /// Up to 16 channels of a pixel, starting at `channel`; the first is bit 0.
    [[nodiscard]] std::uint32_t at(std::uint64_t pixel, std::uint32_t channel) const {
        const std::uint64_t* word = &bits_[pixel * words_ + channel / 64];
        const std::uint32_t shift = channel % 64;
        // A word of zeros follows every pixel, so the next word is always readable.
        const std::uint64_t next = shift == 0 ? 0 : word[1] << (64 - shift);
        return static_cast<std::uint32_t>(word[0] >> shift | next);
    }

private:
    void add_tile(const std::uint32_t* masks, std::uint64_t pixel, std::uint64_t channel) {
        for (std::uint32_t l = 0; l < kSparseTileK; ++l) {
            const std::uint64_t bit = std::uint64_t{1} << ((channel + l) % 64);
            std::uint64_t* word = &bits_[pixel * words_ + (channel + l) / 64];
            for (std::uint32_t left = masks[l]; left != 0; left &= left - 1) {
                word[static_cast<std::uint32_t>(__builtin_ctz(left)) * words_] |= bit;
            }
        }
    }

    std::uint64_t words_;  ///< per pixel
    std::vector<std::uint64_t> bits_;
};

class MapLowering {
public:
    MapLowering(const BitmapMatrix& map, const LoweringShape& shape)
        : map_(map), shape_(shape), bits_(map) {}

    void masks(std::uint32_t line_tile, std::uint32_t k_tile, std::uint32_t* masks) {
        if (line_tile != line_tile_) begin_lines(line_tile);
        std::uint32_t lines[kSparseTileLines] = {};  // 16 bits along k each
        for (std::uint32_t l = 0; l < kSparseTileK;) {
            const std::uint64_t k = std::uint64_t{k_tile} * kSparseTileK + l;
            if (k >= shape_.k()) break;
            const auto channel = static_cast<std::uint32_t>(k % shape_.channels);
            const std::uint32_t count = std::min(shape_.channels - channel, kSparseTileK - l);
            add_channels(k / shape_.channels, channel, count, l, lines);
            l += count;
        }
        std::fill_n(masks, kSparseTileK, 0U);
        for (std::uint32_t r = 0; r < kSparseTileLines; ++r) {
            for (std::uint32_t l = 0; l < kSparseTileK; ++l) masks[l] |= (lines[r] >> l & 1U) << r;
        }
    }

    [[nodiscard]] HalfBits value(std::uint64_t line, std::uint64_t k) const {
        const std::optional<std::uint64_t> pixel = pixel_of(corner_of(line), k / shape_.channels);
        return pixel ? map_.at(*pixel, k % shape_.channels) : HalfBits{0};
    }

private:
    /// Top left position of an output pixel's filter in the padded image.
    struct Corner {
        std::uint64_t image = 0;  ///< first pixel of its image; past the last one if the line does
                                  ///< not exist
        std::uint32_t h = 0;
        std::uint32_t w = 0;
    };

    [[nodiscard]] Corner corner_of(std::uint64_t line) const {
        const std::uint64_t outputs = std::uint64_t{shape_.output_height()} * shape_.output_width();
        const auto output = static_cast<std::uint32_t>(line % outputs);
        return {line / outputs * shape_.height * shape_.width,
                output / shape_.output_width() * shape_.stride,
                output % shape_.output_width() * shape_.stride};
    }

    /// Pixel under a tap of the filter; no value in the padding.
    [[nodiscard]] std::optional<std::uint64_t> pixel_of(const Corner& corner,
                                                        std::uint64_t tap) const {
        // Positions left of or above the image wrap around to large numbers.
        const std::uint32_t h =
            corner.h + static_cast<std::uint32_t>(tap / shape_.filter_width) - shape_.pad;
        const std::uint32_t w =
            corner.w + static_cast<std::uint32_t>(tap % shape_.filter_width) - shape_.pad;
        if (h >= shape_.height || w >= shape_.width) return std::nullopt;
        return corner.image + std::uint64_t{h} * shape_.width + w;
    }

    void begin_lines(std::uint32_t line_tile) {
        line_tile_ = line_tile;
        const std::uint64_t first = std::uint64_t{line_tile} * kSparseTileLines;
        count_ = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(kSparseTileLines, shape_.lines() - first));
        for (std::uint32_t r = 0; r < count_; ++r) corners_[r] = corner_of(first + r);
    }

    /// Adds `count` channels of a tap at bit `at` of every line.
    void add_channels(std::uint64_t tap, std::uint32_t channel, std::uint32_t count,
                      std::uint32_t at, std::uint32_t* lines) const {
        const std::uint32_t wanted = (1U << count) - 1;
        for (std::uint32_t r = 0; r < count_; ++r) {
            const std::optional<std::uint64_t> pixel = pixel_of(corners_[r], tap);
            if (pixel) lines[r] |= (bits_.at(*pixel, channel) & wanted) << at;
        }
    }

    const BitmapMatrix& map_;
    const LoweringShape& shape_;
    const PixelBits bits_;
    std::uint32_t line_tile_ = ~0U;  ///< line tile of corners_
    std::uint32_t count_ = 0;        ///< its lines inside the operand
    Corner corners_[kSparseTileLines];
};

}  // namespace

BitmapMatrix lower_feature_map(const BitmapMatrix& map, const LoweringShape& shape, bool values) {
    check(map, shape);
    MapLowering lowering(map, shape);
    const auto masks = [&](std::uint32_t line_tile, std::uint32_t k_tile, std::uint32_t* into) {
        lowering.masks(line_tile, k_tile, into);
    };
    if (!values || !map.has_values()) return BitmapMatrix::pattern(shape.lines(), shape.k(), masks);
    return BitmapMatrix::from_masks(
        shape.lines(), shape.k(), masks,
        [&](std::uint64_t line, std::uint64_t k) { return lowering.value(line, k); });
}

}  // namespace tessera
