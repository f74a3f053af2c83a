#include "sc_models/workload/requantization.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "sc_models/workload/value_at.h"

namespace tessera {
namespace {

constexpr std::int32_t kLeastSigned = -128, kMostSigned = 127, kMostUnsigned = 255;

}  // namespace

std::int32_t Requantization::result(std::uint32_t sum, std::int32_t bias_of_column,
                                    float factor) const {
    // Far beyond the range, but no larger than an integer holds.
    constexpr float kFar = 0x1p20F;
    const auto whole = static_cast<std::int32_t>(sum + static_cast<std::uint32_t>(bias_of_column));
    const float scaled = std::clamp(static_cast<float>(whole) * factor, -kFar, kFar);
    return std::clamp(static_cast<std::int32_t>(std::nearbyint(scaled)) + zero_point, least, most);
}

std::int32_t Requantization::result_of(std::uint32_t sum, std::uint64_t column) const {
    const bool is_there = column < factors.size();
    return result(sum, is_there ? bias[column] : 0, is_there ? factors[column] : 0);
}

std::uint32_t Requantization::cost() const {
    constexpr std::uint32_t kOfAll = 5;
    const bool raises = least > (is_unsigned ? 0 : kLeastSigned);
    const bool lowers = most < (is_unsigned ? kMostUnsigned : kMostSigned);
    return kOfAll + (raises ? 1 : 0) + (lowers ? 1 : 0);
}

void write_columns(const PlacedRequantization& placed, std::uint64_t n,
                   const std::function<void(Address, const void* data, std::size_t bytes)>& write) {
    if (placed.empty()) return;
    const Requantization& rule = *placed.rule;
    if (rule.bias.size() != n || rule.factors.size() != n) {
        throw std::logic_error("Requantization: expected bias and factors of " + std::to_string(n) +
                               " columns");
    }
    write(placed.bias, rule.bias.data(), n * sizeof(std::int32_t));
    write(placed.factors, rule.factors.data(), n * sizeof(float));
}

void requantise(const Requantization& rule, const std::byte* bias, const std::byte* factors,
                std::size_t count, std::byte* sums) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t result =
            rule.result(value_at<std::uint32_t>(sums, i), value_at<std::int32_t>(bias, i),
                        value_at<float>(factors, i));
        std::memcpy(sums + i * sizeof result, &result, sizeof result);
    }
}

void pack_bytes(const std::byte* from, std::size_t count, std::byte* to) {
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = static_cast<std::byte>(value_at<std::uint32_t>(from, i));
    }
}

}  // namespace tessera
