#include "sc_models/lowering/placed_tensor.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "sc_models/network/walk.h"

namespace tessera {

using network::Shape;

TensorShape PlacedTensor::sides() const {
    TensorShape all;
    for (const std::int64_t side : for_sides(shape)) {
        all.push_back(static_cast<std::uint64_t>(side));
    }
    return all;
}

std::uint32_t PlacedTensor::side(std::size_t of_file) const {
    if (!channels_last || of_file == 0) return static_cast<std::uint32_t>(of_file);
    return static_cast<std::uint32_t>(of_file == 1 ? shape.size() - 1 : of_file - 1);
}

PlacedTensor PlacedTensor::with_channels_last(bool last) const {
    PlacedTensor other = *this;
    other.channels_last = last;
    if (last == channels_last || !has_two_layouts(shape)) return other;
    std::vector<std::size_t> order = channels_last_order(shape.size());
    if (last) {
        other.elements = permuted(elements, shape, order);
        return other;
    }
    Shape in_memory;
    std::vector<std::size_t> back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        in_memory.push_back(shape[order[i]]);
        back[order[i]] = i;
    }
    other.elements = permuted(elements, in_memory, back);
    return other;
}

PlacedTensor PlacedTensor::with_sides(std::size_t count) const {
    PlacedTensor other = with_channels_last(false);
    if (other.shape.size() < count) {
        other.shape.insert(other.shape.begin(), count - other.shape.size(), 1);
    }
    return other;
}

double PlacedTensor::zeros() const {
    if (elements == nullptr || elements->empty() || type == TensorType::kFp32) return -1;
    constexpr HalfBits kMagnitude = 0x7fff;
    const auto zeros = std::count_if(elements->begin(), elements->end(),
                                     [](HalfBits h) { return (h & kMagnitude) == 0; });
    return static_cast<double>(zeros) / static_cast<double>(elements->size());
}

GivenLayer::Elements permuted(const GivenLayer::Elements& elements, const Shape& sides,
                              const std::vector<std::size_t>& order) {
    if (elements == nullptr) return nullptr;
    const std::vector<std::size_t> strides = network::strides_of(sides);
    Shape made;
    std::vector<std::size_t> steps;
    for (const std::size_t side : order) {
        made.push_back(sides[side]);
        steps.push_back(strides[side]);
    }
    auto moved = std::make_shared<std::vector<HalfBits>>(elements->size());
    network::walk(made, steps,
                  [&](std::size_t i, std::size_t from) { (*moved)[i] = (*elements)[from]; });
    return moved;
}

GivenLayer::Elements elements_of(const network::Tensor* tensor, Float16 format) {
    if (tensor == nullptr) return nullptr;
    auto halves = std::make_shared<std::vector<HalfBits>>(tensor->reals.size());
    std::transform(tensor->reals.begin(), tensor->reals.end(), halves->begin(),
                   [format](float x) { return to_bits(x, format); });
    for (const std::int64_t integer : tensor->integers) {
        halves->push_back(to_bits(static_cast<float>(integer), format));
    }
    return halves;
}

GivenLayer::Elements single_elements_of(const network::Tensor* tensor) {
    if (tensor == nullptr) return nullptr;
    auto entries = std::make_shared<std::vector<HalfBits>>();
    for (const float value : tensor->reals) {
        const std::uint32_t bits = float_bits(value);
        entries->push_back(static_cast<HalfBits>(bits));
        entries->push_back(static_cast<HalfBits>(bits >> 16U));
    }
    return entries;
}

}  // namespace tessera
