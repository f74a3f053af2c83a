// Functions of the gates of recurrent layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sc_models/network/operators.h"

namespace tessera::network {

/// A gate function of ONNX with up to two parameters.
struct GateFunction {
    const char* name;  ///< ONNX's name
    float (*of)(float x, float alpha, float beta);
    float alpha = 0, beta = 0;

    [[nodiscard]] float operator()(float x) const { return of(x, alpha, beta); }
};

/// Number of functions per direction: GRU (gates, candidate), LSTM (gates, candidate, cell), RNN 1.
[[nodiscard]] std::size_t functions_of_direction(const Node& node);
/// Returns the functions of all directions in order, from the attributes activations,
/// activation_alpha and activation_beta or ONNX's defaults. Throws ConfigError naming the node for
/// an unknown function and for another number of them.
[[nodiscard]] std::vector<GateFunction> gate_functions(const OperatorCall& call,
                                                       std::int64_t directions);

}  // namespace tessera::network
