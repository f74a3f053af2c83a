#include "sc_models/workload/tensor/tensor_plan.h"

#include <algorithm>
#include <cmath>

#include "sc_models/workload/tensor/tensor_windows.h"

namespace tessera {
namespace {

using Op = TensorOperator;

std::vector<std::int64_t> dense_strides(const TensorShape& shape) {
    std::vector<std::int64_t> strides(shape.size());
    std::int64_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        strides[d] = stride;
        stride *= static_cast<std::int64_t>(shape[d]);
    }
    return strides;
}

/// A dense tensor whose axes are the last ones of a part of this rank; axes of size 1 do not move.
TensorView dense_view(const TensorShape& shape, std::size_t rank, std::uint32_t tensor) {
    TensorView view;
    view.tensor = tensor;
    view.axes.resize(rank);
    const std::vector<std::int64_t> strides = dense_strides(shape);
    for (std::size_t d = 0; d < shape.size(); ++d) {
        TensorAxis& axis = view.axes[rank - shape.size() + d];
        axis.kept = axis.reduced = shape[d] == 1 ? 0 : strides[d];
    }
    return view;
}

/// A part whose results are all elements of `shape`.
TensorPart whole(const TensorShape& shape) {
    TensorPart part;
    part.kept = shape;
    part.reduced.assign(shape.size(), 1);
    part.result = dense_view(shape, shape.size(), 0);
    return part;
}

TensorPart element_wise(const TensorOperation& o) {
    TensorPart part = whole(result_shapes(o)[0]);
    for (std::uint32_t i = 0; i < o.operands.size(); ++i) {
        TensorView view = dense_view(o.operands[i], part.kept.size(), i);
        if (o.op == Op::kBatchNormalization && i > 0) {
            view.axes.assign(part.kept.size(), {});
            view.axes[o.axes[0]].kept = 1;
        }
        part.operands.push_back(view);
    }
    return part;
}

TensorPart transpose(const TensorOperation& o) {
    TensorPart part = whole(result_shapes(o)[0]);
    const std::vector<std::int64_t> strides = dense_strides(o.operands[0]);
    TensorView view = dense_view(o.operands[0], part.kept.size(), 0);
    for (std::size_t d = 0; d < part.kept.size(); ++d) view.axes[d].kept = strides[o.order[d]];
    part.operands = {view};
    return part;
}

TensorPart slice(const TensorOperation& o) {
    TensorPart part = whole(o.sizes);
    const std::vector<std::int64_t> strides = dense_strides(o.operands[0]);
    TensorView view = dense_view(o.operands[0], part.kept.size(), 0);
    for (std::size_t d = 0; d < part.kept.size(); ++d) {
        view.start += o.begins[d] * strides[d];
        view.axes[d].kept = o.steps[d] * strides[d];
    }
    part.operands = {view};
    return part;
}

TensorPart pad(const TensorOperation& o) {
    TensorPart part = whole(result_shapes(o)[0]);
    const std::vector<std::int64_t> strides = dense_strides(o.operands[0]);
    TensorView view = dense_view(o.operands[0], part.kept.size(), 0);
    for (std::size_t d = 0; d < part.kept.size(); ++d) {
        TensorAxis& axis = view.axes[d];
        if (o.pads_before[d] == 0 && o.pads_after[d] == 0) continue;
        const auto size = static_cast<std::int64_t>(o.operands[0][d]);
        for (std::uint64_t k = 0; k < part.kept[d]; ++k) {
            const std::int64_t at =
                padded_index(static_cast<std::int64_t>(k) - o.pads_before[d], size, o.pad_mode);
            axis.table.push_back(at == kOutside ? kOutside : at * strides[d]);
        }
    }
    part.operands = {view};
    return part;
}

/// Returns parts that are adjacent along an axis of the whole.
std::vector<TensorPart> pieces(const TensorOperation& o) {
    const bool joins = o.op == Op::kConcat;
    const TensorShape all = joins ? result_shapes(o)[0] : o.operands[0];
    std::vector<TensorPart> parts;
    std::int64_t start = 0;
    const std::vector<TensorShape>& shapes = joins ? o.operands : o.results;
    const std::int64_t stride = dense_strides(all)[o.axes[0]];
    for (std::uint32_t i = 0; i < shapes.size(); ++i) {
        TensorPart part = whole(shapes[i]);
        TensorView of_whole = dense_view(all, all.size(), 0);
        of_whole.start = start;
        TensorView of_piece = part.result;
        of_piece.tensor = i;
        part.operands = {joins ? of_piece : of_whole};
        part.result = joins ? of_whole : of_piece;
        parts.push_back(part);
        start += static_cast<std::int64_t>(shapes[i][o.axes[0]]) * stride;
    }
    return parts;
}

/// Replaces the axis by one of all indices in order.
TensorPart gather(const TensorOperation& o) {
    const std::uint32_t along = o.axes[0];
    const std::uint64_t count = elements_of(o.sizes);
    TensorShape shape = o.operands[0];
    const std::vector<std::int64_t> strides = dense_strides(shape);
    shape[along] = count;
    TensorPart part = whole(shape);
    TensorView rows = dense_view(o.operands[0], shape.size(), 0);
    TensorView indices;
    indices.tensor = 1;
    indices.index_bytes = kIndexBytes;
    indices.axes.resize(shape.size());
    indices.axes[along].kept = 1;
    for (std::uint64_t i = 0; i < count; ++i) {
        rows.axes[along].table.push_back(static_cast<std::int64_t>(gathered_index(o, i)) *
                                         strides[along]);
    }
    part.operands = {rows, indices};
    return part;
}

/// All elements in one row, each with its own position.
TensorPart gather_elements(const TensorOperation& o) {
    const std::uint64_t count = elements_of(o.sizes);
    const std::vector<std::int64_t> strides = dense_strides(o.operands[0]);
    TensorPart part = whole({count});
    TensorView elements;
    elements.axes.resize(1);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::int64_t at = static_cast<std::int64_t>(gathered_index(o, i)) * strides[o.axes[0]];
        std::uint64_t left = i;
        for (std::size_t d = o.sizes.size(); d-- > 0;) {
            const auto place = static_cast<std::int64_t>(left % o.sizes[d]);
            left /= o.sizes[d];
            if (d != o.axes[0]) at += place * strides[d];
        }
        elements.axes[0].table.push_back(at);
    }
    TensorView indices = dense_view({count}, 1, 1);
    indices.index_bytes = kIndexBytes;
    part.operands = {elements, indices};
    return part;
}

/// Operands of the formula, in its order: gates are columns of wider tensors.
TensorPart recurrent_step(const TensorOperation& o) {
    TensorPart part = whole(result_shapes(o)[0]);
    const auto hidden = static_cast<std::int64_t>(part.kept[1]);
    const auto add = [&](std::uint32_t tensor, std::int64_t gate, bool each = true) {
        TensorView view;
        view.tensor = tensor;
        view.start = gate * hidden;
        view.axes.resize(2);
        view.axes[0].kept = each ? static_cast<std::int64_t>(o.operands[tensor][1]) : 0;
        view.axes[1].kept = 1;
        part.operands.push_back(view);
    };
    const bool more = o.operands.size() > 2;
    switch (o.op) {
        case Op::kLstmCell:
            for (const std::int64_t gate : {0, 2, 3}) add(0, gate);
            add(1, 0);
            if (more) {
                for (const std::int64_t peephole : {0, 2}) add(2, peephole, false);
            }
            return part;
        case Op::kLstmHidden:
            add(0, 1);
            add(1, 0);
            if (more) add(2, 1, false);
            return part;
        case Op::kGruReset:
            add(0, 1);
            add(1, 1);
            add(2, 0);
            return part;
        default: {
            const bool linear = o.operands.size() == 3;
            add(0, 0);
            add(1, 0);
            add(0, 2);
            linear ? add(1, 2) : add(2, 0);
            add(linear ? 2 : 3, 0);
            if (linear) {
                add(0, 1);
                add(1, 1);
            }
            return part;
        }
    }
}

/// Windows along the channels, and each element itself.
TensorPart neighbours(const TensorOperation& o) {
    TensorPart part = pool_part(o);
    TensorView self = dense_view(o.operands[0], part.kept.size(), 0);
    for (TensorAxis& axis : self.axes) axis.reduced = 0;
    part.operands.push_back(self);
    return part;
}

std::vector<std::uint32_t> reduced_axes(const TensorOperation& o) {
    if (o.op != Op::kInstanceNormalization) return o.axes;
    std::vector<std::uint32_t> axes;
    for (std::uint32_t d = 1; d < o.operands[0].size(); ++d) {
        if (d != o.axes[0]) axes.push_back(d);
    }
    return axes;
}

TensorPart over_axes(const TensorOperation& o) {
    const TensorShape& shape = o.operands[0];
    TensorPart part = whole(shape);
    for (const std::uint32_t axis : reduced_axes(o)) {
        part.reduced[axis] = shape[axis];
        part.kept[axis] = 1;
    }
    for (std::uint32_t i = 0; i < o.operands.size(); ++i) {
        TensorView view = dense_view(o.operands[i], shape.size(), i);
        if (o.op == Op::kInstanceNormalization && i > 0) {
            view.axes.assign(shape.size(), {});
            view.axes[o.axes[0]].kept = 1;
        }
        part.operands.push_back(view);
    }
    if (is_reduction(o.op)) part.result = dense_view(part.kept, shape.size(), 0);
    return part;
}

/// Whether axis d + 1 continues axis d in all tensors.
bool continues(const TensorPart& part, std::size_t d) {
    const auto next = static_cast<std::size_t>(d + 1);
    if (!part.weights.empty() || !part.counts.empty()) return false;
    const auto in = [&](const TensorView& view) {
        const TensorAxis &outer = view.axes[d], &inner = view.axes[next];
        if (!outer.table.empty() || !inner.table.empty()) return false;
        const auto fits = [](std::uint64_t size, std::uint64_t inner_size, std::int64_t of_outer,
                             std::int64_t of_inner) {
            return size == 1 || of_outer == of_inner * static_cast<std::int64_t>(inner_size);
        };
        return fits(part.kept[d], part.kept[next], outer.kept, inner.kept) &&
               fits(part.reduced[d], part.reduced[next], outer.reduced, inner.reduced);
    };
    return in(part.result) && std::all_of(part.operands.begin(), part.operands.end(), in);
}

void collapse(TensorPart& part) {
    const auto drop = [&part](std::size_t d) {
        const auto at = static_cast<std::ptrdiff_t>(d);
        part.kept.erase(part.kept.begin() + at);
        part.reduced.erase(part.reduced.begin() + at);
        part.result.axes.erase(part.result.axes.begin() + at);
        for (TensorView& view : part.operands) view.axes.erase(view.axes.begin() + at);
    };
    const auto is_single = [&part](std::size_t d) {
        const auto in = [d](const TensorView& view) { return view.axes[d].table.empty(); };
        return part.kept[d] == 1 && part.reduced[d] == 1 && part.weights.empty() &&
               part.counts.empty() && std::all_of(part.operands.begin(), part.operands.end(), in);
    };
    for (std::size_t d = part.kept.size(); d-- > 0;) {
        if (part.kept.size() > 1 && is_single(d)) drop(d);
    }
    for (std::size_t d = part.kept.size(); d-- > 1;) {
        if (!continues(part, d - 1)) continue;
        part.kept[d] *= part.kept[d - 1];
        part.reduced[d] *= part.reduced[d - 1];
        drop(d - 1);
    }
}

}  // namespace

bool TensorView::has_outside() const {
    return std::any_of(axes.begin(), axes.end(), [](const TensorAxis& axis) {
        return std::find(axis.table.begin(), axis.table.end(), kOutside) != axis.table.end();
    });
}

TensorPlan make_tensor_plan(const TensorOperation& o, RmsKernel rms) {
    TensorPlan plan;
    plan.formula = formula_of(o);
    plan.type = o.type;
    plan.types = o.types;
    if (is_pool(o.op)) {
        plan.parts = {pool_part(o)};
    } else if (is_recurrent(o.op)) {
        plan.parts = {recurrent_step(o)};
    } else if (o.op == Op::kLrn) {
        plan.parts = {neighbours(o)};
    } else if (o.op == Op::kGather) {
        plan.parts = {gather(o)};
    } else if (o.op == Op::kGatherElements) {
        plan.parts = {gather_elements(o)};
    } else if (o.op == Op::kResize) {
        plan.parts = {resize_part(o)};
    } else if (is_reduction(o.op) || is_row_wise(o.op)) {
        plan.parts = {over_axes(o)};
    } else if (o.op == Op::kTranspose) {
        plan.parts = {transpose(o)};
    } else if (o.op == Op::kSlice) {
        plan.parts = {slice(o)};
    } else if (o.op == Op::kPad) {
        plan.parts = {pad(o)};
    } else if (o.op == Op::kConcat || o.op == Op::kSplit) {
        plan.parts = pieces(o);
    } else {
        plan.parts = {element_wise(o)};
    }
    for (TensorPart& part : plan.parts) {
        if (part.kept.empty()) {  // a scalar
            part.kept = part.reduced = {1};
            part.result.axes.resize(1);
            for (TensorView& view : part.operands) view.axes.resize(1);
        }
        collapse(part);
    }
    const TensorPart& first = plan.parts[0];
    if (is_reduction(o.op) || is_row_wise(o.op)) {
        const std::uint64_t reduced = elements_of(first.reduced);
        const std::uint64_t inner = first.kept.back();
        if (first.reduced.back() > 1) {
            plan.mapping = TensorMapping::kRows;
            plan.row = row_layout(o.op, o.type, reduced, rms);
        } else {
            plan.mapping = TensorMapping::kColumns;
            plan.formula = formula_of(o, PassCount::kOne);
            plan.column = column_layout(o.type, elements_of(first.kept) / inner, inner, reduced,
                                        plan.formula.maps);
        }
    }
    return plan;
}

TensorWalk::TensorWalk(const TensorPart& part, const TensorView& view, bool along_kept,
                       std::uint64_t first, std::uint64_t fixed)
    : part_(part), view_(view), along_kept_(along_kept) {
    const auto split = [](std::uint64_t index, const TensorShape& shape) {
        TensorShape at(shape.size());
        for (std::size_t d = shape.size(); d-- > 0;) {
            at[d] = index % shape[d];
            index /= shape[d];
        }
        return at;
    };
    moving_ = split(first, along_kept ? part.kept : part.reduced);
    fixed_ = split(fixed, along_kept ? part.reduced : part.kept);
}

std::int64_t TensorWalk::offset() const {
    std::int64_t sum = view_.start;
    for (std::size_t d = 0; d < moving_.size(); ++d) {
        const std::int64_t more = along_kept_
                                      ? view_.axes[d].at(moving_[d], fixed_[d], part_.reduced[d])
                                      : view_.axes[d].at(fixed_[d], moving_[d], part_.reduced[d]);
        if (more == kOutside) return kOutside;
        sum += more;
    }
    return sum;
}

void TensorWalk::next() {
    const TensorShape& shape = along_kept_ ? part_.kept : part_.reduced;
    for (std::size_t d = shape.size(); d-- > 0;) {
        if (++moving_[d] < shape[d]) return;
        moving_[d] = 0;
    }
}

void walk_offsets(const TensorPart& part, const TensorView& view, bool along_kept,
                  std::uint64_t first, std::uint64_t fixed, std::uint64_t n,
                  std::vector<std::int64_t>& out) {
    out.resize(n);
    TensorWalk walk(part, view, along_kept, first, fixed);
    for (std::int64_t& offset : out) {
        offset = walk.offset();
        walk.next();
    }
}

float weight_of(const TensorPart& part, std::uint64_t kept, std::uint64_t reduced) {
    float weight = 1;
    for (std::size_t d = part.weights.size(); d-- > 0;) {
        const std::uint64_t k = kept % part.kept[d], r = reduced % part.reduced[d];
        kept /= part.kept[d];
        reduced /= part.reduced[d];
        if (!part.weights[d].empty()) weight *= part.weights[d][k * part.reduced[d] + r];
    }
    return weight;
}

float count_of(const TensorPart& part, std::uint64_t kept) {
    float count = part.counts.empty() ? static_cast<float>(elements_of(part.reduced)) : 1;
    for (std::size_t d = part.counts.size(); d-- > 0;) {
        if (!part.counts[d].empty()) count *= part.counts[d][kept % part.kept[d]];
        kept /= part.kept[d];
    }
    return count;
}

}  // namespace tessera
