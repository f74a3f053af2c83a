#include "sc_models/network/merged_projections.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sc_models/network/attention.h"
#include "sc_models/network/fused_attention.h"
#include "sc_models/network/node_maker.h"
#include "sc_models/network/pattern_matcher.h"

namespace tessera::network {
namespace {

/// A product of a tensor and a constant matrix, and perhaps a constant bias of its columns.
struct Projection {
    const Node* product = nullptr;
    const Node* sum = nullptr;  ///< null: no bias
    ValueId bias;
};

/// Merges products whose results are operands of one Attention.
class ProjectionMerger {
public:
    explicit ProjectionMerger(Graph& graph)
        : graph_(graph), uses_(graph.uses()), nodes_(graph.nodes), matcher_(graph), maker_(graph) {}

    void run() {
        for (const Node& node : nodes_) {
            const bool is_flat =
                !node.inputs.empty() && node.inputs[0].valid() && shape(node.inputs[0]).size() == 3;
            if (is_flat && is_fused_attention(graph_, node)) find(node);
        }
        const auto is_merged = [this](const Node& node) {
            return node.outputs.size() == 1 && merged_.count(node.outputs[0]) > 0;
        };
        for (const Node& node : nodes_) {
            const auto found = of_attention_.find(&node);
            if (found != of_attention_.end()) merge(node, found->second);
            if (!is_merged(node)) maker_.keep(node);
        }
        graph_.nodes = maker_.take();
        graph_.remove_unread_nodes();
    }

private:
    [[nodiscard]] const Tensor* constant(ValueId id) const {
        return graph_.value(id).constant.get();
    }
    [[nodiscard]] const Shape& shape(ValueId id) const { return graph_.value(id).type.shape; }
    [[nodiscard]] bool has_one_reader(ValueId id) const { return uses_[id.value()] == 1; }

    [[nodiscard]] std::optional<Projection> projection(ValueId id) const {
        Projection found;
        if (!has_one_reader(id)) return std::nullopt;
        found.product = matcher_.made_by(id, "MatMul");
        found.sum = matcher_.made_by(id, "Add");
        for (std::size_t i = 0; i < 2 && found.sum != nullptr && found.product == nullptr; ++i) {
            found.bias = found.sum->inputs[i];
            const ValueId whole = found.sum->inputs[1 - i];
            const bool is_of_columns =
                constant(found.bias) != nullptr && shape(found.bias) == Shape{shape(id).back()};
            if (is_of_columns && has_one_reader(whole)) {
                found.product = matcher_.made_by(whole, "MatMul");
            }
        }
        const bool is_one = found.product != nullptr && constant(found.product->inputs[1]) &&
                            shape(found.product->inputs[1]).size() == 2;
        return is_one ? std::optional(found) : std::nullopt;
    }

    void find(const Node& attention) {
        std::vector<Projection> all;
        for (std::size_t input = 0; input < kMask; ++input) {
            const std::optional<Projection> one = projection(attention.inputs[input]);
            const bool fits =
                one && (all.empty() || (one->product->inputs[0] == all[0].product->inputs[0] &&
                                        (one->sum != nullptr) == (all[0].sum != nullptr)));
            if (!fits) return;
            all.push_back(*one);
        }
        for (std::size_t input = 0; input < kMask; ++input) merged_.insert(attention.inputs[input]);
        of_attention_.emplace(&attention, std::move(all));
    }

    void merge(const Node& attention, const std::vector<Projection>& all) {
        Node first = *all[0].product;
        first.name += ".packed";
        maker_.begin(first);
        std::vector<std::int64_t> columns;
        std::vector<ValueId> matrices, biases;
        for (const Projection& one : all) {
            matrices.push_back(one.product->inputs[1]);
            biases.push_back(one.bias);
            columns.push_back(shape(matrices.back())[1]);
        }
        ValueId packed = maker_.make("MatMul", {first.inputs[0], side_by_side(matrices)});
        if (all[0].sum != nullptr) packed = maker_.make("Add", {packed, side_by_side(biases)});
        Node split{first.name + ".Split", "Split", 13, {}, {packed}, {}};
        split.inputs.push_back(maker_.constant(Tensor::of_integers({kMask}, columns)));
        split.attributes.set("axis", std::int64_t{2});
        split.outputs.assign(attention.inputs.begin(), attention.inputs.begin() + kMask);
        maker_.keep(std::move(split));
    }

    /// Columns of constant matrices, or of vectors, one constant's behind the other's.
    ValueId side_by_side(const std::vector<ValueId>& parts) {
        Shape whole = shape(parts[0]);
        const std::size_t rows = whole.size() == 2 ? static_cast<std::size_t>(whole[0]) : 1;
        whole.back() = 0;
        for (const ValueId part : parts) whole.back() += shape(part).back();
        std::vector<float> reals;
        for (std::size_t row = 0; row < rows; ++row) {
            for (const ValueId part : parts) {
                const std::ptrdiff_t columns = shape(part).back();
                const auto begin =
                    constant(part)->reals.begin() + static_cast<std::ptrdiff_t>(row) * columns;
                reals.insert(reals.end(), begin, begin + columns);
            }
        }
        return maker_.constant(
            Tensor::of_reals(whole, std::move(reals), graph_.value(parts[0]).type.type));
    }

    Graph& graph_;
    const std::vector<std::uint32_t> uses_;
    const std::vector<Node> nodes_;
    PatternMatcher matcher_;
    NodeMaker maker_;
    std::set<ValueId> merged_;  ///< results of products that are merged
    std::map<const Node*, std::vector<Projection>> of_attention_;
};

}  // namespace

void merge_projections(Graph& graph) {
    ProjectionMerger(graph).run();
}

}  // namespace tessera::network
