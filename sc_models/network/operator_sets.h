// Definitions of ONNX's operators: which there are in a set, with their operands and attributes.
#pragma once

#include <onnx/defs/schema.h>

#include <cstdint>
#include <string>

namespace tessera::network {

/// Definition of an operator in a set, or null if the set has none of this name. libonnx 1.12 knows
/// the sets up to 17; what sets 18 to 23 added or changed is a table here, after the pages of
/// https://onnx.ai/onnx/operators/ (Apache-2.0). Revisions that only add types of elements are not
/// in the table, because this project refuses these types for every operator.
[[nodiscard]] const onnx::OpSchema* operator_definition(const std::string& name,
                                                        std::int64_t operator_set);

}  // namespace tessera::network
