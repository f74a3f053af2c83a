#include "sc_models/network/onnx_reader.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/edit_distance.h"
#include "sc_models/common/error.h"
#include "sc_models/common/input_file.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/network/onnx_tensors.h"
#include "sc_models/network/operators.h"

namespace tessera::network {
namespace {

/// Rethrows the error with `place` in front.
[[noreturn]] void rethrow_at(const std::string& place, const ConfigError& error) {
    throw ConfigError(place + error.what());
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

/// Resolves dimensions that a file leaves open, by their names in OnnxOptions.
class OpenSides {
public:
    explicit OpenSides(const OnnxOptions& options)
        : given_(options.sides), shapes_(options.input_shapes) {}

    std::int64_t side(const onnx::TensorShapeProto::Dimension& dimension, const std::string& input,
                      int axis) {
        if (dimension.has_dim_value()) return dimension.dim_value();
        const std::string place = input + "." + std::to_string(axis);
        const std::string name = dimension.dim_param().empty() ? place : dimension.dim_param();
        names_.insert(name);
        names_.insert(place);
        for (const std::string& one : {place, name}) {
            const auto found = given_.find(one);
            if (found != given_.end()) return found->second;
        }
        // Takes the side from the shape given for this input, or else from an earlier input with a
        // side of this name.
        const auto shape = shapes_.find(input);
        if (shape != shapes_.end() && static_cast<std::size_t>(axis) < shape->second.size()) {
            return sides_of_inputs_[name] = shape->second[static_cast<std::size_t>(axis)];
        }
        const auto seen = sides_of_inputs_.find(name);
        if (seen != sides_of_inputs_.end()) return seen->second;
        throw ConfigError("input " + in_quotes(input) + ": dimension " + std::to_string(axis) +
                          " is open, expected --dim " + name + "=SIZE");
    }

    void expect_all_known() const {
        for (const auto& [name, side] : given_) {
            if (names_.count(name) != 0) continue;
            const std::vector<std::string_view> known(names_.begin(), names_.end());
            throw ConfigError("got dimension " + in_quotes(name) + ", expected one of " +
                              braced_list(known) + did_you_mean(name, known));
        }
    }

private:
    const std::map<std::string, std::int64_t>& given_;
    const std::map<std::string, Shape>& shapes_;
    std::map<std::string, std::int64_t> sides_of_inputs_;
    std::set<std::string> names_;
};

class Reader {
public:
    Reader(onnx::ModelProto& model, const std::string& folder, const OnnxOptions& options)
        : model_(model), folder_(folder), options_(options) {}

    Graph read(Graph* as_written) {
        read_operator_set();
        refuse_unsupported();
        graph_.name = model_.graph().name();
        read_constants();
        read_inputs();
        name_outputs();
        for (int i = 0; i < model_.graph().node_size(); ++i) read_node(i);
        read_outputs();
        sort_topologically(graph_);
        if (as_written != nullptr) *as_written = graph_;
        infer_types(graph_, options_.folding);
        if (as_written != nullptr) {
            for (std::size_t i = 0; i < graph_.values.size(); ++i) {
                as_written->values[i].type = graph_.values[i].type;
            }
            as_written->remove_unread_nodes();
        }
        graph_.remove_unread_nodes();
        expect_finite_weights();
        return std::move(graph_);
    }

private:
    static bool is_onnx(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

    void read_operator_set() {
        for (const auto& imported : model_.opset_import()) {
            if (is_onnx(imported.domain())) version_ = imported.version();
        }
        if (version_ < kOldestOperatorSet || version_ > kNewestOperatorSet) {
            throw ConfigError("got operator set " + std::to_string(version_) + ", expected " +
                              std::to_string(kOldestOperatorSet) + " to " +
                              std::to_string(kNewestOperatorSet));
        }
    }

    [[nodiscard]] const onnx::OpSchema* schema_of(const onnx::NodeProto& node) const {
        return onnx::OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(version_), "");
    }

    /// Throws with all unsupported operators and the number of nodes of each.
    void refuse_unsupported() const {
        std::map<std::string, int> counts;
        for (const onnx::NodeProto& node : model_.graph().node()) {
            const bool ours = is_onnx(node.domain());
            if (ours && schema_of(node) == nullptr) {
                throw ConfigError("node " + in_quotes(node.name()) + ": operator set " +
                                  std::to_string(version_) + " has no operator " +
                                  in_quotes(node.op_type()));
            }
            if (ours && find_operator(node.op_type()) != nullptr) continue;
            ++counts[(ours ? "" : node.domain() + ".") + node.op_type()];
        }
        if (counts.empty()) return;
        std::string list;
        for (const auto& [name, count] : counts) {
            list += (list.empty() ? "" : ", ") + in_quotes(name) + " (" + std::to_string(count) +
                    (count == 1 ? " node)" : " nodes)");
        }
        throw ConfigError("operators that are not supported: " + list +
                          "; docs/onnx_operators.md lists those that are");
    }

    ValueId add(const std::string& name, TensorType type, std::shared_ptr<const Tensor> constant) {
        const ValueId id = graph_.add({name, std::move(type), std::move(constant)});
        if (!ids_.emplace(name, id).second) {
            throw ConfigError("tensor " + in_quotes(name) + " is made twice");
        }
        return id;
    }

    void read_constants() {
        if (model_.graph().sparse_initializer_size() != 0) {
            throw ConfigError("sparse initializers are not supported, expected dense ones");
        }
        for (onnx::TensorProto& proto : *model_.mutable_graph()->mutable_initializer()) {
            try {
                auto tensor = std::make_shared<const Tensor>(tensor_of(proto, folder_));
                const TensorType type = tensor->type;
                add(proto.name(), type, std::move(tensor));
            } catch (const ConfigError& error) {
                rethrow_at("tensor " + in_quotes(proto.name()) + ": ", error);
            }
            onnx::TensorProto().Swap(&proto);  // frees the proto's copy: weights are large
        }
    }

    TensorType type_of(const onnx::ValueInfoProto& info, OpenSides& open) const {
        const onnx::TypeProto& type = info.type();
        if (!type.has_tensor_type() || !type.tensor_type().has_shape()) {
            throw ConfigError("input " + in_quotes(info.name()) +
                              ": expected a tensor with a shape");
        }
        TensorType result;
        try {
            result.type = element_type_of(type.tensor_type().elem_type());
        } catch (const ConfigError& error) {
            rethrow_at("input " + in_quotes(info.name()) + ": ", error);
        }
        int axis = 0;
        for (const auto& dimension : type.tensor_type().shape().dim()) {
            result.shape.push_back(open.side(dimension, info.name(), axis++));
        }
        try {
            (void)result.elements();
        } catch (const ConfigError& error) {
            rethrow_at("input " + in_quotes(info.name()) + ": ", error);
        }
        return result;
    }

    /// Throws unless a constant has the type and the shape of the input whose default it is.
    static void expect_declared(const TensorType& type, const onnx::ValueInfoProto& info) {
        if (!info.type().has_tensor_type()) return;
        const onnx::TypeProto::Tensor& declared = info.type().tensor_type();
        bool same = element_type_of(declared.elem_type()) == type.type;
        const auto& sides = declared.shape().dim();
        if (declared.has_shape()) {
            same = same && static_cast<std::size_t>(sides.size()) == type.shape.size();
            for (int i = 0; same && i < sides.size(); ++i) {
                same = !sides[i].has_dim_value() ||
                       sides[i].dim_value() == type.shape[static_cast<std::size_t>(i)];
            }
        }
        if (same) return;
        throw ConfigError("tensor " + in_quotes(info.name()) + ": got " + type.str() +
                          ", expected the type and the sides of the input of this name");
    }

    void read_inputs() {
        OpenSides open(options_);
        std::set<std::string> fixed, declared;
        for (const onnx::ValueInfoProto& info : model_.graph().input()) {
            if (info.name().empty()) throw ConfigError("got an input without a name");
            if (!declared.insert(info.name()).second) {
                throw ConfigError("input " + in_quotes(info.name()) +
                                  " is declared twice, expected each once");
            }
            const auto constant = ids_.find(info.name());
            if (constant != ids_.end()) {  // the input has a default
                expect_declared(graph_.value(constant->second).type, info);
                continue;
            }
            TensorType type = type_of(info, open);
            const auto found = options_.fixed_inputs.find(info.name());
            if (found == options_.fixed_inputs.end()) {
                graph_.inputs.push_back(add(info.name(), std::move(type), nullptr));
                continue;
            }
            fixed.insert(info.name());
            if (found->second.type != type) {
                throw ConfigError("input " + in_quotes(info.name()) + ": got " +
                                  found->second.type.str() + ", expected " + type.str());
            }
            add(info.name(), type, std::make_shared<const Tensor>(found->second));
        }
        open.expect_all_known();
        for (const auto& [name, tensor] : options_.fixed_inputs) {
            if (fixed.count(name) == 0) throw ConfigError("there is no input " + in_quotes(name));
        }
    }

    /// Assigns ids to all outputs first, because nodes may be in any order.
    void name_outputs() {
        for (const onnx::NodeProto& node : model_.graph().node()) {
            for (const std::string& output : node.output()) {
                if (!output.empty()) add(output, {}, nullptr);
            }
        }
    }

    std::string unique_name(const onnx::NodeProto& proto, int index) {
        std::string name =
            proto.name().empty() ? proto.op_type() + "_" + std::to_string(index) : proto.name();
        while (!names_.insert(name).second) name += "_" + std::to_string(index);
        return name;
    }

    void read_node(int index) {
        const onnx::NodeProto& proto = model_.graph().node(index);
        const onnx::OpSchema& schema = *schema_of(proto);
        Node node;
        node.name = unique_name(proto, index);
        node.operation = proto.op_type();
        node.version = schema.SinceVersion();
        const std::string place = "node " + in_quotes(node.name) + " (" + node.operation + "): ";
        try {
            schema.Verify(proto);
        } catch (const std::exception& error) {
            throw ConfigError(place + first_line(error.what()));
        }
        try {
            read_attributes(proto, schema, node.attributes);
        } catch (const ConfigError& error) {
            rethrow_at(place, error);
        }
        for (const std::string& input : proto.input()) {
            const auto found = ids_.find(input);
            if (!input.empty() && found == ids_.end()) {
                throw ConfigError(place + "input " + in_quotes(input) + ": nothing makes it");
            }
            node.inputs.push_back(input.empty() ? ValueId() : found->second);
        }
        for (const std::string& output : proto.output()) {
            node.outputs.push_back(output.empty() ? ValueId() : ids_.at(output));
        }
        graph_.nodes.push_back(std::move(node));
    }

    void read_attributes(const onnx::NodeProto& proto, const onnx::OpSchema& schema,
                         Attributes& attributes) const {
        for (const auto& [name, definition] : schema.attributes()) {
            if (definition.default_value.type() == onnx::AttributeProto::UNDEFINED) continue;
            attributes.set(name, attribute_of(definition.default_value));
        }
        for (const onnx::AttributeProto& attribute : proto.attribute()) {
            try {
                attributes.set(attribute.name(), attribute_of(attribute));
            } catch (const ConfigError& error) {
                rethrow_at("attribute " + in_quotes(attribute.name()) + ": ", error);
            }
        }
    }

    [[nodiscard]] Attribute attribute_of(const onnx::AttributeProto& proto) const {
        switch (proto.type()) {
            case onnx::AttributeProto::INT:
                return static_cast<std::int64_t>(proto.i());
            case onnx::AttributeProto::FLOAT:
                return proto.f();
            case onnx::AttributeProto::STRING:
                return proto.s();
            case onnx::AttributeProto::INTS:
                return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
            case onnx::AttributeProto::FLOATS:
                return std::vector<float>(proto.floats().begin(), proto.floats().end());
            case onnx::AttributeProto::STRINGS:
                return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
            case onnx::AttributeProto::TENSOR:
                return std::make_shared<const Tensor>(tensor_of(proto.t(), folder_));
            default:
                throw ConfigError("its type is not supported, expected numbers, texts or a tensor");
        }
    }

    void read_outputs() {
        for (const onnx::ValueInfoProto& info : model_.graph().output()) {
            const auto found = ids_.find(info.name());
            if (found == ids_.end()) {
                throw ConfigError("output " + in_quotes(info.name()) + ": nothing makes it");
            }
            graph_.outputs.push_back(found->second);
        }
        if (graph_.outputs.empty()) throw ConfigError("got no outputs, expected some");
    }

    /// Masks may be infinite; weights may not.
    void expect_finite_weights() const {
        for (const Node& node : graph_.nodes) {
            const WorkKind kind = find_operator(node.operation)->kind;
            if (kind != WorkKind::kConvolution && kind != WorkKind::kProduct &&
                kind != WorkKind::kRecurrent && node.operation != "BatchNormalization") {
                continue;
            }
            for (const ValueId input : node.inputs) {
                if (!input.valid() || graph_.value(input).constant == nullptr) continue;
                const std::vector<float>& reals = graph_.value(input).constant->reals;
                if (std::all_of(reals.begin(), reals.end(),
                                [](float x) { return std::isfinite(x); })) {
                    continue;
                }
                throw ConfigError("node " + in_quotes(node.name) + " (" + node.operation +
                                  "): weights " + in_quotes(graph_.value(input).name) +
                                  ": got values that are not finite");
            }
        }
    }

    onnx::ModelProto& model_;  ///< weights are freed as they are read
    const std::string& folder_;
    const OnnxOptions& options_;
    std::int64_t version_ = 0;
    Graph graph_;
    std::map<std::string, ValueId> ids_;
    std::set<std::string> names_;
};

/// Input stream that lets protobuf read a file in pieces.
class FileSource final : public google::protobuf::io::CopyingInputStream {
public:
    explicit FileSource(const std::string& path) : file_(path) {}

    int Read(void* buffer, int size) override {
        try {
            return static_cast<int>(
                file_.read(static_cast<char*>(buffer), static_cast<std::size_t>(size)));
        } catch (...) {
            error_ = std::current_exception();  // protobuf is not exception-safe
            return -1;
        }
    }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    InputFile file_;
    std::exception_ptr error_;
};

void expect_size(std::uintmax_t bytes, const std::string& name) {
    if (bytes <= static_cast<std::uintmax_t>(std::numeric_limits<int>::max())) return;
    throw ConfigError(name + ": got " + std::to_string(bytes) +
                      " bytes, expected at most 2 GiB (larger models have external weights)");
}

Graph graph_of(onnx::ModelProto& model, bool parsed, const std::string& name,
               const std::string& folder, const OnnxOptions& options, Graph* as_written) {
    if (!parsed || !model.has_graph() || model.opset_import_size() == 0) {
        throw ConfigError(name + ": is no model of ONNX, or only a part of one");
    }
    try {
        return Reader(model, folder, options).read(as_written);
    } catch (const ConfigError& error) {
        rethrow_at(name + ": ", error);
    }
}

}  // namespace

Graph parse_onnx(std::string_view bytes, const std::string& name, const std::string& folder,
                 const OnnxOptions& options, Graph* as_written) {
    google::protobuf::SetLogHandler(nullptr);  // this reader reports errors itself
    expect_size(bytes.size(), name);
    onnx::ModelProto model;
    const bool parsed = model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    return graph_of(model, parsed, name, folder, options, as_written);
}

Graph read_onnx(const std::string& path, const OnnxOptions& options, Graph* as_written) {
    google::protobuf::SetLogHandler(nullptr);
    std::error_code no_file;  // a pipe has no size
    const std::uintmax_t size = std::filesystem::file_size(path, no_file);
    if (!no_file) expect_size(size, path);
    onnx::ModelProto model;
    bool parsed = false;
    try {
        FileSource source(path);
        google::protobuf::io::CopyingInputStreamAdaptor stream(&source);
        parsed = model.ParseFromZeroCopyStream(&stream);
        source.rethrow();
    } catch (const ConfigError& error) {
        rethrow_at(path + ": cannot read it: ", error);
    }
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    return graph_of(model, parsed, path, parent.empty() ? "." : parent.string(), options,
                    as_written);
}

}  // namespace tessera::network
