// Operands of INT8 and UINT8: which operators are defined on them.
#pragma once

#include "sc_models/network/operators.h"

namespace tessera::network {

/// Throws ConfigError, naming node and input, if an input has elements of INT8 or UINT8 and ONNX's
/// revision of the operator does not take them there. Other types are left to the operator.
void check_byte_operands(const OperatorCall& call);

}  // namespace tessera::network
