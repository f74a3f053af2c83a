// Layers of a network that is a decoder: its operators.
#pragma once

#include <string>

#include "sc_models/study/decoder.h"
#include "sc_models/study/network_study/network_layer.h"

namespace tessera {

/// The layer of an operator, whose runs are not planned.
[[nodiscard]] NetworkLayer operator_layer(const DecoderOperator& op);
/// Configuration of an operator: its keys, all of one section of workload.
[[nodiscard]] std::string operator_yaml(const DecoderOperator& op);

}  // namespace tessera
