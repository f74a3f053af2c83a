// Random operators of networks.
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "sc_models/workload/operators/tensor_operation.h"

namespace tessera::test {

/// For messages.
inline std::string text_of(const TensorOperation& o) {
    std::string text = fmt::format("{} {}", name_of(o.op), o.type == TensorType::kFp16 ? 16 : 32);
    for (const TensorShape& shape : o.operands) text += fmt::format(" {}", fmt::join(shape, "x"));
    for (const TensorShape& shape : o.results) text += fmt::format(" > {}", fmt::join(shape, "x"));
    return text + fmt::format(" axes {}", fmt::join(o.axes, ","));
}

/// Makes operations of all operators, types, ranks up to five, and tensors of some hundred
/// elements, now and then of rows of thousands.
class RandomOperations {
public:
    explicit RandomOperations(std::uint64_t seed) : random_(seed) {}

    /// `index` goes through the operators and types.
    TensorOperation make(std::uint32_t index) {
        TensorOperation o;
        o.op = static_cast<TensorOperator>(index % kTensorOperators);
        o.type = index / kTensorOperators % 2 == 0 ? TensorType::kFp16 : TensorType::kFp32;
        const bool images = is_pool(o.op) || o.op == TensorOperator::kInstanceNormalization;
        shape_ = random_shape(images ? 3 : 1, 5);
        o.operands = {shape_};
        o.alpha = number();
        o.beta = number();
        if (is_binary(o.op)) set_second(o);
        if (o.op == TensorOperator::kAdd && up_to(2) == 1) set_sum_of_bytes(o);
        if (is_pool(o.op)) set_pool(o);
        if (is_of_several(o.op)) set_several(o);
        if (is_quantization(o.op)) set_quantization(o);
        if (gathers(o.op)) set_indices(o);
        if (is_recurrent(o.op)) set_recurrent(o);
        if (is_reduction(o.op) || is_row_wise(o.op)) set_rows(o);
        switch (o.op) {
            case TensorOperator::kClip:
                if (o.alpha > o.beta) std::swap(o.alpha, o.beta);
                break;
            case TensorOperator::kCelu:
                if (o.alpha == 0) o.alpha = 1;
                break;
            case TensorOperator::kLrn:
                set_neighbours(o);
                break;
            case TensorOperator::kGelu:
                if (up_to(2) == 1) o.alpha = 0;
                break;
            case TensorOperator::kBatchNormalization:
                o.axes = {axis()};
                o.operands.resize(5, {shape_[o.axes[0]]});
                o.beta = 1e-5F;
                break;
            case TensorOperator::kTranspose:
                for (std::uint32_t d = 0; d < shape_.size(); ++d) o.order.push_back(d);
                std::shuffle(o.order.begin(), o.order.end(), random_);
                break;
            case TensorOperator::kSlice:
                set_slice(o);
                break;
            case TensorOperator::kPad:
                set_pad(o);
                break;
            case TensorOperator::kConcat:
                o.axes = {axis()};
                for (std::uint64_t i = up_to(3); i > 0; --i) {
                    o.operands.push_back(shape_);
                    o.operands.back()[o.axes[0]] = up_to(20);
                }
                break;
            case TensorOperator::kSplit: {
                o.axes = {axis()};
                TensorShape piece = shape_;
                std::uint64_t left = shape_[o.axes[0]];
                while (left > 0) {
                    piece[o.axes[0]] = up_to(left);
                    left -= piece[o.axes[0]];
                    o.results.push_back(piece);
                }
                break;
            }
            case TensorOperator::kExpand:
                o.results = {shape_};
                for (std::uint64_t& size : o.operands[0]) size = up_to(2) == 1 ? 1 : size;
                if (up_to(3) == 1) o.operands[0].erase(o.operands[0].begin());
                break;
            case TensorOperator::kResize:
                set_resize(o);
                break;
            default:
                break;
        }
        const bool moves = o.op == TensorOperator::kTranspose || o.op == TensorOperator::kMaxPool;
        if (moves && up_to(3) == 1) {
            o.type = TensorType::kFp32;
            o.types.assign(2, byte_type());
        }
        return o;
    }

private:
    std::uint64_t up_to(std::uint64_t most) { return 1 + random_() % most; }
    float number() { return static_cast<float>(up_to(65)) / 16 - 2; }
    std::uint32_t axis() { return static_cast<std::uint32_t>(random_() % shape_.size()); }

    TensorShape random_shape(std::uint64_t least, std::uint64_t most) {
        TensorShape shape(least + random_() % (most - least + 1));
        std::uint64_t room = up_to(8) == 1 ? 6000 : 700;
        for (std::uint64_t& size : shape) {
            // Whole vectors in half of the axes.
            const std::uint64_t any =
                up_to(std::min<std::uint64_t>(room, shape.size() == 1 ? room : 40));
            size = up_to(2) == 1 && any >= 8 ? any / 8 * 8 : any;
            room = std::max<std::uint64_t>(1, room / size);
        }
        std::shuffle(shape.begin(), shape.end(), random_);
        return shape;
    }

    void set_second(TensorOperation& o) {
        TensorShape other = shape_;
        for (std::uint64_t& size : other) size = up_to(3) == 1 ? 1 : size;
        const std::uint64_t cut = up_to(3) == 1 ? random_() % (other.size() + 1) : 0;
        other.erase(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(cut));
        o.operands.push_back(other);
        if (o.op == TensorOperator::kPRelu) return;
        if (up_to(2) == 1) std::swap(o.operands[0], o.operands[1]);
        // Axes may be broadcast on either side.
        if (other.size() == shape_.size()) {
            const std::uint32_t d = axis();
            o.operands[0][d] = o.operands[1][d] == 1 ? o.operands[0][d] : 1;
        }
    }

    TensorType byte_type() { return up_to(2) == 1 ? TensorType::kInt8 : TensorType::kUint8; }

    /// Scales with which some sums are beyond the bounds.
    void set_sum_of_bytes(TensorOperation& o) {
        o.type = TensorType::kFp32;
        o.types = {byte_type(), byte_type(), byte_type()};
        const bool is_signed = o.types[2] == TensorType::kInt8;
        for (std::size_t i = 0; i < 3; ++i) {
            o.scales.push_back(static_cast<float>(up_to(1000)) / 16384);
            o.scales.push_back(static_cast<float>(up_to(100)));
        }
        o.scales.push_back(up_to(2) == 1 ? o.scales[5] : is_signed ? -128.0F : 0.0F);
        o.scales.push_back(is_signed ? 127.0F : 255.0F);
    }

    void set_pool(TensorOperation& o) {
        const bool channels_last = up_to(2) == 1;
        o.ceil_mode = up_to(2) == 1;
        o.count_padding = up_to(2) == 1;
        for (std::uint32_t d = 2; d < shape_.size(); ++d) {
            const std::uint32_t a = channels_last ? d - 1 : d;
            const auto size = static_cast<std::uint32_t>(shape_[a]);
            o.axes.push_back(a);
            o.window.push_back(static_cast<std::uint32_t>(up_to(std::min(size, 5U))));
            o.dilations.push_back(
                (o.window.back() - 1) * 2 < size ? static_cast<std::uint32_t>(up_to(2)) : 1);
            o.strides.push_back(static_cast<std::uint32_t>(up_to(3)));
            const std::uint32_t wide = (o.window.back() - 1) * o.dilations.back() + 1;
            o.pads_before.push_back(static_cast<std::int64_t>(random_() % o.window.back()));
            o.pads_after.push_back(static_cast<std::int64_t>(random_() % wide));
            // A window beyond the padding alone has no maximum.
            if (o.dilations.back() > 1) o.pads_before.back() = 0;
            if (o.dilations.back() > 1) o.pads_after.back() = 0;
        }
    }

    void set_rows(TensorOperation& o) {
        o.beta = 1e-5F;
        const auto rank = static_cast<std::uint32_t>(shape_.size());
        if (o.op == TensorOperator::kInstanceNormalization) {
            o.axes = {static_cast<std::uint32_t>(up_to(2) == 1 ? 1 : rank - 1)};
            o.operands.resize(3, {shape_[o.axes[0]]});
            return;
        }
        if (o.op == TensorOperator::kLayerNormalization ||
            o.op == TensorOperator::kRmsNormalization) {
            for (std::uint32_t d = axis(); d < rank; ++d) o.axes.push_back(d);
            const TensorShape inner(shape_.begin() + o.axes[0], shape_.end());
            o.operands.resize(up_to(o.op == TensorOperator::kRmsNormalization ? 2 : 3), inner);
            return;
        }
        if (is_row_wise(o.op)) {
            o.axes = {axis()};
            return;
        }
        for (std::uint32_t d = 0; d < rank; ++d) {
            if (up_to(2) == 1) o.axes.push_back(d);
        }
        if (o.axes.empty()) o.axes = {axis()};
    }

    /// Each may be broadcast along some axes.
    void set_several(TensorOperation& o) {
        const std::uint64_t count = o.op == TensorOperator::kWhere ? 3 : up_to(5);
        o.operands.clear();
        for (std::uint64_t i = 0; i < count; ++i) {
            TensorShape shape = shape_;
            for (std::uint64_t& size : shape) size = up_to(4) == 1 ? 1 : size;
            const std::uint64_t cut = up_to(4) == 1 ? random_() % (shape.size() + 1) : 0;
            shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(cut));
            o.operands.push_back(shape);
        }
        if (up_to(2) == 1) o.alpha = 0;
    }

    /// A scale and now and then a zero point, of the whole tensor or of one of its axes.
    void set_quantization(TensorOperation& o) {
        TensorShape one(up_to(3) == 1 ? 0 : shape_.size(), 1);
        if (!one.empty() && up_to(2) == 1) {
            const std::uint32_t d = axis();
            one[d] = shape_[d];
        }
        const TensorType bytes = up_to(2) == 1 ? TensorType::kInt8 : TensorType::kUint8;
        const bool makes_bytes = o.op == TensorOperator::kQuantizeLinear;
        const TensorType scale = up_to(3) == 1 ? TensorType::kFp16 : TensorType::kFp32;
        o.operands.push_back(one);
        o.types = {makes_bytes ? o.type : bytes, scale};
        if (up_to(2) == 1) {
            o.operands.push_back(one);
            o.types.push_back(bytes);
        }
        o.types.push_back(makes_bytes ? bytes : o.type);
        o.alpha = makes_bytes && scale == TensorType::kFp16 ? 1.0F : 0.0F;
        o.type = TensorType::kFp32;
    }

    void set_recurrent(TensorOperation& o) {
        const TensorShape state = {up_to(5), 1 + random_() % 80};
        const auto gates = [&state](std::uint64_t count) {
            return TensorShape{state[0], count * state[1]};
        };
        const bool lstm = o.op == TensorOperator::kLstmCell || o.op == TensorOperator::kLstmHidden;
        const bool linear = o.op == TensorOperator::kGruState && up_to(2) == 1;
        o.operands = {gates(lstm ? 4 : 3)};
        if (!lstm) o.operands.push_back(gates(linear ? 3 : 2));
        if (o.op == TensorOperator::kGruState && !linear) o.operands.push_back(state);
        o.operands.push_back(state);
        if (lstm && up_to(2) == 1) o.operands.push_back({3 * state[1]});
        o.gamma = up_to(2) == 1 ? 0.0F : 1.0F;
    }

    void set_indices(TensorOperation& o) {
        o.axes = {axis()};
        const std::uint64_t size = shape_[o.axes[0]];
        if (o.op == TensorOperator::kGather) {
            o.sizes.resize(random_() % 3);
            for (std::uint64_t& side : o.sizes) side = up_to(6);
        } else {
            o.sizes = shape_;
            for (std::uint64_t& side : o.sizes) side = up_to(side);
            o.sizes[o.axes[0]] = up_to(2 * size);
        }
        if (up_to(4) == 1) return;  // drawn ones
        for (std::uint64_t i = elements_of(o.sizes); i > 0; --i) {
            o.indices.push_back(static_cast<std::int64_t>(random_() % (2 * size)) -
                                static_cast<std::int64_t>(size));
        }
    }

    void set_neighbours(TensorOperation& o) {
        o.axes = {axis()};
        o.window = {static_cast<std::uint32_t>(up_to(6))};
        o.strides = o.dilations = {1};
        o.pads_before = {(o.window[0] - 1) / 2};
        o.pads_after = {o.window[0] - 1 - o.pads_before[0]};
        o.alpha = std::fabs(o.alpha);
        o.gamma = 0.5F;
    }

    void set_slice(TensorOperation& o) {
        for (const std::uint64_t size : shape_) {
            const auto begin = static_cast<std::int64_t>(random_() % size);
            const bool back = up_to(3) == 1;
            const auto step = static_cast<std::int64_t>(up_to(3));
            const std::int64_t room = back ? begin : static_cast<std::int64_t>(size) - 1 - begin;
            o.begins.push_back(begin);
            o.steps.push_back(back ? -step : step);
            o.sizes.push_back(up_to(static_cast<std::uint64_t>(room / step) + 1));
        }
    }

    void set_pad(TensorOperation& o) {
        o.pad_mode = static_cast<PadMode>(random_() % 3);
        for (const std::uint64_t size : shape_) {
            const bool reflects = o.pad_mode == PadMode::kReflect;
            const std::uint64_t most = reflects ? size : 5;
            const auto pad = [&] {
                return up_to(2) == 1 ? 0 : static_cast<std::int64_t>(random_() % most);
            };
            o.pads_before.push_back(pad());
            o.pads_after.push_back(pad());
            if (size > 2 && up_to(6) == 1) o.pads_after.back() = -1;  // cut off
        }
    }

    void set_resize(TensorOperation& o) {
        TensorShape result = shape_;
        o.resize = static_cast<ResizeMode>(random_() % 3);
        o.coordinates = static_cast<ResizeCoordinates>(random_() % 6);
        o.exclude_outside = up_to(2) == 1;
        for (std::size_t i = 0; i < 2 * shape_.size(); ++i) {
            o.region.push_back(static_cast<float>(up_to(7)) / 4 - 0.5F);
        }
        o.rounding = static_cast<ResizeRounding>(random_() % 4);
        std::uint64_t axes = 2;
        for (std::uint64_t& size : result) {
            if (axes == 0 || up_to(2) == 1) continue;
            size = up_to(2 * size);
            --axes;
        }
        o.results = {result};
    }

    std::mt19937_64 random_;
    TensorShape shape_;
};

}  // namespace tessera::test
