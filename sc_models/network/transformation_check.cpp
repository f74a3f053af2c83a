#include "sc_models/network/transformation_check.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/file_execution.h"
#include "sc_models/network/quantization.h"
#include "sc_models/network/rewriting_bounds.h"

namespace tessera::network {
namespace {

std::string node_text(const Node& node) {
    return node.operation + " " + in_quotes(node.name);
}

/// "[0, 3]" for an element of a tensor; "" for a scalar.
std::string place_of(const Shape& shape, std::size_t element) {
    std::vector<std::size_t> index;
    for (const std::size_t stride : strides_of(shape)) {
        index.push_back(element / stride);
        element %= stride;
    }
    return index.empty() ? "" : fmt::format(" [{}]", fmt::join(index, ", "));
}

bool are_equal(float a, float b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

class TransformationCheck {
public:
    TransformationCheck(const Graph& file, const Graph& transformed, std::vector<Tensor> inputs)
        : file_(file),
          graph_(transformed),
          execution_(file, std::move(inputs),
                     [this](ValueId id, const Tensor& made) { check_constant(id, made); }),
          uses_(transformed.uses()),
          is_made_(transformed.values.size()),
          own_(transformed.values.size()) {
        for (const ValueId input : transformed.inputs) is_made_[input.value()] = true;
    }

    TransformationReport run(const CheckProgress& progress) {
        check_frame();
        announce_readers();
        for (const Node& node : graph_.nodes) {
            check_node(node);
            if (progress) progress(execution_.nodes_run(), file_.nodes.size());
        }
        execution_.finish();
        for (const ValueId output : graph_.outputs) {
            expect_made(output, "output");
            report_.outputs.push_back(execution_.value(output));
        }
        report_.file_nodes = execution_.nodes_run();
        return std::move(report_);
    }

private:
    /// Checks inputs, outputs and the type of each tensor of the file.
    void check_frame() const {
        if (file_.values.size() > graph_.values.size() || file_.inputs != graph_.inputs ||
            file_.outputs != graph_.outputs) {
            throw CheckError("the network as it runs has other inputs or outputs than its file");
        }
        for (std::size_t i = 0; i < file_.values.size(); ++i) {
            expect_type(ValueId(static_cast<ValueId::Rep>(i)), graph_.values[i].type, "as it runs");
        }
    }

    void expect_type(ValueId id, const TensorType& got, const std::string& how) const {
        const Value& value = file_.value(id);
        if (got == value.type) return;
        throw CheckError(fmt::format("tensor {} is {} {}, but {} by the file's graph",
                                     in_quotes(value.name), got.str(), how, value.type.str()));
    }

    /// The check substitutes the file's tensors for the network's, so the network must make them,
    /// too.
    void expect_made(ValueId id, const std::string& reader) const {
        if (is_made_[id.value()] || graph_.value(id).constant != nullptr) return;
        throw CheckError(
            fmt::format("tensor {}, read by {}: the network as it runs does not make it",
                        in_quotes(graph_.value(id).name), reader));
    }

    /// Calls `visit` with each of the file's tensors that the check of a node reads.
    template <class Visit>
    void for_each_reading(const Node& node, const Visit& visit) const {
        const auto of_file = [&](ValueId id) {
            if (id.valid() && execution_.has(id)) visit(id);
        };
        for (const ValueId id : node.inputs) of_file(id);
        for (const ValueId id : node.outputs) {
            of_file(id);
            const bool is_of_file = id.valid() && execution_.has(id);
            const Node* const maker = is_of_file ? execution_.maker(id) : nullptr;
            if (maker == nullptr || !is_quantized_product(*maker)) continue;
            // Bounds of the integers come from the operands of the whole.
            for (const ValueId operand : maker->inputs) of_file(operand);
        }
        for (const EpilogueStep& step : node.epilogue) {
            of_file(step.taken);
            for (const ValueId id : step.inputs) of_file(id);
        }
    }

    void announce_readers() {
        for (const Node& node : graph_.nodes) {
            for_each_reading(node, [this](ValueId id) { execution_.announce(id); });
        }
    }

    const Tensor* tensor_of(ValueId id) {
        const Value& value = graph_.value(id);
        if (value.constant != nullptr) return value.constant.get();
        if (execution_.has(id)) return &execution_.value(id);
        return own_[id.value()] ? &*own_[id.value()] : nullptr;
    }

    std::vector<Tensor> made_by(const Node& node, const TensorOf& operands) const {
        try {
            return run_node(graph_, node, operands);
        } catch (const ConfigError& error) {
            throw CheckError(
                fmt::format("the network as it runs cannot be computed: {}", error.what()));
        }
    }

    void expect_operands(const Node& node) const {
        const auto all = [&](const std::vector<ValueId>& ids, const std::string& reader) {
            for (const ValueId id : ids) {
                if (id.valid()) expect_made(id, reader);
            }
        };
        all(node.inputs, node_text(node));
        for (const EpilogueStep& step : node.epilogue) {
            all(step.inputs, step.operation + " " + in_quotes(step.name));
        }
    }

    void check_node(const Node& node) {
        expect_operands(node);
        for (const ValueId id : node.outputs) {
            if (id.valid()) is_made_[id.value()] = true;
        }
        Node first = node;
        first.epilogue.clear();
        if (!node.epilogue.empty()) first.outputs[0] = node.epilogue[0].taken;
        const TensorOf operands = [this](ValueId id) { return tensor_of(id); };
        std::vector<Tensor> made = made_by(first, operands);
        for (std::size_t i = 0; i < first.outputs.size(); ++i) {
            const ValueId id = first.outputs[i];
            if (id.valid() && execution_.has(id)) compare(id, first, made.at(i), operands);
        }
        for (std::size_t s = 0; s < node.epilogue.size(); ++s) {
            const bool is_last = s + 1 == node.epilogue.size();
            check_step(node, s, is_last ? node.outputs[0] : node.epilogue[s + 1].taken, made[0]);
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueId id = node.outputs[i];
            const bool is_own = id.valid() && !execution_.has(id) && uses_[id.value()] > 0;
            if (is_own) own_[id.value()] = std::move(made[i]);
        }
        give_up(node);
    }

    /// Checks an epilogue step on the file's tensor, or on the previous result if the file has no
    /// such tensor.
    void check_step(const Node& node, std::size_t at, ValueId result, Tensor& so_far) {
        const EpilogueStep& step = node.epilogue[at];
        const Tensor& taken = execution_.has(step.taken) ? execution_.value(step.taken) : so_far;
        Node one = node_of(step, step.taken);
        one.outputs = {result};
        const TensorOf operands = [&](ValueId id) {
            return id == step.taken ? &taken : tensor_of(id);
        };
        std::vector<Tensor> made = made_by(one, operands);
        one.name = fmt::format("{} in the epilogue of {}", step.name, node.name);
        if (execution_.has(result)) compare(result, one, made[0], operands);
        so_far = std::move(made[0]);
    }

    void give_up(const Node& node) {
        for_each_reading(node, [this](ValueId id) { execution_.release(id); });
        const auto read = [this](ValueId id) {
            if (id.valid() && --uses_[id.value()] == 0) own_[id.value()].reset();
        };
        for (const ValueId id : node.inputs) read(id);
        for (const EpilogueStep& step : node.epilogue) {
            for (const ValueId id : step.inputs) read(id);
        }
    }

    /// Checks a constant that was folded.
    void check_constant(ValueId id, const Tensor& made) {
        const Tensor* constant = graph_.value(id).constant.get();
        if (constant == nullptr || file_.value(id).constant != nullptr) return;
        expect_type(id, constant->type, "computed ahead");
        expect_equal(id, *constant, made, "computed ahead");
    }

    void compare(ValueId id, const Node& node, const Tensor& made, const TensorOf& operands) {
        const Tensor& wanted = execution_.value(id);
        expect_type(id, made.type, "by " + node_text(node));
        const Node* last = execution_.maker(id);
        if (last == nullptr) {
            throw CheckError(fmt::format("tensor {}: {} makes it, but no node of the file's graph",
                                         in_quotes(file_.value(id).name), node_text(node)));
        }
        const Node* product = last->inputs.empty() || !last->inputs[0].valid()
                                  ? nullptr
                                  : execution_.maker(last->inputs[0]);
        const RewrittenNode rewritten{graph_, node, *last, product, wanted, operands};
        const std::string how = rewriting_of(rewritten);
        if (how.empty()) {
            expect_equal(id, made, wanted, "by " + node_text(node));
        } else {
            expect_near(id, made, rewritten, how);
        }
    }

    void expect_equal(ValueId id, const Tensor& made, const Tensor& wanted,
                      const std::string& how) {
        for (std::size_t i = 0; i < wanted.reals.size(); ++i) {
            if (!are_equal(made.reals[i], wanted.reals[i])) {
                fail(id, i, made.reals[i], wanted.reals[i], how, 0);
            }
        }
        for (std::size_t i = 0; i < wanted.integers.size(); ++i) {
            if (made.integers[i] != wanted.integers[i]) {
                fail(id, i, made.integers[i], wanted.integers[i], how, 0);
            }
        }
        ++report_.exact;
    }

    void expect_near(ValueId id, const Tensor& made, const RewrittenNode& rewritten,
                     const std::string& how) {
        const std::vector<float>& wanted = rewritten.result.reals;
        const std::vector<double> bounds = rewriting_bounds(rewritten);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (are_equal(made.reals[i], wanted[i])) continue;
            const double difference = std::fabs(static_cast<double>(made.reals[i]) - wanted[i]);
            if (!std::isfinite(difference) || !(difference <= bounds[i])) {
                fail(id, i, made.reals[i], wanted[i], how, bounds[i]);
            }
            report_.largest_share = std::max(report_.largest_share, difference / bounds[i]);
        }
        expect_same_or_next(id, made, rewritten, how);
        ++report_.bounded;
    }

    /// Integers of 8 bits are rounded quotients: near the middle between two integers, roundings in
    /// FP32 may choose the other one.
    void expect_same_or_next(ValueId id, const Tensor& made, const RewrittenNode& rewritten,
                             const std::string& how) {
        const std::vector<std::int64_t>& wanted = rewritten.result.integers;
        std::optional<Quotients> quotients;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (made.integers[i] == wanted[i]) continue;
            if (!quotients) quotients = quotients_of(rewritten);
            if (!quotients) fail(id, i, made.integers[i], wanted[i], how, 0);
            const double middle = static_cast<double>(made.integers[i] + wanted[i]) / 2;
            const double apart = std::fabs(quotients->values[i] - middle);
            if (std::llabs(made.integers[i] - wanted[i]) > 1 || !(apart <= quotients->errors[i])) {
                fail(id, i, made.integers[i], wanted[i],
                     fmt::format("{} with the quotient {:.7g}", how, quotients->values[i]), 0);
            }
            ++report_.next_integers;
            report_.largest_share = std::max(report_.largest_share, apart / quotients->errors[i]);
        }
    }

    template <class Number>
    [[noreturn]] void fail(ValueId id, std::size_t element, Number got, Number wanted,
                           const std::string& how, double bound) const {
        const Value& value = file_.value(id);
        const std::string allowed =
            bound == 0 ? "" : fmt::format(" (rounding explains {:.3g})", bound);
        throw CheckError(fmt::format(
            "tensor {}, element {}{}: {} {}, but {} by the file's graph{}", in_quotes(value.name),
            element, place_of(value.type.shape, element), got, how, wanted, allowed));
    }

    const Graph& file_;
    const Graph& graph_;
    FileExecution execution_;
    std::vector<std::uint32_t> uses_;
    std::vector<bool> is_made_;               ///< by the transformed graph, so far
    std::vector<std::optional<Tensor>> own_;  ///< tensors that the file does not have
    TransformationReport report_;
};

}  // namespace

std::string TransformationReport::text() const {
    std::string line = fmt::format("file's graph: {} nodes executed one by one, {} tensors equal",
                                   file_nodes, exact);
    if (bounded > 0) {
        line += fmt::format(", {} of rewritten nodes within {:.2g} of their bounds", bounded,
                            largest_share);
    }
    if (next_integers > 0) {
        line += fmt::format(", {} integers are the next ones, near the middle between both",
                            next_integers);
    }
    return line;
}

TransformationReport check_transformation(const Graph& file, const Graph& transformed,
                                          std::vector<Tensor> inputs,
                                          const CheckProgress& progress) {
    return TransformationCheck(file, transformed, std::move(inputs)).run(progress);
}

std::string compare_outputs(const Graph& graph, const std::vector<Tensor>& of_file,
                            const std::vector<Tensor>& of_halves) {
    double difference = 0, largest = 0;
    std::size_t elements = 0, unlike = 0;
    for (std::size_t i = 0; i < of_file.size(); ++i) {
        const Tensor& wanted = of_file[i];
        const Tensor& got = of_halves.at(i);
        if (got.type.shape != wanted.type.shape) {
            throw CheckError(fmt::format("output {} has shape {}, but {} by the file's graph",
                                         in_quotes(graph.value(graph.outputs[i]).name),
                                         shape_text(got.type.shape),
                                         shape_text(wanted.type.shape)));
        }
        elements += wanted.elements();
        for (std::size_t e = 0; e < wanted.integers.size(); ++e) {
            unlike += got.integers.at(e) != wanted.integers[e] ? 1 : 0;
        }
        for (std::size_t e = 0; e < wanted.reals.size(); ++e) {
            const double a = got.reals.at(e), b = wanted.reals[e];
            if (std::isfinite(a) && std::isfinite(b)) {
                difference = std::max(difference, std::fabs(a - b));
                largest = std::max(largest, std::fabs(b));
            } else if (!are_equal(got.reals[e], wanted.reals[e])) {
                ++unlike;
            }
        }
    }
    if (elements == 0) return "";
    std::string line = fmt::format(
        "outputs in halves: up to {:.2g} from the file's graph, whose largest element is {:.3g}",
        difference, largest);
    if (unlike > 0) {
        line += fmt::format("; {} of {} elements are other integers, or not finite on one side",
                            unlike, elements);
    }
    return line;
}

}  // namespace tessera::network
