// Unrolling of LSTM, GRU and RNN into products and elementwise steps that run as kernels in turn.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/interrupt.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/gate_functions.h"
#include "sc_models/network/node_maker.h"
#include "sc_models/network/operators.h"

namespace tessera::network {
namespace {

constexpr std::size_t kX = 0, kW = 1, kR = 2, kB = 3, kLengths = 4, kH = 5, kC = 6, kPeepholes = 7;

/// Makes the nodes of a direction's gate functions.
class Gates {
public:
    Gates(NodeMaker& maker, std::vector<GateFunction> functions, std::optional<float> clip,
          ElementType type)
        : maker_(maker), functions_(std::move(functions)), clip_(clip), type_(type) {}

    /// Whether all functions are ONNX's defaults, which the operators of recurrent_steps.cpp
    /// implement.
    [[nodiscard]] bool are_usual() const {
        const std::vector<std::string> usual =
            functions_.size() == 1 ? std::vector<std::string>{"Tanh"}
                                   : std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"};
        const auto same = [](const GateFunction& one, const std::string& name) {
            return one.name == name;
        };
        return !clip_ && std::equal(functions_.begin(), functions_.end(), usual.begin(), same);
    }
    /// Applies function `which` to a sum, clipped first if a clip is set.
    [[nodiscard]] ValueId of_sum(std::size_t which, ValueId x) {
        if (clip_) {
            x = maker_.make("Clip",
                            {x, maker_.scalar(-*clip_, type_), maker_.scalar(*clip_, type_)});
        }
        return of(which, x);
    }
    [[nodiscard]] ValueId of(std::size_t which, ValueId x) {
        const GateFunction& function = functions_[which];
        const std::string name = function.name;
        const auto times = [&](ValueId value, float factor) {
            return maker_.make("Mul", {value, maker_.scalar(factor, type_)});
        };
        if (name == "Affine") {
            return maker_.make("Add",
                               {times(x, function.alpha), maker_.scalar(function.beta, type_)});
        }
        if (name == "ScaledTanh") {
            return times(maker_.make("Tanh", {times(x, function.beta)}), function.alpha);
        }
        Attributes attributes;
        attributes.set("alpha", function.alpha);
        attributes.set("beta", function.beta);
        return maker_.make(name, {x}, attributes);
    }
    /// The complement 1 - x.
    [[nodiscard]] ValueId rest(ValueId x) {
        return maker_.make("Sub", {maker_.scalar(1, type_), x});
    }

private:
    NodeMaker& maker_;
    std::vector<GateFunction> functions_;
    std::optional<float> clip_;
    ElementType type_;
};

class Unroller {
public:
    explicit Unroller(Graph& graph) : graph_(graph), maker_(graph) {}

    void run() {
        std::vector<Node> before = std::move(graph_.nodes);
        for (Node& node : before) {
            const bool recurrent = find_operator(node.operation)->kind == WorkKind::kRecurrent &&
                                   element_count(shape(node.inputs[kX])) > 0;
            if (recurrent) {
                unroll(node);
            } else {
                maker_.keep(std::move(node));
            }
        }
        graph_.nodes = maker_.take();
    }

private:
    [[nodiscard]] static bool has(const Node& node, std::size_t input) {
        return input < node.inputs.size() && node.inputs[input].valid();
    }
    [[nodiscard]] const Shape& shape(ValueId id) const { return graph_.value(id).type.shape; }

    /// Whether all lengths equal the number of steps.
    [[nodiscard]] bool is_whole(const Node& node, std::int64_t steps) const {
        if (!has(node, kLengths)) return true;
        const Tensor* const lengths = graph_.value(node.inputs[kLengths]).constant.get();
        return lengths != nullptr &&
               std::all_of(lengths->integers.begin(), lengths->integers.end(),
                           [steps](std::int64_t length) { return length == steps; });
    }

    /// A direction's part of weights or states.
    ValueId part(ValueId id, std::int64_t direction, const Shape& to) {
        return maker_.reshaped(maker_.rows(id, direction, 1), to);
    }

    void unroll(const Node& node) {
        maker_.begin(node);
        batch_first_ = node.attributes.integer("layout") != 0;
        const auto sequence = [&](ValueId id) {
            return batch_first_ ? maker_.transposed(id, {1, 0, 2}) : id;
        };
        const ValueId x = sequence(node.inputs[kX]);
        steps_ = shape(x)[0];
        batch_ = shape(x)[1];
        directions_ = shape(node.inputs[kR])[0];
        hidden_ = shape(node.inputs[kR])[2];
        functions_ = gate_functions(
            call_of(graph_, node, [this](ValueId id) { return graph_.value(id).constant.get(); }),
            directions_);
        x_ = maker_.reshaped(x, {steps_ * batch_, shape(x)[2]});
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
                stop_if_interrupted();
                const std::int64_t t = backward ? steps_ - 1 - i : i;
                ValueId& made = all[static_cast<std::size_t>(t * directions_ + d)];
                made = step_within_lengths(node, t);
            }
            last_h.push_back(state_);
            last_c.push_back(cell_);
        }
        const auto is_used = [&](std::size_t output) {
            return output < node.outputs.size() && node.outputs[output].valid();
        };
        if (is_used(0)) {
            const ValueId stacked = maker_.make("Stack", all);
            const Shape to = {steps_, directions_, batch_, hidden_};
            if (batch_first_) {
                (void)maker_.transposed(maker_.reshaped(stacked, to), {2, 0, 1, 3},
                                        node.outputs[0]);
            } else {
                (void)maker_.reshaped(stacked, to, node.outputs[0]);
            }
        }
        if (is_used(1)) finish(last_h, node.outputs[1]);
        if (is_used(2)) finish(last_c, node.outputs[2]);
    }

    void finish(const std::vector<ValueId>& states, ValueId output) {
        const ValueId stacked = maker_.make("Stack", states);
        const Shape to = {directions_, batch_, hidden_};
        if (batch_first_) {
            (void)maker_.transposed(maker_.reshaped(stacked, to), {1, 0, 2}, output);
        } else {
            (void)maker_.reshaped(stacked, to, output);
        }
    }

    ValueId first_state(ValueId given, std::int64_t direction, ElementType type) {
        const Shape to = {batch_, hidden_};
        if (given.valid()) return part(given, direction, to);
        return maker_.constant(Tensor::of_reals(to, std::vector<float>(element_count(to)), type));
    }

    /// Makes the product over all steps, and the operands that every step of a direction uses.
    void begin(const Node& node, std::int64_t direction) {
        const bool gru = node.operation == "GRU";
        linear_ = gru && node.attributes.integer("linear_before_reset") != 0;
        const std::int64_t rows_of_gates = shape(node.inputs[kR])[1];
        const Shape weights = {rows_of_gates, shape(x_)[1]};
        const ElementType type = graph_.value(node.inputs[kX]).type.type;
        const auto each = static_cast<std::ptrdiff_t>(functions_of_direction(node));
        const auto first = functions_.begin() + direction * each;
        std::optional<float> clip;
        if (node.attributes.has("clip")) clip = node.attributes.real("clip");
        gates_.emplace(maker_, std::vector(first, first + each), clip, type);
        r_ = part(node.inputs[kR], direction, {rows_of_gates, hidden_});
        r_last_ = r_bias_ = peepholes_ = ValueId();
        ValueId bias;
        if (has(node, kB)) {
            const ValueId both = part(node.inputs[kB], direction, {2 * rows_of_gates});
            bias = maker_.rows(both, 0, rows_of_gates);
            const ValueId of_state = maker_.rows(both, rows_of_gates, rows_of_gates);
            if (linear_) {
                r_bias_ = of_state;
            } else {
                bias = maker_.make("Add", {bias, of_state});
            }
        }
        if (gru && !linear_) {
            r_last_ = maker_.rows(r_, 2 * hidden_, hidden_);
            r_ = maker_.rows(r_, 0, 2 * hidden_);
        }
        if (has(node, kPeepholes)) {
            peepholes_ = part(node.inputs[kPeepholes], direction, {3 * hidden_});
        }
        from_x_ = maker_.product(x_, part(node.inputs[kW], direction, weights), bias);
        if (lengths_.valid()) zero_ = maker_.constant(Tensor::of_reals({1, 1}, {0.0F}, type));
        state_ = first_state(h_, direction, type);
        cell_ = node.operation == "LSTM" ? first_state(c_, direction, type) : ValueId();
    }

    /// Makes the step at time `t` and returns its output. Sequences that have ended keep their
    /// states and output zeros.
    ValueId step_within_lengths(const Node& node, std::int64_t t) {
        const ValueId state = state_;
        const ValueId cell = cell_;
        step(node, maker_.rows(from_x_, t * batch_, batch_));
        if (!lengths_.valid()) return state_;
        const ValueId goes_on = longer_than(t);
        const ValueId made = maker_.make("Where", {goes_on, state_, zero_});
        state_ = maker_.make("Where", {goes_on, state_, state});
        if (cell.valid()) cell_ = maker_.make("Where", {goes_on, cell_, cell});
        return made;
    }

    /// Mask of the sequences that continue at time `t`.
    ValueId longer_than(std::int64_t t) {
        ValueId& found = goes_on_[static_cast<std::size_t>(t)];
        if (!found.valid()) {
            const ElementType type = graph_.value(lengths_).type.type;
            const ValueId time = maker_.constant(Tensor::of_integers({1}, {t}, type));
            found = maker_.reshaped(maker_.make("Greater", {lengths_, time}), {batch_, 1});
        }
        return found;
    }

    void step(const Node& node, ValueId x) {
        const bool usual = gates_->are_usual();
        if (node.operation == "RNN") {
            state_ = gates_->of_sum(0, maker_.product(state_, r_, x));
        } else if (node.operation == "LSTM") {
            const bool couples = node.attributes.integer("input_forget") != 0;
            const ValueId sums = maker_.product(state_, r_, x);
            usual ? usual_lstm(sums, couples) : lstm(sums, couples);
        } else {
            usual ? usual_gru(x) : gru(x);
        }
    }

    void usual_lstm(ValueId sums, bool couples) {
        Attributes attributes;
        attributes.set("input_forget", std::int64_t{couples});
        const auto inputs = [&] {
            std::vector<ValueId> all = {sums, cell_};
            if (peepholes_.valid()) all.push_back(peepholes_);
            return all;
        };
        cell_ = maker_.make("LstmCell", inputs(), attributes);
        state_ = maker_.make("LstmHidden", inputs());
    }

    void usual_gru(ValueId x) {
        if (linear_) {
            state_ = maker_.make("GruState", {x, maker_.product(state_, r_, r_bias_), state_});
            return;
        }
        const ValueId sums = maker_.product(state_, r_);
        const ValueId reset = maker_.make("GruReset", {x, sums, state_});
        state_ = maker_.make("GruState", {x, sums, maker_.product(reset, r_last_), state_});
    }

    /// The columns of gate `which` in the sums.
    ValueId gate(ValueId sums, std::int64_t which) {
        return maker_.columns(sums, which * hidden_, hidden_);
    }
    /// Adds the peephole term, the cell times its weights, to the sums of gate i, o or f.
    ValueId seeing(ValueId sums, std::int64_t which, ValueId cell) {
        const ValueId sum = gate(sums, which);
        if (!peepholes_.valid()) return sum;
        const ValueId weights = maker_.rows(peepholes_, which * hidden_, hidden_);
        return maker_.make("Add", {sum, maker_.make("Mul", {cell, weights})});
    }

    void lstm(ValueId sums, bool couples) {
        const ValueId in = gates_->of_sum(0, seeing(sums, 0, cell_));
        const ValueId forget =
            couples ? gates_->rest(in) : gates_->of_sum(0, seeing(sums, 2, cell_));
        const ValueId kept = maker_.make("Mul", {forget, cell_});
        const ValueId candidate = gates_->of_sum(1, gate(sums, 3));
        cell_ = maker_.make("Add", {kept, maker_.make("Mul", {in, candidate})});
        const ValueId out = gates_->of_sum(0, seeing(sums, 1, cell_));
        state_ = maker_.make("Mul", {out, gates_->of(2, cell_)});
    }

    void gru(ValueId x) {
        const ValueId sums =
            linear_ ? maker_.product(state_, r_, r_bias_) : maker_.product(state_, r_);
        const auto function = [&](std::int64_t which) {
            return gates_->of_sum(0, maker_.make("Add", {gate(x, which), gate(sums, which)}));
        };
        const ValueId update = function(0);
        const ValueId reset = function(1);
        const ValueId from_state =
            linear_ ? maker_.make("Mul", {reset, gate(sums, 2)})
                    : maker_.product(maker_.make("Mul", {reset, state_}), r_last_);
        const ValueId candidate = gates_->of_sum(1, maker_.make("Add", {gate(x, 2), from_state}));
        state_ = maker_.make("Add", {maker_.make("Mul", {gates_->rest(update), candidate}),
                                     maker_.make("Mul", {update, state_})});
    }

    Graph& graph_;
    NodeMaker maker_;
    bool batch_first_ = false, linear_ = false;
    std::int64_t steps_ = 0, batch_ = 0, directions_ = 0, hidden_ = 0;
    std::vector<GateFunction> functions_;  ///< of all directions
    ValueId x_, h_, c_;
    ValueId lengths_, zero_;        ///< where sequences may end before the last step
    std::vector<ValueId> goes_on_;  ///< by time; created on first use
    std::optional<Gates> gates_;    ///< of the current direction, as the members below
    ValueId from_x_, r_, r_last_, r_bias_, peepholes_;
    ValueId state_, cell_;
};

}  // namespace

void unroll_recurrent(Graph& graph) {
    Unroller(graph).run();
}

}  // namespace tessera::network
