// Changes models where it matters: numbers of attributes and shapes, operators, operands. Random
// bytes hardly get past the lengths of the encoding.
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "sc_models/network/operators.h"

// libFuzzer's own mutation of bytes. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace tessera::network {
namespace {

using Random = std::minstd_rand;

/// A number below `count`, which is not 0.
int below(Random& random, int count) {
    return static_cast<int>(random() % static_cast<unsigned>(count));
}

/// Small numbers, and those at which something overflows.
std::int64_t number(Random& random) {
    constexpr std::int64_t kEdges[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX,
                                       -1000,     1 << 16,   1LL << 31, 1LL << 40};
    if (random() % 4 == 0) return kEdges[below(random, 8)];
    return below(random, 8) - 2;
}

void change_attribute(onnx::AttributeProto& attribute, Random& random) {
    if (attribute.ints_size() > 0 && random() % 2 == 0) {
        attribute.set_ints(below(random, attribute.ints_size()), number(random));
    } else if (attribute.type() == onnx::AttributeProto::INTS) {
        attribute.add_ints(number(random));
    } else if (attribute.type() == onnx::AttributeProto::INT) {
        attribute.set_i(number(random));
    } else if (attribute.type() == onnx::AttributeProto::FLOAT) {
        attribute.set_f(static_cast<float>(number(random)));
    }
}

void change_tensor(onnx::TensorProto& tensor, Random& random) {
    if (tensor.int64_data_size() > 0) {
        tensor.set_int64_data(below(random, tensor.int64_data_size()), number(random));
    } else if (tensor.data_type() == onnx::TensorProto::INT64 && tensor.raw_data().size() >= 8) {
        const std::int64_t value = number(random);
        const auto at = 8U * static_cast<unsigned>(
                                 below(random, static_cast<int>(tensor.raw_data().size() / 8)));
        tensor.mutable_raw_data()->replace(at, 8, reinterpret_cast<const char*>(&value), 8);
    } else if (tensor.dims_size() > 0) {
        tensor.set_dims(below(random, tensor.dims_size()), number(random));
    }
}

void change_input(onnx::ValueInfoProto& info, Random& random) {
    auto& shape = *info.mutable_type()->mutable_tensor_type()->mutable_shape();
    if (shape.dim_size() == 0 || random() % 4 == 0) {
        shape.add_dim()->set_dim_value(number(random));
    } else {
        shape.mutable_dim(below(random, shape.dim_size()))->set_dim_value(number(random));
    }
}

/// The name of some tensor of the graph.
std::string some_tensor(const onnx::GraphProto& graph, Random& random) {
    const int kind = below(random, 4);
    if (kind == 0 && graph.input_size() > 0)
        return graph.input(below(random, graph.input_size())).name();
    if (kind == 1 && graph.initializer_size() > 0) {
        return graph.initializer(below(random, graph.initializer_size())).name();
    }
    if (graph.node_size() == 0) return "";
    const onnx::NodeProto& node = graph.node(below(random, graph.node_size()));
    return node.output_size() == 0 ? "" : node.output(below(random, node.output_size()));
}

void change_node(onnx::GraphProto& graph, Random& random) {
    onnx::NodeProto& node = *graph.mutable_node(below(random, graph.node_size()));
    switch (below(random, 4)) {
        case 0: {
            const auto& all = all_operators();
            node.set_op_type(std::string(all[random() % all.size()].name));
            if (random() % 2 == 0) node.clear_attribute();
            return;
        }
        case 1:
            if (node.input_size() > 0) {
                node.set_input(below(random, node.input_size()), some_tensor(graph, random));
            }
            return;
        case 2:
            node.add_input(some_tensor(graph, random));
            return;
        default:
            if (node.attribute_size() > 0) {
                change_attribute(*node.mutable_attribute(below(random, node.attribute_size())),
                                 random);
            }
    }
}

/// Another node on what is there, whose result is an output.
void add_node(onnx::GraphProto& graph, Random& random) {
    const auto& all = all_operators();
    onnx::NodeProto node;
    node.set_op_type(std::string(all[random() % all.size()].name));
    for (int i = below(random, 3); i >= 0; --i) node.add_input(some_tensor(graph, random));
    node.add_output("t" + std::to_string(random() % 1000));
    graph.add_output()->set_name(node.output(0));
    *graph.add_node() = node;
}

void change(onnx::ModelProto& model, Random& random) {
    onnx::GraphProto& graph = *model.mutable_graph();
    switch (below(random, 6)) {
        case 0:
            if (graph.input_size() > 0) {
                change_input(*graph.mutable_input(below(random, graph.input_size())), random);
            }
            return;
        case 1:
            if (graph.initializer_size() > 0) {
                change_tensor(*graph.mutable_initializer(below(random, graph.initializer_size())),
                              random);
            }
            return;
        case 2:
            add_node(graph, random);
            return;
        case 3:
            if (model.opset_import_size() > 0) {
                model.mutable_opset_import(0)->set_version(7 + below(random, 11));
            }
            return;
        default:
            if (graph.node_size() > 0) change_node(graph, random);
    }
}

}  // namespace
}  // namespace tessera::network

// The name is libFuzzer's. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    google::protobuf::SetLogHandler(nullptr);
    std::minstd_rand random(seed);
    onnx::ModelProto model;
    if (random() % 8 == 0 || !model.ParseFromArray(data, static_cast<int>(size))) {
        return LLVMFuzzerMutate(data, size, most);
    }
    for (unsigned i = 1 + random() % 4; i > 0; --i) tessera::network::change(model, random);
    const std::string bytes = model.SerializeAsString();
    if (bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
    bytes.copy(reinterpret_cast<char*>(data), bytes.size());
    return bytes.size();
}
