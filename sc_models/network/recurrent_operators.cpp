// Recurrent operators RNN, GRU and LSTM, computed one time step after the other.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "sc_models/common/interrupt.h"
#include "sc_models/network/gate_functions.h"
#include "sc_models/network/multiply_add.h"
#include "sc_models/network/operators.h"

namespace tessera::network {
namespace {

// Input indices: X, W, R, B, sequence_lens, initial_h; for LSTM also initial_c and P.
constexpr std::size_t kX = 0, kW = 1, kR = 2, kB = 3, kLengths = 4, kH = 5, kC = 6, kPeepholes = 7;

/// Dimensions and direction of a recurrent layer.
struct Sides {
    std::int64_t gates = 1, directions = 1, steps = 0, batch = 0, inputs = 0, hidden = 0;
    bool reverse_only = false, batch_first = false;

    explicit Sides(const OperatorCall& call) {
        const std::string& name = call.node->operation;
        gates = name == "LSTM" ? 4 : name == "GRU" ? 3 : 1;
        const std::string direction = call.attributes().text("direction", "forward");
        if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
            call.fail("direction: got '" + direction +
                      "', expected one of {forward, reverse, bidirectional}");
        }
        directions = direction == "bidirectional" ? 2 : 1;
        reverse_only = direction == "reverse";
        batch_first = call.attributes().integer("layout") != 0;
        const Shape& x = call.shape(kX);
        if (x.size() != 3 || call.shape(kR).size() != 3) {
            call.fail_input(x.size() != 3 ? kX : kR, "expected 3 dimensions");
        }
        steps = x[batch_first ? 1 : 0];
        batch = x[batch_first ? 0 : 1];
        inputs = x[2];
        hidden = call.shape(kR)[2];
    }

    /// Shape of a state: one value per direction, batch element and hidden unit.
    [[nodiscard]] Shape state() const {
        return batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
    }
};

std::vector<TensorType> infer_recurrent(const OperatorCall& call) {
    call.expect_real(kX);
    const Sides s(call);
    const ElementType type = call.type(kX).type;
    constexpr std::int64_t kMostHidden = std::int64_t{1} << 31;
    if (s.hidden > kMostHidden) call.fail_input(kR, "got too many hidden values");
    if (call.attributes().has("hidden_size") &&
        call.attributes().integer("hidden_size") != s.hidden) {
        call.fail("hidden_size: got " + std::to_string(call.attributes().integer("hidden_size")) +
                  ", expected the " + std::to_string(s.hidden) + " of R");
    }
    const std::int64_t rows = s.gates * s.hidden;
    call.expect_shape(kW, {s.directions, rows, s.inputs});
    call.expect_shape(kR, {s.directions, rows, s.hidden});
    if (call.has(kB)) call.expect_shape(kB, {s.directions, 2 * rows});
    for (const std::size_t input : {kW, kR, kB, kH, kC, kPeepholes}) {
        if (call.has(input)) call.expect_same_type(kX, input);
    }
    if (call.has(kLengths)) {
        call.expect_integers(kLengths);
        call.expect_shape(kLengths, {s.batch});
    }
    for (const std::size_t state : {kH, kC}) {
        if (call.has(state)) call.expect_shape(state, s.state());
    }
    if (call.has(kPeepholes)) call.expect_shape(kPeepholes, {s.directions, 3 * s.hidden});
    if (call.attributes().has("clip") && !(call.attributes().real("clip") >= 0)) {
        call.fail("clip: got a negative number");
    }
    const Shape all = s.batch_first ? Shape{s.batch, s.steps, s.directions, s.hidden}
                                    : Shape{s.steps, s.directions, s.batch, s.hidden};
    return {{type, all}, {type, s.state()}, {type, s.state()}};
}

double flop_of_recurrent(const OperatorCall& call, const std::vector<TensorType>& /*outputs*/) {
    const Sides s(call);
    const double cells = static_cast<double>(s.steps) * static_cast<double>(s.batch) *
                         static_cast<double>(s.directions) * static_cast<double>(s.hidden);
    // Products, two biases and function of every gate; four more operations on the state.
    return cells *
           (static_cast<double>(s.gates) * (2.0 * static_cast<double>(s.inputs + s.hidden) + 3) +
            4);
}

/// One direction of a layer, computed over all steps.
class Direction {
public:
    Direction(const OperatorCall& call, const Sides& sides, std::size_t direction)
        : call_(call),
          s_(sides),
          direction_(direction),
          hidden_(static_cast<std::size_t>(sides.hidden)),
          rows_(static_cast<std::size_t>(sides.gates) * hidden_),
          batch_(static_cast<std::size_t>(sides.batch)),
          h_(batch_ * hidden_),
          c_(batch_ * hidden_) {
        const auto all = gate_functions(call, sides.directions);
        const auto each = static_cast<std::ptrdiff_t>(functions_of_direction(*call.node));
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(direction) * each;
        functions_.assign(first, first + each);
        if (call.attributes().has("clip")) clip_ = call.attributes().real("clip");
        load(kH, h_);
        load(kC, c_);
    }

    void run(std::vector<Tensor>& outputs) {
        const bool backward = s_.reverse_only || direction_ == 1;
        const auto steps = static_cast<std::size_t>(s_.steps);
        for (std::size_t i = 0; i < steps; ++i) {
            stop_if_interrupted();
            // Steps beyond the end of a sequence do not change its state; a reversed sequence
            // starts at its end.
            const std::size_t t = backward ? steps - 1 - i : i;
            step(t, outputs[0].reals);
        }
        store(h_, outputs[1].reals);
        store(c_, outputs[2].reals);
    }

private:
    [[nodiscard]] std::size_t state_row(std::size_t b) const {
        const auto directions = static_cast<std::size_t>(s_.directions);
        return (s_.batch_first ? b * directions + direction_ : direction_ * batch_ + b) * hidden_;
    }

    void load(std::size_t input, std::vector<float>& state) const {
        if (!call_.has(input)) return;
        for (std::size_t b = 0; b < batch_; ++b) {
            std::copy_n(call_.reals(input).data() + state_row(b), hidden_,
                        state.data() + b * hidden_);
        }
    }

    void store(const std::vector<float>& state, std::vector<float>& out) const {
        for (std::size_t b = 0; b < batch_; ++b) {
            std::copy_n(state.data() + b * hidden_, hidden_, out.data() + state_row(b));
        }
    }

    [[nodiscard]] float apply(std::size_t function, float x) const {
        return functions_[function](std::min(clip_, std::max(-clip_, x)));
    }

    /// b x rows: the batch's values times a direction's weights, plus one half of its bias.
    [[nodiscard]] std::vector<float> product(const float* values, std::size_t count,
                                             std::size_t weights, std::size_t half) const {
        std::vector<float> result(batch_ * rows_);
        if (call_.has(kB)) {
            const float* bias = call_.reals(kB).data() + (2 * direction_ + half) * rows_;
            for (std::size_t b = 0; b < batch_; ++b) {
                std::copy_n(bias, rows_, result.data() + b * rows_);
            }
        }
        multiply_add(batch_, rows_, count, {values, count},
                     {call_.reals(weights).data() + direction_ * rows_ * count, 1, count},
                     result.data());
        return result;
    }

    [[nodiscard]] std::vector<float> inputs_at(std::size_t t) const {
        const auto count = static_cast<std::size_t>(s_.inputs);
        const auto steps = static_cast<std::size_t>(s_.steps);
        std::vector<float> values(batch_ * count);
        for (std::size_t b = 0; b < batch_; ++b) {
            const std::size_t row = s_.batch_first ? b * steps + t : t * batch_ + b;
            std::copy_n(call_.reals(kX).data() + row * count, count, values.data() + b * count);
        }
        return values;
    }

    void step(std::size_t t, std::vector<float>& all) {
        const std::vector<float> x = inputs_at(t);
        const std::vector<float> from_x =
            product(x.data(), static_cast<std::size_t>(s_.inputs), kW, 0);
        const std::vector<float> from_h = product(h_.data(), hidden_, kR, 1);
        std::vector<float> h = h_;
        std::vector<float> c = c_;
        const std::string& name = call_.node->operation;
        if (name == "LSTM") {
            lstm(from_x, from_h, h, c);
        } else if (name == "GRU") {
            gru(from_x, from_h, h);
        } else {
            for (std::size_t i = 0; i < h.size(); ++i) h[i] = apply(0, from_x[i] + from_h[i]);
        }
        const auto steps = static_cast<std::size_t>(s_.steps);
        const auto directions = static_cast<std::size_t>(s_.directions);
        for (std::size_t b = 0; b < batch_; ++b) {
            if (call_.has(kLengths) && static_cast<std::int64_t>(t) >= call_.indices(kLengths)[b]) {
                continue;
            }
            std::copy_n(h.data() + b * hidden_, hidden_, h_.data() + b * hidden_);
            std::copy_n(c.data() + b * hidden_, hidden_, c_.data() + b * hidden_);
            const std::size_t row = s_.batch_first ? (b * steps + t) * directions + direction_
                                                   : (t * directions + direction_) * batch_ + b;
            std::copy_n(h.data() + b * hidden_, hidden_, all.data() + row * hidden_);
        }
    }

    /// Gates i, o, f, c. Peepholes add the old cell to i and f, and the new one to o.
    void lstm(const std::vector<float>& x, const std::vector<float>& r, std::vector<float>& h,
              std::vector<float>& c) const {
        const float* peep = call_.has(kPeepholes)
                                ? call_.reals(kPeepholes).data() + direction_ * 3 * hidden_
                                : nullptr;
        const bool couple = call_.attributes().integer("input_forget") != 0;
        for (std::size_t i = 0; i < h.size(); ++i) {
            const std::size_t j = i % hidden_;
            const std::size_t row = i / hidden_ * rows_ + j;
            const auto gate = [&](std::size_t g) {
                return x[row + g * hidden_] + r[row + g * hidden_];
            };
            const auto seen = [&](std::size_t g, float cell) {
                return peep == nullptr ? 0.0F : peep[g * hidden_ + j] * cell;
            };
            const float in = apply(0, gate(0) + seen(0, c_[i]));
            const float forget = couple ? 1 - in : apply(0, gate(2) + seen(2, c_[i]));
            c[i] = forget * c_[i] + in * apply(1, gate(3));
            h[i] = apply(0, gate(1) + seen(1, c[i])) * functions_[2](c[i]);
        }
    }

    /// Gates z, r, h.
    void gru(const std::vector<float>& x, const std::vector<float>& r,
             std::vector<float>& h) const {
        const bool linear = call_.attributes().integer("linear_before_reset") != 0;
        std::vector<float> reset(h.size());
        std::vector<float> gated(h.size());
        for (std::size_t i = 0; i < h.size(); ++i) {
            const std::size_t row = i / hidden_ * rows_ + hidden_ + i % hidden_;
            reset[i] = apply(0, x[row] + r[row]);
            gated[i] = reset[i] * h_[i];
        }
        const std::vector<float> from_gated =
            linear ? std::vector<float>{} : product(gated.data(), hidden_, kR, 1);
        for (std::size_t i = 0; i < h.size(); ++i) {
            const std::size_t row = i / hidden_ * rows_ + i % hidden_;
            const std::size_t last = row + 2 * hidden_;
            const float z = apply(0, x[row] + r[row]);
            const float candidate =
                apply(1, x[last] + (linear ? reset[i] * r[last] : from_gated[last]));
            h[i] = (1 - z) * candidate + z * h_[i];
        }
    }

    const OperatorCall& call_;
    const Sides& s_;
    std::size_t direction_, hidden_, rows_, batch_;
    std::vector<GateFunction> functions_;
    float clip_ = INFINITY;
    std::vector<float> h_, c_;  ///< batch x hidden
};

void run_recurrent(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Sides sides(call);
    for (std::int64_t direction = 0; direction < sides.directions; ++direction) {
        Direction(call, sides, static_cast<std::size_t>(direction)).run(outputs);
    }
}

}  // namespace

std::vector<Operator> recurrent_operators() {
    std::vector<Operator> all;
    for (const char* name : {"GRU", "LSTM", "RNN"}) {
        all.push_back(
            {name, WorkKind::kRecurrent, infer_recurrent, run_recurrent, flop_of_recurrent});
    }
    return all;
}

}  // namespace tessera::network
