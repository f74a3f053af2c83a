// Coverage plans of the co-simulation benches: they close, and each error at a bin is found.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/cosim/bitmap_im2col_rtl.h"
#include "sc_models/cosim/bitmap_unit_rtl.h"
#include "sc_models/cosim/feop_array_rtl.h"
#include "sc_models/cosim/spwmma_core_rtl.h"
#include "testbenches/cosim/array_plan.h"
#include "testbenches/cosim/assign_plan.h"
#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/bitmap_plan.h"
#include "testbenches/cosim/buffer_plan.h"
#include "testbenches/cosim/duplo_plan.h"
#include "testbenches/cosim/fp_plan.h"
#include "testbenches/cosim/history_plan.h"
#include "testbenches/cosim/id_plan.h"
#include "testbenches/cosim/im2col_plan.h"
#include "testbenches/cosim/precompute_plan.h"
#include "testbenches/cosim/rename_plan.h"
#include "testbenches/cosim/second_set.h"
#include "testbenches/cosim/spwmma_plan.h"
#include "testbenches/cosim/staged_plan.h"

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

/// A bench with a plan, its input pins, and situations of the plan in which RTL can be wrong alone.
struct Planned {
    const char* block;
    std::size_t least_bins;
    std::vector<std::pair<std::string, std::uint32_t>> pins;
    std::vector<const char*> situations;
    bool second_set = false;
};
void PrintTo(const Planned& planned, std::ostream* out) {  // NOLINT: the name is GoogleTest's
    *out << planned.block;
}

std::vector<Planned> planned_blocks() {
    Planned history = {"load_history_buffer",
                       300,
                       {},
                       {"operation 3 does nothing", "result waits", "set-up with too many entries",
                        "set-up with too many ways", "clear", "operation beside a set-up",
                        "operation beside a clear", "operation before the first set-up",
                        "operation after a refused set-up", "reset with operations under way"}};
    for (const history_pins::InputPin* pin : history_pins::kAll) {
        history.pins.emplace_back(pin->name, pin->width_bits);
    }
    Planned ids = {"id_generator",
                   1200,
                   {},
                   {"id waits", "address beside a packet", "packet behind addresses",
                    "address before the first packet", "reset with addresses under way",
                    "reset during a packet's check"}};
    for (const id_pins::InputPin* pin : {&id_pins::kAddress, &id_pins::kTag, &id_pins::kValid}) {
        ids.pins.emplace_back(pin->name, pin->width_bits);
    }
    for (const id_pins::InputPin& pin : id_pins::kFields) {
        ids.pins.emplace_back(pin.name, pin.width_bits);
    }
    const Planned precompute = {
        "precompute_table",
        2500,
        precompute_pins::all(),
        {"operations 6 and 7 do nothing", "answer waits", "set-up of no entry",
         "set-up of too many entries", "table of all entries", "table of one entry",
         "operation beside a set-up", "operation before the first set-up",
         "operation after a refused set-up", "set-up waits for an operation", "drop of no entry",
         "next waiting entry", "finish of an older generation",
         "reset with an operation under way"}};
    Planned assign = {
        "assign_table",
        260,
        {},
        {"answer waits", "operation while an answer is taken", "set-up of no entry",
         "set-up of too many entries", "table of all entries", "table of one entry",
         "operation beside a set-up", "operation before the first set-up",
         "operation after a refused set-up", "set-up waits for an invalidation",
         "insertion of a block with itself", "invalidation spares the entry of another SM",
         "reset with an invalidation under way", "reset with an answer that waits"}};
    for (const assign_pins::InputPin* pin : assign_pins::kAll) {
        assign.pins.emplace_back(pin->name, pin->width_bits);
    }
    Planned im2col = {
        "bitmap_im2col",
        600,
        {},
        {"row without a filter", "filter that is wider than its row", "row that is too long",
         "row of one element", "row of all elements", "filter of one column",
         "filter as wide as its row", "stride 2 without a rest", "stride 2 with a rest",
         "row without a value", "row of all values", "address wraps",
         "row behind the last column of another", "column waits", "reset with a row being lowered",
         "reset with a column that waits"}};
    for (const im2col_pins::InputPin* pin : im2col_pins::kAll) {
        im2col.pins.emplace_back(pin->name, pin->width_bits);
    }
    const Planned spwmma = {"spwmma_core",
                            21'000,
                            spwmma_pins::all(),
                            {"tile without an OHMMA",
                             "tile whose only OHMMA is in k set 0",
                             "tile whose only OHMMA is in k set 15",
                             "tile of all 128 OHMMAs",
                             "tag 0 behind the last tag",
                             "tile beside a drain",
                             "tile beside a preload",
                             "tile in the last cycle of the tile before it",
                             "values wait for the array",
                             "preload beside an OHMMA",
                             "preload beside a drain",
                             "drain beside an OHMMA",
                             "drain keeps the sums",
                             "drain clears the sums",
                             "row waits",
                             "preload without run",
                             "drain without run",
                             "the buffer's clock stands in a drain",
                             "reset with OHMMAs before the buffer",
                             "reset in a drain"}};
    Planned rename = {
        "rename_table",
        200,
        {},
        {"share of a register in the cycle in which it would die",
         "mapping operation 3 maps to no register", "old register waits",
         "mapping waits for a free register", "set-up of no unit", "set-up of no register",
         "set-up of too many units", "set-up of too many registers", "table of all registers",
         "table of one register", "units end with their row", "units end with the first of a row",
         "unit beside a set-up", "mapping beside a set-up",
         "unit and mapping before the first set-up", "unit and mapping after a refused set-up",
         "set-up waits for a unit", "reset with units under way", "reset while a set-up unmaps"}};
    for (const rename_pins::InputPin* pin : rename_pins::kAll) {
        rename.pins.emplace_back(pin->name, pin->width_bits);
    }
    Planned duplo = {"duplo_core",
                     300,
                     {},
                     {"load without a look-up",
                      "end of a unit",
                      "bypass: unaligned",
                      "unit in the upper half",
                      "set-up waits for units",
                      "clear waits for units",
                      "clear",
                      "clear beside a set-up",
                      "unit beside a set-up",
                      "unit beside a clear",
                      "unit before the first set-up",
                      "clear before the first set-up",
                      "unit after a refused set-up",
                      "set-up refused for its packet alone",
                      "set-up refused for the buffer alone",
                      "set-up refused for the table alone",
                      "set-up of all units",
                      "set-up of all registers",
                      "reset with units under way",
                      "reset during a set-up"}};
    for (const duplo_pins::InputPin* pin : duplo_pins::kAll) {
        duplo.pins.emplace_back(pin->name, pin->width_bits);
    }
    return {history, ids, precompute, assign, im2col, spwmma, rename, duplo};
}

/// All narrow words, and one of 27 wide ones: a run takes milliseconds, and the buffer has 384
/// words of data.
std::vector<std::pair<std::string, std::uint32_t>> some_words(
    const std::vector<std::pair<std::string, std::uint32_t>>& words) {
    constexpr std::uint32_t kWide = 30;
    std::vector<std::pair<std::string, std::uint32_t>> chosen;
    for (std::size_t n = 0; n < words.size(); ++n) {
        if (words[n].second < kWide || n % 27 == 0) chosen.push_back(words[n]);
    }
    return chosen;
}

/// Units whose plans are of words.
std::vector<Planned> planned_units() {
    const std::vector<const char*> stages = {"the first stage alone moves",
                                             "all stages but the last move", "no stage moves",
                                             "reset with a result that waits"};
    const Planned feop = {"feop", 350, feop_pins().names(), stages};
    const Planned fedp = {"fedp", 300, fedp_pins().names(), stages};
    const Planned fp = {"fp", 6000, fp_pins().names(), {}};
    const Planned array = {
        "feop_array",
        900,
        array_pins().names(),
        {"BOHMMA", "operation predicated off", "operation predicated off while a result waits",
         "operation taken while a result waits", "result waits",
         "reset with an operation that was taken", "reset with a result that waits"}};
    const Planned bitmap = {
        "bitmap_unit",
        2000,
        bitmap_pins().names(),
        {"OHMMA waits", "OHMMA waits while a tile waits", "tile taken while an OHMMA waits",
         "tile in the last cycle of the tile before it", "tile without an OHMMA",
         "tile whose only OHMMA is in k set 0", "tile whose only OHMMA is in the last k set",
         "tile of all OHMMAs", "reset with a tile that was taken",
         "reset with an OHMMA that waits"}};
    const Planned buffer = {
        "accumulation_buffer",
        20'000,
        some_words(BufferError::pins()),
        {"sparse OHMMA without an entry", "sparse OHMMA of 128 entries",
         "dense OHMMA that is first and last", "result waits", "row waits",
         "preload beside an OHMMA", "preload beside a drain", "drain beside an OHMMA",
         "drain keeps the sums", "drain clears the sums", "reset with an OHMMA that was taken",
         "reset with a result that waits", "reset in a drain"}};
    return {feop, fedp, fp, array, bitmap, buffer};
}

/// The pins whose widths differ between the parameters of the machine and the second set.
template <class Parameters, class Pins, class With>
void choose_resized(Planned& planned, const Parameters& second, const Pins& pins, With with) {
    planned.pins.clear();
    for (const auto* pin : pins) {
        const std::uint32_t width = with(second, *pin).width_bits;
        if (width != pin->width_bits) planned.pins.emplace_back(pin->name, width);
    }
}

/// The blocks with their second sets of parameters. Whether their plans close is what the runs of
/// `tessera cosim BLOCK --second-set` check.
std::vector<Planned> planned_second_sets() {
    if (second_sets().empty()) return {};
    std::vector<Planned> all = planned_blocks();
    for (Planned& planned : planned_units()) all.push_back(std::move(planned));
    std::vector<Planned> chosen;
    for (Planned& planned : all) {
        planned.second_set = true;
        const std::string block = planned.block;
        if (block == "load_history_buffer") {
            choose_resized(planned, second_build<LoadHistoryBufferRtl>()->parameters,
                           history_pins::kAll, history_pins::with);
        } else if (block == "rename_table") {
            choose_resized(planned, second_build<RenameTableRtl>()->parameters, rename_pins::kAll,
                           rename_pins::with);
        } else if (block == "assign_table") {
            choose_resized(planned, second_build<AssignTableRtl>()->parameters, assign_pins::kAll,
                           assign_pins::with);
        } else if (block == "bitmap_im2col") {
            choose_resized(planned, second_build<BitmapIm2colRtl>()->parameters, im2col_pins::kAll,
                           im2col_pins::with);
        } else if (block == "duplo_core") {
            choose_resized(planned, second_build<DuploCoreRtl>()->parameters, duplo_pins::kAll,
                           duplo_pins::with);
        } else if (block == "precompute_table") {
            choose_resized(planned, second_build<PrecomputeTableRtl>()->parameters,
                           precompute_pins::kNumbers, precompute_pins::with);
            planned.pins.push_back(
                precompute_pins::all(second_build<PrecomputeTableRtl>()->parameters).back());
        } else if (block == "bitmap_unit") {
            planned.pins = bitmap_pins(second_build<BitmapUnitRtl>()->parameters.depth).names();
        } else if (block == "feop_array") {
            planned.pins = {{"meta_i_0", second_build<FeopArrayRtl>()->parameters.meta_width}};
        } else if (block == "spwmma_core") {
            planned.pins = {{"tile_tag_i", second_build<SpwmmaCoreRtl>()->parameters.tag_bits}};
            planned.situations = {"tag 0 behind the last tag"};  // the others take seconds
        } else {
            continue;
        }
        chosen.push_back(std::move(planned));
    }
    return chosen;
}

class CoveragePlans : public testing::TestWithParam<Planned> {};
class SecondSets : public CoveragePlans {};

TEST_P(CoveragePlans, Close) {
    BenchRun run(GetParam().block, {});
    ASSERT_FALSE(run.finds_an_error());
    EXPECT_EQ("", fmt::format("{}", fmt::join(run.plan().missed(), ", ")));
    EXPECT_GT(run.plan().size(), GetParam().least_bins);
}

/// A bit of a pin that is stuck in the RTL alone shows as soon as the bit has the other value in a
/// transaction that uses the pin, and not before: the bins of this bit are what finds it.
std::string stuck_bits_not_found(const Planned& planned, std::uint32_t bits_of_a_pin = 64) {
    std::vector<std::string> survivors;
    for (const auto& [name, width] : planned.pins) {
        for (std::uint32_t bit = width - std::min(width, bits_of_a_pin); bit < width; ++bit) {
            for (const bool value : {false, true}) {
                BenchOptions options;
                options.second_set = planned.second_set;
                options.stuck = {name, bit, value};
                if (BenchRun(planned.block, options).finds_an_error()) continue;
                survivors.push_back(fmt::format("{}[{}] stuck at {:d}", name, bit, value));
            }
        }
    }
    return fmt::format("{}", fmt::join(survivors, ", "));
}
TEST_P(CoveragePlans, FindEachStuckBit) {
    EXPECT_EQ("", stuck_bits_not_found(GetParam()));
}
TEST_P(SecondSets, FindStuckTopBits) {
    constexpr std::uint32_t kBitsOfAPin = 2;
    EXPECT_EQ("", stuck_bits_not_found(GetParam(), kBitsOfAPin));
}

/// RTL that is wrong in one situation only.
void expect_situations_found(const Planned& planned) {
    for (const char* situation : planned.situations) {
        BenchOptions options;
        options.second_set = planned.second_set;
        options.wrong = situation;
        EXPECT_TRUE(BenchRun(planned.block, options).finds_an_error()) << situation;
    }
}
TEST_P(CoveragePlans, FindRtlThatIsWrongInASituation) {
    expect_situations_found(GetParam());
}
TEST_P(SecondSets, FindRtlThatIsWrongInASituation) {
    expect_situations_found(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Units, CoveragePlans, testing::ValuesIn(planned_units()),
                         [](const auto& one) { return std::string(one.param.block); });
INSTANTIATE_TEST_SUITE_P(Blocks, CoveragePlans, testing::ValuesIn(planned_blocks()),
                         [](const auto& one) { return std::string(one.param.block); });

INSTANTIATE_TEST_SUITE_P(Blocks, SecondSets, testing::ValuesIn(planned_second_sets()),
                         [](const auto& one) { return std::string(one.param.block); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SecondSets);

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
