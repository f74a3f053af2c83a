// Tensors whose elements depend on their index only: seeded or given.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/tensor_core/half.h"
#include "sc_models/tensor_core/structured_sparsity.h"

namespace tessera {

/// Element `index` of tensor `tensor` under `seed`: independent of the caller, the order of calls
/// and the machine (integer arithmetic and exact float operations only).
class ValueGenerator {
public:
    enum class Tensor : std::uint64_t { kActivations = 1, kWeights = 2, kGradients = 3, kSums = 4 };

    ValueGenerator(std::uint64_t seed, Tensor tensor, ValuePattern pattern);
    /// Uses the given elements, which must not be null and have this format.
    explicit ValueGenerator(std::shared_ptr<const std::vector<HalfBits>> elements,
                            Float16 format = Float16::kFp16);
    /// Returns the tensor of the given layer of `config`, otherwise values with the pattern of
    /// `config` (never read if `values` is false).
    static ValueGenerator of(const WorkloadConfig& config, std::uint64_t seed, Tensor tensor,
                             bool values);

    /// kUniform: uniform in [-1, 1) on a grid of 2^-23, rounded to half. kRelu: a standard normal
    /// (sum of twelve uniform numbers), negatives to +0, rounded to half.
    [[nodiscard]] HalfBits operator()(std::uint64_t index) const {
        if (type_ != OperandType::kFp16) return typed(index);
        return pruned_ && !is_kept(index) ? HalfBits{0} : half(index);
    }
    /// The element before it is rounded to half. kDyadic: k/8 with k in [-8, 8].
    [[nodiscard]] float single(std::uint64_t index) const {
        if (pruned_ && !is_kept(index)) return 0;
        return unpruned(index);
    }

    /// Returns these values with two of each four set to +0 (kept_of_group): a group is elements
    /// 4i to 4i + 3.
    [[nodiscard]] ValueGenerator pruned_2of4() const {
        ValueGenerator pruned = *this;
        pruned.pruned_ = true;
        return pruned;
    }

    /// Returns these values as others than FP16, in units of 2 bytes of lines of `line` elements.
    /// BF16: rounded to it. TF32: rounded to it, an element is two units, the low one first.
    /// Bytes: unit i holds elements 2i (low byte) and 2i + 1 of its line, which is 0 behind the
    /// end of an odd line. FP8: rounded to it. Integers: given elements are the integers
    /// themselves; others are scaled by 127, rounded to nearest and clamped to [-128, 127]; UINT8
    /// are larger by 128.
    [[nodiscard]] ValueGenerator as_type(OperandType type, std::uint64_t line) const {
        ValueGenerator typed = *this;
        typed.type_ = type;
        typed.odd_line_ = line % 2 == 0 ? 0 : line;
        return typed;
    }

    /// The first `count` elements, rounded to their type, which is none of integers.
    [[nodiscard]] std::vector<float> rounded(std::uint64_t count) const;
    /// `count` elements from `first` on.
    [[nodiscard]] std::vector<HalfBits> range(std::uint64_t first, std::uint64_t count) const;

private:
    [[nodiscard]] HalfBits half(std::uint64_t index) const {
        return given_ != nullptr ? (*given_)[index] : float_to_half(unpruned(index));
    }
    [[nodiscard]] bool is_kept(std::uint64_t index) const;
    /// Unit `index` of another type than FP16.
    [[nodiscard]] HalfBits typed(std::uint64_t index) const;
    [[nodiscard]] HalfBits pair(std::uint64_t index) const;
    /// Bits of an element of 8 bits.
    [[nodiscard]] std::uint32_t byte(std::uint64_t index) const;
    [[nodiscard]] float unpruned(std::uint64_t index) const {
        if (given_ != nullptr) return to_float((*given_)[index], given_format_);
        switch (pattern_) {
            case ValuePattern::kRelu:
                return relu(index);
            case ValuePattern::kDyadic:
                return dyadic(index);
            case ValuePattern::kUniform:
                break;
        }
        return uniform(index);
    }
    [[nodiscard]] float uniform(std::uint64_t index) const;
    [[nodiscard]] float relu(std::uint64_t index) const;
    [[nodiscard]] float dyadic(std::uint64_t index) const;

    bool pruned_ = false;
    OperandType type_ = OperandType::kFp16;
    std::uint64_t odd_line_ = 0;  ///< elements of a line of pairs, if they are odd
    std::uint64_t key_ = 0;
    ValuePattern pattern_ = ValuePattern::kUniform;
    std::shared_ptr<const std::vector<HalfBits>> given_;
    Float16 given_format_ = Float16::kFp16;
};

}  // namespace tessera
