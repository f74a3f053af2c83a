// Is every event counted from its counters?
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sc_models/dual_side/dual_side_energy.h"
#include "sc_models/duplo/duplo_energy.h"
#include "sc_models/energy/energy_account.h"
#include "sc_models/opportunistic/opportunistic_energy.h"
#include "tests/unit/given_statistics.h"

namespace tessera {
namespace {

using Statistics = test::GivenStatistics;

/// Sets the statistics that every machine counts.
void set_machine(Statistics& s) {
    s.set("sm.sub_core.instructions", 1000);
    s.set("sm.sub_core.mmas", 100);
    s.set("sm.sub_core.stall_no_warp", 4 * 30000 + 3);
    s.set("sm.sub_core.hmma_cycles", 0);
    s.set("sm.sub_core.hmmas", 0);
    s.set("sm.sub_core.hmma_steps", 0);
    s.set("sm.ldst.instructions", 300);
    s.set("sm.ldst.shared_wavefronts", 50);
    s.set("sm.ldst.shared_store_wavefronts", 20);
    s.set("sm.ldst.a_rows", 3200);
    s.set("sm.ldst.a_rows_requested", 1600);
    s.set("sm.ldst.b_rows_requested", 800);
    s.set("sm.l1.reads", 2404);
    s.set("sm.l1.read_hits", 1000);
    s.set("sm.l1.read_pending_hits", 400);
    s.set("sm.l1.read_misses", 1004);
    s.set("sm.l1.bytes_read", 2404 * 32);
    s.set("sm.l1.bytes_written", 129);
    s.set("sm.l1.writes", 7);
    s.set("sm.l1.write_hits", 2);
    s.set("sm.l1.evictions", 9);
    s.set("memory.crossbar.read_requests", 500);
    s.set("memory.crossbar.write_acceptances", 6);
    s.set("memory.crossbar.read_bytes", 32 * 1004);
    s.set("memory.crossbar.write_bytes", 129);
    s.set("memory.l2.reads", 1004);
    s.set("memory.l2.read_hits", 600);
    s.set("memory.l2.read_pending_hits", 4);
    s.set("memory.l2.read_misses", 400);
    s.set("memory.l2.writes", 7);
    s.set("memory.l2.write_hits", 3);
    s.set("memory.l2.write_pending_hits", 1);
    s.set("memory.dram.reads", 400);
    s.set("memory.dram.bytes_read", 400 * 32);
    s.set("memory.dram.bytes_written", 11 * 32);
    s.set("memory.dram.row_conflicts", 13);
}

/// 100 loads of A in units of a row of one octet's copy: 3200, of which 70 % hit.
void set_detection(Statistics& s) {
    const std::string unit = "sm.ldst.detection.";
    s.set(unit + "loads", 100);
    s.set(unit + "lookups", 3100);
    s.set(unit + "misses", 860);
    s.set(unit + "hits_octet_copy", 1500);
    s.set(unit + "hits_same_address_same_warp", 0);
    s.set(unit + "hits_same_address_other_warp", 500);
    s.set(unit + "hits_lowering_same_warp", 40);
    s.set(unit + "hits_lowering_other_warp", 200);
    s.set(unit + "hits_zero", 0);
    for (const char* why : {"asleep", "batch_tail", "crossing", "off", "outside_workspace", "pitch",
                            "row_tail", "unaligned"}) {
        s.set(unit + "bypass_" + why, 0);
    }
    s.set(unit + "bypass_crossing", 100);
}

using Counted = std::map<std::string, std::uint64_t>;

Counted counted(const EnergyCounts& counts) {
    Counted found;
    for (const EnergyCount& one : counts.events) {
        const bool is_new = found.emplace(one.event->name, one.count).second;
        EXPECT_TRUE(is_new) << one.event->name << " is counted twice";
    }
    return found;
}

TEST(EnergyCounts, OfAMatrixProduct) {
    Statistics s;
    set_machine(s);
    const EnergyCounts counts = energy_counts(Config{}, s.root(), 5000);
    EXPECT_EQ(counts.core_clock_mhz, 1200U);
    EXPECT_EQ(counted(counts),
              (Counted{
                  // 600 of the CUDA cores read two and write one; 100 products read 48 and write
                  // 32; 300 addresses; 129 bytes and 20 wavefronts of stores.
                  {"register_read", 2 * 600 + 48 * 100 + 300 + 2 + 20},
                  // 3200 rows of A, 800 of B twice, four sectors of others; 30 wavefronts of loads.
                  {"register_write", 600 + 32 * 100 + (3200 + 1600 + 4) * 32 / 128 + 30},
                  {"instruction", 1000 + 15 * 100},
                  {"schedule", 1000 + 15 * 100 - 300},
                  {"alu_instruction", 600},
                  {"tensor_multiply_add", 100 * 4096},
                  {"shared_wavefront", 50},
                  {"l1_read_hit", 1400},
                  {"l1_read_miss", 1004},
                  {"l1_write_hit", 2},
                  {"l1_write_miss", 5},
                  {"noc_flit", 500 + 6 + 1004 + 4},
                  {"l2_read_hit", 604},
                  {"l2_read_miss", 400},
                  {"l2_write_hit", 4},
                  {"l2_write_miss", 3},
                  {"dram_read", 400},
                  {"dram_write", 11},
                  {"dram_precharge", 13},
                  {"constant_power", 5000},
                  {"sm_static_tensor", 80 * 5000 - 30000},
                  {"sm_idle", 30000},
                  {"sm_leakage", 80 * 5000},
                  {"l2_slice_leakage", 48 * 5000},
              }));
}

/// 120 of the 1000 instructions are single HMMAs, of the multiply-adds of 200 steps: what they take
/// is the tensor cores', and none of it the CUDA cores'.
TEST(EnergyCounts, OfATraceWithHmmas) {
    Statistics s;
    set_machine(s);
    Config config;
    const Counted without = counted(energy_counts(config, s.root(), 5000));
    s.set("sm.sub_core.hmmas", 120);
    s.set("sm.sub_core.hmma_steps", 200);
    s.set("sm.sub_core.hmma_cycles", 777);  // a rate, no energy
    Counted expected = without;
    expected["alu_instruction"] = 1000 - 100 - 300 - 120;
    // A step reads 48 / 16 registers and writes two.
    expected["register_read"] += 200 * 3 - 2 * 120;
    expected["register_write"] += 200 * 2 - 120;
    expected["tensor_multiply_add"] += 200 * 256;
    EXPECT_EQ(counted(energy_counts(config, s.root(), 5000)), expected);
}

TEST(EnergyCounts, OfDuplo) {
    Statistics s;
    set_machine(s);
    set_detection(s);
    Config config;
    config.duplo.enabled = true;
    const Counted with = counted(energy_counts(config, s.root(), 5000));
    EXPECT_EQ(with.at("duplo_id"), 3200U);
    EXPECT_EQ(with.at("lhb_lookup"), 3100U);
    EXPECT_EQ(with.at("lhb_write"), 860U);
    EXPECT_EQ(with.at("rename_read"), 3200U);
    EXPECT_EQ(with.at("rename_write"), 3200U);
    EXPECT_EQ(with.at("l1_probe"), 740U);  // not of the other octet's copies
    EXPECT_EQ(with.at("lhb_leakage"), 80U * 5000);
    EXPECT_EQ(with.at("rename_leakage"), 4U * 80 * 5000);
    // A hit writes no register.
    EXPECT_EQ(with.at("register_write"), 600U + 3200 + (3200 - 2240 + 1600 + 4) * 32 / 128 + 30);

    config.duplo.hit_frees_slot = true;
    EXPECT_EQ(counted(energy_counts(config, s.root(), 5000)).at("l1_probe"), 0U);

    // Whole fragments: each of 100 hits spares 32 rows and was looked up in the L1 16 times.
    config.duplo.hit_frees_slot = false;
    config.duplo.granularity = Granularity::kTile16;
    config.duplo.octet_copies = 1;
    s.set("sm.ldst.detection.misses", 40);
    s.set("sm.ldst.detection.hits_octet_copy", 0);
    s.set("sm.ldst.detection.hits_same_address_other_warp", 60);
    s.set("sm.ldst.detection.hits_lowering_same_warp", 0);
    s.set("sm.ldst.detection.hits_lowering_other_warp", 0);
    s.set("sm.ldst.detection.bypass_crossing", 0);
    const Counted tiles = counted(energy_counts(config, s.root(), 5000));
    EXPECT_EQ(tiles.at("l1_probe"), 60U * 16);
    EXPECT_EQ(tiles.at("rename_read"), 100U);
    EXPECT_EQ(tiles.at("register_write"), 600U + 3200 + (40 * 32 + 1600 + 4) * 32 / 128 + 30);
}

TEST(EnergyCounts, OfOuterProducts) {
    Statistics s;
    set_machine(s);
    s.set("sm.sub_core.mmas", 0);
    const std::string tensor = "sm.sub_core.tensor.";
    s.set(tensor + "spwmmas", 10);
    s.set(tensor + "ohmmas", 700);
    s.set(tensor + "bohmmas", 120);
    s.set(tensor + "additions", 5000);
    s.set(tensor + "swaps", 3);
    Config config;
    config.tensor_core.kind = TensorCoreKind::kOuterProduct;
    config.workload.kind = WorkloadKind::kSparseGemm;
    const EnergyCounts counts = energy_counts(config, s.root(), 5000);
    const Counted found = counted(counts);
    EXPECT_EQ(found.at("instruction"), 1000U + 700 + 120);
    EXPECT_EQ(found.at("alu_instruction"), 1000U - 300 - 10);
    EXPECT_EQ(found.at("tensor_multiply_add"), 0U);
    EXPECT_EQ(found.at("tensor_multiply"), 700U * 128);
    for (const char* event :
         {"accumulation_read", "accumulation_write", "accumulation_add", "collector_entry"}) {
        EXPECT_EQ(found.at(event), 5000U) << event;
    }
    EXPECT_EQ(found.at("bitmap_set"), 120U);
    EXPECT_EQ(found.at("register_read"), 2U * 690 + 17 * 10 + 3 * 32 + 300 + 2 + 20);
    EXPECT_EQ(found.at("accumulation_leakage"), 4U * 80 * 5000);
    for (const EnergyCount& one : counts.events) {
        if (one.event == &energy_event::kAccumulationRead) {
            EXPECT_EQ(one.size, 128U);
        }
    }

    // Dense products add every product, and are 32 OHMMAs each.
    config.workload.kind = WorkloadKind::kGemm;
    s.set("sm.sub_core.mmas", 100);
    const Counted dense = counted(energy_counts(config, s.root(), 5000));
    EXPECT_EQ(dense.at("instruction"), 1000U + 31 * 100);
    EXPECT_EQ(dense.at("tensor_multiply"), 100U * 4096);
    EXPECT_EQ(dense.at("accumulation_add"), 100U * 4096);
}

TEST(EnergyCounts, OfOpportunisticComputing) {
    Statistics s;
    set_machine(s);
    s.set("sm.sub_core.mmas", 0);
    const std::string unit = "sm.opportunistic.";
    for (const char* what : {"operations_", "lanes_"}) {
        const std::uint64_t each = what[0] == 'l' ? 32 : 1;
        s.set(unit + what + "normal", 60 * each);
        s.set(unit + what + "predicted", 30 * each);
        s.set(unit + what + "assigned", 10 * each);
    }
    s.set(unit + "precompute_table.inserted", 50);
    s.set(unit + "precompute_table.completed", 40);
    s.set(unit + "precompute_table.used", 30);
    s.set("opportunistic.assign_table.lookups", 70);
    s.set("opportunistic.assign_table.inserted", 25);
    s.set("memory.mesh.flit_hops", 1234);
    Config config;
    config.workload.kind = WorkloadKind::kDirectConvolution;
    config.workload.layer.filter_width = 5;
    config.gpu.sms = 56;
    config.noc.kind = NocKind::kMesh;
    config.noc.mesh.flit_bytes = 32;
    config.opportunistic.scheme = OpportunisticScheme::kBoth;
    const Counted both = counted(energy_counts(config, s.root(), 5000));
    EXPECT_EQ(both.at("multiply_add_lane"), (100U + 10) * 32 * 5);  // 10 for nothing
    EXPECT_EQ(both.at("alu_instruction"), 1000U - 300 - 110 * 5);
    EXPECT_EQ(both.at("precompute_search"), 100U);
    EXPECT_EQ(both.at("precompute_write"), 50U);
    EXPECT_EQ(both.at("precompute_result_write"), 40U);
    EXPECT_EQ(both.at("precompute_result_read"), 30U);
    EXPECT_EQ(both.at("assign_search"), 70U + 9);
    EXPECT_EQ(both.at("assign_write"), 25U);
    EXPECT_EQ(both.at("noc_flit_hop"), 2U * 1234);
    EXPECT_EQ(both.at("precompute_leakage"), 56U * 5000);
    EXPECT_EQ(both.at("assign_leakage"), 8U * 5000);

    config.opportunistic.scheme = OpportunisticScheme::kNone;
    const Counted none = counted(energy_counts(config, s.root(), 5000));
    EXPECT_EQ(none.at("multiply_add_lane"), 100U * 32 * 5);
    EXPECT_EQ(none.count("precompute_search") + none.count("assign_search"), 0U);
}

/// Without tensor instructions the static power of SMs is that of CUDA cores.
TEST(EnergyCounts, OfSmsWithoutTensorInstructions) {
    Statistics s;
    set_machine(s);
    s.set("sm.sub_core.mmas", 0);
    const EnergyCounts counts = energy_counts(Config{}, s.root(), 5000);
    const Counted found = counted(counts);
    EXPECT_EQ(found.count("sm_static_tensor"), 0U);
    EXPECT_EQ(found.at("sm_static_cuda"), 80U * 5000 - 30000);
    EXPECT_EQ(found.at("sm_idle"), 30000U);
    EXPECT_DOUBLE_EQ(counts.microseconds(), 5000 / 1200.0);
    s.set("sm.sub_core.hmma_steps", 1);
    EXPECT_EQ(counted(energy_counts(Config{}, s.root(), 5000)).count("sm_static_tensor"), 1U);
}

/// Lines of 128 bytes are four times 32.
TEST(EnergyCounts, OfLargeSectors) {
    Statistics s;
    set_machine(s);
    Config config;
    config.l1.sector_bytes = config.l2.sector_bytes = 128;
    const Counted found = counted(energy_counts(config, s.root(), 1));
    EXPECT_EQ(found.at("l1_read_miss"), 4U * 1004);
    EXPECT_EQ(found.at("l2_write_hit"), 4U * 4);
}

TEST(EnergyCounts, ACounterThatIsMissingIsNotZero) {
    Statistics s;
    set_machine(s);
    Config config;
    config.tensor_core.kind = TensorCoreKind::kOuterProduct;
    config.workload.kind = WorkloadKind::kSparseGemm;
    EXPECT_THROW((void)energy_counts(config, s.root(), 1), std::out_of_range);
}

TEST(EnergyCounts, OfSeveralKernelsAddUp) {
    EnergyCounts all;
    all.add({1000, {{&energy_event::kDramRead, 3, 0}, {&energy_event::kLhbLookup, 5, 1024}}});
    all.add({1000, {{&energy_event::kRegisterRead, 7, 0}, {&energy_event::kDramRead, 4, 0}}});
    ASSERT_EQ(all.events.size(), 3U);
    EXPECT_EQ(all.events[0].event, &energy_event::kRegisterRead);
    EXPECT_EQ(all.events[1].count, 7U);
    EXPECT_EQ(all.events[2].size, 1024U);
}

}  // namespace
}  // namespace tessera
