// Coverage plans of the co-simulation benches: they close, and each error at a bin is found.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/history_plan.h"

namespace tessera {
namespace {

constexpr std::uint64_t kOperations = 400'000;

/// Bench of a block, without a simulation around it.
class BenchRun {
public:
    BenchRun(const std::string& name, BenchOptions options) {
        options.count = kOperations;
        for (const CosimBlock& block : cosim_blocks()) {
            if (block.name == name) bench_ = block.make(options);
        }
    }
    /// Runs to the end, or to the first difference; returns whether there was one.
    bool finds_an_error() {
        Scoreboard scoreboard("");
        for (Cycle step = 0; bench_->cycle(step, scoreboard); ++step) {
            if (scoreboard.errors() > 0) return true;
        }
        return scoreboard.errors() > 0;
    }
    [[nodiscard]] const CoveragePlan& plan() const { return *bench_->coverage(); }

private:
    std::unique_ptr<CosimBench> bench_;
};

TEST(HistoryPlan, Closes) {
    BenchRun run("load_history_buffer", {});
    ASSERT_FALSE(run.finds_an_error());
    EXPECT_EQ("", fmt::format("{}", fmt::join(run.plan().missed(), ", ")));
    EXPECT_GT(run.plan().size(), 300U);
}

/// A bit of a pin that is stuck in the RTL alone shows as soon as the bit has the other value in a
/// transaction that uses the pin, and not before: the bins of this bit are what finds it.
TEST(HistoryPlan, FindsEachStuckBit) {
    std::vector<std::string> survivors;
    for (const history_pins::InputPin* pin : history_pins::kAll) {
        for (std::uint32_t bit = 0; bit < pin->width_bits; ++bit) {
            for (const bool value : {false, true}) {
                BenchOptions options;
                options.stuck = {std::string(pin->name), bit, value};
                if (BenchRun("load_history_buffer", options).finds_an_error()) continue;
                survivors.push_back(fmt::format("{}[{}] stuck at {:d}", pin->name, bit, value));
            }
        }
    }
    EXPECT_EQ("", fmt::format("{}", fmt::join(survivors, ", ")));
}

/// RTL that is wrong in one situation only.
TEST(HistoryPlan, FindsRtlThatIsWrongInASituation) {
    for (const char* situation :
         {"operation 3 does nothing", "result waits", "set-up with too many entries",
          "set-up with too many ways", "clear", "operation beside a set-up",
          "operation beside a clear", "operation before the first set-up",
          "operation after a refused set-up", "reset with operations under way"}) {
        BenchOptions options;
        options.wrong = situation;
        EXPECT_TRUE(BenchRun("load_history_buffer", options).finds_an_error()) << situation;
    }
}

/// A bin of a bit counts values of transactions that use the pin, in both directions.
TEST(CoveragePlan, CountsBitsInBothDirections) {
    CoveragePlan plan;
    const CoveragePlan::Pin pin = plan.add_pin("pin_i", 2);
    const CoveragePlan::Bin bin = plan.add("situation");
    EXPECT_EQ(plan.size(), 5U);
    plan.sample(pin, 1);  // nothing came before
    EXPECT_EQ(plan.missed().size(), 5U);
    plan.sample(pin, 2);
    plan.hit_if(bin, false);
    EXPECT_EQ((std::vector<std::string>{"situation", "pin_i[0] rises", "pin_i[1] falls"}),
              plan.missed());
    plan.forget_transactions();
    plan.sample(pin, 1);
    plan.hit(bin);
    EXPECT_EQ((std::vector<std::string>{"pin_i[0] rises", "pin_i[1] falls"}), plan.missed());
}

}  // namespace
}  // namespace tessera
