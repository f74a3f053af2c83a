#include "sc_models/workload/value_generator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sc_models/common/splitmix.h"
#include "sc_models/workload/given_layer.h"

namespace tessera {
ValueGenerator::ValueGenerator(std::uint64_t seed, Tensor tensor, ValuePattern pattern)
    : key_(splitmix_key(seed, static_cast<std::uint64_t>(tensor))), pattern_(pattern) {}

ValueGenerator::ValueGenerator(std::shared_ptr<const std::vector<HalfBits>> elements,
                               Float16 format)
    : given_(std::move(elements)), given_format_(format) {}

ValueGenerator ValueGenerator::of(const WorkloadConfig& config, std::uint64_t seed, Tensor tensor,
                                  bool values) {
    if (!values) return {seed, tensor, ValuePattern::kUniform};
    if (config.given_layer != nullptr) {
        // A gradient of the input is computed from the layer's activations.
        const GivenLayer& layer = *config.given_layer;
        const bool weights = tensor == Tensor::kWeights;
        return ValueGenerator(weights ? layer.known_weights() : layer.known_activations(),
                              format_of(config.operand_type()));
    }
    return {seed, tensor, tensor == Tensor::kWeights ? config.weights : config.activations};
}

std::vector<float> ValueGenerator::rounded(std::uint64_t count) const {
    std::vector<float> elements(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        switch (type_) {
            case OperandType::kTf32:
                elements[i] = to_tf32(unpruned(i));
                break;
            case OperandType::kFp8:
                elements[i] = fp8_to_float(float_to_fp8(unpruned(i)));
                break;
            default:
                elements[i] = to_float((*this)(i), format_of(type_));
        }
    }
    return elements;
}

std::vector<HalfBits> ValueGenerator::range(std::uint64_t first, std::uint64_t count) const {
    std::vector<HalfBits> elements(count);
    for (std::uint64_t i = 0; i < count; ++i) elements[i] = (*this)(first + i);
    return elements;
}

bool ValueGenerator::is_kept(std::uint64_t index) const {
    const std::uint64_t first = index - index % kStructuredGroup;
    std::array<HalfBits, kStructuredGroup> group{};
    for (std::uint64_t i = 0; i < kStructuredGroup; ++i) group[i] = half(first + i);
    return (kept_of_group(group.data()) >> (index - first) & 1U) != 0;
}

HalfBits ValueGenerator::typed(std::uint64_t index) const {
    if (type_ == OperandType::kBf16) return to_bits(unpruned(index), Float16::kBf16);
    if (type_ == OperandType::kTf32) {
        const std::uint32_t bits = float_bits(to_tf32(unpruned(index / 2)));
        return static_cast<HalfBits>(index % 2 == 0 ? bits : bits >> 16U);
    }
    return pair(index);
}

HalfBits ValueGenerator::pair(std::uint64_t index) const {
    std::uint64_t first = 2 * index;
    bool is_last = false;
    if (odd_line_ > 0) {
        const std::uint64_t pairs = (odd_line_ + 1) / 2;
        first = index / pairs * odd_line_ + index % pairs * 2;
        is_last = index % pairs + 1 == pairs;
    }
    return static_cast<HalfBits>(byte(first) | (is_last ? 0U : byte(first + 1)) << 8U);
}

std::uint32_t ValueGenerator::byte(std::uint64_t index) const {
    if (type_ == OperandType::kFp8) return float_to_fp8(unpruned(index));
    constexpr float kScale = 127;
    constexpr long kLeast = -128, kMost = 127;
    if (given_ != nullptr) {
        return static_cast<std::uint8_t>(static_cast<int>(unpruned(index)));
    }
    const long scaled = std::clamp(std::lrint(unpruned(index) * kScale), kLeast, kMost);
    return static_cast<std::uint8_t>(type_ == OperandType::kUint8 ? scaled - kLeast : scaled);
}

float ValueGenerator::uniform(std::uint64_t index) const {
    const std::uint64_t random = splitmix_at(key_, index);
    const auto grid = static_cast<std::int32_t>(random >> 40U) - (1 << 23);
    return static_cast<float>(grid) * 0x1p-23F;
}

float ValueGenerator::relu(std::uint64_t index) const {
    constexpr std::uint64_t kWords = 3;  // four 16-bit uniform numbers each
    std::int32_t sum = 0;
    for (std::uint64_t word = 0; word < kWords; ++word) {
        const std::uint64_t random = splitmix_at(key_, index * kWords + word);
        for (std::uint32_t shift = 0; shift < 64; shift += 16) {
            sum += static_cast<std::int32_t>((random >> shift) & 0xffffU);
        }
    }
    // Twelve uniform numbers have variance 1; each averages 65535/2.
    return static_cast<float>(std::max(sum - 6 * 65535, 0)) * 0x1p-16F;
}

float ValueGenerator::dyadic(std::uint64_t index) const {
    constexpr std::uint64_t kValues = 17;
    const std::uint64_t random = splitmix_at(key_, index) >> 40U;
    return static_cast<float>(static_cast<std::int32_t>(random % kValues) - 8) * 0.125F;
}

}  // namespace tessera
