#include "sc_models/network/stated_types.h"

#include <string_view>
#include <vector>

#include "sc_models/common/edit_distance.h"
#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/network/onnx_tensors.h"

namespace tessera::network {

void rethrow_at(const std::string& place, const ConfigError& error) {
    throw ConfigError(place + error.what());
}

TensorType StatedTypes::type_of(const onnx::TypeProto& type, const std::string& name,
                                const std::string& place) {
    if (!type.has_tensor_type() || !type.tensor_type().has_shape()) {
        throw ConfigError(place + ": expected a tensor with a shape");
    }
    TensorType result;
    try {
        result.type = element_type_of(type.tensor_type().elem_type());
    } catch (const ConfigError& error) {
        rethrow_at(place + ": ", error);
    }
    int axis = 0;
    for (const auto& dimension : type.tensor_type().shape().dim()) {
        result.shape.push_back(side(dimension, name, place, axis++));
    }
    try {
        (void)result.elements();
    } catch (const ConfigError& error) {
        rethrow_at(place + ": ", error);
    }
    return result;
}

std::int64_t StatedTypes::side(const onnx::TensorShapeProto::Dimension& dimension,
                               const std::string& tensor, const std::string& place, int axis) {
    if (dimension.has_dim_value()) return dimension.dim_value();
    const std::string counted = tensor + "." + std::to_string(axis);
    const std::string name = dimension.dim_param().empty() ? counted : dimension.dim_param();
    names_.insert(name);
    names_.insert(counted);
    for (const std::string& one : {counted, name}) {
        const auto found = given_.find(one);
        if (found != given_.end()) return found->second;
    }
    // Takes the side from the shape given for this input, or else from an earlier input with a
    // side of this name.
    const auto shape = shapes_.find(tensor);
    if (shape != shapes_.end() && static_cast<std::size_t>(axis) < shape->second.size()) {
        return sides_of_inputs_[name] = shape->second[static_cast<std::size_t>(axis)];
    }
    const auto seen = sides_of_inputs_.find(name);
    if (seen != sides_of_inputs_.end()) return seen->second;
    throw ConfigError(place + ": dimension " + std::to_string(axis) + " is open, expected --dim " +
                      name + "=SIZE");
}

void StatedTypes::expect_all_used() const {
    for (const auto& [name, side] : given_) {
        if (names_.count(name) != 0) continue;
        const std::vector<std::string_view> known(names_.begin(), names_.end());
        throw ConfigError("got dimension " + in_quotes(name) + ", expected one of " +
                          braced_list(known) + did_you_mean(name, known));
    }
}

}  // namespace tessera::network
