// Attention and RotaryEmbedding of operator set 23.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "sc_models/network/attention.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::size_t size_of(std::int64_t side) {
    return static_cast<std::size_t>(side);
}

// Attention

/// Shape of a mask that has a value for each score.
Shape scores_shape(const AttentionSides& sides) {
    return {sides.batch, sides.heads, sides.queries, sides.keys};
}

/// Whether the mask fits the scores. Its last side may be shorter: what is missing is masked.
void check_mask(const OperatorCall& call, const AttentionSides& sides) {
    if (!call.has(kMask)) return;
    if (call.type(kMask).type != ElementType::kBool) call.expect_same_type(kQuery, kMask);
    const Shape& shape = call.shape(kMask);
    Shape wanted = scores_shape(sides);
    if (!shape.empty() && shape.back() < sides.keys) wanted.back() = shape.back();
    if (shape.size() < 2) {
        call.fail_input(kMask, "got shape " + shape_text(shape) + ", expected 2 to 4 sides");
    }
    expect_broadcast(call, kMask, wanted);
}

std::vector<TensorType> infer_attention(const OperatorCall& call) {
    const AttentionSides sides(call);
    check_mask(call, sides);
    const ElementType type = call.type(kQuery).type;
    const Shape result = sides.is_flat
                             ? Shape{sides.batch, sides.queries, sides.heads * sides.width}
                             : Shape{sides.batch, sides.heads, sides.queries, sides.width};
    return {{type, result},
            {type, {sides.batch, sides.kv_heads, sides.keys, sides.depth}},
            {type, {sides.batch, sides.kv_heads, sides.keys, sides.width}},
            {type, scores_shape(sides)}};
}

double flop_of_attention(const OperatorCall& call, const std::vector<TensorType>& /*outputs*/) {
    const AttentionSides sides(call);
    const double scores = static_cast<double>(element_count(scores_shape(sides)));
    constexpr double kSoftmax = 5;
    return scores * (2 * static_cast<double>(sides.depth + sides.width) + kSoftmax);
}

/// Copies an operand to batch x heads x rows x width, behind `past` rows.
std::vector<float> by_head(const OperatorCall& call, std::size_t input, std::size_t past_input,
                           std::int64_t heads, const AttentionSides& sides) {
    const std::vector<float>& from = call.reals(input);
    const Shape& shape = call.shape(input);
    const std::size_t rows = size_of(sides.is_flat ? shape[1] : shape[2]);
    const std::size_t width =
        size_of(sides.is_flat ? shape[2] / std::max<std::int64_t>(heads, 1) : shape[3]);
    const std::size_t past = call.has(past_input) ? size_of(call.shape(past_input)[2]) : 0;
    std::vector<float> to;
    for (std::size_t b = 0; b < size_of(sides.batch); ++b) {
        for (std::size_t h = 0; h < size_of(heads); ++h) {
            const std::size_t head = b * size_of(heads) + h;
            if (past > 0) {
                const auto first = call.reals(past_input).begin() +
                                   static_cast<std::ptrdiff_t>(head * past * width);
                to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(past * width));
            }
            for (std::size_t row = 0; row < rows; ++row) {
                const std::size_t at = sides.is_flat
                                           ? ((b * rows + row) * size_of(heads) + h) * width
                                           : (head * rows + row) * width;
                const auto first = from.begin() + static_cast<std::ptrdiff_t>(at);
                to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(width));
            }
        }
    }
    return to;
}

/// The summand of each score that the mask gives: 0 or minus infinity if it holds truth values.
std::vector<float> mask_of(const OperatorCall& call, const AttentionSides& sides) {
    const Shape all = scores_shape(sides);
    std::vector<float> added(element_count(all));
    if (call.has(kMask)) {
        const std::int64_t given = call.shape(kMask).back();
        const bool is_short = given != 1 && given < sides.keys;
        Shape covered = all;
        if (is_short) covered.back() = given;
        if (is_short) std::fill(added.begin(), added.end(), -kInfinity);
        const bool is_real_mask = is_real(call.type(kMask).type);
        walk(covered, broadcast_strides(call.shape(kMask), covered),
             [&](std::size_t i, std::size_t from) {
                 const std::size_t row = i / size_of(covered.back());
                 float& to = added[row * size_of(sides.keys) + i % size_of(covered.back())];
                 to = is_real_mask                     ? call.reals(kMask)[from]
                      : call.indices(kMask)[from] != 0 ? 0.0F
                                                       : -kInfinity;
             });
    }
    if (!sides.is_causal) return added;
    for (std::size_t i = 0; i < added.size(); ++i) {
        const auto key = static_cast<std::int64_t>(i) % sides.keys;
        const auto query = static_cast<std::int64_t>(i) / sides.keys % sides.queries;
        if (key > query + sides.past) added[i] = -kInfinity;
    }
    return added;
}

void attend_row(const float* query, const float* keys, const float* values, const float* mask,
                const AttentionSides& sides, float* scores_out, float* result) {
    std::vector<double> scores(size_of(sides.keys));
    const auto report = [&](ScoresOutput which) {
        if (scores_out == nullptr || sides.scores_output != which) return;
        std::transform(scores.begin(), scores.end(), scores_out,
                       [](double x) { return static_cast<float>(x); });
    };
    for (std::size_t k = 0; k < scores.size(); ++k) {
        double sum = 0;
        for (std::size_t d = 0; d < size_of(sides.depth); ++d) {
            sum += double{query[d]} * keys[k * size_of(sides.depth) + d];
        }
        scores[k] = sum * sides.scale;
    }
    report(ScoresOutput::kScaled);
    if (sides.cap > 0) {
        for (double& score : scores) score = sides.cap * std::tanh(score / sides.cap);
    }
    report(ScoresOutput::kCapped);
    for (std::size_t k = 0; k < scores.size(); ++k) scores[k] += mask[k];
    report(ScoresOutput::kMasked);
    double most = -std::numeric_limits<double>::infinity();
    for (const double score : scores) most = std::max(most, score);
    double sum = 0;
    for (double& score : scores) sum += score = std::exp(score - most);
    for (double& score : scores) score /= sum;
    report(ScoresOutput::kSoftmax);
    for (std::size_t d = 0; d < size_of(sides.width); ++d) {
        double value = 0;
        for (std::size_t k = 0; k < scores.size(); ++k) {
            value += scores[k] * values[k * size_of(sides.width) + d];
        }
        result[d] = static_cast<float>(value);
    }
}

void run_attention(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const AttentionSides sides(call);
    constexpr std::size_t kNoPast = 99;
    const std::vector<float> q = by_head(call, kQuery, kNoPast, sides.heads, sides);
    outputs[kPresentKey].reals = by_head(call, kKey, kPastKey, sides.kv_heads, sides);
    outputs[kPresentValue].reals = by_head(call, kValue, kPastValue, sides.kv_heads, sides);
    const std::vector<float> mask = mask_of(call, sides);
    const std::size_t rows = size_of(sides.queries), keys = size_of(sides.keys);
    const std::size_t heads = size_of(sides.heads), width = size_of(sides.width);
    const std::size_t group = heads / size_of(sides.kv_heads);
    for (std::size_t head = 0; head < size_of(sides.batch) * heads; ++head) {
        const std::size_t kv = head / group * keys;
        for (std::size_t row = 0; row < rows; ++row) {
            const std::size_t at = head * rows + row;
            const std::size_t to =
                sides.is_flat ? ((head / heads * rows + row) * heads + head % heads) * width
                              : at * width;
            attend_row(&q[at * size_of(sides.depth)],
                       &outputs[kPresentKey].reals[kv * size_of(sides.depth)],
                       &outputs[kPresentValue].reals[kv * width], &mask[at * keys], sides,
                       &outputs[kScores].reals[at * keys], &outputs[kAttended].reals[to]);
        }
    }
}

// RotaryEmbedding

std::vector<TensorType> infer_rotary(const OperatorCall& call) {
    (void)RotarySides(call);
    return {call.type(kRotated)};
}

double flop_of_rotary(const OperatorCall& call, const std::vector<TensorType>& /*outputs*/) {
    const RotarySides sides(call);
    return 3 * static_cast<double>(sides.batch * sides.heads * sides.rows * sides.rotated);
}

void run_rotary(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const RotarySides sides(call);
    outputs[0].reals = call.reals(kRotated);
    std::vector<float>& out = outputs[0].reals;
    const std::size_t half = size_of(sides.rotated / 2), depth = size_of(sides.depth);
    const std::size_t rows = size_of(sides.rows), heads = size_of(sides.heads);
    for (std::size_t i = 0; i < out.size() / std::max<std::size_t>(depth, 1); ++i) {
        const std::size_t row = sides.is_flat ? i / heads % rows : i % rows;
        const std::size_t batch = i / heads / rows;
        std::size_t from = batch * rows + row;
        if (call.has(kPositions)) {
            from = checked_index(call, kPositions, call.indices(kPositions)[from],
                                 call.shape(kCosines)[0]);
        }
        for (std::size_t pair = 0; pair < half; ++pair) {
            const std::size_t a = i * depth + (sides.interleaved ? 2 * pair : pair);
            const std::size_t b = sides.interleaved ? a + 1 : a + half;
            const float cosine = call.reals(kCosines)[from * half + pair];
            const float sine = call.reals(kSines)[from * half + pair];
            const float x = out[a];
            const float y = out[b];
            out[a] = cosine * x - sine * y;
            out[b] = sine * x + cosine * y;
        }
    }
}

std::int64_t heads_of(const OperatorCall& call, std::size_t input, const char* attribute) {
    const Shape& shape = call.shape(input);
    if (shape.size() == 4) return shape[1];
    const std::int64_t heads = call.bounded(attribute, 0, 1, std::int64_t{1} << 31);
    if (shape[2] % heads != 0) {
        call.fail_input(input, "got " + std::to_string(shape[2]) + " columns for " +
                                   std::to_string(heads) + " heads, expected a multiple");
    }
    return heads;
}

}  // namespace

AttentionSides::AttentionSides(const OperatorCall& call) {
    const Shape& q = call.shape(kQuery);
    if (q.size() != 3 && q.size() != 4) {
        call.fail_input(kQuery, "got shape " + shape_text(q) + ", expected 3 or 4 sides");
    }
    is_flat = q.size() == 3;
    for (const std::size_t input : {kQuery, kKey, kValue}) {
        call.expect_real(input);
        if (call.shape(input).size() != q.size() || call.shape(input)[0] != q[0]) {
            call.fail_input(input, "got shape " + shape_text(call.shape(input)) +
                                       ", expected the sides and the batch of " + shape_text(q));
        }
    }
    call.expect_same_type(kQuery, kKey);
    batch = q[0];
    heads = heads_of(call, kQuery, "q_num_heads");
    kv_heads = heads_of(call, kKey, "kv_num_heads");
    if (kv_heads == 0 || heads % kv_heads != 0 ||
        heads_of(call, kValue, "kv_num_heads") != kv_heads) {
        call.fail("got " + std::to_string(heads) + " heads of the query and " +
                  std::to_string(kv_heads) +
                  " of the key, expected a multiple of the key's, and "
                  "as many of the value");
    }
    const auto rows_of = [&](std::size_t input) { return call.shape(input)[is_flat ? 1 : 2]; };
    const auto width_of = [&](std::size_t input, std::int64_t count) {
        return is_flat ? call.shape(input)[2] / count : call.shape(input)[3];
    };
    queries = rows_of(kQuery);
    keys = rows_of(kKey);
    depth = width_of(kQuery, heads);
    width = width_of(kValue, kv_heads);
    if (width_of(kKey, kv_heads) != depth || rows_of(kValue) != keys) {
        call.fail("got shapes " + shape_text(q) + ", " + shape_text(call.shape(kKey)) + " and " +
                  shape_text(call.shape(kValue)) +
                  ", expected keys as deep as queries, and as many values as keys");
    }
    if (call.has(kPastKey) != call.has(kPastValue)) {
        call.fail("got only one of past_key and past_value, expected both or none");
    }
    if (call.has(kPastKey)) {
        past = call.shape(kPastKey).size() == 4 ? call.shape(kPastKey)[2] : 0;
        call.expect_same_type(kKey, kPastKey);
        call.expect_shape(kPastKey, {batch, kv_heads, past, depth});
        call.expect_same_type(kValue, kPastValue);
        call.expect_shape(kPastValue, {batch, kv_heads, past, width});
        keys += past;
    }
    is_causal = call.attributes().integer("is_causal") != 0;
    scale = call.attributes().has("scale")
                ? call.attributes().real("scale")
                : 1 / std::sqrt(static_cast<float>(std::max<std::int64_t>(depth, 1)));
    cap = call.attributes().real("softcap", 0);
    if (!(cap >= 0)) call.fail("softcap: got " + std::to_string(cap) + ", expected 0 or more");
    scores_output = static_cast<ScoresOutput>(call.bounded("qk_matmul_output_mode", 0, 0, 3));
    (void)call.bounded("softmax_precision", 1, 1, 1);  // FLOAT
}

RotarySides::RotarySides(const OperatorCall& call) {
    const Shape& x = call.shape(kRotated);
    call.expect_real(kRotated);
    if (x.size() != 3 && x.size() != 4) {
        call.fail_input(kRotated, "got shape " + shape_text(x) + ", expected 3 or 4 sides");
    }
    is_flat = x.size() == 3;
    batch = x[0];
    heads = heads_of(call, kRotated, "num_heads");
    rows = is_flat ? x[1] : x[2];
    depth = is_flat ? x[2] / heads : x[3];
    interleaved = call.attributes().integer("interleaved") != 0;
    rotated = call.bounded("rotary_embedding_dim", 0, 0, depth);
    if (rotated == 0) rotated = depth;
    if (rotated % 2 != 0) {
        call.fail("rotary_embedding_dim: got " + std::to_string(rotated) +
                  ", expected an even number");
    }
    for (const std::size_t input : {kCosines, kSines}) {
        call.expect_same_type(kRotated, input);
        if (!call.has(kPositions)) {
            call.expect_shape(input, {batch, rows, rotated / 2});
        } else if (call.shape(input).size() != 2 || call.shape(input)[1] != rotated / 2) {
            call.fail_input(input, "got shape " + shape_text(call.shape(input)) +
                                       ", expected positions x " + std::to_string(rotated / 2));
        }
    }
    if (!call.has(kPositions)) return;
    expect_index_type(call, kPositions);
    call.expect_shape(kPositions, {batch, rows});
    call.expect_shape(kSines, call.shape(kCosines));
}

std::vector<Operator> attention_operators() {
    return {
        {"Attention", WorkKind::kComposite, infer_attention, run_attention, flop_of_attention},
        {"RotaryEmbedding", WorkKind::kComposite, infer_rotary, run_rotary, flop_of_rotary},
    };
}

}  // namespace tessera::network
