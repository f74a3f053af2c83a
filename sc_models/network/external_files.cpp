#include "sc_models/network/external_files.h"

#include <onnx/onnx_pb.h>

#include "sc_models/common/error.h"
#include "sc_models/network/onnx_tensors.h"

namespace tessera::network {
namespace {

class Collector {
public:
    void add(const onnx::GraphProto& graph) {
        for (const onnx::TensorProto& tensor : graph.initializer()) add(tensor);
        for (const onnx::NodeProto& node : graph.node()) add(node);
    }
    void add(const onnx::NodeProto& node) {
        for (const onnx::AttributeProto& attribute : node.attribute()) {
            if (attribute.has_t()) add(attribute.t());
            if (attribute.has_g()) add(attribute.g());
            for (const onnx::TensorProto& tensor : attribute.tensors()) add(tensor);
            for (const onnx::GraphProto& graph : attribute.graphs()) add(graph);
        }
    }
    std::set<std::string> files;

private:
    void add(const onnx::TensorProto& tensor) {
        for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
            if (entry.key() == "location") files.insert(entry.value());
        }
    }
};

}  // namespace

std::set<std::string> external_files(const std::string& model) {
    onnx::ModelProto proto;
    if (!proto.ParseFromString(bytes_of_file(model))) {
        throw ConfigError(model + ": is no model of ONNX, or only a part of one");
    }
    Collector all;
    all.add(proto.graph());
    for (const onnx::FunctionProto& function : proto.functions()) {
        for (const onnx::NodeProto& node : function.node()) all.add(node);
    }
    return all.files;
}

}  // namespace tessera::network
