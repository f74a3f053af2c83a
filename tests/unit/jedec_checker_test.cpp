// Does the checker of DRAM commands find every error, and nothing in a clean trace?
#include "tests/support/jedec_checker.h"

#include <gmock/gmock.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "sc_models/memory/core/dram_command_log.h"
#include "sc_models/observe/dram_trace_file.h"
#include "tests/unit/dram_streams.h"

namespace tessera::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using Kind = JedecCommandKind;
using Trace = std::vector<JedecCommand>;

/// Parameters with which every rule can be the only one that delays a command.
JedecParameters distinct_rules() {
    JedecParameters parameters;
    for (const auto& [name, value] : std::map<std::string, std::uint64_t>{
             {"banks", 8},  {"bank_groups", 2}, {"burst", 1},  {"tCL", 10},     {"tCWL", 4},
             {"tRCD", 9},   {"tRP", 8},         {"tRAS", 20},  {"tRC", 35},     {"tCCD_S", 2},
             {"tCCD_L", 4}, {"tRRD_S", 3},      {"tRRD_L", 5}, {"tFAW", 24},    {"tRTP", 6},
             {"tWR", 11},   {"tWTR_S", 5},      {"tWTR_L", 9}, {"bus_turn", 2}, {"tREFI", 1000},
             {"tRFC", 100}}) {
        parameters.set(name, value);
    }
    return parameters;
}

JedecCommand command(std::uint64_t cycle, Kind kind, std::uint32_t bank = 0,
                     std::uint64_t row = 7) {
    return {cycle, 0, kind, bank % 2, bank, row};
}
JedecCommand act(std::uint64_t cycle, std::uint32_t bank) {
    return command(cycle, Kind::kActivate, bank);
}
JedecCommand rd(std::uint64_t cycle, std::uint32_t bank) {
    return command(cycle, Kind::kRead, bank);
}
JedecCommand wr(std::uint64_t cycle, std::uint32_t bank) {
    return command(cycle, Kind::kWrite, bank);
}
JedecCommand pre(std::uint64_t cycle, std::uint32_t bank) {
    return command(cycle, Kind::kPrecharge, bank);
}
JedecCommand ref(std::uint64_t cycle) {
    return command(cycle, Kind::kRefresh);
}

JedecChecker checked(const JedecParameters& parameters, const Trace& trace) {
    JedecChecker checker(parameters);
    for (const JedecCommand& next : trace) checker.check(next);
    return checker;
}

struct RuleCase {
    const char* rule;
    Trace trace;         ///< its last command is at the first, or last, allowed cycle
    int violating = -1;  ///< direction in which that command breaks the rule
};

const std::vector<RuleCase>& rule_cases() {
    static const std::vector<RuleCase> kCases = {
        {"tRCD", {act(10, 0), rd(19, 0)}},
        {"tRCD", {act(10, 0), wr(19, 0)}},
        {"tRP", {act(10, 0), pre(60, 0), act(68, 0)}},
        {"tRP", {act(10, 0), pre(60, 0), ref(68)}},
        {"tRAS", {act(10, 0), pre(30, 0)}},
        {"tRC", {act(10, 0), pre(30, 0), act(45, 0)}},
        {"tCCD_S", {act(10, 0), act(13, 1), rd(25, 0), rd(27, 1)}},
        {"tCCD_L", {act(10, 0), act(15, 2), rd(30, 0), rd(34, 2)}},
        {"tCCD_L", {act(10, 0), wr(30, 0), wr(34, 0)}},
        {"tRRD_S", {act(10, 0), act(13, 1)}},
        {"tRRD_L", {act(10, 0), act(15, 2)}},
        {"tFAW", {act(10, 0), act(13, 1), act(16, 2), act(19, 3), act(34, 4)}},
        {"tRTP", {act(10, 0), rd(40, 0), pre(46, 0)}},
        {"tWR", {act(10, 0), wr(40, 0), pre(56, 0)}},
        {"tWTR_S", {act(10, 0), act(13, 1), wr(40, 0), rd(50, 1)}},
        {"tWTR_L", {act(10, 0), act(15, 2), wr(40, 0), rd(54, 2)}},
        {"read_to_write", {act(10, 0), rd(40, 0), wr(49, 0)}},
        {"tREFI", {ref(1000)}, 1},
        {"tREFI", {ref(400), ref(1400)}, 1},
        {"tRFC", {ref(500), act(600, 0)}},
        {"tRFC", {ref(500), ref(600)}},
        {"order", {act(10, 0), act(13, 1), pre(40, 0), pre(40, 1)}},
    };
    return kCases;
}

TEST(JedecChecker, AcceptsACommandAtTheBoundOfEachRule) {
    for (const RuleCase& example : rule_cases()) {
        const JedecChecker checker = checked(distinct_rules(), example.trace);
        EXPECT_THAT(checker.violations(), IsEmpty()) << example.rule;
        EXPECT_TRUE(checker.passed());
    }
}

TEST(JedecChecker, NamesTheRuleThatACommandMissesByOneCycle) {
    for (const RuleCase& example : rule_cases()) {
        Trace trace = example.trace;
        trace.back().cycle += static_cast<std::uint64_t>(example.violating);
        const JedecChecker checker = checked(distinct_rules(), trace);
        EXPECT_THAT(checker.violations(), ElementsAre(Pair(example.rule, 1U))) << example.rule;
        EXPECT_FALSE(checker.passed());
    }
}

TEST(JedecChecker, FindsDataThatOverlapOnTheBus) {
    JedecParameters parameters = distinct_rules();
    parameters.set("burst", 3);
    const Trace clean = {act(10, 0), act(13, 1), rd(30, 0), rd(33, 1)};
    EXPECT_TRUE(checked(parameters, clean).passed());
    Trace early = clean;
    early.back().cycle = 32;
    EXPECT_THAT(checked(parameters, early).violations(), ElementsAre(Pair("data_bus", 1U)));
}

TEST(JedecChecker, FindsCommandsThatTheStateOfABankForbids) {
    const JedecParameters parameters = distinct_rules();
    const auto broken = [&](const Trace& trace) { return checked(parameters, trace).violations(); };
    EXPECT_THAT(broken({rd(10, 0)}), ElementsAre(Pair("open_row", 1U)));
    EXPECT_THAT(broken({act(10, 0), command(30, Kind::kRead, 0, 8)}),
                ElementsAre(Pair("open_row", 1U)));
    EXPECT_THAT(broken({act(10, 0), pre(40, 0), wr(60, 0)}), ElementsAre(Pair("open_row", 1U)));
    EXPECT_THAT(broken({act(10, 0), act(60, 0)}), ElementsAre(Pair("closed_bank", 1U)));
    EXPECT_THAT(broken({act(10, 0), ref(200)}), ElementsAre(Pair("refresh_of_open_bank", 1U)));
    EXPECT_THAT(broken({act(10, 8)}), ElementsAre(Pair("bank", 1U)));
}

TEST(JedecChecker, LetsARefreshCloseRowsOnlyIfTheTraceNamesSuchRefreshes) {
    JedecParameters parameters = distinct_rules();
    parameters.set("refresh_closes_rows", 1);
    EXPECT_TRUE(checked(parameters, {act(10, 0), ref(200), act(300, 0)}).passed());
    EXPECT_THAT(checked(parameters, {act(10, 0), ref(200), rd(300, 0)}).violations(),
                ElementsAre(Pair("open_row", 1U)));
}

TEST(JedecChecker, LetsRefreshesBePostponedAsOftenAsTheTraceAllows) {
    JedecParameters parameters = distinct_rules();
    parameters.set("postponed_refreshes", 8);
    EXPECT_TRUE(checked(parameters, {ref(9000)}).passed());
    EXPECT_THAT(checked(parameters, {ref(9001)}).violations(), ElementsAre(Pair("tREFI", 1U)));
}

TEST(JedecChecker, ComparesTheCommandsOfEachChannelAlone) {
    Trace trace = {act(10, 0), act(11, 1)};
    EXPECT_FALSE(checked(distinct_rules(), trace).passed());
    trace[1].channel = 1;
    EXPECT_TRUE(checked(distinct_rules(), trace).passed());
}

TEST(JedecChecker, DoesNotPassATraceWithoutCommands) {
    EXPECT_FALSE(checked(distinct_rules(), {}).passed());
}

TEST(JedecChecker, NeedsTheGeometryAndTheLatencies) {
    for (const char* name : {"banks", "bank_groups", "burst", "tCL", "tCWL"}) {
        JedecParameters parameters = distinct_rules();
        parameters.set(name, std::nullopt);
        EXPECT_THROW(JedecChecker{parameters}, std::runtime_error) << name;
    }
    EXPECT_THROW(distinct_rules().set("tXYZ", 1), std::runtime_error);
}

TEST(JedecTraceReader, RefusesWhatIsNoTrace) {
    const std::string head =
        "# banks=8\ncycle,channel,command,bank_group,bank,row,column_bytes,id\n";
    const auto refusal = [](const std::string& text) -> std::string {
        std::istringstream in(text);
        try {
            JedecTraceReader reader(in);
            while (reader.next()) {
            }
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_THAT(refusal(""), HasSubstr("ends before"));
    EXPECT_THAT(refusal("cycle\n"), HasSubstr("line 1: expected a comment"));
    EXPECT_THAT(refusal("# tXYZ=3\n"), HasSubstr("line 1: unknown parameter 'tXYZ'"));
    EXPECT_THAT(refusal("# banks=x\n"), HasSubstr("line 1: got 'x', expected a number"));
    EXPECT_THAT(refusal(head + "5,0,NOP,0,0,0,,\n"), HasSubstr("line 3: got 'NOP'"));
    EXPECT_THAT(refusal(head + "5,0,ACT,0,0,\n"), HasSubstr("line 3: expected 8 fields"));
    EXPECT_THAT(refusal(head + "5,0,ACT,0,0,,,\n"), HasSubstr("line 3: got '', expected a number"));
    EXPECT_EQ("", refusal(head + "5,0,ACT,0,0,3,,\n5,1,REF,,,,,\n"));
}

/// HBM2's rules, as in configs/gpus/dram_hbm2.yaml, with refreshes often enough for a short trace.
DramConfig hbm2() {
    DramConfig config;
    config.bank_groups = 4;
    config.t_ccd_l_cycles = 4;
    config.t_rrd_cycles = 2;
    config.t_faw_cycles = 13;
    config.t_wtr_cycles = 6;
    config.t_refi_cycles = 800;
    return config;
}

/// Requests to few rows of all banks, in bursts.
std::vector<DramRequest> random_requests(std::size_t count) {
    std::mt19937 random(20);
    std::vector<DramRequest> requests;
    Cycle at = 0;
    for (std::size_t i = 0; i < count; ++i) {
        at += random() % 8 == 0 ? random() % 60 : 0;
        requests.push_back({at, random() % (1U << 18U) & ~Address{31}, random() % 3 == 0});
    }
    return requests;
}

/// Commands that one of the model's cores logs, written to a file and read back.
struct LoggedTrace {
    using Core = std::function<void(DramCommandLog&)>;
    LoggedTrace(const DramConfig& config, const Core& core) {
        const std::string file = testing::TempDir() + "jedec_" + std::to_string(getpid()) + ".csv";
        DramTraceFile recorder(file);
        DramCommandLog log(recorder, config, 32, [] {});
        core(log);
        recorder.finish();
        std::ifstream in(file);
        JedecTraceReader reader(in);
        parameters = reader.parameters();
        while (const auto next = reader.next()) commands.push_back(*next);
        std::filesystem::remove(file);
    }
    JedecParameters parameters;
    Trace commands;
};

/// Commands of the scheduler of the approximately-timed channel.
LoggedTrace scheduled_trace() {
    return {hbm2(),
            [](DramCommandLog& log) { (void)scheduled(hbm2(), random_requests(20'000), &log); }};
}

TEST(JedecChecker, FindsNothingInTheCommandsOfTheScheduler) {
    const LoggedTrace trace = scheduled_trace();
    const JedecChecker checker = checked(trace.parameters, trace.commands);
    for (const JedecViolation& violation : checker.first()) ADD_FAILURE() << violation.text();
    EXPECT_GT(checker.commands(), 30'000U);
    // Every rule was put to the test.
    for (const char* rule : {"tRCD", "tRP", "tRAS", "tRC", "tCCD_S", "tCCD_L", "tRRD_S", "tRRD_L",
                             "tFAW", "tRTP", "tWR", "tWTR_S", "tWTR_L", "read_to_write", "data_bus",
                             "tREFI", "tRFC", "open_row", "closed_bank"}) {
        EXPECT_EQ(1U, checker.checks().count(rule)) << rule;
    }
}

// The loosely-timed core returns a request's time before it has seen later ones. A request that
// joins a row late is served after the row was closed, and a burst may begin in the last cycle of
// the one before.
TEST(JedecChecker, FindsTheKnownDeviationsOfTheLooselyTimedCore) {
    const DramConfig config;
    std::vector<DramAnswer> answers;
    const LoggedTrace trace(config, [&](DramCommandLog& log) {
        answers = reserved(config, random_requests(20'000), &log);
    });
    const JedecChecker checker = checked(trace.parameters, trace.commands);
    std::map<std::string, std::uint64_t> broken = checker.violations();
    EXPECT_EQ(3U, broken.size());
    EXPECT_THAT(broken["data_bus"], testing::AllOf(testing::Gt(0U), testing::Lt(4'000U)));
    EXPECT_THAT(broken["open_row"], testing::AllOf(testing::Gt(0U), testing::Lt(1'000U)));
    EXPECT_THAT(broken["tRCD"], testing::AllOf(testing::Gt(0U), testing::Lt(400U)));
    for (const JedecViolation& violation : checker.first()) {
        if (violation.rule != "data_bus") continue;
        EXPECT_EQ(violation.command.cycle + 1, violation.earliest);
    }
    const auto activations =
        std::count_if(trace.commands.begin(), trace.commands.end(),
                      [](const JedecCommand& next) { return next.kind == Kind::kActivate; });
    const auto opened = std::count_if(answers.begin(), answers.end(), [](const DramAnswer& answer) {
        return answer.row != RowOutcome::kHit;
    });
    EXPECT_EQ(opened, activations);
}

/// Distance from a command to a later one, as far as the rule compares the two.
struct PlantedRule {
    const char* name;
    std::uint64_t distance;
    std::function<bool(const JedecCommand& before, const JedecCommand& after)> compares;
    std::size_t nth_before = 1;  ///< number of the earlier command, counted backwards
};

std::vector<PlantedRule> planted_rules(const JedecParameters& p) {
    const auto kinds = [](Kind first, Kind second) {
        return [=](const JedecCommand& a, const JedecCommand& b) {
            return a.kind == first && b.kind == second;
        };
    };
    const auto in_bank = [&](Kind first, Kind second) {
        return [=](const JedecCommand& a, const JedecCommand& b) {
            return a.kind == first && b.kind == second && a.bank == b.bank;
        };
    };
    const auto is_column = [](const JedecCommand& a) {
        return a.kind == Kind::kRead || a.kind == Kind::kWrite;
    };
    const auto groups = [](auto matches, bool same) {
        return [=](const JedecCommand& a, const JedecCommand& b) {
            return matches(a, b) && (a.bank_group == b.bank_group) == same;
        };
    };
    const auto columns = [=](const JedecCommand& a, const JedecCommand& b) {
        return is_column(a) && is_column(b);
    };
    const std::uint64_t written = p.need("tCWL") + p.need("burst");
    const auto activations = kinds(Kind::kActivate, Kind::kActivate);
    const auto write_read = kinds(Kind::kWrite, Kind::kRead);
    return {
        {"tRCD", p.need("tRCD"), in_bank(Kind::kActivate, Kind::kRead)},
        {"tRP", p.need("tRP"), in_bank(Kind::kPrecharge, Kind::kActivate)},
        {"tRAS", p.need("tRAS"), in_bank(Kind::kActivate, Kind::kPrecharge)},
        {"tRC", p.need("tRC"), in_bank(Kind::kActivate, Kind::kActivate)},
        {"tCCD_S", p.need("tCCD_S"), groups(columns, false)},
        {"tCCD_L", p.need("tCCD_L"), groups(columns, true)},
        {"tRRD_S", p.need("tRRD_S"), groups(activations, false)},
        {"tRRD_L", p.need("tRRD_L"), groups(activations, true)},
        {"tFAW", p.need("tFAW"), activations, 4},
        {"tRTP", p.need("tRTP"), in_bank(Kind::kRead, Kind::kPrecharge)},
        {"tWR", written + p.need("tWR"), in_bank(Kind::kWrite, Kind::kPrecharge)},
        {"tWTR_S", written + p.need("tWTR_S"), groups(write_read, false)},
        {"tWTR_L", written + p.need("tWTR_L"), groups(write_read, true)},
        {"read_to_write", p.need("tCL") + p.need("burst") + p.need("bus_turn") - p.need("tCWL"),
         kinds(Kind::kRead, Kind::kWrite)},
        {"tRFC", p.need("tRFC"), kinds(Kind::kRefresh, Kind::kActivate)},
        {"tREFI", p.need("tREFI"), kinds(Kind::kRefresh, Kind::kRefresh)},
    };
}

/// Moves the first command from `from` on that the rule compares with an earlier one to a cycle
/// that breaks the rule by one. Returns false if there is none.
bool plant(const PlantedRule& rule, std::size_t from, Trace& trace) {
    const bool later = std::string(rule.name) == "tREFI";
    for (std::size_t i = from; i < trace.size(); ++i) {
        std::size_t found = 0;
        for (std::size_t back = i; back-- > 0 && i - back < 2000;) {
            if (!rule.compares(trace[back], trace[i]) || ++found < rule.nth_before) continue;
            JedecCommand moved = trace[i];
            moved.cycle = trace[back].cycle + rule.distance + (later ? 1 : -1);
            trace.erase(trace.begin() + static_cast<std::ptrdiff_t>(i));
            const auto place = std::upper_bound(
                trace.begin(), trace.end(), moved.cycle,
                [](std::uint64_t at, const JedecCommand& other) { return at < other.cycle; });
            trace.insert(place, moved);
            return true;
        }
    }
    return false;
}

TEST(JedecChecker, FindsFortyPlantedErrors) {
    const LoggedTrace clean = scheduled_trace();
    const std::vector<PlantedRule> rules = planted_rules(clean.parameters);
    constexpr std::uint32_t kSeed = 40;
    std::mt19937 random(kSeed);
    std::map<std::string, int> planted;
    for (int i = 0; i < 40; ++i) {
        const PlantedRule& rule = rules[i < 16 ? i : random() % rules.size()];
        Trace trace = clean.commands;
        ASSERT_TRUE(plant(rule, random() % (trace.size() * 9 / 10), trace)) << rule.name;
        ++planted[rule.name];
        EXPECT_EQ(1U, checked(clean.parameters, trace).violations().count(rule.name))
            << rule.name << ", error " << i << " of seed " << kSeed;
    }
    EXPECT_EQ(rules.size(), planted.size());
}

}  // namespace
}  // namespace tessera::test
