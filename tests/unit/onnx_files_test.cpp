// Are weights and tensors in files read and written as they are, and files that are damaged
// refused?
#include <gmock/gmock.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/tensor_files.h"
#include "tests/support/onnx_model.h"
#include "tests/support/temp_folder.h"

namespace tessera::network {
namespace {

using test::OnnxModel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
Tensor values_read(const onnx::TensorProto& weights, const std::string& folder) {
    OnnxModel model;
    model.output("y").node("Identity", {"w"}, {"y"});
    onnx::TensorProto& tensor = *model.graph().add_initializer();
    tensor = weights;
    tensor.set_name("w");
    tensor.add_dims(2);
    const Graph graph = parse_onnx(model.bytes(), "m.onnx", folder, {});
    return execute(graph, {}).at(0);
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
        EXPECT_EQ(values_read(raw, folder.string()).integers, expected);
        EXPECT_EQ(bytes_of(values_read(raw, folder.string()).type.type), 1U);
        fields.set_data_type(type);
        fields.add_int32_data(is_signed ? -128 : 128);
        fields.add_int32_data(127);
        EXPECT_EQ(values_read(fields, folder.string()).integers, expected);
        external.set_data_type(type);
        external.set_data_location(onnx::TensorProto::EXTERNAL);
        auto& entry = *external.add_external_data();
        entry.set_key("location");
        entry.set_value("w.bin");
        EXPECT_EQ(values_read(external, folder.string()).integers, expected);
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

/// ONNX stores BFLOAT16 as bytes or in int32_data; NumPy has no such type, and gets FLOAT.
TEST_F(OnnxFiles, Bf16IsReadFromFieldsAndBytesAndWrittenAsFloat) {
    constexpr std::uint16_t kBits[] = {0x3f81, 0xff7f};  // 1 + 2^-7 and -(2 - 2^-7) 2^127
    onnx::TensorProto raw, fields;
    for (onnx::TensorProto* tensor : {&raw, &fields}) {
        tensor->set_data_type(onnx::TensorProto::BFLOAT16);
    }
    raw.set_raw_data(std::string(reinterpret_cast<const char*>(kBits), sizeof kBits));
    for (const std::uint16_t bits : kBits) fields.add_int32_data(bits);
    for (const onnx::TensorProto& weights : {raw, fields}) {
        const Tensor read = values_read(weights, folder.string());
        EXPECT_EQ(read.type.str(), "BFLOAT16 2");
        EXPECT_THAT(read.reals, ElementsAre(1.0078125F, -0x1.fep127F));
        const Tensor again = read_tensor_file(write("x.npy", npy_bytes(read)));
        EXPECT_EQ(again.type.str(), "FLOAT 2");
        EXPECT_EQ(again.reals, read.reals);
    }
    raw.set_raw_data("123");
    EXPECT_THROW((void)values_read(raw, folder.string()), ConfigError);
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
