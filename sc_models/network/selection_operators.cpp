// Operators that select elements by index.
#include <algorithm>
#include <string>
#include <utility>

#include "sc_models/network/operators.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

// Gather and GatherElements

std::vector<TensorType> infer_gather(const OperatorCall& call) {
    expect_index_type(call, 1);
    const Shape& data = call.shape(0);
    const std::size_t axis = call.axis(call.attributes().integer("axis"), data.size());
    Shape shape(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(axis));
    shape.insert(shape.end(), call.shape(1).begin(), call.shape(1).end());
    shape.insert(shape.end(), data.begin() + static_cast<std::ptrdiff_t>(axis) + 1, data.end());
    return {{call.type(0).type, shape}};
}

void run_gather(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const AxisView view(call.shape(0),
                        call.axis(call.attributes().integer("axis"), call.shape(0).size()));
    const std::vector<std::int64_t>& indices = call.indices(1);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::size_t index =
            checked_index(call, 1, indices[i], static_cast<std::int64_t>(view.side));
        copy_blocks(outputs[0], i * view.inner, indices.size() * view.inner, call.tensor(0),
                    index * view.inner, view.side * view.inner, view.outer, view.inner);
    }
}

std::vector<TensorType> infer_gather_elements(const OperatorCall& call) {
    expect_element_indices(call);
    return {{call.type(0).type, call.shape(1)}};
}

void run_gather_elements(const OperatorCall& call, std::vector<Tensor>& outputs) {
    with_values(outputs[0], call.tensor(0), [&](auto& out, const auto& in) {
        walk_element_indices(call, [&](std::size_t i, std::size_t at) { out[i] = in[at]; });
    });
}

// Trilu: a triangle of each matrix

std::vector<TensorType> infer_trilu(const OperatorCall& call) {
    if (call.shape(0).size() < 2) {
        call.fail_input(0, "got shape " + shape_text(call.shape(0)) + ", expected matrices");
    }
    if (call.has(1)) {
        call.expect_integers(1);
        call.expect_shape(1, {});
    }
    return {call.type(0)};
}

void run_trilu(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const bool upper = call.attributes().integer("upper", 1) != 0;
    const std::int64_t k =
        call.has(1) ? std::clamp(call.indices(1)[0], -kMostElements, kMostElements) : 0;
    const Shape& shape = call.shape(0);
    const std::int64_t columns = shape.back();
    const std::int64_t rows = shape[shape.size() - 2];
    with_values(outputs[0], call.tensor(0), [&](auto& out, const auto& in) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i);
            const std::int64_t above = at % columns - at / columns % rows;
            if (upper ? above >= k : above <= k) out[i] = in[i];
        }
    });
}

}  // namespace

std::vector<Operator> selection_operators() {
    return {
        {"Gather", WorkKind::kCopy, infer_gather, run_gather},
        {"GatherElements", WorkKind::kCopy, infer_gather_elements, run_gather_elements},
        {"Trilu", WorkKind::kCopy, infer_trilu, run_trilu},
    };
}

}  // namespace tessera::network
