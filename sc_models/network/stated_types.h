// Types that a file states for its tensors, with the sides that it leaves open.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/tensor.h"

namespace tessera::network {

/// Rethrows the error with `place` in front.
[[noreturn]] void rethrow_at(const std::string& place, const ConfigError& error);

/// Resolves types of a file, whose dimensions may be open, by the sides in OnnxOptions.
class StatedTypes {
public:
    explicit StatedTypes(const OnnxOptions& options)
        : given_(options.sides), shapes_(options.input_shapes) {}

    /// Type of a tensor; `place` ("input 'x'") begins the errors. Throws ConfigError for what is no
    /// tensor or has no shape, for types of elements that are not supported, and for sides that
    /// stay open.
    [[nodiscard]] TensorType type_of(const onnx::TypeProto& type, const std::string& name,
                                     const std::string& place);
    /// Throws ConfigError unless the file has each side that was given.
    void expect_all_used() const;

private:
    [[nodiscard]] std::int64_t side(const onnx::TensorShapeProto::Dimension& dimension,
                                    const std::string& tensor, const std::string& place, int axis);

    const std::map<std::string, std::int64_t>& given_;
    const std::map<std::string, Shape>& shapes_;
    std::map<std::string, std::int64_t> sides_of_inputs_;
    std::set<std::string> names_;
};

}  // namespace tessera::network
