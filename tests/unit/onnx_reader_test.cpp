// Are models that are damaged, foreign or not supported refused in one line that says where and
// what is allowed?
#include "sc_models/network/onnx_reader.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "tests/support/onnx_model.h"

namespace tessera::network {
namespace {

using test::OnnxModel;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string refusal_of_bytes(const std::string& bytes, const OnnxOptions& options = {}) {
    try {
        (void)parse_onnx(bytes, "m.onnx", "", options);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "accepted";
}

std::string refusal(const OnnxModel& model, const OnnxOptions& options = {}) {
    std::string what = refusal_of_bytes(model.bytes(), options);
    EXPECT_THAT(what, AllOf(StartsWith("m.onnx: "), Not(HasSubstr("\n"))));
    return what;
}

OnnxModel relu() {
    OnnxModel model;
    model.input("x", {2}).output("y").node("Relu", {"x"}, {"y"}, "r");
    return model;
}

TEST(OnnxReader, ForeignAndTruncatedFiles) {
    const std::string none = "m.onnx: is no model of ONNX, or only a part of one";
    EXPECT_EQ(refusal_of_bytes(""), none);
    EXPECT_EQ(refusal_of_bytes("%%MatrixMarket"), none);
    const std::string bytes = relu().bytes();
    EXPECT_EQ(refusal_of_bytes(bytes), "accepted");
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_NE(refusal_of_bytes(bytes.substr(0, length)), "accepted") << length;
    }
}

TEST(OnnxReader, OperatorSets) {
    for (const int version : {6, 24}) {
        OnnxModel model(version);
        model.input("x", {2}).output("y").node("Relu", {"x"}, {"y"});
        EXPECT_THAT(refusal(model), HasSubstr("got operator set " + std::to_string(version) +
                                              ", expected 7 to 23"));
    }
    OnnxModel model(23);
    model.input("x", {2}).output("y").node("Relu", {"x"}, {"y"});
    EXPECT_EQ(refusal_of_bytes(model.bytes()), "accepted");
}

/// Revisions since set 18, which libonnx 1.12 does not know.
TEST(OnnxReader, NewRevisionsOfOperators) {
    const auto mean = [](int operator_set) {
        OnnxModel model(operator_set);
        model.input("x", {2, 3}).output("y").integers("axes", {1});
        return model.node("ReduceMean", {"x", "axes"}, {"y"}, "n");
    };
    EXPECT_THAT(refusal(mean(17)), HasSubstr("node 'n' (ReduceMean): Node (n) has input size 2"));
    EXPECT_EQ(refusal_of_bytes(mean(18).bytes()), "accepted");
    OnnxModel attribute(18);
    attribute.input("x", {2, 3}).output("y").node("ReduceMean", {"x"}, {"y"}, "n");
    attribute.with("axes", std::vector<std::int64_t>{1});
    EXPECT_THAT(refusal(attribute), AllOf(HasSubstr("node 'n' (ReduceMean): "), HasSubstr("axes")));
    for (const int operator_set : {17, 18}) {
        OnnxModel mish(operator_set);
        mish.input("x", {2}).output("y").node("Mish", {"x"}, {"y"}, "n");
        EXPECT_EQ(refusal_of_bytes(mish.bytes()) == "accepted", operator_set == 18);
    }
    OnnxModel groups(18);
    groups.input("x", {1, 2, 3}).weights("s", {1}, {1}).output("y");
    groups.node("GroupNormalization", {"x", "s", "s"}, {"y"}, "n");
    EXPECT_THAT(refusal(groups), HasSubstr("num_groups"));
}

TEST(OnnxReader, Operators) {
    OnnxModel model = relu();
    model.node("Relux", {"x"}, {"z"}, "n");
    EXPECT_THAT(refusal(model), HasSubstr("node 'n': operator set 13 has no operator 'Relux'"));

    model = relu();
    model.node("Unique", {"x"}, {"z"}).node("Unique", {"x"}, {"zz"}).node("Det", {"x"}, {"d"});
    EXPECT_THAT(refusal(model), HasSubstr("not supported: 'Det' (1 node), 'Unique' (2 nodes); "
                                          "docs/"));

    model = relu();
    model.graph().mutable_node(0)->set_domain("com.example");
    EXPECT_THAT(refusal(model), HasSubstr("'com.example.Relu' (1 node)"));
}

TEST(OnnxReader, AttributesOfNewOperators) {
    const auto resized = [](float scale) {
        OnnxModel model(18);
        model.input("x", {1, 1, 4, 4}).weights("s", {4}, {1, 1, scale, scale}).output("y");
        model.node("Resize", {"x", "", "s"}, {"y"}, "n").with("antialias", 1);
        return model.with_text("mode", "linear");
    };
    EXPECT_THAT(refusal(resized(0.5F)),
                HasSubstr("node 'n' (Resize): antialias: got 1 for a tensor that shrinks"));
    EXPECT_EQ(refusal_of_bytes(resized(2).bytes()), "accepted");

    OnnxModel gelu(20);
    gelu.input("x", {2})
        .output("y")
        .node("Gelu", {"x"}, {"y"}, "n")
        .with_text("approximate", "erf");
    EXPECT_THAT(refusal(gelu), HasSubstr("approximate: got 'erf', expected one of {none, tanh}"));

    OnnxModel split(18);
    split.input("x", {6}).output("a").output("b").node("Split", {"x"}, {"a", "b"}, "n");
    split.with("num_outputs", 3);
    EXPECT_THAT(refusal(split), HasSubstr("num_outputs: got 3, expected 2, the node's outputs"));

    const auto attention = [](std::int64_t heads) {
        OnnxModel model(23);
        model.input("q", {1, 4, 12}).input("k", {1, 4, 8}).input("v", {1, 4, 8}).output("y");
        model.node("Attention", {"q", "k", "v"}, {"y"}, "n").with("kv_num_heads", 2);
        if (heads > 0) model.with("q_num_heads", heads);
        return model;
    };
    EXPECT_THAT(refusal(attention(0)), HasSubstr("q_num_heads: got 0, expected an integer from 1"));
    EXPECT_THAT(refusal(attention(5)), HasSubstr("got 12 columns for 5 heads"));
    EXPECT_THAT(refusal(attention(3)), HasSubstr("got 3 heads of the query and 2 of the key"));
    EXPECT_THAT(refusal(attention(6)), HasSubstr("expected keys as deep as queries"));

    OnnxModel sum(18);
    sum.input("x", {2, 3}).input("z", {4, 5}).output("y").node("Einsum", {"x", "z"}, {"y"}, "n");
    sum.with_text("equation", "ij,jk->ik");
    EXPECT_THAT(refusal(sum), HasSubstr("input 'z': got side 4 in 'jk', expected 3"));

    OnnxModel top(18);
    top.input("x", {4}).integers("k", {5}).output("y").node("TopK", {"x", "k"}, {"y", "i"}, "n");
    EXPECT_THAT(refusal(top), HasSubstr("k: got 5, expected 0 to 4, the side of the axis"));

    OnnxModel places(18);
    places.input("x", {4}).output("y").node("NonZero", {"x"}, {"y"}, "n");
    EXPECT_THAT(refusal(places), HasSubstr("node 'n' (NonZero): input 'x': expected a constant"));
}

TEST(OnnxReader, OperandsAndAttributes) {
    OnnxModel model;
    model.input("x", {2}).output("y").node("Add", {"x"}, {"y"}, "n");
    EXPECT_THAT(refusal(model), HasSubstr("node 'n' (Add): Node (n) has input size 1"));

    model = relu();
    model.with("alpha", 1);
    EXPECT_THAT(refusal(model), AllOf(HasSubstr("node 'r' (Relu): "), HasSubstr("alpha")));

    model = relu();
    model.node("Relu", {"nowhere"}, {"z"}, "n");
    EXPECT_THAT(refusal(model), HasSubstr("node 'n' (Relu): input 'nowhere': nothing makes it"));

    model = relu();
    model.node("Exp", {"x"}, {"y"});
    EXPECT_THAT(refusal(model), HasSubstr("tensor 'y' is made twice"));

    model = relu();
    model.output("z");
    EXPECT_THAT(refusal(model), HasSubstr("output 'z': nothing makes it"));
}

TEST(OnnxReader, Cycles) {
    OnnxModel model;
    model.input("x", {2}).output("y");
    model.node("Add", {"x", "b"}, {"a"}, "first").node("Relu", {"a"}, {"b"}, "second");
    model.node("Relu", {"b"}, {"y"});
    EXPECT_THAT(refusal(model), HasSubstr("node 'first' (Add): waits for its own result"));
}

TEST(OnnxReader, ShapesAndTypes) {
    OnnxModel model;
    model.input("x", {1, 3, 8, 8}).weights("w", {4, 2, 3, 3}, std::vector<float>(72, 1));
    model.output("y").node("Conv", {"x", "w"}, {"y"}, "c");
    EXPECT_THAT(refusal(model), HasSubstr("node 'c' (Conv): input 'w': got shape 4x2x3x3, expected "
                                          "filters of 3 channels"));

    model = OnnxModel();
    model.input("x", {2, 3}).input("z", {4, 5}).output("y").node("MatMul", {"x", "z"}, {"y"}, "m");
    EXPECT_THAT(refusal(model), HasSubstr("node 'm' (MatMul): input 'z': got shape 4x5, expected 3 "
                                          "rows for the columns of 2x3"));

    model = OnnxModel();
    model.input("x", {2}).input("z", {2}, onnx::TensorProto::FLOAT16).output("y");
    model.node("Add", {"x", "z"}, {"y"}, "a");
    EXPECT_THAT(refusal(model), HasSubstr("input 'z': got FLOAT16 2, expected FLOAT as input 0"));

    model = OnnxModel();
    model.input("x", {2}, onnx::TensorProto::DOUBLE).output("y").node("Relu", {"x"}, {"y"});
    EXPECT_THAT(refusal(model), HasSubstr("input 'x': got elements of type DOUBLE, expected one of "
                                          "{FLOAT, FLOAT16, BFLOAT16, INT64, INT32, "
                                          "INT8, UINT8, BOOL}"));

    model = OnnxModel();
    model.input("x", {6}).input("s", {1}, onnx::TensorProto::INT64).output("y");
    model.node("Reshape", {"x", "s"}, {"y"}, "r");
    EXPECT_THAT(refusal(model), HasSubstr("node 'r' (Reshape): input 's': expected a constant"));
}

TEST(OnnxReader, AbsurdShapesTakeNoMemory) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    OnnxModel model;
    model.input("x", {kMost, kMost}).output("y").node("Relu", {"x"}, {"y"});
    EXPECT_THAT(refusal(model), HasSubstr("input 'x': got shape "));

    model = relu();
    model.weights("w", {kMost}, {}).node("Relu", {"w"}, {"z"});
    EXPECT_THAT(refusal(model), HasSubstr("tensor 'w': got shape "));

    model = relu();
    model.weights("w", {1 << 30}, {1}).node("Relu", {"w"}, {"z"});
    EXPECT_THAT(refusal(model), HasSubstr("tensor 'w': got 1 values, expected 1073741824"));

    model = OnnxModel();
    model.input("x", {1, 1, 4, 4}).output("y").node("MaxPool", {"x"}, {"y"}, "p");
    model.with("kernel_shape", std::vector<std::int64_t>{kMost, kMost});
    EXPECT_THAT(refusal(model), HasSubstr("node 'p' (MaxPool): got a window of "));

    model = OnnxModel();
    model.input("x", {4}).integers("r", {kMost}).output("y").node("Tile", {"x", "r"}, {"y"}, "t");
    EXPECT_THAT(refusal(model), HasSubstr("node 't' (Tile): repeats: got "));
}

TEST(OnnxReader, OpenSides) {
    OnnxModel model;
    model.input("x", {-2, 4}).output("y").node("Relu", {"x"}, {"y"});
    EXPECT_THAT(refusal(model),
                HasSubstr("input 'x': dimension 0 is open, expected --dim batch=SIZE"));
    OnnxOptions options;
    options.sides = {{"batch", 2}, {"bach", 3}};
    EXPECT_THAT(refusal(model, options),
                HasSubstr("got dimension 'bach', expected one of {batch, x.0} (did you mean "
                          "'batch'?)"));
    options.sides = {{"x.0", 2}};
    EXPECT_EQ(refusal_of_bytes(model.bytes(), options), "accepted");
}

TEST(OnnxReader, NamesThatAreDeclaredTwice) {
    for (const std::int64_t side : {2, 3}) {
        OnnxModel model = relu();
        model.input("x", {side});
        EXPECT_THAT(refusal(model), HasSubstr("input 'x' is declared twice"));
    }
    OnnxModel weights = relu();
    weights.weights("w", {1}, {1}).weights("w", {1}, {2});
    EXPECT_THAT(refusal(weights), HasSubstr("tensor 'w' is made twice"));
    OnnxModel made = relu();
    made.input("y", {2});
    EXPECT_THAT(refusal(made), HasSubstr("tensor 'y' is made twice"));
    OnnxModel nameless = relu();
    nameless.input("", {2});
    EXPECT_THAT(refusal(nameless), HasSubstr("got an input without a name"));
}

TEST(OnnxReader, DefaultsHaveTheTypeOfTheirInput) {
    const auto with_default = [](const std::vector<std::int64_t>& shape, int type) {
        OnnxModel model;
        model.input("x", {2}).output("y").weights("w", {2}, {1, 2}).input("w", shape, type);
        model.node("Add", {"x", "w"}, {"y"});
        return model;
    };
    EXPECT_EQ(refusal_of_bytes(with_default({2}, onnx::TensorProto::FLOAT).bytes()), "accepted");
    EXPECT_EQ(refusal_of_bytes(with_default({-1}, onnx::TensorProto::FLOAT).bytes()), "accepted");
    for (const OnnxModel& model : {with_default({3}, onnx::TensorProto::FLOAT),
                                   with_default({2, 1}, onnx::TensorProto::FLOAT),
                                   with_default({2}, onnx::TensorProto::INT64)}) {
        EXPECT_THAT(refusal(model), HasSubstr("tensor 'w': got FLOAT 2, expected the type"));
    }
}

TEST(OnnxReader, FixedInputs) {
    OnnxModel model;
    model.input("x", {6}).input("s", {2}, onnx::TensorProto::INT64).output("y");
    model.node("Reshape", {"x", "s"}, {"y"});
    OnnxOptions options;
    options.fixed_inputs["s"] = Tensor::of_integers({2}, {2, 3});
    EXPECT_EQ(refusal_of_bytes(model.bytes(), options), "accepted");
    options.fixed_inputs["s"] = Tensor::of_integers({1}, {6});
    EXPECT_THAT(refusal(model, options), HasSubstr("input 's': got INT64 1, expected INT64 2"));
    options.fixed_inputs = {{"t", Tensor::of_integers({2}, {2, 3})}};
    EXPECT_THAT(refusal(model, options), HasSubstr("there is no input 't'"));
}

TEST(OnnxReader, WeightsHaveToBeFiniteAndMasksDoNot) {
    OnnxModel model;
    model.input("x", {1, 2}).weights("w", {2, 1}, {1, INFINITY}).output("y");
    model.node("MatMul", {"x", "w"}, {"y"}, "m");
    EXPECT_THAT(refusal(model), HasSubstr("node 'm' (MatMul): weights 'w': got values that are not "
                                          "finite"));
    model = OnnxModel();
    model.input("x", {2}).weights("mask", {2}, {0, -INFINITY}).output("y");
    model.node("Add", {"x", "mask"}, {"y"});
    EXPECT_EQ(refusal_of_bytes(model.bytes()), "accepted");
}

// Files

}  // namespace
}  // namespace tessera::network
