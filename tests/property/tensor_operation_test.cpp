// Is what an operator cannot take refused, and are its functions those of the host's library?
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/workload/operators/tensor_math.h"
#include "sc_models/workload/operators/tensor_operation.h"

namespace tessera {
namespace {

TEST(TensorMath, FunctionsAreThoseOfTheHostsLibrary) {
    for (int i = -4000; i <= 4000; ++i) {
        const double x = i * 0.021;
        EXPECT_NEAR(exp_of(x) / std::exp(x), 1, 1e-13) << x;
        EXPECT_NEAR(tanh_of(x), std::tanh(x), 1e-13) << x;
        EXPECT_NEAR(erf_of(x), std::erf(x), 2e-8) << x;
        if (std::fabs(x) < 4) {
            EXPECT_NEAR(erf_of(x), std::erf(x), 1e-13) << x;
        }
        EXPECT_EQ(pow_of(x, 3) < 0, x < 0) << x;
        if (i <= 0) continue;
        EXPECT_NEAR(log_of(x), std::log(x), 1e-13) << x;
        EXPECT_NEAR(pow_of(x, 1.7) / std::pow(x, 1.7), 1, 1e-12) << x;
    }
    EXPECT_TRUE(std::isnan(pow_of(-2, 0.5)));
    EXPECT_EQ(pow_of(0, -1), std::numeric_limits<double>::infinity());
    EXPECT_EQ(pow_of(-1.5, 0), 1);
}

TEST(TensorOperations, WhatDoesNotFitIsRefused) {
    const auto refused = [](const std::function<void(TensorOperation&)>& change,
                            const std::string& why) {
        TensorOperation o;
        o.operands = {{4, 6}};
        change(o);
        try {
            check_tensor_operation(o);
            ADD_FAILURE() << why;
        } catch (const ConfigError& error) {
            EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
        }
    };
    refused([](auto& o) { o.op = TensorOperator::kAdd; }, "2 tensors");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kAdd;
            o.type = TensorType::kFp32;
            o.operands.push_back(o.operands[0]);
            o.types.assign(3, TensorType::kInt8);
        },
        "a scale and a zero point of each");
    const auto quantize = [](auto& o) {
        o.op = TensorOperator::kQuantizeLinear;
        o.type = TensorType::kFp32;
        o.operands.push_back({6});
        o.types = {TensorType::kFp16, TensorType::kFp32, TensorType::kInt8};
    };
    refused(
        [&](auto& o) {
            quantize(o);
            o.types.pop_back();
        },
        "a type for each operand and the result");
    refused(
        [&](auto& o) {
            quantize(o);
            o.types[2] = TensorType::kFp16;
        },
        "INT8 or UINT8 on one side");
    refused(
        [&](auto& o) {
            quantize(o);
            o.operands[1] = {2, 4, 6};
        },
        "broadcast to the tensor");
    refused(
        [&](auto& o) {
            quantize(o);
            o.operands.push_back({1});
            o.types.insert(o.types.begin() + 2, TensorType::kUint8);
        },
        "a zero point of the type of the integers");
    refused([](auto& o) { o.operands = {{4, 0}}; }, "no empty axis");
    refused([](auto& o) { o.operands = {TensorShape(9, 1)}; }, "at most 8 axes");
    refused([](auto& o) { o.operands = {{1U << 20U, 1U << 20U}}; }, "2^36");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kAdd;
            o.operands.push_back({5});
        },
        "4x6 and 5: expected equal axes");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kPRelu;
            o.operands.push_back({2, 4, 6});
        },
        "a slope that is broadcast");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kSoftmax;
            o.axes = {2};
        },
        "axes that the tensor has");
    refused([](auto& o) { o.op = TensorOperator::kReduceSum; }, "at least one axis");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kReduceSum;
            o.axes = {1, 1};
        },
        "each axis once");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kLayerNormalization;
            o.axes = {0};
        },
        "all axes from the first on");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kTranspose;
            o.order = {0, 0};
        },
        "an order");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kSlice;
            o.begins = {0, 3};
            o.steps = {1, 2};
            o.sizes = {4, 3};
        },
        "a slice within the tensor");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kPad;
            o.pad_mode = PadMode::kReflect;
            o.pads_before = {4, 0};
            o.pads_after = {0, 0};
        },
        "reflected pads");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kConcat;
            o.axes = {0};
            o.operands.push_back({4, 5});
        },
        "differ in the axis only");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kSplit;
            o.axes = {0};
            o.results = {{1, 6}, {2, 6}};
        },
        "add up");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kExpand;
            o.results = {{4, 7}};
        },
        "expected equal axes");
    refused([](auto& o) { o.op = TensorOperator::kResize; }, "of the operand's rank");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kMaxPool;
            o.axes = {1};
            o.window = {3};
            o.strides = o.dilations = {1};
            o.pads_before = {3};
            o.pads_after = {0};
        },
        "padding of less than the window");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kMaxPool;
            o.axes = {1};
            o.window = {9};
            o.strides = o.dilations = {1};
            o.pads_before = o.pads_after = {0};
        },
        "a window that fits");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kBatchNormalization;
            o.axes = {0};
            o.operands.resize(5, {6});
        },
        "a parameter for each channel");
    refused(
        [](auto& o) {
            o.op = TensorOperator::kLayerNormalization;
            o.axes = {1};
            o.operands.push_back({4});
        },
        "scale and bias");
}

}  // namespace
}  // namespace tessera
