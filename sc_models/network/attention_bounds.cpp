#include "sc_models/network/attention_bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>

#include "sc_models/network/attention.h"
#include "sc_models/network/rounding_errors.h"

namespace tessera::network {
namespace {

/// The bounds of one node. A score is at most the product of the lengths of its query
/// and of the longest key (Cauchy and Schwarz); errors of scores are relative errors of weights,
/// and weights are shares of one. An error in proportion to the mask counts for the key that is
/// masked least, since those masked further have weights that are smaller by more.
class AttentionBounds {
public:
    explicit AttentionBounds(const RewrittenNode& r)
        : r_(r), sides_(call_of(r.graph, r.node, r.tensor_of)), own_(rounding_of(r.result)) {}

    [[nodiscard]] std::vector<double> bounds() const {
        constexpr double kLambda = 8;  // Higham and Mary's lambda
        const auto sum_error = [](std::int64_t terms) {
            return 2 * kLambda * std::sqrt(static_cast<double>(terms)) * kFloatRounding;
        };
        const std::size_t heads = size_of(sides_.heads), depth = size_of(sides_.depth);
        std::vector<double> bounds(r_.result.reals.size());
        for (std::size_t line = 0; line * depth < bounds.size(); ++line) {
            const std::size_t rows = size_of(sides_.queries);
            const std::size_t head = sides_.is_flat ? line % heads : line / rows % heads;
            const std::size_t batch = line / heads / rows;
            const std::size_t of_keys = head / (heads / size_of(sides_.kv_heads));
            const double score = std::fabs(static_cast<double>(sides_.scale)) *
                                 length(kQuery, line) * longest_key(batch, of_keys);
            const double error = kRoundings * own_ * (score + least_mask(batch) + 1) +
                                 sum_error(sides_.depth) * score;
            const double relative =
                std::expm1(2 * error) + kRoundings * own_ + sum_error(sides_.keys);
            for (std::size_t e = 0; e < depth; ++e) {
                bounds[line * depth + e] = relative * largest_value(batch, of_keys, e);
            }
        }
        return bounds;
    }

private:
    [[nodiscard]] static std::size_t size_of(std::int64_t side) {
        return static_cast<std::size_t>(side);
    }
    [[nodiscard]] const std::vector<float>& operand(std::size_t input) const {
        return r_.tensor_of(r_.node.inputs[input])->reals;
    }
    /// Number of a head's row among those of queries or keys.
    [[nodiscard]] std::size_t line_of(std::size_t batch, std::size_t key, std::size_t head) const {
        const std::size_t keys = size_of(sides_.keys), heads = size_of(sides_.kv_heads);
        return sides_.is_flat ? (batch * keys + key) * heads + head
                              : (batch * heads + head) * keys + key;
    }
    /// L2 norm of a row of a head.
    [[nodiscard]] double length(std::size_t input, std::size_t line) const {
        double squares = 0;
        for (std::size_t e = 0; e < size_of(sides_.depth); ++e) {
            const double x = operand(input)[line * size_of(sides_.depth) + e];
            squares += x * x;
        }
        return std::sqrt(squares);
    }
    [[nodiscard]] double longest_key(std::size_t batch, std::size_t head) const {
        const auto [found, is_new] = longest_.try_emplace({batch, head}, 0);
        for (std::size_t key = 0; is_new && key < size_of(sides_.keys); ++key) {
            found->second = std::max(found->second, length(kKey, line_of(batch, key, head)));
        }
        return found->second;
    }
    [[nodiscard]] double largest_value(std::size_t batch, std::size_t head, std::size_t e) const {
        const auto [found, is_new] = largest_.try_emplace({batch, head, e}, 0);
        for (std::size_t key = 0; is_new && key < size_of(sides_.keys); ++key) {
            const std::size_t at = line_of(batch, key, head) * size_of(sides_.depth) + e;
            found->second = std::max(found->second, magnitude_of(operand(kValue)[at]));
        }
        return found->second;
    }
    [[nodiscard]] double least_mask(std::size_t batch) const {
        if (r_.node.inputs.size() <= kMask) return 0;
        const auto first =
            operand(kMask).begin() + static_cast<std::ptrdiff_t>(batch * size_of(sides_.keys));
        return magnitude_of(*std::max_element(first, first + sides_.keys));
    }

    const RewrittenNode& r_;
    const AttentionSides sides_;
    const double own_;
    mutable std::map<std::array<std::size_t, 2>, double> longest_;
    mutable std::map<std::array<std::size_t, 3>, double> largest_;
};

}  // namespace

std::vector<double> attention_bounds(const RewrittenNode& rewritten) {
    return AttentionBounds(rewritten).bounds();
}

}  // namespace tessera::network
