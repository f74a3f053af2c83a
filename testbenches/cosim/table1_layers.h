// Layers of Duplo's Table I, for packets of the ID generator's bench.
#pragma once

#include <array>
#include <cstdint>

namespace tessera {

/// Layer of Duplo Table I.
struct Table1Layer {
    std::uint32_t size, channels, filter, pad, stride;  // images and filters are square
    bool transposed;
};

/// Duplo Table I: ResNet, GAN, YOLO; 8 images each.
inline constexpr std::array<Table1Layer, 22> kTable1 = {{
    {224, 3, 7, 3, 2, false},  {56, 64, 3, 1, 1, false},  {56, 64, 3, 0, 2, false},
    {28, 128, 3, 1, 1, false}, {28, 128, 3, 0, 2, false}, {14, 256, 3, 1, 1, false},
    {14, 256, 3, 0, 2, false}, {7, 512, 3, 1, 1, false},  {4, 512, 5, 2, 2, true},
    {8, 256, 5, 2, 2, true},   {16, 128, 5, 2, 2, true},  {32, 64, 5, 2, 2, true},
    {64, 3, 5, 2, 2, false},   {32, 64, 5, 2, 2, false},  {16, 128, 5, 2, 2, false},
    {8, 256, 5, 2, 2, false},  {224, 3, 3, 1, 1, false},  {112, 32, 3, 1, 1, false},
    {56, 64, 3, 1, 1, false},  {28, 128, 3, 1, 1, false}, {14, 256, 3, 1, 1, false},
    {7, 512, 3, 1, 1, false},
}};

}  // namespace tessera
