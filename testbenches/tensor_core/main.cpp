// Testbench of the pair of tensor cores of a sub-core.
#include <fmt/format.h>
#include <algorithm>
#include <memory>

#include "sc_models/common/error.h"
#include "sc_models/tensor_core/spwmma_pipeline.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/tensor_core/figure6.h"
#include "testbenches/tensor_core/tensor_checker.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

using Kind = TensorOperation::Kind;

constexpr std::uint32_t kWarps = 4;
constexpr int kLargest = 7;  ///< operands of -7 to 7 keep all sums exact

enum : std::size_t { kCycle, kOperation, kWarp, kNonzerosA, kNonzerosB };

Description description() {
    Description d;
    d.name = "tensor_core";
    d.module = "pair of outer-product tensor cores of a sub-core, dense and dual-side sparse";
    d.operation = "operations";
    d.sections = {"tensor_core.spwmma", "tensor_core.accumulation_buffer"};
    d.count = 600;
    d.has_timing = false;
    d.implementations = {"whole", "clocked"};
    d.columns = {
        {"cycle", Column::Kind::kNumber, "earliest cycle, not before that of the line above"},
        {"operation", Column::Kind::kChoice, "of the pair;", {"mma", "spwmma", "flush"}},
        {"warp", Column::Kind::kNumber, "0 to 3, whose sums are meant", {}, true},
        {"a_nonzeros", Column::Kind::kNumber, "of each k of A, 0 to 32; spwmma", {}, true},
        {"b_nonzeros", Column::Kind::kNumber, "of each k of B, 0 to 32; spwmma", {}, true}};
    d.errors = {{"stuck_sum", "the last sum of a dense product is zero"},
                {"late_product", "a dense product occupies the pair for 33 cycles"},
                {"lost_spwmma", "every 64th SpWMMA is lost"},
                {"lost_swap", "sums of registers never reach the buffer"},
                {"half_time", "a SpWMMA takes half of its cycles"}};
    d.examples = {{"figure6", "an uneven row of 37.5 % zeros: about 1.3x (III-B3, Figure 6)",
                   "tensor_core_figure6.gtkw"}};
    d.view = "tensor_core_testbench.gtkw";
    return d;
}
const Description kDescription = description();

Session& checked(Session& session) {
    const SpwmmaConfig config = TensorDriver::settings(session);
    if (session.implementation() == "clocked" && !SpwmmaPipeline::supports(config)) {
        throw ConfigError("--impl clocked: has fixed sizes, expected no --set and no --machine");
    }
    return session;
}

/// Pair beside triple loops.
class TensorTestbench final : public Testbench {
public:
    explicit TensorTestbench(Session& session)
        : session_(checked(session)), driver_("driver", session), checker_(session, driver_) {}

    void run_example(const std::string& /*name*/) override {
        Figure6(session_, [this](const TensorOperation& operation) -> const TensorResult& {
            return checker_.play(operation);
        }).run();
        checker_.finish();
    }

private:
    void play_directed() override;
    void play_random() override;
    void finish() override;
    void play_file(const Stimulus& stimulus) override;
    void flush_all();
    [[nodiscard]] TensorOperation draw();
    [[nodiscard]] TensorOperation dense(bool copies, bool summand);
    [[nodiscard]] TensorOperation sparse(std::uint32_t warp, std::uint32_t a, std::uint32_t b);
    [[nodiscard]] int draw_value() {
        const auto value = static_cast<int>(session_.below(2 * kLargest));
        return value < kLargest ? value - kLargest : value - kLargest + 1;
    }
    void issue(const TensorOperation& operation) { checker_.issue(operation, next_at_++); }

    Session& session_;
    TensorDriver driver_;
    TensorChecker checker_;
    Cycle next_at_ = 0;
};

/// Dense products back to back; each number of groups on both sides; flushes of sums in the buffer
/// and elsewhere.
void TensorTestbench::play_directed() {
    const TensorOperation flush{Kind::kFlush, 0, nullptr};
    checker_.play(flush);
    for (const bool copies : {false, true}) {
        for (const bool summand : {false, true}) issue(dense(copies, summand));
    }
    checker_.drain();
    std::uint64_t spwmmas = 0;
    for (const std::uint32_t a : {0U, 1U, 8U, 9U, 16U, 17U, 24U, 25U, 32U}) {
        for (const std::uint32_t b : {0U, 1U, 16U, 17U, 32U}) {
            checker_.play(sparse(spwmmas++ / 2 % 2, a, b));
        }
    }
    checker_.play(flush);
    checker_.play(flush);
    next_at_ = session_.clock.now() + 1;
    session_.directed = 7 + spwmmas;
}

/// Flushes the warps, whose sums are then all checked, and compares the counters.
void TensorTestbench::flush_all() {
    for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
        checker_.play({Kind::kFlush, warp, nullptr});
    }
    checker_.finish();
}

TensorOperation TensorTestbench::dense(bool copies, bool summand) {
    auto values = std::make_shared<TensorValues>();
    for (std::uint32_t i = 0; i < kDense; ++i) {
        for (std::uint32_t j = 0; j < kDense; ++j) {
            values->a[i][j] = draw_value();
            values->a_right[i][j] = copies ? draw_value() : values->a[i][j];
            values->b[i][j] = draw_value();
            values->c[i][j] = summand ? draw_value() : 0;
        }
    }
    return {Kind::kProduct, 0, values};
}

/// A and B with this many non-zeros in each k-set, at random places.
TensorOperation TensorTestbench::sparse(std::uint32_t warp, std::uint32_t a, std::uint32_t b) {
    auto values = std::make_shared<TensorValues>();
    std::array<std::uint32_t, kSparse> places{};
    for (std::uint32_t n = 0; n < kSparse; ++n) places[n] = n;
    for (std::uint32_t k = 0; k < kDepth; ++k) {
        std::shuffle(places.begin(), places.end(), session_.random);
        for (std::uint32_t n = 0; n < a; ++n) values->a[places[n]][k] = draw_value();
        std::shuffle(places.begin(), places.end(), session_.random);
        for (std::uint32_t n = 0; n < b; ++n) values->b[k][places[n]] = draw_value();
    }
    return {Kind::kSpwmma, warp, values};
}

TensorOperation TensorTestbench::draw() {
    const std::uint64_t dice = session_.below(8);
    if (dice == 0) return dense(session_.below(2) == 0, session_.below(2) == 0);
    const auto warp =
        static_cast<std::uint32_t>(session_.below(3) == 0 ? session_.below(kWarps) : 0);
    if (dice == 1) return {Kind::kFlush, warp, nullptr};
    return sparse(warp, static_cast<std::uint32_t>(session_.below(kSparse + 1)),
                  static_cast<std::uint32_t>(session_.below(kSparse + 1)));
}

void TensorTestbench::play_random() {
    for (std::uint64_t n = 0; n < session_.options().count; ++n) {
        if (session_.scoreboard.errors() > 0) break;
        issue(draw());
        if (session_.below(4) == 0) next_at_ += session_.below(500);
        ++session_.drawn;
    }
}

void TensorTestbench::finish() {
    checker_.drain();
    flush_all();
}

void TensorTestbench::play_file(const Stimulus& stimulus) {
    for (const StimulusRow& row : stimulus.rows()) {
        if (row[kWarp] >= kWarps) stimulus.fail(row, kWarp, "expected 0 to 3");
        for (const std::size_t column : {kNonzerosA, kNonzerosB}) {
            if (row[column] > kSparse) stimulus.fail(row, column, "expected 0 to 32");
        }
        next_at_ = std::max(next_at_, row[kCycle]);
        const auto warp = static_cast<std::uint32_t>(row[kWarp]);
        const auto kind = static_cast<Kind>(row[kOperation]);
        if (kind == Kind::kProduct) {
            issue(dense(false, true));
        } else if (kind == Kind::kFlush) {
            issue({kind, warp, nullptr});
        } else {
            issue(sparse(warp, static_cast<std::uint32_t>(row[kNonzerosA]),
                         static_cast<std::uint32_t>(row[kNonzerosB])));
        }
        ++session_.drawn;
    }
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<TensorTestbench>(argc, argv, kDescription);
}
