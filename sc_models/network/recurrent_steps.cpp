// LSTM, GRU and RNN as the products and elementwise steps that kernels do one after the other.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "sc_models/network/executor.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/operators.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

constexpr std::size_t kX = 0, kW = 1, kR = 2, kB = 3, kLengths = 4, kH = 5, kC = 6, kPeepholes = 7;

// The operators that take their place. Rows and Stack name bytes anew; the others are what a step
// does behind its product, with Sigmoid and Tanh.

std::vector<TensorType> infer_rows(const OperatorCall& call) {
    Shape shape = call.shape(0);
    const std::int64_t first = call.attributes().integer("first");
    const std::int64_t count = call.attributes().integer("count");
    if (shape.empty() || first < 0 || count < 0 || first + count > shape[0]) {
        call.fail_input(0, "got " + call.type(0).str() + ", expected rows " +
                               std::to_string(first) + " to " + std::to_string(first + count));
    }
    shape[0] = count;
    return {{call.type(0).type, shape}};
}

void run_rows(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Shape& shape = call.shape(0);
    const std::size_t row =
        shape[0] == 0 ? 0 : element_count(shape) / static_cast<std::size_t>(shape[0]);
    const auto first = static_cast<std::ptrdiff_t>(
        static_cast<std::size_t>(call.attributes().integer("first")) * row);
    with_values(outputs[0], call.tensor(0), [&](auto& out, const auto& in) {
        std::copy_n(in.begin() + first, out.size(), out.begin());
    });
}

std::vector<TensorType> infer_stack(const OperatorCall& call) {
    Shape shape = call.shape(0);
    for (std::size_t input = 1; input < call.inputs(); ++input) {
        call.expect_same_type(0, input);
        Shape wanted = call.shape(0);
        if (wanted.empty() || call.shape(input).empty()) call.fail_input(input, "expected rows");
        wanted[0] = call.shape(input)[0];
        call.expect_shape(input, wanted);
        shape[0] += wanted[0];
    }
    return {{call.type(0).type, shape}};
}

void run_stack(const OperatorCall& call, std::vector<Tensor>& outputs) {
    std::size_t at = 0;
    for (std::size_t input = 0; input < call.inputs(); ++input) {
        with_values(outputs[0], call.tensor(input), [&](auto& out, const auto& in) {
            std::copy(in.begin(), in.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
        });
        at += call.type(input).elements();
    }
}

float sigmoid(float x) {
    return 1.0F / (1.0F + std::exp(-x));
}

/// Which input is the state whose shape and type the result has.
std::size_t state_input(const OperatorCall& call) {
    const std::string& name = call.node->operation;
    return name == "LstmCell" || name == "LstmHidden" ? 1 : call.inputs() - 1;
}

std::vector<TensorType> infer_step(const OperatorCall& call) {
    call.expect_real(0);
    const std::size_t state = state_input(call);
    const Shape& shape = call.shape(state);
    if (shape.size() != 2) call.fail_input(state, "expected a state of batch x hidden");
    const auto expect_gates = [&](std::size_t input, std::int64_t count) {
        call.expect_shape(input, {shape[0], count * shape[1]});
    };
    for (std::size_t input = 1; input < call.inputs(); ++input) call.expect_same_type(0, input);
    if (state == 1 && call.node->operation[0] == 'L') {
        expect_gates(0, 4);
        if (call.has(2)) call.expect_shape(2, {3 * shape[1]});
    } else {
        const bool linear = call.node->operation == "GruState" && call.inputs() == 3;
        expect_gates(0, 3);
        expect_gates(1, linear ? 3 : 2);
        if (call.inputs() == 4) call.expect_shape(2, shape);
    }
    return {{call.type(state).type, shape}};
}

void run_step(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const std::string& name = call.node->operation;
    const std::size_t of_state = state_input(call);
    const std::vector<float>& state = call.reals(of_state);
    const auto hidden = static_cast<std::size_t>(call.shape(of_state)[1]);
    const bool linear = call.inputs() == 3;
    for (std::size_t i = 0; i < state.size(); ++i) {
        const auto gate = [&](std::size_t input, std::size_t which) {
            const auto width = static_cast<std::size_t>(call.shape(input)[1]);
            return call.reals(input)[i / hidden * width + which * hidden + i % hidden];
        };
        const auto peephole = [&](std::size_t which) {
            return call.has(2) ? call.reals(2)[which * hidden + i % hidden] * state[i] : 0.0F;
        };
        float& out = outputs[0].reals[i];
        if (name == "LstmCell") {
            const bool couples = call.attributes().integer("input_forget") != 0;
            const float in = sigmoid(gate(0, 0) + peephole(0));
            const float forget = couples ? 1 - in : sigmoid(gate(0, 2) + peephole(2));
            out = forget * state[i] + in * std::tanh(gate(0, 3));
        } else if (name == "LstmHidden") {
            out = sigmoid(gate(0, 1) + peephole(1)) * std::tanh(state[i]);
        } else if (name == "GruReset") {
            out = sigmoid(gate(0, 1) + gate(1, 1)) * state[i];
        } else {
            const float update = sigmoid(gate(0, 0) + gate(1, 0));
            const float other =
                linear ? sigmoid(gate(0, 1) + gate(1, 1)) * gate(1, 2) : call.reals(2)[i];
            out = (1 - update) * std::tanh(gate(0, 2) + other) + update * state[i];
        }
    }
}

double flop_of_step(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    const std::string& name = call.node->operation;
    const double each = name == "LstmCell"     ? 6
                        : name == "LstmHidden" ? 3
                        : name == "GruReset"   ? 3
                                               : 8;
    return each * static_cast<double>(outputs[0].elements());
}

// The rewriting

/// Functions of gates as kernels have them.
bool has_usual_functions(const Node& node, std::int64_t directions) {
    const auto names = node.attributes.get<std::vector<std::string>>("activations");
    const std::vector<std::string> usual =
        node.operation == "LSTM"  ? std::vector<std::string>{"sigmoid", "tanh", "tanh"}
        : node.operation == "GRU" ? std::vector<std::string>{"sigmoid", "tanh"}
                                  : std::vector<std::string>{"tanh"};
    const bool any = node.operation == "RNN" && names.size() <= 2;  // ONNX's default has two
    if (!any && !names.empty() &&
        names.size() != usual.size() * static_cast<std::size_t>(directions)) {
        return false;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::string name = names[i];
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (name != usual[i % usual.size()]) return false;
    }
    return true;
}

class Unroller {
public:
    explicit Unroller(Graph& graph) : graph_(graph) {}

    void run() {
        std::vector<Node> before = std::move(graph_.nodes);
        for (Node& node : before) {
            const bool recurrent =
                find_operator(node.operation)->kind == WorkKind::kRecurrent && suits(node);
            if (recurrent) {
                unroll(node);
            } else {
                nodes_.push_back(std::move(node));
            }
        }
        graph_.nodes = std::move(nodes_);
    }

private:
    [[nodiscard]] static bool has(const Node& node, std::size_t input) {
        return input < node.inputs.size() && node.inputs[input].valid();
    }
    [[nodiscard]] const Shape& shape(ValueId id) const { return graph_.value(id).type.shape; }

    /// All lengths are the number of steps.
    [[nodiscard]] bool is_whole(const Node& node, std::int64_t steps) const {
        if (!has(node, kLengths)) return true;
        const Tensor* const lengths = graph_.value(node.inputs[kLengths]).constant.get();
        return lengths != nullptr &&
               std::all_of(lengths->integers.begin(), lengths->integers.end(),
                           [steps](std::int64_t length) { return length == steps; });
    }

    [[nodiscard]] bool suits(const Node& node) const {
        return !node.attributes.has("clip") && element_count(shape(node.inputs[kX])) > 0 &&
               has_usual_functions(node, shape(node.inputs[kW]).at(0));
    }

    /// A node with one output, which is new, or `output`.
    ValueId make(const std::string& operation, std::vector<ValueId> inputs, Attributes attributes,
                 ValueId output = ValueId()) {
        constexpr int kVersion = 13;
        Node node;
        node.name = name_ + "." + operation + std::to_string(made_++);
        node.operation = operation;
        node.version = kVersion;
        node.attributes = std::move(attributes);
        node.inputs = std::move(inputs);
        node.outputs = {ValueId()};  // infer() looks at who is there
        const OperatorCall call =
            call_of(graph_, node, [this](ValueId id) { return graph_.value(id).constant.get(); });
        const TensorType type = find_operator(operation)->infer(call).at(0);
        if (!output.valid()) output = graph_.add({node.name, type, nullptr});
        node.outputs = {output};
        nodes_.push_back(std::move(node));
        return output;
    }

    ValueId constant(Tensor tensor) {
        auto shared = std::make_shared<const Tensor>(std::move(tensor));
        const TensorType type = shared->type;
        return graph_.add({name_ + ".constant" + std::to_string(made_++), type, std::move(shared)});
    }

    ValueId reshaped(ValueId id, const Shape& to, ValueId output = ValueId()) {
        const auto sides = static_cast<std::int64_t>(to.size());
        return make("Reshape", {id, constant(Tensor::of_integers({sides}, to))}, {}, output);
    }
    ValueId rows(ValueId id, std::int64_t first, std::int64_t count) {
        Attributes attributes;
        attributes.set("first", first);
        attributes.set("count", count);
        return make("Rows", {id}, attributes);
    }
    /// A direction's part of weights or states.
    ValueId part(ValueId id, std::int64_t direction, const Shape& to) {
        return reshaped(rows(id, direction, 1), to);
    }
    ValueId transposed(ValueId id, std::vector<std::int64_t> order, ValueId output = ValueId()) {
        Attributes attributes;
        attributes.set("perm", std::move(order));
        return make("Transpose", {id}, attributes, output);
    }
    /// a b^T + c
    ValueId product(ValueId a, ValueId b, ValueId c = ValueId()) {
        Attributes attributes;
        attributes.set("transB", std::int64_t{1});
        std::vector<ValueId> inputs = {a, b};
        if (c.valid()) inputs.push_back(c);
        return make("Gemm", inputs, attributes);
    }

    void unroll(const Node& node) {
        name_ = node.name;
        made_ = 0;
        batch_first_ = node.attributes.integer("layout") != 0;
        const auto sequence = [&](ValueId id) {
            return batch_first_ ? transposed(id, {1, 0, 2}) : id;
        };
        const ValueId x = sequence(node.inputs[kX]);
        steps_ = shape(x)[0];
        batch_ = shape(x)[1];
        directions_ = shape(node.inputs[kR])[0];
        hidden_ = shape(node.inputs[kR])[2];
        x_ = reshaped(x, {steps_ * batch_, shape(x)[2]});
        h_ = has(node, kH) ? sequence(node.inputs[kH]) : ValueId();
        c_ = has(node, kC) ? sequence(node.inputs[kC]) : ValueId();
        lengths_ = is_whole(node, steps_) ? ValueId() : node.inputs[kLengths];
        goes_on_.assign(static_cast<std::size_t>(steps_), ValueId());
        std::vector<ValueId> all(static_cast<std::size_t>(steps_ * directions_)), last_h, last_c;
        const bool reverse_only = node.attributes.text("direction", "forward") == "reverse";
        for (std::int64_t d = 0; d < directions_; ++d) {
            begin(node, d);
            const bool backward = reverse_only || d == 1;
            for (std::int64_t i = 0; i < steps_; ++i) {
                const std::int64_t t = backward ? steps_ - 1 - i : i;
                ValueId& made = all[static_cast<std::size_t>(t * directions_ + d)];
                made = step_within_lengths(node, t);
            }
            last_h.push_back(state_);
            last_c.push_back(cell_);
        }
        const auto is_wanted = [&](std::size_t output) {
            return output < node.outputs.size() && node.outputs[output].valid();
        };
        if (is_wanted(0)) {
            const ValueId stacked = make("Stack", all, {});
            const Shape to = {steps_, directions_, batch_, hidden_};
            if (batch_first_) {
                (void)transposed(reshaped(stacked, to), {2, 0, 1, 3}, node.outputs[0]);
            } else {
                (void)reshaped(stacked, to, node.outputs[0]);
            }
        }
        if (is_wanted(1)) finish(last_h, node.outputs[1]);
        if (is_wanted(2)) finish(last_c, node.outputs[2]);
    }

    void finish(const std::vector<ValueId>& states, ValueId output) {
        const ValueId stacked = make("Stack", states, {});
        const Shape to = {directions_, batch_, hidden_};
        if (batch_first_) {
            (void)transposed(reshaped(stacked, to), {1, 0, 2}, output);
        } else {
            (void)reshaped(stacked, to, output);
        }
    }

    ValueId first_state(ValueId given, std::int64_t direction, ElementType type) {
        const Shape to = {batch_, hidden_};
        if (given.valid()) return part(given, direction, to);
        return constant(Tensor::of_reals(to, std::vector<float>(element_count(to)), type));
    }

    /// The product over all steps, and what every step needs of a direction.
    void begin(const Node& node, std::int64_t direction) {
        const bool gru = node.operation == "GRU";
        linear_ = gru && node.attributes.integer("linear_before_reset") != 0;
        const std::int64_t rows_of_gates = shape(node.inputs[kR])[1];
        const Shape weights = {rows_of_gates, shape(x_)[1]};
        const ElementType type = graph_.value(node.inputs[kX]).type.type;
        r_ = part(node.inputs[kR], direction, {rows_of_gates, hidden_});
        r_last_ = r_bias_ = peepholes_ = ValueId();
        ValueId bias;
        if (has(node, kB)) {
            const ValueId both = part(node.inputs[kB], direction, {2 * rows_of_gates});
            bias = rows(both, 0, rows_of_gates);
            const ValueId of_state = rows(both, rows_of_gates, rows_of_gates);
            if (linear_) {
                r_bias_ = of_state;
            } else {
                bias = make("Add", {bias, of_state}, {});
            }
        }
        if (gru && !linear_) {
            r_last_ = rows(r_, 2 * hidden_, hidden_);
            r_ = rows(r_, 0, 2 * hidden_);
        }
        if (has(node, kPeepholes)) {
            peepholes_ = part(node.inputs[kPeepholes], direction, {3 * hidden_});
        }
        from_x_ = product(x_, part(node.inputs[kW], direction, weights), bias);
        if (lengths_.valid()) zero_ = constant(Tensor::of_reals({1, 1}, {0.0F}, type));
        state_ = first_state(h_, direction, type);
        cell_ = node.operation == "LSTM" ? first_state(c_, direction, type) : ValueId();
    }

    /// The step at time `t` and what it makes. Sequences that have ended keep their states, and
    /// make zeros.
    ValueId step_within_lengths(const Node& node, std::int64_t t) {
        const ValueId state = state_;
        const ValueId cell = cell_;
        step(node, rows(from_x_, t * batch_, batch_));
        if (!lengths_.valid()) return state_;
        const ValueId goes_on = longer_than(t);
        const ValueId made = make("Where", {goes_on, state_, zero_}, {});
        state_ = make("Where", {goes_on, state_, state}, {});
        if (cell.valid()) cell_ = make("Where", {goes_on, cell_, cell}, {});
        return made;
    }

    /// Which sequences go on at time `t`.
    ValueId longer_than(std::int64_t t) {
        ValueId& found = goes_on_[static_cast<std::size_t>(t)];
        if (!found.valid()) {
            const ElementType type = graph_.value(lengths_).type.type;
            const ValueId time = constant(Tensor::of_integers({1}, {t}, type));
            found = reshaped(make("Greater", {lengths_, time}, {}), {batch_, 1});
        }
        return found;
    }

    void step(const Node& node, ValueId x) {
        if (node.operation == "RNN") {
            state_ = make("Tanh", {product(state_, r_, x)}, {});
        } else if (node.operation == "LSTM") {
            const ValueId gates = product(state_, r_, x);
            Attributes attributes;
            attributes.set("input_forget", node.attributes.integer("input_forget"));
            const auto inputs = [&] {
                std::vector<ValueId> all = {gates, cell_};
                if (peepholes_.valid()) all.push_back(peepholes_);
                return all;
            };
            cell_ = make("LstmCell", inputs(), attributes);
            state_ = make("LstmHidden", inputs(), {});
        } else if (linear_) {
            state_ = make("GruState", {x, product(state_, r_, r_bias_), state_}, {});
        } else {
            const ValueId gates = product(state_, r_);
            const ValueId reset = make("GruReset", {x, gates, state_}, {});
            state_ = make("GruState", {x, gates, product(reset, r_last_), state_}, {});
        }
    }

    Graph& graph_;
    std::vector<Node> nodes_;
    std::string name_;
    std::size_t made_ = 0;
    bool batch_first_ = false, linear_ = false;
    std::int64_t steps_ = 0, batch_ = 0, directions_ = 0, hidden_ = 0;
    ValueId x_, h_, c_;             ///< of all directions
    ValueId lengths_, zero_;        ///< where sequences may end before the last step
    std::vector<ValueId> goes_on_;  ///< by time, once asked for
    ValueId from_x_, r_, r_last_, r_bias_, peepholes_;  ///< of one
    ValueId state_, cell_;
};

}  // namespace

void unroll_recurrent(Graph& graph) {
    Unroller(graph).run();
}

std::vector<Operator> recurrent_step_operators() {
    std::vector<Operator> all = {{"Rows", WorkKind::kFree, infer_rows, run_rows},
                                 {"Stack", WorkKind::kFree, infer_stack, run_stack}};
    for (const char* name : {"GruReset", "GruState", "LstmCell", "LstmHidden"}) {
        all.push_back({name, WorkKind::kElementwise, infer_step, run_step, flop_of_step});
    }
    return all;
}

}  // namespace tessera::network
