#include "sc_models/network/file_execution.h"

#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/interrupt.h"

namespace tessera::network {

FileExecution::FileExecution(const Graph& graph, std::vector<Tensor> inputs, Observer observe)
    : graph_(graph),
      observe_(std::move(observe)),
      makers_(graph.values.size()),
      uses_(graph.uses()),
      made_(graph.values.size()) {
    check_inputs(graph, inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        made_[graph.inputs[i].value()] = std::move(inputs[i]);
    }
    for (const Node& node : graph.nodes) {
        for (const ValueId output : node.outputs) {
            if (output.valid()) makers_[output.value()] = &node;
        }
    }
}

void FileExecution::release(ValueId id) {
    if (--uses_.at(id.value()) == 0) made_[id.value()].reset();
}

const Tensor* FileExecution::known(ValueId id) const {
    const Value& value = graph_.value(id);
    if (value.constant != nullptr) return value.constant.get();
    const std::optional<Tensor>& made = made_[id.value()];
    return made ? &*made : nullptr;
}

const Tensor& FileExecution::value(ValueId id) {
    while (known(id) == nullptr) {
        if (next_ == graph_.nodes.size()) {
            throw CheckError("tensor '" + graph_.value(id).name +
                             "': no node of the file's graph makes it");
        }
        run_next();
    }
    return *known(id);
}

void FileExecution::finish() {
    while (next_ < graph_.nodes.size()) run_next();
}

void FileExecution::run_next() {
    stop_if_interrupted();
    const Node& node = graph_.nodes[next_++];
    std::vector<Tensor> outputs = run_node(graph_, node, [this](ValueId id) { return known(id); });
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const ValueId id = node.outputs[i];
        if (!id.valid()) continue;
        observe_(id, outputs.at(i));
        if (uses_[id.value()] > 0) made_[id.value()] = std::move(outputs[i]);
    }
    for (const ValueId id : node.inputs) {
        if (id.valid()) release(id);
    }
}

}  // namespace tessera::network
