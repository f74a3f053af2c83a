// Operators that replace LSTM, GRU and RNN (recurrent_unrolling.cpp). Rows and Stack rename bytes;
// the others are a step's elementwise work behind its product, with Sigmoid and Tanh.
#include <algorithm>
#include <cmath>
#include <string>

#include "sc_models/network/operators.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

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

/// Index of the state input, whose shape and type the result has.
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

}  // namespace

std::vector<Operator> recurrent_step_operators() {
    std::vector<Operator> all = {{"Rows", WorkKind::kFree, infer_rows, run_rows},
                                 {"Stack", WorkKind::kFree, infer_stack, run_stack}};
    for (const char* name : {"GruReset", "GruState", "LstmCell", "LstmHidden"}) {
        all.push_back({name, WorkKind::kElementwise, infer_step, run_step, flop_of_step});
    }
    return all;
}

}  // namespace tessera::network
