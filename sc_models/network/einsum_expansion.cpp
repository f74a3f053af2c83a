// An Einsum as transpositions, sums and batches of products.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/network/einsum.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/operator_expansion.h"

namespace tessera::network {
namespace {

using Labels = EinsumEquation::Labels;

bool contains(const Labels& labels, int label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// A tensor whose sides have different labels.
struct Labelled {
    ValueId id;
    Labels labels;
};

class EinsumExpander {
public:
    EinsumExpander(Graph& graph, NodeMaker& maker, const Node& node)
        : graph_(graph),
          maker_(maker),
          node_(node),
          equation_(
              call_of(graph, node, [&](ValueId id) { return graph.value(id).constant.get(); })) {}

    void run() {
        Labelled result = operand(0);
        for (std::size_t input = 1; input < node_.inputs.size(); ++input) {
            result = product(result, operand(input), input);
        }
        const ValueId ordered = in_order(result, equation_.output);
        (void)maker_.make("Identity", {ordered}, {}, node_.outputs[0]);
    }

private:
    [[nodiscard]] const Shape& shape(ValueId id) const { return graph_.value(id).type.shape; }
    [[nodiscard]] ValueId integers(const std::vector<std::int64_t>& values) {
        return maker_.constant(
            Tensor::of_integers({static_cast<std::int64_t>(values.size())}, values));
    }

    /// Whether the result, or an operand from `next` on, has the label.
    [[nodiscard]] bool is_needed(int label, std::size_t next) const {
        if (contains(equation_.output, label)) return true;
        for (std::size_t input = next; input < equation_.inputs.size(); ++input) {
            if (contains(equation_.inputs[input], label)) return true;
        }
        return false;
    }

    /// An operand with each label once, broadcast, without sides that only it has.
    Labelled operand(std::size_t input) {
        Labelled x = {node_.inputs[input], equation_.inputs[input]};
        const Shape wanted = equation_.shape_of(x.labels);
        if (shape(x.id) != wanted) x.id = maker_.make("Expand", {x.id, integers(wanted)});
        while (take_diagonal(x)) {
        }
        Labels own;
        for (const int label : x.labels) {
            bool elsewhere = contains(equation_.output, label);
            for (std::size_t other = 0; other < equation_.inputs.size(); ++other) {
                elsewhere =
                    elsewhere || (other != input && contains(equation_.inputs[other], label));
            }
            if (!elsewhere) own.push_back(label);
        }
        return summed(x, own);
    }

    Labelled summed(const Labelled& x, const Labels& labels) {
        if (labels.empty()) return x;
        std::vector<std::int64_t> axes;
        Labelled result;
        for (std::size_t i = 0; i < x.labels.size(); ++i) {
            if (contains(labels, x.labels[i])) {
                axes.push_back(static_cast<std::int64_t>(i));
            } else {
                result.labels.push_back(x.labels[i]);
            }
        }
        Attributes attributes;
        attributes.set("keepdims", std::int64_t{0});
        result.id = maker_.make("ReduceSum", {x.id, integers(axes)}, attributes);
        return result;
    }

    /// Replaces two sides of one label by their diagonal; false: there are none.
    bool take_diagonal(Labelled& x) {
        for (std::size_t i = 0; i < x.labels.size(); ++i) {
            for (std::size_t j = i + 1; j < x.labels.size(); ++j) {
                if (x.labels[i] != x.labels[j]) continue;
                std::vector<std::int64_t> order;
                Labels labels;
                for (std::size_t side = 0; side < x.labels.size(); ++side) {
                    if (side == i || side == j) continue;
                    order.push_back(static_cast<std::int64_t>(side));
                    labels.push_back(x.labels[side]);
                }
                order.push_back(static_cast<std::int64_t>(i));
                order.push_back(static_cast<std::int64_t>(j));
                labels.push_back(x.labels[i]);
                const std::int64_t n = equation_.sides.at(x.labels[i]);
                Shape flat;
                for (std::size_t side = 0; side + 2 < order.size(); ++side) {
                    flat.push_back(shape(x.id)[static_cast<std::size_t>(order[side])]);
                }
                flat.push_back(n * n);
                const auto last = static_cast<std::int64_t>(flat.size()) - 1;
                const ValueId rows = maker_.reshaped(maker_.transposed(x.id, order), flat);
                x.id = maker_.make("Slice", {rows, integers({0}), integers({n * n}),
                                             integers({last}), integers({n + 1})});
                x.labels = labels;
                return true;
            }
        }
        return false;
    }

    ValueId in_order(const Labelled& x, const Labels& labels) {
        std::vector<std::int64_t> order;
        for (const int label : labels) {
            const auto found = std::find(x.labels.begin(), x.labels.end(), label);
            order.push_back(found - x.labels.begin());
        }
        return std::is_sorted(order.begin(), order.end()) ? x.id : maker_.transposed(x.id, order);
    }

    /// The product of all operands so far with the next one, summed over labels that nothing behind
    /// it has.
    Labelled product(const Labelled& a, const Labelled& b, std::size_t input) {
        Labels batch, rows, columns, depth;
        for (const int label : a.labels) {
            const bool both = contains(b.labels, label);
            (!both ? rows : is_needed(label, input + 1) ? batch : depth).push_back(label);
        }
        for (const int label : b.labels) {
            if (!contains(a.labels, label)) columns.push_back(label);
        }
        const auto count = [this](const Labels& labels) {
            return static_cast<std::int64_t>(element_count(equation_.shape_of(labels)));
        };
        const auto joined = [](std::initializer_list<const Labels*> parts) {
            Labels all;
            for (const Labels* part : parts) all.insert(all.end(), part->begin(), part->end());
            return all;
        };
        const Shape sides_a = {count(batch), count(rows), count(depth)};
        const Shape sides_b = {count(batch), count(depth), count(columns)};
        const ValueId left = matrices(in_order(a, joined({&batch, &rows, &depth})), sides_a);
        const ValueId right = matrices(in_order(b, joined({&batch, &depth, &columns})), sides_b);
        Labelled result;
        result.labels = joined({&batch, &rows, &columns});
        const ValueId made = maker_.make(depth.empty() ? "Mul" : "MatMul", {left, right});
        result.id = maker_.reshaped(made, equation_.shape_of(result.labels));
        return result;
    }

    ValueId matrices(ValueId id, const Shape& sides) {
        const Shape to = sides[0] == 1 ? Shape{sides[1], sides[2]} : sides;
        return shape(id) == to ? id : maker_.reshaped(id, to);
    }

    Graph& graph_;
    NodeMaker& maker_;
    const Node& node_;
    EinsumEquation equation_;
};

}  // namespace

void expand_einsum(Graph& graph, NodeMaker& maker, const Node& node) {
    EinsumExpander(graph, maker, node).run();
}

}  // namespace tessera::network
