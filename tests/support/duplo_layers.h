// Layers and naive references the tests of Duplo's detection unit share. The reference walks the
// convolution as loops and never divides, so that it has nothing in common with the ID generator.
#pragma once

#include <array>
#include <cstdint>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sc_models/isa/convolution_packet.h"

namespace tessera::test {

/// A layer as Duplo Table I lists it, with the error percentages expected of each formula.
struct Table1Layer {
    std::string name;
    std::uint32_t batch, height, width, channels, filters, filter_height, filter_width, pad, stride;
    bool transposed;
    /// paper literal, notes literal, paper charitable, notes charitable, corrected; fp then fn
    /// each.
    std::array<double, 10> errors;
};

/// How channels become chunks.
enum class Channels { kPad16, kFilterRow, kDense };

/// The workspace of a layer with its input as it is (channels not padded here), row pitch in whole
/// chunks.
inline LoweredGeometry lower(std::uint32_t batch, std::uint32_t height, std::uint32_t width,
                             std::uint32_t channels, std::uint32_t filter_height,
                             std::uint32_t filter_width, std::uint32_t pad, std::uint32_t stride,
                             bool transposed, Channels rule) {
    LoweredGeometry g;
    g.base = 0x10000000;
    g.batch = batch;
    g.up_factor = transposed ? stride : 1;
    g.transposed = transposed;
    g.input_height = height * g.up_factor;
    g.input_width = width * g.up_factor;
    g.pad = transposed ? filter_height - 1 - pad : pad;
    g.stride = transposed ? 1 : stride;
    g.channels = rule == Channels::kPad16 ? round_up(channels, 16u) : channels;
    g.filter_height = filter_height;
    g.filter_width = filter_width;
    g.output_height = (g.input_height + 2 * g.pad - filter_height) / g.stride + 1;
    g.output_width = (g.input_width + 2 * g.pad - filter_width) / g.stride + 1;
    g.dense = rule == Channels::kDense;
    const std::uint32_t row = filter_width * g.channels;
    g.filter_row_chunks = ceil_div(row, 16u);
    g.row_pitch_chunks =
        g.dense ? ceil_div(row * filter_height, 16u) : g.filter_row_chunks * filter_height;
    g.n_chunks = g.row_pitch_chunks * batch * g.output_height * g.output_width;
    g.index_shift = auto_index_shift(g.stride, g.channels);
    g.kernel_tag = 7;
    return g;
}

inline std::vector<Table1Layer> table1_layers() {
    std::ifstream file(std::string(TESSERA_SOURCE_DIR) + "/tests/golden/duplo_formula_errors.csv");
    std::vector<Table1Layer> layers;
    std::string line;
    while (std::getline(file, line)) {
        if (line.empty() || line[0] == '#' || line.rfind("network", 0) == 0) {
            continue;
        }
        std::stringstream fields(line);
        std::string network, layer, field;
        std::getline(fields, network, ',');
        std::getline(fields, layer, ',');
        std::vector<double> v;
        while (std::getline(fields, field, ',')) {
            v.push_back(std::stod(field));
        }
        Table1Layer l{network + " " + layer, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, {}};
        std::uint32_t* const numbers[] = {&l.batch,        &l.height,  &l.width,
                                          &l.channels,     &l.filters, &l.filter_height,
                                          &l.filter_width, &l.pad,     &l.stride};
        for (std::size_t i = 0; i < 9; ++i) {
            *numbers[i] = static_cast<std::uint32_t>(v.at(i));
        }
        l.transposed = v.at(9) != 0;
        for (std::size_t i = 0; i < 10; ++i) {
            l.errors[i] = v.at(10 + i);
        }
        layers.push_back(l);
    }
    if (layers.size() != 22) {
        throw std::runtime_error("duplo_formula_errors.csv: expected 22 layers");
    }
    return layers;
}

inline LoweredGeometry lower(const Table1Layer& l, Channels rule, std::uint32_t batch) {
    return lower(batch, l.height, l.width, l.channels, l.filter_height, l.filter_width, l.pad,
                 l.stride, l.transposed, rule);
}

/// A small random layer: non-square, stride 1-3, pad 0-3, a quarter transposed, 1-19 channels.
inline LoweredGeometry random_layer(std::mt19937_64& rng, Channels rule) {
    const auto pick = [&rng](std::uint32_t low, std::uint32_t high) {
        return std::uniform_int_distribution<std::uint32_t>(low, high)(rng);
    };
    for (;;) {
        const bool transposed = pick(0, 3) == 0;
        const std::uint32_t fh = pick(1, 4);
        const std::uint32_t fw = transposed ? fh : pick(1, 4);  // one pad' for both axes
        const std::uint32_t pad = transposed ? pick(0, fh - 1) : pick(0, 3);
        const std::uint32_t height = pick(1, 7);
        const std::uint32_t width = pick(1, 7);
        const std::uint32_t stride = pick(1, 3);
        const std::uint32_t up = transposed ? stride : 1;
        const std::uint32_t effective = transposed ? fh - 1 - pad : pad;
        if (height * up + 2 * effective < fh || width * up + 2 * effective < fw) {
            continue;
        }
        return lower(pick(1, 3), height, width, pick(1, 19), fh, fw, pad, stride, transposed, rule);
    }
}

/// Calls visit(batch, iy, ix, c) for every half of the dense workspace in row-major order; iy and
/// ix count in the padded, zero-inserted input.
template <class Visit>
void for_each_half(const LoweredGeometry& g, Visit visit) {
    for (std::uint32_t b = 0; b < g.batch; ++b) {
        for (std::uint32_t y = 0; y < g.output_height; ++y) {
            for (std::uint32_t x = 0; x < g.output_width; ++x) {
                for (std::uint32_t fy = 0; fy < g.filter_height; ++fy) {
                    for (std::uint32_t fx = 0; fx < g.filter_width; ++fx) {
                        for (std::uint32_t c = 0; c < g.channels; ++c) {
                            visit(b, y * g.stride + fy, x * g.stride + fx, c);
                        }
                    }
                }
            }
        }
    }
}

/// Whether a padded, zero-inserted input position holds a real pixel.
inline bool real_pixel(const LoweredGeometry& g, std::uint32_t iy, std::uint32_t ix) {
    if (iy < g.pad || ix < g.pad || iy >= g.pad + g.input_height || ix >= g.pad + g.input_width) {
        return false;
    }
    return (iy - g.pad) % g.up_factor == 0 && (ix - g.pad) % g.up_factor == 0;
}

/// Contents of the 16 halves of every workspace chunk: the NHWC index in the batch of padded
/// images, or kZeroHalf for K padding. Padded filter rows go on with the halves that follow.
inline constexpr std::uint64_t kZeroHalf = ~std::uint64_t{0};
using Chunk = std::array<std::uint64_t, 16>;

inline std::vector<Chunk> workspace_chunks(const LoweredGeometry& g) {
    Chunk empty;
    empty.fill(kZeroHalf);
    std::vector<Chunk> chunks(g.n_chunks, empty);
    const std::uint64_t width = g.input_width + 2 * g.pad;
    const std::uint64_t height = g.input_height + 2 * g.pad;
    std::size_t row = 0;
    for (std::uint32_t b = 0; b < g.batch; ++b) {
        for (std::uint32_t y = 0; y < g.output_height; ++y) {
            for (std::uint32_t x = 0; x < g.output_width; ++x, ++row) {
                const std::uint32_t useful = g.filter_width * g.channels;
                const std::uint32_t line = g.dense ? useful : round_up(useful, 16u);
                std::size_t at = row * g.row_pitch_chunks * 16;
                for (std::uint32_t fy = 0; fy < g.filter_height; ++fy) {
                    const std::uint64_t first =
                        ((b * height + y * g.stride + fy) * width + x * g.stride) * g.channels;
                    for (std::uint32_t i = 0; i < line; ++i, ++at) {
                        chunks[at / 16][at % 16] = first + i;
                    }
                }
            }
        }
    }
    return chunks;
}

}  // namespace tessera::test
