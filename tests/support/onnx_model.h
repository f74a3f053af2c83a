// Small ONNX models, written where they are tested.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::test {

/// A model of one graph, put together line by line.
class OnnxModel {
public:
    explicit OnnxModel(int operator_set = 13) {
        model_.set_ir_version(7);
        model_.add_opset_import()->set_version(operator_set);
        model_.mutable_graph()->set_name("small");
    }

    /// A side of -1 is open and has no name; of -2 is called "batch".
    OnnxModel& input(const std::string& name, const std::vector<std::int64_t>& shape,
                     int type = onnx::TensorProto::FLOAT) {
        describe(*model_.mutable_graph()->add_input(), name, shape, type);
        return *this;
    }
    OnnxModel& output(const std::string& name) {
        describe(*model_.mutable_graph()->add_output(), name, {}, onnx::TensorProto::FLOAT);
        return *this;
    }
    OnnxModel& weights(const std::string& name, const std::vector<std::int64_t>& shape,
                       const std::vector<float>& values) {
        onnx::TensorProto& tensor = add_tensor(name, shape, onnx::TensorProto::FLOAT);
        for (const float value : values) tensor.add_float_data(value);
        return *this;
    }
    OnnxModel& integers(const std::string& name, const std::vector<std::int64_t>& values) {
        onnx::TensorProto& tensor =
            add_tensor(name, {static_cast<std::int64_t>(values.size())}, onnx::TensorProto::INT64);
        for (const std::int64_t value : values) tensor.add_int64_data(value);
        return *this;
    }
    /// The node, for attributes.
    OnnxModel& node(const std::string& operation, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs, const std::string& name = "") {
        onnx::NodeProto& node = *model_.mutable_graph()->add_node();
        node.set_op_type(operation);
        node.set_name(name);
        for (const std::string& input : inputs) node.add_input(input);
        for (const std::string& output : outputs) node.add_output(output);
        return *this;
    }
    /// Attributes of the last node.
    OnnxModel& with(const std::string& name, std::int64_t value) {
        onnx::AttributeProto& attribute = add_attribute(name, onnx::AttributeProto::INT);
        attribute.set_i(value);
        return *this;
    }
    OnnxModel& with(const std::string& name, const std::vector<std::int64_t>& values) {
        onnx::AttributeProto& attribute = add_attribute(name, onnx::AttributeProto::INTS);
        for (const std::int64_t value : values) attribute.add_ints(value);
        return *this;
    }
    OnnxModel& with_reals(const std::string& name, const std::vector<float>& values) {
        onnx::AttributeProto& attribute = add_attribute(name, onnx::AttributeProto::FLOATS);
        for (const float value : values) attribute.add_floats(value);
        return *this;
    }
    OnnxModel& with_texts(const std::string& name, const std::vector<std::string>& values) {
        onnx::AttributeProto& attribute = add_attribute(name, onnx::AttributeProto::STRINGS);
        for (const std::string& value : values) attribute.add_strings(value);
        return *this;
    }
    OnnxModel& with_real(const std::string& name, float value) {
        add_attribute(name, onnx::AttributeProto::FLOAT).set_f(value);
        return *this;
    }
    OnnxModel& with_text(const std::string& name, const std::string& value) {
        add_attribute(name, onnx::AttributeProto::STRING).set_s(value);
        return *this;
    }

    /// For what the functions above do not do.
    onnx::ModelProto& proto() { return model_; }
    onnx::GraphProto& graph() { return *model_.mutable_graph(); }
    [[nodiscard]] std::string bytes() const { return model_.SerializeAsString(); }

private:
    static void describe(onnx::ValueInfoProto& info, const std::string& name,
                         const std::vector<std::int64_t>& shape, int type) {
        info.set_name(name);
        onnx::TypeProto::Tensor& tensor = *info.mutable_type()->mutable_tensor_type();
        tensor.set_elem_type(type);
        onnx::TensorShapeProto& sides = *tensor.mutable_shape();
        for (const std::int64_t side : shape) {
            auto& dimension = *sides.add_dim();
            if (side == -2) dimension.set_dim_param("batch");
            if (side >= 0) dimension.set_dim_value(side);
        }
    }
    onnx::TensorProto& add_tensor(const std::string& name, const std::vector<std::int64_t>& shape,
                                  int type) {
        onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(type);
        for (const std::int64_t side : shape) tensor.add_dims(side);
        return tensor;
    }
    onnx::AttributeProto& add_attribute(const std::string& name,
                                        onnx::AttributeProto::AttributeType type) {
        onnx::GraphProto& graph = *model_.mutable_graph();
        onnx::AttributeProto& attribute =
            *graph.mutable_node(graph.node_size() - 1)->add_attribute();
        attribute.set_name(name);
        attribute.set_type(type);
        return attribute;
    }

    onnx::ModelProto model_;
};

}  // namespace tessera::test
