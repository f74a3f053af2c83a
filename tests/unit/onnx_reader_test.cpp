// Are models that are damaged, foreign or not supported refused in one line that says where and
// what is allowed?
#include "sc_models/network/onnx_reader.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/network/tensor_files.h"
#include "tests/support/onnx_model.h"
#include "tests/support/temp_folder.h"

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

class OnnxFiles : public test::TempFolder {
protected:
    /// A product with its weights in a file of their own.
    static OnnxModel external(const std::string& location, const std::string& offset,
                              const std::string& length) {
        OnnxModel model;
        model.input("x", {1, 2}).weights("w", {2, 1}, {}).output("y");
        model.node("MatMul", {"x", "w"}, {"y"});
        onnx::TensorProto& tensor = *model.graph().mutable_initializer(0);
        tensor.set_data_location(onnx::TensorProto::EXTERNAL);
        for (const auto& [key, value] :
             {std::pair{"location", location}, {"offset", offset}, {"length", length}}) {
            if (value.empty()) continue;
            auto& entry = *tensor.add_external_data();
            entry.set_key(key);
            entry.set_value(value);
        }
        return model;
    }

    std::string refusal_of_file(const OnnxModel& model) const {
        try {
            (void)read_onnx(write("m.onnx", model.bytes()));
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "accepted";
    }

    static std::string refusal_of_tensor(const std::string& path) {
        try {
            (void)read_tensor_file(path);
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "accepted";
    }
};

TEST_F(OnnxFiles, ExternalWeights) {
    std::string bytes = "skipped!";
    for (const float value : {3.0F, 4.0F}) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    write("w.bin", bytes);
    const Graph graph = read_onnx(write("m.onnx", external("w.bin", "8", "8").bytes()));
    EXPECT_THAT(execute(graph, {Tensor::of_reals({1, 2}, {1, 10})})[0].reals, ElementsAre(43));
    EXPECT_EQ(refusal_of_file(external("w.bin", "8", "")), "accepted");

    EXPECT_THAT(refusal_of_file(external("v.bin", "", "")), HasSubstr("v.bin': no such file"));
    EXPECT_THAT(refusal_of_file(external("../w.bin", "", "")),
                HasSubstr("tensor 'w': external data: location: got '../w.bin', expected a file in "
                          "or below the folder"));
    EXPECT_THAT(refusal_of_file(external((folder / "w.bin").string(), "", "")),
                HasSubstr("expected a file in or below"));
    EXPECT_THAT(refusal_of_file(external("w.bin", "12", "")),
                HasSubstr("got 4 bytes from 12 on, expected 8 (the file has 16)"));
    EXPECT_THAT(refusal_of_file(external("w.bin", "8", "4")), HasSubstr("got 4 bytes from 8 on"));
    EXPECT_THAT(refusal_of_file(external("w.bin", "99", "")), HasSubstr("got 0 bytes from 99 on"));
    EXPECT_THAT(refusal_of_file(external("w.bin", "-8", "")), HasSubstr("offset: got '-8'"));
}

TEST_F(OnnxFiles, FilesThatCannotBeRead) {
    EXPECT_THROW((void)read_onnx((folder / "none.onnx").string()), ConfigError);
    EXPECT_THROW((void)read_onnx(folder.string()), ConfigError);
    EXPECT_THAT(refusal_of_tensor(write("x.txt", "1")), HasSubstr("ends in .npy or .pb"));
    EXPECT_THAT(refusal_of_tensor(write("x.pb", "\xff\xff")), HasSubstr("is no tensor of ONNX"));
}

/// A .npy file of version 1.
std::string npy(const std::string& header, const std::string& values) {
    std::string bytes = "\x93NUMPY";
    bytes += {'\x01', '\x00', static_cast<char>(header.size()), '\x00'};
    return bytes + header + values;
}

TEST_F(OnnxFiles, ArraysAreWrittenAsTheyAreRead) {
    const float tiny = std::numeric_limits<float>::denorm_min();
    const std::int64_t least = std::numeric_limits<std::int64_t>::min();
    for (const Tensor& tensor :
         {Tensor::of_reals({2, 1, 2}, {1, -0.1F, tiny, 1e30F}),
          Tensor::of_reals({3}, {0.5F, -65504, 0x1p-24F}, ElementType::kHalf),
          Tensor::of_integers({2}, {least, -1}), Tensor::of_integers({}, {-7}, ElementType::kInt32),
          Tensor::of_integers({3}, {-128, -1, 127}, ElementType::kInt8),
          Tensor::of_integers({2}, {0, 255}, ElementType::kUint8),
          Tensor::of_integers({1, 3}, {1, 0, 1}, ElementType::kBool), Tensor::of_reals({0, 4}, {}),
          Tensor::of_reals({1, 1, 1, 1, 1, 1, 1, 1}, {2})}) {
        const std::string bytes = npy_bytes(tensor);
        EXPECT_EQ((bytes.size() - tensor.type.bytes()) % 64, 0) << tensor.type.str();
        const Tensor again = read_tensor_file(write("x.npy", bytes));
        EXPECT_EQ(again.type.str(), tensor.type.str());
        EXPECT_EQ(again.reals, tensor.reals) << tensor.type.str();
        EXPECT_EQ(again.integers, tensor.integers) << tensor.type.str();
    }
}

/// Values of an initializer "w" of two elements, as its network has them.
std::vector<std::int64_t> values_read(const onnx::TensorProto& weights, const std::string& folder) {
    OnnxModel model;
    model.output("y").node("Identity", {"w"}, {"y"});
    onnx::TensorProto& tensor = *model.graph().add_initializer();
    tensor = weights;
    tensor.set_name("w");
    tensor.add_dims(2);
    const Graph graph = parse_onnx(model.bytes(), "m.onnx", folder, {});
    const Tensor made = execute(graph, {}).at(0);
    EXPECT_EQ(bytes_of(made.type.type), 1U);
    return made.integers;
}

TEST_F(OnnxFiles, IntegersOf8BitsAreReadFromFieldsAndBytes) {
    const std::string bytes = {'\x80', '\x7f'};
    (void)write("w.bin", bytes);
    for (const int type : {onnx::TensorProto::INT8, onnx::TensorProto::UINT8}) {
        const bool is_signed = type == onnx::TensorProto::INT8;
        const std::vector<std::int64_t> expected = {is_signed ? -128 : 128, 127};
        onnx::TensorProto raw, fields, external;
        raw.set_data_type(type);
        raw.set_raw_data(bytes);
        EXPECT_EQ(values_read(raw, folder.string()), expected);
        fields.set_data_type(type);
        fields.add_int32_data(is_signed ? -128 : 128);
        fields.add_int32_data(127);
        EXPECT_EQ(values_read(fields, folder.string()), expected);
        external.set_data_type(type);
        external.set_data_location(onnx::TensorProto::EXTERNAL);
        auto& entry = *external.add_external_data();
        entry.set_key("location");
        entry.set_value("w.bin");
        EXPECT_EQ(values_read(external, folder.string()), expected);
        fields.set_int32_data(0, is_signed ? 128 : -1);
        try {
            (void)values_read(fields, folder.string());
            ADD_FAILURE() << "a value beyond the type is read";
        } catch (const ConfigError& error) {
            EXPECT_THAT(error.what(), HasSubstr(is_signed ? "got value 128, expected one of INT8"
                                                          : "got value -1, expected one of UINT8"));
        }
    }
}

TEST(TensorFiles, NamesOfFilesAreThoseOfTensors) {
    EXPECT_EQ(npy_file_name("softmax_0.tmp-0~"), "softmax_0.tmp-0~.npy");
    EXPECT_EQ(npy_file_name("/layer 1/100%"), "%2Flayer%201%2F100%25.npy");
    EXPECT_EQ(npy_file_name("\xc3\xa9"), "%C3%A9.npy");
    EXPECT_EQ(npy_file_name(std::string_view("a\0b", 3)), "a%00b.npy");
}

TEST_F(OnnxFiles, ArraysOfNumPy) {
    const std::string header = "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 3), }\n";
    const std::string values = {1, 0, 1, 1, 0, 0};
    const Tensor tensor = read_tensor_file(write("x.npy", npy(header, values)));
    EXPECT_EQ(tensor.type.str(), "BOOL 2x3");
    EXPECT_THAT(tensor.integers, ElementsAre(1, 0, 1, 1, 0, 0));
    std::string columns = header;
    columns.replace(columns.find("False"), 5, "True ");
    EXPECT_THAT(read_tensor_file(write("f.npy", npy(columns, values))).integers,
                ElementsAre(1, 1, 0, 0, 1, 0));

    EXPECT_THAT(refusal_of_tensor(write("e.npy", "")), HasSubstr("is no .npy file"));
    EXPECT_THAT(refusal_of_tensor(write("s.npy", npy(header, "12345"))),
                HasSubstr("got 5 bytes of values, expected 6"));
    std::string doubles = header;
    doubles.replace(doubles.find("|b1"), 3, "<f8");
    EXPECT_THAT(refusal_of_tensor(write("d.npy", npy(doubles, values))),
                HasSubstr("got elements of type '<f8', expected one of {<f4"));
    EXPECT_THAT(refusal_of_tensor(write("h.npy", npy(header, values).substr(0, 30))),
                HasSubstr("the file ends within its header"));
    EXPECT_THAT(refusal_of_tensor(write("k.npy", npy("{}", values))), HasSubstr("has no 'shape'"));
    std::string huge = header;
    huge.replace(huge.find("2, 3"), 4, "9999999999999999");
    EXPECT_THAT(refusal_of_tensor(write("g.npy", npy(huge, values))), HasSubstr("got shape"));
}

}  // namespace
}  // namespace tessera::network
