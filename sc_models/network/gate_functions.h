// Functions of the gates of recurrent layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sc_models/network/operators.h"

namespace tessera::network {

/// A function that ONNX allows in a gate, with its two numbers as far as it has any.
struct GateFunction {
    const char* name;  ///< ONNX's
    float (*of)(float x, float alpha, float beta);
    float alpha = 0, beta = 0;

    [[nodiscard]] float operator()(float x) const { return of(x, alpha, beta); }
};

/// Functions a direction of GRU (of the gates, of the candidate), LSTM (of the gates, of the
/// candidate, of the cell) or RNN has.
[[nodiscard]] std::size_t functions_of_direction(const Node& node);
/// Those of a layer's directions, one after the other: attributes activations, activation_alpha and
/// activation_beta, or ONNX's defaults. Throws ConfigError naming the node for an unknown function
/// and for another number of them.
[[nodiscard]] std::vector<GateFunction> gate_functions(const OperatorCall& call,
                                                       std::int64_t directions);

}  // namespace tessera::network
