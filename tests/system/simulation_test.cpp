// Does every combination of workload and mechanism finish, conserve, and give the right output?
#include "sc_models/run/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sc_models/common/error.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/gpu/memory_system_lt.h"
#include "sc_models/run/run_files.h"
#include "sc_models/run/run_page.h"
#include "tests/support/in_child.h"
#include "tests/support/script_kernel.h"
#include "tests/support/small_runs.h"

namespace tessera {
namespace {

using test::NamedWorkload;
using test::small_machine;
using test::small_workloads;
using testing::HasSubstr;
using testing::IsEmpty;

struct Mechanism {
    const char* name;
    std::function<void(DuploConfig&)> set;
};

/// Duplo as the paper has it, and every way to change it.
const std::vector<Mechanism>& mechanisms() {
    static const std::vector<Mechanism> kAll = {
        {"off", [](DuploConfig& d) { d.enabled = false; }},
        {"paper", [](DuploConfig&) {}},
        {"buildable",
         [](DuploConfig& d) {
             d.granularity = Granularity::kTile16;
             d.octet_copies = 1;
             d.scope = Scope::kSubCore;
             d.lhb_fold = true;
         }},
        {"in_flight", [](DuploConfig& d) { d.lifetime = Lifetime::kInFlight; }},
        {"until_reused",
         [](DuploConfig& d) {
             d.lifetime = Lifetime::kUntilReused;
             d.spare_units = 32;
         }},
        {"forever", [](DuploConfig& d) { d.lifetime = Lifetime::kForever; }},
        {"lane", [](DuploConfig& d) { d.scope = Scope::kLane; }},
        {"warp", [](DuploConfig& d) { d.scope = Scope::kWarp; }},
        {"sub_core", [](DuploConfig& d) { d.scope = Scope::kSubCore; }},
        {"half_tile8", [](DuploConfig& d) { d.granularity = Granularity::kHalfTile8; }},
        {"one_octet_copy", [](DuploConfig& d) { d.octet_copies = 1; }},
        {"commit", [](DuploConfig& d) { d.release = ReleasePoint::kCommit; }},
        {"zero_rule", [](DuploConfig& d) { d.zero_rule = true; }},
        {"no_in_flight_hits", [](DuploConfig& d) { d.in_flight_hits = false; }},
        {"hit_frees_slot", [](DuploConfig& d) { d.hit_frees_slot = true; }},
        {"infinite", [](DuploConfig& d) { d.lhb_entries = DuploConfig::kInfiniteEntries; }},
        {"tiny_lhb",
         [](DuploConfig& d) {
             d.lhb_entries = 8;
             d.lhb_ways = 2;
             d.lhb_shift_bits = 0;
         }},
        {"everything",
         [](DuploConfig& d) {
             d.lifetime = Lifetime::kUntilReused;
             d.spare_units = 5;
             d.release = ReleasePoint::kCommit;
             d.granularity = Granularity::kHalfTile8;
             d.scope = Scope::kSubCore;
             d.zero_rule = d.hit_frees_slot = d.lhb_fold = true;
             d.lhb_entries = 64;
             d.lhb_ways = 4;
         }},
    };
    return kAll;
}

Config config_of(const NamedWorkload& workload, const Mechanism& mechanism) {
    Config config = small_machine(workload);
    config.duplo.enabled = true;
    mechanism.set(config.duplo);
    return config;
}

std::uint64_t number(const nlohmann::ordered_json& statistics, const char* path) {
    return statistics.at(nlohmann::ordered_json::json_pointer(path)).get<std::uint64_t>();
}

/// Checks the invariants of every complete run.
void expect_consistent(const Config& config, const RunReport& report, const GemmKernel& gemm) {
    EXPECT_TRUE(report.complete);
    EXPECT_THAT(report.violations, IsEmpty());
    EXPECT_TRUE(report.verification.checked);
    EXPECT_GT(report.verification.outputs, 0U);
    EXPECT_EQ(report.verification.mismatches, 0U) << report.verification.first_mismatch;
    EXPECT_TRUE(report.good());
    for (const KernelReport& kernel : report.kernels) {
        const auto& s = kernel.statistics;
        // Every cycle of every sub-core is issued or stalled.
        std::uint64_t slots = 0;
        for (std::size_t kind = 0; kind < kStallReasons; ++kind) {
            const std::string name(kStallReasonText[kind].name);
            EXPECT_EQ(kernel.issue_slots[kind],
                      s.at("sm").at("sub_core").at(name).get<std::uint64_t>())
                << name;
            slots += kernel.issue_slots[kind];
        }
        EXPECT_EQ(slots, kernel.result.cycles * config.gpu.sms * config.sm.sub_cores);
        EXPECT_EQ(number(s, "/sm/ctas"), kernel.result.ctas);
        // Every access that enters a level is served there or below it.
        EXPECT_EQ(number(s, "/sm/l1/reads"), number(s, "/sm/l1/read_hits") +
                                                 number(s, "/sm/l1/read_pending_hits") +
                                                 number(s, "/sm/l1/read_misses"));
        EXPECT_EQ(number(s, "/memory/crossbar/read_bytes"),
                  number(s, "/memory/l2/reads") * config.l2.sector_bytes);
        EXPECT_EQ(number(s, "/memory/crossbar/read_responses"),
                  number(s, "/memory/crossbar/read_requests"));
        EXPECT_EQ(number(s, "/memory/l2/reads"), number(s, "/memory/l2/read_hits") +
                                                     number(s, "/memory/l2/read_pending_hits") +
                                                     number(s, "/memory/l2/read_misses"));
    }
    // The work is that of the tiles, less fragments wholly beyond M, whatever the mechanism.
    const auto& s = report.kernels.back().statistics;
    const TilingConfig& t = config.workload.tiling;
    std::uint64_t fragments = 0;
    for (std::uint32_t cta = 0; cta < gemm.info().ctas; ++cta) {
        const std::uint64_t left = gemm.operands().m - gemm.tile(CtaId(cta)).row;
        fragments +=
            ceil_div<std::uint64_t>(std::min<std::uint64_t>(left, t.cta_m), 16) * (t.cta_n / 16);
    }
    EXPECT_EQ(number(s, "/sm/sub_core/mmas"), fragments * (gemm.operands().k / 16));
    EXPECT_EQ(number(s, "/sm/ldst/value_mismatches"), 0U);
}

/// Every link is watched by a protocol checker, whose findings are violations of the run.
void set_timing(Config& config, Timing timing) {
    config.timing = timing;
    config.protocol_check = true;
}
std::string timing_name(Timing timing) {
    return timing == Timing::kApproximatelyTimed ? "at" : "lt";
}
const auto kBothTimings = testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed);

class Combination : public testing::TestWithParam<std::tuple<std::size_t, std::size_t, Timing>> {};

TEST_P(Combination, IsConsistentAndRight) {
    const NamedWorkload& workload = small_workloads()[std::get<0>(GetParam())];
    const Mechanism& mechanism = mechanisms()[std::get<1>(GetParam())];
    Config config = config_of(workload, mechanism);
    set_timing(config, std::get<2>(GetParam()));
    Simulation simulation(config, {});
    const RunReport report = simulation.run();
    expect_consistent(config, report, simulation.workload().gemm());
    if (!config.duplo.enabled) return;
    const auto& s = report.kernels.back().statistics;
    const bool convolution = config.workload.kind == WorkloadKind::kConvolution;
    EXPECT_EQ(number(s, "/sm/ldst/detection/loads") > 0, convolution) << "a product has no packet";
    // Every hit and every known zero was compared with memory.
    std::uint64_t hits = 0;
    for (const char* kind : {"octet_copy", "same_address_same_warp", "same_address_other_warp",
                             "lowering_same_warp", "lowering_other_warp", "zero"}) {
        hits += number(s, (std::string("/sm/ldst/detection/hits_") + kind).c_str());
    }
    EXPECT_EQ(number(s, "/sm/ldst/checked_hits"), hits);
}

INSTANTIATE_TEST_SUITE_P(Duplo, Combination,
                         testing::Combine(testing::Range<std::size_t>(0, small_workloads().size()),
                                          testing::Range<std::size_t>(0, mechanisms().size()),
                                          kBothTimings),
                         [](const auto& param) {
                             return std::string(small_workloads()[std::get<0>(param.param)].name) +
                                    "_" + mechanisms()[std::get<1>(param.param)].name + "_" +
                                    timing_name(std::get<2>(param.param));
                         });

/// Machines and kernels of other shapes, Duplo on.
struct Shape {
    const char* name;
    std::function<void(Config&)> set;
};
const std::vector<Shape>& shapes() {
    static const std::vector<Shape> kAll = {
        {"one_warp_ctas",
         [](Config& c) {
             TilingConfig& t = c.workload.tiling;
             t.cta_m = t.cta_n = t.warp_m = t.warp_n = 32;
         }},
        {"three_warp_ctas",
         [](Config& c) { c.workload.tiling.cta_m = 96, c.workload.tiling.warp_n = 32; }},
        {"one_fragment_warps",
         [](Config& c) { c.workload.tiling.warp_m = c.workload.tiling.warp_n = 16; }},
        {"one_buffer", [](Config& c) { c.workload.tiling.fragment_buffers = 1; }},
        {"four_buffers", [](Config& c) { c.workload.tiling.fragment_buffers = 4; }},
        {"m_fastest", [](Config& c) { c.workload.tiling.raster = RasterOrder::kMFastest; }},
        {"neighbours_together",
         [](Config& c) { c.workload.tiling.warp_map = WarpMap::kNNeighboursTogether; }},
        {"one_cta_an_sm", [](Config& c) { c.workload.tiling.ctas_per_sm = 1; }},
        {"limited", [](Config& c) { c.workload.tiling.cta_limit = 2; }},
        {"functional_im2col", [](Config& c) { c.workload.im2col = Im2colMode::kFunctional; }},
        {"round_robin",
         [](Config& c) {
             c.sm.scheduler = SchedulerPolicy::kLooseRoundRobin;
             c.ldst.arbitration = LdstArbitration::kRoundRobin;
         }},
        {"one_sub_core", [](Config& c) { c.sm.sub_cores = 1; }},
        {"octets_apart", [](Config& c) { c.ldst.octet_l1_accesses = 2; }},
        {"one_miss_register", [](Config& c) { c.l1.mshr_entries = c.l2.mshr_entries = 1; }},
        {"one_fifo_of_requests", [](Config& c) { c.noc.queueing = NocQueueing::kFifo; }},
        {"short_queues",
         [](Config& c) {
             c.l1.request_queue_entries = c.l1.miss_queue_entries = 1;
             c.noc.request_queue_entries = c.noc.response_queue_entries = 1;
             c.l2.request_queue_entries = c.l2.response_queue_entries = 1;
             c.l2.miss_queue_entries = 8;
             c.dram.queue_entries = 1;
         }},
        {"immediate_launch", [](Config& c) { c.gpu.cta_launch_cycles = 0; }},
        {"relu",
         [](Config& c) { c.workload.activations = c.workload.weights = ValuePattern::kRelu; }},
    };
    return kAll;
}

class MachineShape : public testing::TestWithParam<std::tuple<std::size_t, Timing>> {};

TEST_P(MachineShape, IsConsistentAndRight) {
    Config config = small_machine(small_workloads()[0]);
    config.duplo.enabled = true;
    shapes()[std::get<0>(GetParam())].set(config);
    set_timing(config, std::get<1>(GetParam()));
    Simulation simulation(config, {});
    expect_consistent(config, simulation.run(), simulation.workload().gemm());
}

INSTANTIATE_TEST_SUITE_P(Shapes, MachineShape,
                         testing::Combine(testing::Range<std::size_t>(0, shapes().size()),
                                          kBothTimings),
                         [](const auto& param) {
                             return std::string(shapes()[std::get<0>(param.param)].name) + "_" +
                                    timing_name(std::get<1>(param.param));
                         });

// The checks can fail.

class WrongFormula : public testing::TestWithParam<IdFormula> {};

TEST_P(WrongFormula, IsCaughtByTheValues) {
    Config config = small_machine(small_workloads()[2]);
    config.duplo.enabled = true;
    config.duplo.id_formula = GetParam();
    const RunReport report = Simulation(config, {}).run();
    EXPECT_TRUE(report.complete);
    EXPECT_FALSE(report.good());
    EXPECT_THAT(
        report.violations,
        testing::Contains(HasSubstr("LHB hits named a register with other data: address 0x")));
    EXPECT_GT(report.verification.mismatches, 0U);
}

INSTANTIATE_TEST_SUITE_P(Formulas, WrongFormula,
                         testing::Values(IdFormula::kPaper, IdFormula::kNotes));

TEST(IssueSlotCheck, NoticesAMissingCycle) {
    const test::ScriptKernel kernel(test::Script{test::mma(16, 0, 8)});
    struct Listener : CtaListener {
        void on_cta_done(SmId, Cycle) override {}
    } listener;
    const Config config = test::one_sm();
    const ClockDomain clock(config.gpu.core_clock_mhz);
    StatGroup statistics("gpu");
    MachineParts parts(config, statistics);
    StreamingMultiprocessor sm("sm", SmId(0),
                               {config.sm, config.ldst, config.l1, config.tlb, config.l2.line_bytes,
                                config.gpu.quantum_cycles, config.values},
                               {clock, listener, parts, statistics.child("sm"), {}});
    MemorySystemLt memory(
        "memory", {1, config.noc, config.l2, config.dram, false, statistics.child("memory"), {}},
        clock);
    sm.to_memory().bind(memory.socket(SmId(0)));
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    sm.start_kernel(kernel, 1, 0);
    sm.launch(CtaId(0), 20);
    sm.schedule();
    EXPECT_FALSE(sm.idle());
    sc_core::sc_start();
    EXPECT_TRUE(sm.idle());
    const Cycle cycles = sm.last_activity();
    sm.account_until(cycles);
    std::vector<std::string> found;
    sm.check(cycles, found);
    EXPECT_THAT(found, IsEmpty());
    sm.check(cycles + 1, found);
    EXPECT_THAT(found, testing::ElementsAre("sm.sub_core0: issue slots sum to 53 of 54 cycles",
                                            "sm.sub_core1: issue slots sum to 53 of 54 cycles",
                                            "sm.sub_core2: issue slots sum to 53 of 54 cycles",
                                            "sm.sub_core3: issue slots sum to 53 of 54 cycles"));
}

TEST(Deadlock, NamesWhoWaitsForWhat) {
    const test::ScriptKernel kernel(
        std::vector<test::Script>{{test::barrier(1)}, {test::alu(5), test::barrier(2)}});
    test::ScriptMachine machine(test::one_sm());
    try {
        (void)machine.run(kernel);
        FAIL() << "no deadlock";
    } catch (const DeadlockError& error) {
        EXPECT_THAT(error.what(), HasSubstr("kernel script: 0 of 1 CTAs done at cycle 30"));
        EXPECT_THAT(error.what(),
                    HasSubstr("sub_core0: warp 0 of CTA slot 0 waits at barrier 1\n"));
        EXPECT_THAT(error.what(),
                    HasSubstr("sub_core1: warp 16 of CTA slot 0 waits at barrier 2\n"));
    }
}

TEST(Deadlock, ListIsCutShort) {
    std::vector<test::Script> warps;
    for (std::uint16_t w = 0; w < 48; ++w) warps.push_back({test::barrier(w % 16)});
    test::ScriptKernel kernel(warps);
    kernel.edit().registers_per_thread = 8;
    test::ScriptMachine machine(test::one_sm());
    try {
        (void)machine.run(kernel);
        FAIL() << "no deadlock";
    } catch (const DeadlockError& error) {
        EXPECT_THAT(error.what(), HasSubstr("... and 8 more\n"));
    }
}

TEST(ModelBug, EndsTheRunAsAnException) {
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL,
                                            sc_core::SC_THROW);  // as the program does
    struct Endless : test::ScriptKernel {
        using ScriptKernel::ScriptKernel;
        struct Nothing : WarpProgram {
            std::size_t fill(WarpInstruction* out, std::size_t) override {
                *out = test::alu();
                return std::exchange(left, std::size_t{0});
            }
            std::size_t left = 1;
        };
        std::unique_ptr<WarpProgram> program(CtaId, std::uint32_t) const override {
            return std::make_unique<Nothing>();
        }
    };
    const Endless kernel(test::Script{});
    test::ScriptMachine machine(test::one_sm());
    try {
        (void)machine.run(kernel);
        FAIL() << "nobody noticed";
    } catch (const sc_core::sc_report& report) {
        EXPECT_THAT(report.what(), HasSubstr("sub_core0: a warp program ended without an exit"));
    }
}

// Same in, same out.

std::string result_of(const Config& config) {
    return test::in_child([&] { return result_json(config, Simulation(config, {}).run()).dump(); });
}
std::string metrics_of(const Config& config) {
    return test::in_child([&] {
        const RunReport report = Simulation(config, {}).run();
        return report.good() ? report.metrics.dump() : "not good";
    });
}
std::string output_of(const Config& config) {
    return test::in_child([&] {
        Simulation simulation(config, {});
        (void)simulation.run();
        const MemoryRegion& d = simulation.workload().region("d");
        std::string bytes(d.bytes, 0);
        simulation.read_memory(d.base, bytes.data(), bytes.size());
        return bytes;
    });
}

TEST(Determinism, SameConfigurationSameBytes) {
    const Config config = config_of(small_workloads()[5], mechanisms()[1]);
    EXPECT_EQ(result_of(config), result_of(config));
}

TEST(Determinism, SeedChangesValuesAndNothingElse) {
    const Config one = config_of(small_workloads()[0], mechanisms()[1]);
    Config two = one;
    two.seed = 2;
    EXPECT_EQ(metrics_of(one), metrics_of(two));
    EXPECT_EQ(output_of(one), output_of(one));
    EXPECT_NE(output_of(one), output_of(two));
}

TEST(Determinism, MovingValuesCostsNoTime) {
    Config config = config_of(small_workloads()[0], mechanisms()[1]);
    const std::string with = metrics_of(config);
    config.values = false;
    EXPECT_EQ(with, metrics_of(config));
}

/// A miss or store waits for room in the queue to the crossbar. When there is some depends on
/// requests that a thread ahead of SystemC's time has not sent yet.
TEST(Determinism, ThreadsWaitForRoomBelowTheL1AsOneDoes) {
    setenv("TESSERA_TAKE_ALL_TURNS", "1", 1);
    Config config = config_of(small_workloads()[0], mechanisms()[0]);
    config.values = false;
    config.noc.request_bytes_per_cycle = 1;
    for (const std::uint32_t entries : {1U, 2U, 4U}) {
        config.l1.miss_queue_entries = entries;
        config.host.threads = 1;
        const std::string alone = metrics_of(config);
        config.host.threads = 3;
        EXPECT_EQ(metrics_of(config), alone) << entries << " entries";
    }
}

TEST(Determinism, DuploDoesNotChangeTheOutput) {
    const Config off = config_of(small_workloads()[2], mechanisms()[0]);
    const Config on = config_of(small_workloads()[2], mechanisms()[1]);
    EXPECT_EQ(output_of(off), output_of(on));
    EXPECT_NE(metrics_of(off), metrics_of(on));
}

TEST(Interrupt, EndsARunThatReportsIt) {
    struct Impatient : ProgressListener {
        void on_progress(const std::string&, std::uint32_t, std::uint32_t) override {
            request_interrupt();
        }
    } impatient;
    const Config config = config_of(small_workloads()[5], mechanisms()[1]);
    const RunReport report = Simulation(config, {}, &impatient).run();
    EXPECT_FALSE(report.complete);
    ASSERT_EQ(report.kernels.size(), 1U) << "the first kernel has more than one CTA";
    EXPECT_GT(report.kernels[0].result.ctas, 1U);
    EXPECT_FALSE(report.kernels[0].result.finished);
    EXPECT_FALSE(report.verification.checked);
    EXPECT_THAT(summary_text(config, report), HasSubstr("INTERRUPTED"));
}

/// A fault disturbs the pins of a block's RTL; this machine has none.
TEST(PlantedFault, ThatChangesNothingEndsTheRun) {
    Config config = config_of(small_workloads()[0], mechanisms()[1]);
    config.impl.fault = "id_generator:invert:0";
    Simulation simulation(config, {});
    try {
        (void)simulation.run();
        FAIL() << "nobody noticed";
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("expected a block for which the run has something to do"));
    }
}

class Sample : public testing::TestWithParam<bool> {};

/// 32 waves of a convolution's product behind the kernel that lowers its input. With values the
/// product reads what the other kernel wrote, which therefore runs in full.
TEST_P(Sample, LeavesOutCtasOfKernelsThatNoOtherReads) {
    Config config = small_machine(small_workloads()[0]);
    config.values = GetParam();
    config.sample.enabled = true;
    config.workload.layer.batch = 32;
    config.workload.layer.filters = 64;  // whole CTAs
    config.workload.layer.filter_height = config.workload.layer.filter_width = 1;
    config.workload.layer.pad = 0;
    config.workload.im2col = Im2colMode::kTimed;
    config.workload.tiling.ctas_per_sm = 1;
    const RunReport report = Simulation(config, {}).run();
    EXPECT_TRUE(report.good());
    ASSERT_EQ(report.kernels.size(), 2U);
    EXPECT_EQ(report.kernels[0].result.sample.has_value(), !config.values);
    const KernelResult& product = report.kernels[1].result;
    ASSERT_TRUE(product.sample.has_value());
    EXPECT_LT(product.sample->ctas, product.ctas);
    ASSERT_TRUE(report.metrics.contains("sampled_ctas"));
    EXPECT_EQ(report.metrics.at("sampled_ctas"), product.sample->ctas);
    const TilingConfig& tiling = config.workload.tiling;
    EXPECT_EQ(report.verification.outputs,
              config.values ? product.sample->ctas * tiling.cta_m * tiling.cta_n : 0);
}

INSTANTIATE_TEST_SUITE_P(Values, Sample, testing::Bool(),
                         [](const auto& param) { return param.param ? "on" : "off"; });

TEST(FullDetail, ListsEverySm) {
    Config config = config_of(small_workloads()[0], mechanisms()[1]);
    config.statistics.full_detail = true;
    const RunReport report = Simulation(config, {}).run();
    const auto& s = report.kernels.back().statistics;
    EXPECT_TRUE(s.contains("sm[0]") && s.contains("sm[1]") && !s.contains("sm"));
}

}  // namespace
}  // namespace tessera
