#include "sc_models/opportunistic/vector_values.h"

#include <algorithm>

namespace tessera {
namespace {

using Operand = LaneLayout::Operand;
/// Vectors within this range are read at once.
constexpr std::int64_t kWindowBytes = 4096;

}  // namespace

void VectorValues::open(const VectorOperation& operation, Operand operand, Address address,
                        Window& window) {
    std::int64_t first = 0, last = 0;
    for (std::uint32_t lane = 0; lane < operation.layout->lanes(); ++lane) {
        const std::int64_t offset = operation.layout->offset(operand, lane);
        first = std::min(first, offset);
        last = std::max(last, offset);
    }
    const std::int64_t bytes = last - first + std::int64_t{operation.length} * kFloatBytes;
    window.whole = bytes <= kWindowBytes;
    if (!window.whole) return;
    window.begin = address + static_cast<Address>(first);
    window.floats.resize(static_cast<std::size_t>(bytes) / kFloatBytes);
    read_(window.begin, window.floats.data(), static_cast<std::size_t>(bytes));
}

const float* VectorValues::vector(const VectorOperation& operation, Operand operand,
                                  Address address, std::uint32_t lane) {
    Window& window = operand == Operand::kInput ? input_ : weights_;
    const Address begin =
        address + static_cast<Address>(std::int64_t{operation.layout->offset(operand, lane)});
    if (window.whole) return window.floats.data() + (begin - window.begin) / kFloatBytes;
    window.floats.resize(operation.length);
    read_(begin, window.floats.data(), std::size_t{operation.length} * kFloatBytes);
    return window.floats.data();
}

void VectorValues::compute(const VectorOperation& operation, Lanes& results) {
    results.fill(0);
    open(operation, Operand::kInput, operation.input, input_);
    open(operation, Operand::kWeights, operation.weights, weights_);
    for (std::uint32_t lane = 0; lane < operation.layout->lanes(); ++lane) {
        const float* const a = vector(operation, Operand::kInput, operation.input, lane);
        const float* const b = vector(operation, Operand::kWeights, operation.weights, lane);
        float sum = 0;
        for (std::uint32_t i = 0; i < operation.length; ++i) sum += a[i] * b[i];
        results[lane] = sum;
    }
}

}  // namespace tessera
