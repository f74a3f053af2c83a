#include "sc_models/network/onnx_reader.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <exception>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/common/input_file.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/network/control_flow.h"
#include "sc_models/network/node_reader.h"
#include "sc_models/network/onnx_tensors.h"
#include "sc_models/network/operators.h"
#include "sc_models/network/stated_types.h"

namespace tessera::network {
namespace {

class Reader {
public:
    Reader(onnx::ModelProto& model, const std::string& folder, const OnnxOptions& options)
        : model_(model),
          folder_(folder),
          options_(options),
          types_(options),
          nodes_(graph_, model, folder, options, types_),
          control_flow_(graph_, nodes_, folder) {}

    Graph read(Graph* as_written) {
        scope_->operator_set = operator_set();
        nodes_.refuse_unsupported(model_.graph().node(), scope_->operator_set);
        graph_.name = model_.graph().name();
        read_constants();
        read_inputs();
        for (const auto& info : model_.graph().value_info()) state_type(info);
        for (const auto& info : model_.graph().output()) state_type(info);
        graph_.nodes = nodes_.read(model_.graph().node(), scope_);
        types_.expect_all_used();
        read_outputs();
        sort_topologically(graph_);
        std::vector<Node> written = infer();
        if (as_written != nullptr) {
            *as_written = graph_;
            for (const Node& node : written) {
                for (const ValueId id : node.outputs) {
                    if (id.valid()) as_written->value(id).constant = nullptr;
                }
            }
            as_written->nodes = std::move(written);
            as_written->remove_unread_nodes();
        }
        graph_.remove_unread_nodes();
        expect_finite_weights();
        return std::move(graph_);
    }

private:
    static bool is_onnx(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

    [[nodiscard]] std::int64_t operator_set() const {
        std::int64_t version = 0;
        for (const auto& imported : model_.opset_import()) {
            if (is_onnx(imported.domain())) version = imported.version();
        }
        if (version < kOldestOperatorSet || version > kNewestOperatorSet) {
            throw ConfigError("got operator set " + std::to_string(version) + ", expected " +
                              std::to_string(kOldestOperatorSet) + " to " +
                              std::to_string(kNewestOperatorSet));
        }
        return version;
    }

    void state_type(const onnx::ValueInfoProto& info) {
        scope_->stated[info.name()] = &info.type();
    }

    /// Infers and folds node by node, with control flow replaced by what runs. Returns all nodes,
    /// of which those that are folded are no longer in the graph.
    std::vector<Node> infer() {
        std::deque<Node> waiting(std::make_move_iterator(graph_.nodes.begin()),
                                 std::make_move_iterator(graph_.nodes.end()));
        graph_.nodes.clear();
        std::vector<Node> written;
        while (!waiting.empty()) {
            Node node = std::move(waiting.front());
            waiting.pop_front();
            if (const NodeReader::Place* place = nodes_.place_of(node)) {
                std::vector<Node> instead = control_flow_.expand(node, *place);
                waiting.insert(waiting.begin(), std::make_move_iterator(instead.begin()),
                               std::make_move_iterator(instead.end()));
                continue;
            }
            const bool folded = infer_node(graph_, node, options_.folding);
            written.push_back(node);
            if (!folded) graph_.nodes.push_back(std::move(node));
        }
        return written;
    }

    void read_constants() {
        if (model_.graph().sparse_initializer_size() != 0) {
            throw ConfigError("sparse initializers are not supported, expected dense ones");
        }
        for (onnx::TensorProto& proto : *model_.mutable_graph()->mutable_initializer()) {
            try {
                auto tensor = std::make_shared<const Tensor>(tensor_of(proto, folder_));
                const TensorType type = tensor->type;
                nodes_.add(*scope_, proto.name(), type, std::move(tensor));
            } catch (const ConfigError& error) {
                rethrow_at("tensor " + in_quotes(proto.name()) + ": ", error);
            }
            onnx::TensorProto().Swap(&proto);  // frees the proto's copy: weights are large
        }
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
        std::set<std::string> fixed, declared;
        for (const onnx::ValueInfoProto& info : model_.graph().input()) {
            if (info.name().empty()) throw ConfigError("got an input without a name");
            if (!declared.insert(info.name()).second) {
                throw ConfigError("input " + in_quotes(info.name()) +
                                  " is declared twice, expected each once");
            }
            const auto constant = scope_->ids.find(info.name());
            if (constant != scope_->ids.end()) {  // the input has a default
                expect_declared(graph_.value(constant->second).type, info);
                continue;
            }
            const std::string place = "input " + in_quotes(info.name());
            TensorType type = types_.type_of(info.type(), info.name(), place);
            const auto found = options_.fixed_inputs.find(info.name());
            if (found == options_.fixed_inputs.end()) {
                graph_.inputs.push_back(nodes_.add(*scope_, info.name(), std::move(type), nullptr));
                continue;
            }
            fixed.insert(info.name());
            if (found->second.type != type) {
                throw ConfigError(place + ": got " + found->second.type.str() + ", expected " +
                                  type.str());
            }
            nodes_.add(*scope_, info.name(), type, std::make_shared<const Tensor>(found->second));
        }
        for (const auto& [name, tensor] : options_.fixed_inputs) {
            if (fixed.count(name) == 0) throw ConfigError("there is no input " + in_quotes(name));
        }
    }

    void read_outputs() {
        for (const onnx::ValueInfoProto& info : model_.graph().output()) {
            const auto found = scope_->ids.find(info.name());
            if (found == scope_->ids.end()) {
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
    Graph graph_;
    std::shared_ptr<Scope> scope_ = std::make_shared<Scope>();
    StatedTypes types_;
    NodeReader nodes_;
    ControlFlow control_flow_;
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
