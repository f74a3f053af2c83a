#include "sc_models/network/gate_functions.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

namespace tessera::network {
namespace {

/// The functions with ONNX's default parameters.
const GateFunction kFunctions[] = {
    {"Affine", [](float x, float alpha, float beta) { return alpha * x + beta; }, 1, 0},
    {"Elu", [](float x, float alpha, float) { return x < 0 ? alpha * std::expm1(x) : x; }, 1},
    {"HardSigmoid",
     [](float x, float alpha, float beta) {
         return std::max(0.0F, std::min(1.0F, alpha * x + beta));
     },
     0.2F, 0.5F},
    {"LeakyRelu", [](float x, float alpha, float) { return x < 0 ? alpha * x : x; }, 0.01F},
    {"Relu", [](float x, float, float) { return std::max(x, 0.0F); }},
    {"ScaledTanh", [](float x, float alpha, float beta) { return alpha * std::tanh(beta * x); }, 1,
     1},
    {"Sigmoid", [](float x, float, float) { return 1.0F / (1.0F + std::exp(-x)); }},
    {"Softplus", [](float x, float, float) { return std::log1p(std::exp(x)); }},
    {"Softsign", [](float x, float, float) { return x / (1.0F + std::fabs(x)); }},
    {"Tanh", [](float x, float, float) { return std::tanh(x); }},
    {"ThresholdedRelu", [](float x, float alpha, float) { return x > alpha ? x : 0.0F; }, 1},
};

GateFunction function_of(const OperatorCall& call, const std::string& name) {
    const auto same = [](char a, char b) { return std::tolower(a) == std::tolower(b); };
    for (const GateFunction& one : kFunctions) {
        const std::string known = one.name;
        if (std::equal(known.begin(), known.end(), name.begin(), name.end(), same)) return one;
    }
    call.fail("activations: got '" + name +
              "', expected one of {Affine, Elu, HardSigmoid, LeakyRelu, Relu, ScaledTanh, Sigmoid, "
              "Softplus, Softsign, Tanh, ThresholdedRelu}");
}

std::vector<std::string> names_of(const OperatorCall& call, std::int64_t directions) {
    const std::string& operation = call.node->operation;
    const std::size_t each = functions_of_direction(*call.node);
    auto names = call.attributes().get<std::vector<std::string>>("activations");
    if (names.empty()) {
        for (std::int64_t d = 0; d < directions; ++d) {
            if (each > 1) names.emplace_back("Sigmoid");
            names.emplace_back("Tanh");
            if (each > 2) names.emplace_back("Tanh");
        }
    }
    // ONNX's default for RNN names functions for two directions.
    if (operation == "RNN" && directions == 1 && names.size() == 2 && names[0] == names[1]) {
        names.pop_back();
    }
    if (names.size() != each * static_cast<std::size_t>(directions)) {
        call.fail("activations: got " + std::to_string(names.size()) + " names, expected " +
                  std::to_string(each) + " a direction");
    }
    return names;
}

}  // namespace

std::size_t functions_of_direction(const Node& node) {
    return node.operation == "LSTM" ? 3 : node.operation == "GRU" ? 2 : 1;
}

std::vector<GateFunction> gate_functions(const OperatorCall& call, std::int64_t directions) {
    // The attributes hold values only for functions that have the parameter, in order.
    const auto alphas = call.attributes().get<std::vector<float>>("activation_alpha");
    const auto betas = call.attributes().get<std::vector<float>>("activation_beta");
    std::size_t next_alpha = 0;
    std::size_t next_beta = 0;
    std::vector<GateFunction> functions;
    for (const std::string& name : names_of(call, directions)) {
        GateFunction one = function_of(call, name);
        if (one.alpha != 0 && next_alpha < alphas.size()) one.alpha = alphas[next_alpha++];
        const bool has_beta = one.beta != 0 || std::string(one.name) == "Affine";
        if (has_beta && next_beta < betas.size()) one.beta = betas[next_beta++];
        functions.push_back(one);
    }
    return functions;
}

}  // namespace tessera::network
