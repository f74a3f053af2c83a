// Random quantised products and convolutions as exporters write them (QDQ).
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/support/onnx_model.h"

namespace tessera::test {

/// A Conv, Gemm or MatMul between DequantizeLinear and QuantizeLinear, with constant weights. The
/// network's input is "x", its output "y", the product is called "p". Kernels of integers compute
/// it.
class QuantisedModel {
public:
    QuantisedModel(std::mt19937_64& random, std::uint32_t index) : random_(random) {
        if (index % 2 == 0) {
            add_convolution();
        } else {
            add_product(index / 2 % 4);
        }
    }

    [[nodiscard]] OnnxModel& model() { return model_; }
    [[nodiscard]] const std::vector<std::int64_t>& input() const { return input_; }

private:
    std::int64_t below(std::int64_t bound) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
    }
    std::vector<float> numbers(std::int64_t count) {
        std::vector<float> all(static_cast<std::size_t>(count));
        for (float& x : all) x = static_cast<float>(below(2001) - 1000) / 1000;
        return all;
    }
    float step() { return static_cast<float>(1 + below(1000)) / 60000; }

    /// A zero point of this type, as a constant.
    void zero(const std::string& name, std::int64_t value, bool is_unsigned) {
        model_.integers(name + ".i", {value}).integers(name + ".shape", {});
        model_.node("Reshape", {name + ".i", name + ".shape"}, {name + ".r"});
        model_.node("Cast", {name + ".r"}, {name});
        model_.with("to", is_unsigned ? onnx::TensorProto::UINT8 : onnx::TensorProto::INT8);
    }

    /// The quantised activations, dequantised: "d".
    void add_activations(bool has_zero_point) {
        const bool is_unsigned = below(2) == 0;
        const std::int64_t value = !has_zero_point ? 0
                                   : is_unsigned   ? below(256)
                                                   : below(256) - 128;
        model_.input("x", input_).weights("s", {}, {step()});
        zero("z", value, is_unsigned);
        model_.node("QuantizeLinear", {"x", "s", "z"}, {"q"});
        model_.node("DequantizeLinear", {"q", "s", "z"}, {"d"});
    }

    /// Constant weights, quantised by tensor or along `axis`, dequantised: "e".
    void add_weights(const std::vector<std::int64_t>& shape, std::int64_t axis) {
        std::int64_t count = 1;
        for (const std::int64_t side : shape) count *= side;
        columns_ = shape[static_cast<std::size_t>(axis)];
        model_.weights("w", shape, numbers(count));
        if (below(2) == 0) {
            model_.weights("t", {}, {1.0F / 127});
            const bool is_unsigned = below(3) == 0;
            zero("o", is_unsigned ? 128 : 0, is_unsigned);
            // The least number would be out of the range of INT8 without the zero point.
            model_.node("QuantizeLinear", {"w", "t", "o"}, {"v"});
            model_.node("DequantizeLinear", {"v", "t", "o"}, {"e"});
            return;
        }
        std::vector<float> scales;
        for (std::int64_t i = 0; i < columns_; ++i) {
            scales.push_back(static_cast<float>(50 + below(100)) / 12700);
        }
        model_.weights("t", {columns_}, scales).weights("n", {columns_}, zeros());
        model_.node("Cast", {"n"}, {"o"}).with("to", onnx::TensorProto::INT8);
        model_.node("QuantizeLinear", {"w", "t", "o"}, {"v"}).with("axis", axis);
        model_.node("DequantizeLinear", {"v", "t", "o"}, {"e"}).with("axis", axis);
    }
    [[nodiscard]] std::vector<float> zeros() const {
        return std::vector<float>(static_cast<std::size_t>(columns_), 0.0F);
    }

    /// Inputs of the product: with a bias of real numbers, or of INT32 in the scale of the sums.
    std::vector<std::string> factors(bool may_be_biased) {
        std::vector<std::string> all = {"d", "e"};
        if (!may_be_biased || below(3) == 0) return all;
        if (below(2) == 0) {
            model_.weights("b", {columns_}, numbers(columns_));
        } else {
            std::vector<std::int64_t> whole;
            for (std::int64_t i = 0; i < columns_; ++i) whole.push_back(below(20000) - 10000);
            model_.integers("b.i", whole);
            model_.node("Cast", {"b.i"}, {"b.w"}).with("to", onnx::TensorProto::INT32);
            model_.node("Mul", {"s", "t"}, {"b.s"});
            model_.node("DequantizeLinear", {"b.w", "b.s"}, {"b"}).with("axis", 0);
        }
        all.emplace_back("b");
        return all;
    }

    /// The nodes behind the product "p".
    void add_end(bool may_add, const std::vector<std::int64_t>& bias) {
        std::string last = "p";
        if (may_add && below(2) == 0) {
            model_.weights("c", bias, numbers(columns_));
            model_.node("Add", {below(2) == 0 ? "p" : "c", ""}, {"p.c"});
            auto& node = *model_.graph().mutable_node(model_.graph().node_size() - 1);
            node.set_input(1, node.input(0) == "p" ? "c" : "p");
            last = "p.c";
        }
        const std::int64_t activation = below(3);
        if (activation == 1) {
            model_.node("Relu", {last}, {"r"});
            last = "r";
        } else if (activation == 2) {
            model_.weights("least", {}, {-0.1F}).weights("most", {}, {0.7F});
            model_.node("Clip", {last, "least", "most"}, {"r"});
            last = "r";
        }
        const bool is_unsigned = below(2) == 0;
        model_.weights("u", {}, {4 * step()}).output("y");
        zero("h", is_unsigned ? below(256) : below(256) - 128, is_unsigned);
        model_.node("QuantizeLinear", {last, "u", "h"}, {"m"});
        model_.node("DequantizeLinear", {"m", "u", "h"}, {"y"});
    }

    void add_convolution() {
        const std::int64_t taps[] = {1 + below(3), 1 + below(3)};
        const std::int64_t strides[] = {1 + below(2), 1 + below(2)};
        const std::int64_t dilation = 1 + below(2);
        std::vector<std::int64_t> pads(4);
        input_ = {1 + below(2), 1 + below(20)};
        for (std::size_t side = 0; side < 2; ++side) {
            input_.push_back((taps[side] - 1) * dilation + 1 + below(5));
            pads[side] = pads[2 + side] = below(taps[side]);
        }
        add_activations(pads[0] + pads[1] == 0);
        const std::int64_t filters = 1 + below(30);
        add_weights({filters, input_[1], taps[0], taps[1]}, 0);
        model_.node("Conv", factors(true), {"p"}, "p");
        auto node = model_.graph().node_size();
        model_.with("strides", {strides[0], strides[1]}).with("dilations", {dilation, dilation});
        model_.with("pads", pads);
        const bool is_biased = model_.graph().node(node - 1).input_size() > 2;
        add_end(!is_biased, {columns_, 1, 1});
    }

    /// `kind`: a MatMul of matrices or of batches, a Gemm, or one of transposed weights.
    void add_product(std::uint32_t kind) {
        const std::int64_t k = 1 + below(80), n = 1 + below(40);
        input_ = {1 + below(40), k};
        if (kind == 1) input_.insert(input_.begin(), 1 + below(3));
        add_activations(true);
        const bool is_turned = kind == 3;
        add_weights(is_turned ? std::vector<std::int64_t>{n, k} : std::vector<std::int64_t>{k, n},
                    is_turned ? 0 : 1);
        const bool is_gemm = kind >= 2;
        model_.node(is_gemm ? "Gemm" : "MatMul", factors(is_gemm), {"p"}, "p");
        const bool is_biased = model_.graph().node(model_.graph().node_size() - 1).input_size() > 2;
        if (is_turned) model_.with("transB", 1);
        add_end(!is_biased, {columns_});
    }

    std::mt19937_64& random_;
    OnnxModel model_;
    std::vector<std::int64_t> input_;
    std::int64_t columns_ = 0;
};

}  // namespace tessera::test
