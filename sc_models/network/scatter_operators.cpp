// Operators that read or write elements at places that indices name.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

// GatherND

std::vector<TensorType> infer_gather_nd(const OperatorCall& call) {
    const IndexedRows rows = indexed_rows(call);
    return {{call.type(0).type, rows.result}};
}

void run_gather_nd(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const IndexedRows rows = indexed_rows(call);
    const std::vector<std::int64_t> places = rows.places(call);
    for (std::size_t i = 0; i < places.size(); ++i) {
        copy_blocks(outputs[0], i * rows.elements, 0, call.tensor(0),
                    static_cast<std::size_t>(places[i]) * rows.elements, 0, 1, rows.elements);
    }
}

// ScatterElements, ScatterND: the data with some elements replaced or combined, in order

template <class Element>
using Combine = Element (*)(Element so_far, Element update);

float wrapped(float a, float b, const std::plus<>& /*add*/) {
    return a + b;
}
float wrapped(float a, float b, const std::multiplies<>& /*multiply*/) {
    return a * b;
}
/// Integers wrap around.
template <class Operation>
std::int64_t wrapped(std::int64_t a, std::int64_t b, const Operation& operation) {
    return static_cast<std::int64_t>(
        operation(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

template <class Element>
Combine<Element> combination(const OperatorCall& call) {
    const std::string name = call.attributes().text("reduction", "none");
    if (name == "none") return [](Element, Element update) { return update; };
    if (name == "add") return [](Element a, Element b) { return wrapped(a, b, std::plus<>()); };
    if (name == "mul") {
        return [](Element a, Element b) { return wrapped(a, b, std::multiplies<>()); };
    }
    // Their operator sets are those in which the attribute has these values.
    if (name == "max" && call.node->version >= 18) {
        return [](Element a, Element b) { return std::max(a, b); };
    }
    if (name == "min" && call.node->version >= 18) {
        return [](Element a, Element b) { return std::min(a, b); };
    }
    call.fail("reduction: got '" + name + "', expected one of {none, add, mul" +
              (call.node->version >= 18 ? ", max, min}" : "}"));
}

void expect_updates(const OperatorCall& call) {
    call.expect_same_type(0, 2);
    (void)combination<float>(call);
    if (call.type(0).type == ElementType::kBool &&
        call.attributes().text("reduction", "none") != "none") {
        call.fail_input(0, "got " + call.type(0).str() + ", expected numbers for a reduction");
    }
}

/// Calls `visit(out, updates, combine)` with the values of result and updates.
template <class Visit>
void scatter(const OperatorCall& call, Tensor& out, const Visit& visit) {
    out.reals = call.tensor(0).reals;
    out.integers = call.tensor(0).integers;
    if (is_real(out.type.type)) {
        visit(out.reals, call.reals(2), combination<float>(call));
    } else {
        visit(out.integers, call.indices(2), combination<std::int64_t>(call));
    }
}

std::vector<TensorType> infer_scatter_elements(const OperatorCall& call) {
    expect_updates(call);
    call.expect_shape(2, call.shape(1));
    expect_element_indices(call);
    return {call.type(0)};
}

void run_scatter_elements(const OperatorCall& call, std::vector<Tensor>& outputs) {
    scatter(call, outputs[0], [&](auto& out, const auto& updates, const auto& combine) {
        walk_element_indices(
            call, [&](std::size_t i, std::size_t at) { out[at] = combine(out[at], updates[i]); });
    });
}

std::vector<TensorType> infer_scatter_nd(const OperatorCall& call) {
    expect_updates(call);
    call.expect_shape(2, indexed_rows(call).result);
    return {call.type(0)};
}

void run_scatter_nd(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const IndexedRows rows = indexed_rows(call);
    const std::vector<std::int64_t> places = rows.places(call);
    scatter(call, outputs[0], [&](auto& out, const auto& updates, const auto& combine) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::size_t to = static_cast<std::size_t>(places[i]) * rows.elements;
            for (std::size_t x = 0; x < rows.elements; ++x) {
                out[to + x] = combine(out[to + x], updates[i * rows.elements + x]);
            }
        }
    });
}

}  // namespace

IndexedRows indexed_rows(const OperatorCall& call) {
    expect_index_type(call, 1);
    const Shape& data = call.shape(0);
    const Shape& indices = call.shape(1);
    const auto batch = static_cast<std::size_t>(
        call.bounded("batch_dims", 0, 0, static_cast<std::int64_t>(kMostSides)));
    if (data.empty() || indices.size() <= batch || data.size() <= batch) {
        call.fail("got shapes " + shape_text(data) + " and " + shape_text(indices) +
                  ", expected more sides than the " + std::to_string(batch) + " of batches");
    }
    IndexedRows rows;
    rows.batch_sides = batch;
    const std::int64_t depth = indices.back();
    if (depth < 1 || static_cast<std::size_t>(depth) > data.size() - batch) {
        call.fail_input(1, "got tuples of " + std::to_string(depth) + " indices, expected 1 to " +
                               std::to_string(data.size() - batch));
    }
    for (std::size_t axis = 0; axis < batch; ++axis) {
        if (data[axis] != indices[axis]) {
            call.fail_input(1, "got shape " + shape_text(indices) + ", expected batches as of " +
                                   shape_text(data));
        }
    }
    const std::size_t named = batch + static_cast<std::size_t>(depth);
    rows.result.assign(indices.begin(), indices.end() - 1);
    rows.result.insert(rows.result.end(), data.begin() + static_cast<std::ptrdiff_t>(named),
                       data.end());
    rows.indexed.assign(data.begin() + static_cast<std::ptrdiff_t>(batch),
                        data.begin() + static_cast<std::ptrdiff_t>(named));
    rows.elements = element_count({data.begin() + static_cast<std::ptrdiff_t>(named), data.end()});
    return rows;
}

std::vector<std::int64_t> IndexedRows::places(const OperatorCall& call) const {
    const std::vector<std::int64_t>& indices = call.indices(1);
    const Shape& shape = call.shape(1);
    const std::size_t depth = indexed.size();
    std::size_t of_batch = 1;
    for (std::size_t axis = batch_sides; axis + 1 < shape.size(); ++axis) {
        of_batch *= static_cast<std::size_t>(shape[axis]);
    }
    const auto rows_of_batch = static_cast<std::int64_t>(element_count(indexed));
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i * depth < indices.size(); ++i) {
        std::int64_t place = 0;
        for (std::size_t d = 0; d < depth; ++d) {
            place = place * indexed[d] + static_cast<std::int64_t>(checked_index(
                                             call, 1, indices[i * depth + d], indexed[d]));
        }
        places.push_back(static_cast<std::int64_t>(i / of_batch) * rows_of_batch + place);
    }
    return places;
}

std::vector<Operator> scatter_operators() {
    return {
        {"GatherND", WorkKind::kCopy, infer_gather_nd, run_gather_nd},
        {"Scatter", WorkKind::kCopy, infer_scatter_elements, run_scatter_elements},
        {"ScatterElements", WorkKind::kCopy, infer_scatter_elements, run_scatter_elements},
        {"ScatterND", WorkKind::kCopy, infer_scatter_nd, run_scatter_nd},
    };
}

}  // namespace tessera::network
