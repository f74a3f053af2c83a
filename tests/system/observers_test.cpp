// Do waveform and timeline agree with the statistics of the run they watched?
#include "sc_models/run/observers.h"

#include <gmock/gmock.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/duplo/hit_class.h"
#include "sc_models/run/simulation.h"
#include "sc_models/sm/stall_reason.h"
#include "tests/support/saved_view.h"
#include "tests/support/trace_events.h"
#include "tests/support/vcd_reader.h"

namespace tessera {
namespace {

using ::testing::IsEmpty;

const std::string kViews = TESSERA_SOURCE_DIR "/waveforms/";

class ObserversTest : public ::testing::Test {
protected:
    void TearDown() override {
        std::filesystem::remove(options_.wave_file);
        std::filesystem::remove(options_.timeline_file);
    }

    /// Six CTAs of a layer on two SMs, watched as `options_` say.
    void run() {
        run({"duplo_titan_v", "duplo_paper", "resnet.C2"},
            {"gpu.sms=2", "workload.tiling.cta_limit=6", "duplo.zero_rule=on"});
    }
    void run(std::initializer_list<const char*> configs, std::initializer_list<const char*> sets) {
        const ConfigCatalog catalog;
        ConfigSource source;
        for (const char* config : configs) catalog.add_to(source, config);
        for (const char* set : sets) source.add_set(set);
        source.add_set("statistics.full_detail=true");
        config_ = load_config(source);
        ObserverSet observers(options_, config_);
        simulation_ = std::make_unique<Simulation>(config_, observers.get());
        observers.finish_elaboration();
        report_ = simulation_->run();
        observers.finish();
        ASSERT_TRUE(report_.good());
        files_ = observers.files();
    }
    /// A counter of the first SM, over all kernels.
    [[nodiscard]] std::uint64_t counter(const std::string& path) const {
        std::uint64_t sum = 0;
        for (const KernelReport& kernel : report_.kernels) {
            const nlohmann::ordered_json::json_pointer pointer("/sm[0]/" + path);
            sum += kernel.statistics.at(pointer).get<std::uint64_t>();
        }
        return sum;
    }
    [[nodiscard]] test::VcdFile wave() const {
        return test::VcdFile::read(options_.wave_file, ClockDomain(config_.gpu.core_clock_mhz));
    }
    [[nodiscard]] test::TraceTracks tracks() const {
        std::ifstream in(options_.timeline_file);
        return test::read_tracks(nlohmann::json::parse(in));
    }

    const std::string stem_ = ::testing::TempDir() + "observers_" + std::to_string(getpid());
    ObserverOptions options_;
    Config config_;
    std::unique_ptr<Simulation> simulation_;
    RunReport report_;
    std::vector<std::string> files_;
};

TEST_F(ObserversTest, TheWaveformAgreesWithTheStatistics) {
    options_.wave_file = stem_ + ".vcd";
    run();
    const auto vcd = wave();
    Cycle end = 0;
    for (const KernelReport& kernel : report_.kernels) end += kernel.result.cycles;
    ASSERT_LE(vcd.first, end);

    for (int i = 0; i < 4; ++i) {
        const std::string sub_core = "sub_core" + std::to_string(i);
        SCOPED_TRACE(sub_core);
        const std::string group = "sub_core[" + std::to_string(i) + "]/";
        EXPECT_GT(counter(group + "issued"), 0U);
        EXPECT_EQ(vcd["sm0." + sub_core + ".issue"].cycles_at(1, 0, end),
                  counter(group + "issued"));
        for (std::size_t kind = 0; kind < kStallReasons; ++kind) {
            const std::string name(kStallReasonText[kind].name);
            EXPECT_EQ(vcd["sm0." + sub_core + ".stall_reason"].cycles_at(kind, 0, end),
                      counter(group + name))
                << name;
        }
        EXPECT_EQ(vcd["sm0.tensor" + std::to_string(i) + ".busy"].cycles_at(1, 0, end),
                  counter(group + "tensor/busy_cycles"));
        EXPECT_EQ(vcd["sm0." + sub_core + ".resident_warps"].changes.back().value, 0U);
    }

    constexpr Cycle kAlways = Cycle{1} << 40;
    EXPECT_EQ(vcd["sm0.ldst.busy"].cycles_at(1, 0, kAlways), counter("ldst/busy_cycles"));
    std::uint64_t hits = 0;
    for (const char* name : {"octet_copy", "same_address_same_warp", "same_address_other_warp",
                             "lowering_same_warp", "lowering_other_warp"}) {
        hits += counter(std::string("ldst/detection/hits_") + name);
    }
    EXPECT_GT(hits, 0U);
    EXPECT_EQ(vcd["sm0.lhb.hits"].sum(0, kAlways), hits);
    EXPECT_EQ(vcd["sm0.lhb.misses"].sum(0, kAlways), counter("ldst/detection/misses"));
    EXPECT_EQ(vcd["sm0.detection.lookups"].sum(0, kAlways), counter("ldst/detection/lookups"));
    EXPECT_EQ(vcd["sm0.detection.zeros"].sum(0, kAlways), counter("ldst/detection/hits_zero"));
    EXPECT_EQ(vcd["sm0.l1.hits"].sum(0, kAlways), counter("l1/read_hits"));
    EXPECT_EQ(vcd["sm0.l1.pending_hits"].sum(0, kAlways), counter("l1/read_pending_hits"));
    EXPECT_EQ(vcd["sm0.l1.misses"].sum(0, kAlways), counter("l1/read_misses"));
    EXPECT_GT(counter("l1/read_misses"), 0U);
    EXPECT_EQ(vcd["sm0.l1.mshr_occupancy"].changes.back().value, 0U);
}

TEST_F(ObserversTest, SpansNestAndAgreeWithTheStatistics) {
    options_.timeline_file = stem_ + ".json";
    options_.scope = "*";
    run();
    const auto all = tracks();
    EXPECT_THAT(test::partial_overlaps(all), IsEmpty());
    const auto total = [&](const std::string& track, const std::string& name) {
        Cycle cycles = 0;
        for (const auto& span : all.at(track)) {
            if (span.name == name) cycles += span.end - span.begin;
        }
        return cycles;
    };
    EXPECT_EQ(total("SM 0/sub-core 1 issue", "stall_memory"), counter("sub_core[1]/stall_memory"));
    EXPECT_EQ(total("SM 0/sub-core 1 tensor", "mma"), counter("sub_core[1]/tensor/busy_cycles"));
    std::size_t ctas = 0;
    for (const auto& [track, spans] : all) {
        if (track.find("/CTA slot") != std::string::npos) ctas += spans.size();
    }
    std::size_t expected = 0;
    for (const KernelReport& kernel : report_.kernels) expected += kernel.result.ctas;
    EXPECT_EQ(ctas, expected);
}

/// Each read of DRAM is the end of one flow that passes all levels in their order.
TEST_F(ObserversTest, AnAccessIsOneFlowInTheTimeline) {
    options_.timeline_file = stem_ + ".json";
    run();
    std::ifstream in(options_.timeline_file);
    const auto trace = nlohmann::json::parse(in);
    std::map<std::uint64_t, std::string> row_of_thread;
    for (const auto& event : trace.at("traceEvents")) {
        if (event.at("name") == "thread_name") {
            row_of_thread[event.at("tid")] = event.at("args").at("name");
        }
    }
    struct Flow {
        std::map<std::string, Cycle> first;  ///< by row
        std::size_t begins = 0;
    };
    std::map<std::uint64_t, Flow> flows;
    for (const auto& event : trace.at("traceEvents")) {
        const std::string kind = event.at("ph");
        if (kind != "s" && kind != "t") continue;
        Flow& flow = flows[event.at("id")];
        flow.begins += kind == "s" ? 1 : 0;
        const Cycle at = event.at("ts");
        const auto [known, added] = flow.first.emplace(row_of_thread.at(event.at("tid")), at);
        if (!added) known->second = std::min(known->second, at);
    }
    std::size_t whole = 0, in_order = 0;
    for (const auto& [id, flow] : flows) {
        EXPECT_EQ(1U, flow.begins) << id;
        EXPECT_EQ(0U, id >> 32U) << "the scope is SM 0";
        if (flow.first.size() < 5) continue;
        ++whole;
        in_order += flow.first.at("access: LDST unit") <= flow.first.at("access: L1") &&
                    flow.first.at("access: L1") <= flow.first.at("access: network") &&
                    flow.first.at("access: network") <= flow.first.at("access: L2") &&
                    flow.first.at("access: L2") <= flow.first.at("access: DRAM");
    }
    EXPECT_GT(flows.size(), whole);
    EXPECT_GT(whole, 20U);
    EXPECT_EQ(in_order, whole);
}

TEST_F(ObserversTest, WindowAndScopeHoldForBoth) {
    options_.wave_file = stem_ + ".vcd";
    options_.timeline_file = stem_ + ".json";
    options_.window = {1000, 1500};
    options_.scope = "sm1.ldst";
    run();
    EXPECT_EQ(files_.size(), 2U);
    const auto vcd = wave();
    EXPECT_EQ(vcd.first, 1000U);
    EXPECT_LE(vcd.last, 1500U);
    for (const auto& [name, signal] : vcd.signals) {
        EXPECT_TRUE(name == "cycle" || name.substr(0, 9) == "sm1.ldst.") << name;
    }
    for (const auto& [track, spans] : tracks()) {
        EXPECT_EQ(track.substr(0, 5), "SM 1/");
        for (const auto& span : spans) {
            EXPECT_GE(span.begin, 1000U);
            EXPECT_LE(span.end, 1500U);
        }
    }
}

TEST_F(ObserversTest, EverySignalOfTheSavedViewIsThere) {
    options_.wave_file = stem_ + ".vcd";
    run();
    const auto vcd = wave();
    auto view = test::SavedView::read(kViews + "sm.gtkw");
    EXPECT_FALSE(view.groups.empty());
    EXPECT_FALSE(view.signals.empty());
    EXPECT_THAT(view.missing_in(vcd), IsEmpty());
    for (const std::string& filter : view.filters) {
        EXPECT_FALSE(test::read_filter(kViews + filter).empty()) << filter;
    }
    view.signals = {"sm0.ldst.busy", "sm0.ldst.busy[1:0]", "sm0.ldst.opcode[5:0]", "sm0.nothing"};
    EXPECT_EQ(view.missing_in(vcd).size(), 3U) << "the check itself finds what is wrong";
}

TEST_F(ObserversTest, MemoryViewShowsTheWayOfMisses) {
    options_.wave_file = stem_ + ".vcd";
    options_.scope = "sm0,memory";
    run();
    const auto vcd = wave();
    const auto view = test::SavedView::read(kViews + "memory.gtkw");
    EXPECT_FALSE(view.signals.empty());
    EXPECT_THAT(view.missing_in(vcd), IsEmpty());
    for (const char* name : {"sm0.l1.misses", "memory.crossbar.sm_0_request", "memory.l2_0.misses",
                             "memory.dram_0.data_bus"}) {
        EXPECT_GT(vcd[name].sum(vcd.first, vcd.last), 0U) << name;
    }
}

TEST_F(ObserversTest, SpwmmaViewShowsTheSetsOfSparseTiles) {
    options_.wave_file = stem_ + ".vcd";
    run({"dual_side_v100", "dual_side_ideal"},
        {"gpu.sms=1", "tensor_core.spwmma.accumulation=count", "workload.gemm.m=128",
         "workload.gemm.n=256", "workload.gemm.k=64", "workload.sparse.a.sparsity=0.4",
         "workload.sparse.b.sparsity=0.6"});
    const auto vcd = wave();
    const auto view = test::SavedView::read(kViews + "spwmma.gtkw");
    EXPECT_FALSE(view.signals.empty());
    EXPECT_THAT(view.missing_in(vcd), IsEmpty());
    const test::VcdSignal& ohmmas = vcd["sm0.tensor0.ohmmas"];
    const Cycle idle = ohmmas.cycles_at(0, vcd.first, vcd.last);
    EXPECT_EQ(vcd.last - vcd.first - idle, counter("sub_core[0]/tensor/ohmma_cycles"))
        << "one OHMMA a cycle, each shown in its set";
    EXPECT_EQ(vcd["sm0.tensor0.swap"].sum(vcd.first, vcd.last),
              counter("sub_core[0]/tensor/swap_cycles"));
    for (const auto& change : ohmmas.changes) {
        const std::uint64_t predicates = vcd["sm0.tensor0.predicates"].at(change.at);
        EXPECT_EQ(change.value, static_cast<std::uint64_t>(__builtin_popcountll(predicates)));
    }
}

TEST(SavedViews, LabelsAreThoseOfTheModel) {
    const auto label = [](const char* file, auto value) {
        return test::read_filter(kViews + file).at(static_cast<std::uint64_t>(value));
    };
    for (std::size_t kind = 0; kind < kStallReasons; ++kind) {
        std::string name(kStallReasonText[kind].name);
        if (name.rfind("stall_", 0) == 0) name.erase(0, 6);
        std::replace(name.begin(), name.end(), '_', ' ');
        EXPECT_EQ(label("stall_reason.txt", kind), name);
    }
    EXPECT_EQ(test::read_filter(kViews + "stall_reason.txt").size(), kStallReasons);
    EXPECT_EQ(label("opcode.txt", Opcode::kAlu), "alu");
    EXPECT_EQ(label("opcode.txt", Opcode::kLoadFragment), "wmma.load");
    EXPECT_EQ(label("opcode.txt", Opcode::kMma), "wmma.mma");
    EXPECT_EQ(label("opcode.txt", Opcode::kLoadGlobal), "ldg");
    EXPECT_EQ(label("opcode.txt", Opcode::kStoreGlobal), "stg");
    EXPECT_EQ(label("opcode.txt", Opcode::kLoadShared), "lds");
    EXPECT_EQ(label("opcode.txt", Opcode::kStoreShared), "sts");
    EXPECT_EQ(label("opcode.txt", Opcode::kBarrier), "bar");
    EXPECT_EQ(label("opcode.txt", Opcode::kExit), "exit");
    EXPECT_EQ(label("opcode.txt", Opcode::kSparseMma), "spwmma");
    EXPECT_EQ(label("opcode.txt", Opcode::kSparseFlush), "flush");
    EXPECT_EQ(label("opcode.txt", Opcode::kLoadPieces), "lds.pieces");
    EXPECT_EQ(label("opcode.txt", Opcode::kLoadGathered), "lds.gathered");
    EXPECT_EQ(label("opcode.txt", Opcode::kFloats), "floats");
    EXPECT_EQ(label("fragment.txt", FragmentRole::kA), "A");
    EXPECT_EQ(label("fragment.txt", FragmentRole::kB), "B");
    EXPECT_EQ(label("fragment.txt", FragmentRole::kAccumulator), "accumulator");
    EXPECT_EQ(label("hit_class.txt", HitClass::kOctetCopy), "octet copy");
    EXPECT_EQ(label("hit_class.txt", HitClass::kSameAddressSameWarp), "address, same warp");
    EXPECT_EQ(label("hit_class.txt", HitClass::kSameAddressOtherWarp), "address, other warp");
    EXPECT_EQ(label("hit_class.txt", HitClass::kLoweringDuplicateSameWarp), "lowering, same warp");
    EXPECT_EQ(label("hit_class.txt", HitClass::kLoweringDuplicateOtherWarp),
              "lowering, other warp");
}

TEST(ObserverSet, NothingAskedForIsNothingMade) {
    const ObserverOptions nothing;
    const ObserverSet none(nothing, Config());
    EXPECT_EQ(none.get().blocks.wave, nullptr);
    EXPECT_EQ(none.get().blocks.timeline, nullptr);
    EXPECT_THAT(none.get().listeners, IsEmpty());
    EXPECT_THAT(none.files(), IsEmpty());
}

}  // namespace
}  // namespace tessera
