// Are the blocks of the paper mechanisms modules below their parents, and may a program have two
// machines?
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/cosim/rtl_support.h"
#include "sc_models/gpu/gpu.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/run/simulation.h"
#include "sc_models/tensor_core/matrix_units.h"
#include "tests/support/in_child.h"
#include "tests/support/small_runs.h"

namespace tessera {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Names = std::vector<std::string>;

/// Machine of these configurations and sets, with two SMs.
Config machine(const Names& configurations, const Names& sets) {
    const ConfigCatalog catalog;
    ConfigSource source;
    for (const std::string& name : configurations) catalog.add_to(source, name);
    source.add_set("gpu.sms=2");
    for (const std::string& set : sets) source.add_set(set);
    return load_config(source);
}

void add_modules(const std::vector<sc_core::sc_object*>& objects, std::set<std::string>& names) {
    for (const sc_core::sc_object* object : objects) {
        if (dynamic_cast<const sc_core::sc_module*>(object) == nullptr) continue;
        names.insert(object->name());
        add_modules(object->get_child_objects(), names);
    }
}

/// Names of all modules, found from the top of SystemC's object tree.
std::set<std::string> modules() {
    std::set<std::string> names;
    add_modules(sc_core::sc_get_top_level_objects(), names);
    return names;
}

int warnings() {
    return sc_core::sc_report_handler::get_count(sc_core::SC_WARNING) +
           sc_core::sc_report_handler::get_count(sc_core::SC_ERROR);
}

/// Blocks of the machine, by mechanism: names below an SM or the GPU.
const Names kDetection = {"sm1.ldst.detection", "sm1.ldst.detection.id_generator",
                          "sm1.ldst.detection.load_history_buffer",
                          "sm1.ldst.detection.rename_table"};
const Names kOuterProduct = {"sm1.tensor0.feop_array", "sm1.tensor0.accumulation_buffer"};
const Names kSparse = {"sm1.tensor0.bitmap_unit"};
const Names kOpportunistic = {"sm1.opportunistic", "sm1.opportunistic.precompute_table", "cluster0",
                              "cluster0.assign_table"};

struct Machine {
    const char* name;
    Names configurations, sets;
    std::vector<const Names*> has;
    bool rtl = false;
};

class Modules : public testing::TestWithParam<Machine> {
protected:
    /// State of a module as dump() prints it.
    static std::string state_of(const std::string& name) {
        const sc_core::sc_object* object = sc_core::sc_find_object(name.c_str());
        if (object == nullptr) return "no module";
        std::ostringstream text;
        object->dump(text);
        return text.str();
    }
};

TEST_P(Modules, StandBelowTheirParents) {
    const Machine& m = GetParam();
    if (m.rtl && !rtl_skipped().empty()) GTEST_SKIP() << rtl_skipped();
    const Simulation simulation(machine(m.configurations, m.sets), {});
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const std::set<std::string> all = modules();
    for (const char* name : {"gpu", "gpu.memory", "gpu.sm0", "gpu.sm1.ldst", "gpu.sm1.l1",
                             "gpu.sm1.sub_core0", "gpu.sm1.tensor0"}) {
        EXPECT_EQ(all.count(name), 1U) << name;
    }
    for (const Names* blocks : {&kDetection, &kOuterProduct, &kSparse, &kOpportunistic}) {
        const bool expected = std::find(m.has.begin(), m.has.end(), blocks) != m.has.end();
        for (const std::string& block : *blocks) {
            EXPECT_EQ(all.count("gpu." + block) == 1, expected) << block;
        }
    }
    EXPECT_EQ(warnings(), 0) << "reports of the SystemC kernel";
}

/// Each module prints its state by dump(), with the choice between model and RTL.
TEST_P(Modules, PrintTheirState) {
    const Machine& m = GetParam();
    if (m.rtl && !rtl_skipped().empty()) GTEST_SKIP() << rtl_skipped();
    const Simulation simulation(machine(m.configurations, m.sets), {});
    const std::string implementation = m.rtl ? "implementation = rtl" : "implementation = model";
    for (const Names* blocks : m.has) {
        for (const std::string& block : *blocks) {
            const std::string state = state_of("gpu." + block);
            EXPECT_THAT(state, HasSubstr("gpu." + block));
            if (block == "sm1.ldst.detection.load_history_buffer") {
                EXPECT_THAT(state, HasSubstr("entries = 0\n"));
                EXPECT_THAT(state, HasSubstr(implementation));
            }
            if (block == "sm1.tensor0.feop_array") {
                EXPECT_THAT(state, HasSubstr(m.rtl ? "implementation = clocked"
                                                   : "implementation = whole products"));
            }
        }
    }
}

const Names kLayer = {"resnet.C2"};
const Names kBatch = {"workload.layer.batch=1"};
const Names kLenet = {"gtx480_56sm", "lenet5.C1.forward"};

Names with(Names names, const Names& more) {
    names.insert(names.end(), more.begin(), more.end());
    return names;
}

const std::vector<Machine>& machines() {
    static const std::vector<Machine> kMachines = {
        {"baseline", kLayer, kBatch, {}},
        {"baseline_at", kLayer, with(kBatch, {"timing=at"}), {}},
        {"duplo", with(kLayer, {"duplo_paper"}), kBatch, {&kDetection}},
        {"duplo_at", with(kLayer, {"duplo_paper"}), with(kBatch, {"timing=at"}), {&kDetection}},
        {"outer_product",
         kLayer,
         with(kBatch, {"tensor_core.kind=outer_product"}),
         {&kOuterProduct}},
        {"dual_side", with(kLayer, {"dual_implicit_paper"}), kBatch, {&kOuterProduct, &kSparse}},
        {"opportunistic",
         kLenet,
         {"opportunistic.scheme=both", "opportunistic.cluster_sms=2"},
         {&kOpportunistic}},
        {"duplo_rtl",
         with(kLayer, {"duplo_rtl_pipe"}),
         with(kBatch,
              {"duplo.enabled=on", "impl.id_generator=rtl", "impl.load_history_buffer=rtl"}),
         {&kDetection},
         true},
        {"outer_product_rtl",
         kLayer,
         with(kBatch, {"tensor_core.kind=outer_product", "values=on", "impl.feop_array=rtl",
                       "impl.accumulation_buffer=rtl"}),
         {&kOuterProduct},
         true},
    };
    return kMachines;
}

INSTANTIATE_TEST_SUITE_P(, Modules, testing::ValuesIn(machines()),
                         [](const auto& one) { return std::string(one.param.name); });

struct Named : sc_core::sc_module {
    explicit Named(sc_core::sc_module_name name) : sc_module(name) {}
};

/// The check above counts what it is meant to count.
TEST(ModuleNames, ThatClashAreReported) {
    const Named first("twice");
    const Named second("twice");
    EXPECT_EQ(warnings(), 1);
}

/// A machine with a kernel of its own.
class OneMachine {
public:
    OneMachine(const char* name, const Config& config)
        : config_(config),
          workload_(make_workload(config_.workload, config_.seed, config_.values,
                                  PacketOptions{config_.duplo.enabled}, target_machine(config_))),
          gpu_(name, config_, statistics_, {}) {
        workload_->initialise([this](Address address, const void* data, std::size_t bytes) {
            gpu_.write_memory(address, data, bytes);
        });
    }
    [[nodiscard]] std::size_t kernels() const { return workload_->kernels().size(); }
    void start(std::size_t kernel) { gpu_.start(*workload_->kernels()[kernel]); }
    void finish() { EXPECT_TRUE(gpu_.finish().finished); }
    /// Statistics of all kernels, or what is wrong.
    std::string statistics() {
        Names wrong;
        gpu_.check(wrong);
        const VerificationReport verification =
            workload_->verify([this](Address address, void* data,
                                     std::size_t bytes) { gpu_.read_memory(address, data, bytes); },
                              config_.tensor_core.kind);
        if (!verification.passed()) wrong.push_back(verification.first_mismatch);
        return wrong.empty() ? statistics_.to_json(StatGroup::Detail::kFull).dump(1)
                             : wrong.front();
    }

private:
    Config config_;
    StatGroup statistics_{"gpu"};
    std::unique_ptr<Workload> workload_;
    Gpu gpu_;
};

class TwoMachines : public testing::TestWithParam<std::tuple<Timing, bool>> {
protected:
    [[nodiscard]] static Config config() {
        Config config = test::small_machine(test::small_workloads()[0]);
        config.timing = std::get<0>(GetParam());
        config.gpu.sms = 4;
        config.duplo.enabled = std::get<1>(GetParam());
        return config;
    }
};

/// Runs all kernels of the machines, each at the same time on all of them.
void run_together(const std::vector<OneMachine*>& machines) {
    for (std::size_t kernel = 0; kernel < machines.front()->kernels(); ++kernel) {
        for (OneMachine* machine : machines) machine->start(kernel);
        sc_core::sc_start();
        for (OneMachine* machine : machines) machine->finish();
    }
}

/// Both have the statistics that each would have alone in the program.
TEST_P(TwoMachines, OfOneProgramRunTogetherAsEachAlone) {
    const std::string alone = test::in_child([] {
        OneMachine machine("gpu", config());
        run_together({&machine});
        return machine.statistics();
    });
    ASSERT_THAT(alone.substr(0, 100), HasSubstr("memory"));
    OneMachine left("left", config());
    OneMachine right("right", config());
    const std::set<std::string> all = modules();
    for (const char* name : {"left.sm0.ldst", "right.sm0.ldst"}) EXPECT_EQ(all.count(name), 1U);
    EXPECT_EQ(all.count("right.sm0.ldst.detection"), config().duplo.enabled ? 1U : 0U);
    run_together({&left, &right});
    EXPECT_TRUE(left.statistics() == alone);
    EXPECT_TRUE(right.statistics() == alone);
    EXPECT_EQ(warnings(), 0);
}

/// The statistics of a machine that runs its kernels twice are other ones.
TEST_P(TwoMachines, DifferIfOneRunsMore) {
    OneMachine left("left", config());
    OneMachine right("right", config());
    run_together({&left, &right});
    run_together({&left});
    EXPECT_FALSE(left.statistics() == right.statistics());
}

INSTANTIATE_TEST_SUITE_P(
    , TwoMachines,
    testing::Combine(testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed),
                     testing::Bool()),
    [](const auto& one) {
        return std::string(std::get<0>(one.param) == Timing::kLooselyTimed ? "lt" : "at") +
               (std::get<1>(one.param) ? "_duplo" : "");
    });

/// A socket that nothing is bound to ends elaboration, with its name.
TEST(UnboundSockets, AreReportedByName) {
    const Config config;
    StatGroup statistics("pair");
    const ClockDomain clock(1000);
    const auto make = [&config] {
        return TensorCoreUnits{nullptr, std::make_unique<FedpUnit>(config.sm), nullptr};
    };
    const TensorCorePair pair("pair", make, clock, statistics);
    try {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        ADD_FAILURE() << "elaborated with a socket that nothing is bound to";
    } catch (const sc_core::sc_report& report) {
        EXPECT_THAT(report.what(), HasSubstr("pair.from_sub_core"));
    }
}

}  // namespace
}  // namespace tessera
