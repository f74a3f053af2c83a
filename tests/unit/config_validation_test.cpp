// Are contradictions between keys refused, each at the key that was set last?
#include "sc_models/configure/config_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sc_models/configure/config_text.h"
#include "tests/unit/config_test_support.h"

namespace tessera {
namespace {

/// The error of loading these assignments over the defaults.
std::string error_with(const std::vector<std::string>& assignments) {
    return test::error_of([&] {
        ConfigSource source;
        for (const std::string& assignment : assignments) source.add_set(assignment);
        (void)load_config(source);
    });
}

constexpr const char* kNoError = "no error";

TEST(ConfigValidation, DefaultsAreGood) {
    EXPECT_EQ(error_with({}), kNoError);
}

TEST(ConfigValidation, BlamesTheKeySetLast) {
    ConfigSource source;
    source.add_text("duplo:\n  lhb:\n    ways: 16\n    entries: 1000\n", "a.yaml");
    EXPECT_EQ(test::error_of([&] { (void)load_config(source); }),
              "a.yaml:4:14: duplo.lhb.entries: got '1000', expected duplo.lhb.entries (1000) to be "
              "a multiple of duplo.lhb.ways (16)");
    EXPECT_EQ(error_with({"duplo.lhb.entries=1000", "duplo.lhb.ways=16"}),
              "--set duplo.lhb.ways=16: got '16', expected duplo.lhb.entries (1000) to be a "
              "multiple of duplo.lhb.ways (16)");
}

TEST(ConfigValidation, LoadHistoryBuffer) {
    EXPECT_EQ(error_with({"duplo.lhb.entries=1024", "duplo.lhb.ways=8"}), kNoError);
    EXPECT_EQ(error_with({"duplo.lhb.entries=infinite", "duplo.lhb.ways=3"}), kNoError);
    EXPECT_EQ(error_with({"duplo.lhb.entries=3072", "duplo.lhb.ways=3"}), kNoError);
    EXPECT_EQ(error_with({"duplo.lhb.entries=768"}),
              "--set duplo.lhb.entries=768: got '768', expected duplo.lhb.entries / duplo.lhb.ways "
              "(768 sets) to be a power of two, since the set is picked by bits of the id");
}

TEST(ConfigValidation, Mesh) {
    EXPECT_EQ(error_with({"gpu.sms=56", "dram.channels=8", "l2.slices=8", "noc.kind=mesh"}),
              kNoError);
    EXPECT_EQ(error_with({"dram.channels=8", "l2.slices=8", "noc.kind=mesh", "gpu.sms=57"}),
              "--set gpu.sms=57: got '57', expected a mesh (8 x 8) with a node for each of gpu.sms "
              "(57) and dram.channels (8)");
    EXPECT_EQ(error_with({"gpu.sms=57"}), kNoError) << "of a crossbar";
    EXPECT_EQ(
        error_with({"gpu.sms=10", "noc.kind=mesh", "dram.channels=6"}),
        "--set dram.channels=6: got '6', expected dram.channels (6) to spread evenly over the "
        "rows of noc.mesh.height (8)");
    EXPECT_EQ(error_with(
                  {"gpu.sms=4", "dram.channels=8", "noc.kind=mesh", "noc.mesh.virtual_channels=3"}),
              "--set noc.mesh.virtual_channels=3: got '3', expected an even number: half for "
              "requests, half for replies");
}

/// Products and convolutions in FP32 on the CUDA cores.
TEST(ConfigValidation, Fp32Kernels) {
    EXPECT_EQ(error_with({"workload.kernel=simt"}), kNoError);
    EXPECT_EQ(error_with({"workload.kernel=winograd"}), kNoError);
    EXPECT_EQ(error_with({"workload.kind=gemm", "workload.kernel=simt"}), kNoError);
    EXPECT_EQ(error_with({"workload.kind=gemm", "workload.kernel=winograd"}),
              "--set workload.kernel=winograd: got 'winograd', expected another workload.kernel "
              "than winograd and fft with workload.kind gemm");
    EXPECT_EQ(error_with({"workload.kernel=fft"}), kNoError);
    EXPECT_EQ(error_with({"workload.kernel=fft", "workload.layer.stride=2"}),
              "--set workload.layer.stride=2: got a stride other than 1 or a transposed layer, "
              "expected neither with workload.kernel fft");
    EXPECT_EQ(error_with({"workload.kernel=simt", "workload.pass=backward_data"}),
              "--set workload.pass=backward_data: got 'backward_data', expected workload.pass "
              "forward with workload.kernel simt, winograd and fft");
    EXPECT_EQ(error_with({"workload.kernel=winograd", "workload.layer.stride=2"}),
              "--set workload.layer.stride=2: got a stride other than 1 or a transposed layer, "
              "expected neither with workload.kernel winograd");
    EXPECT_EQ(error_with({"workload.kernel=simt", "duplo.enabled=on"}),
              "--set duplo.enabled=on: got 'on', expected duplo.enabled off with workload.kernel "
              "simt, winograd and fft, which load no fragments of tensor cores");
    EXPECT_EQ(error_with(
                  {"workload.kind=gemm", "workload.kernel=simt", "sample.enabled=on", "values=on"}),
              "--set values=on: got 'on', expected sample.enabled off with values on and "
              "workload.kernel simt, winograd and fft");
    EXPECT_EQ(
        error_with({"workload.kind=gemm", "workload.kernel=simt", "workload.gemm.output=fp16"}),
        "--set workload.gemm.output=fp16: got 'fp16', expected workload.gemm.output fp32 "
        "with workload.kernel fragments and simt");
}

TEST(ConfigValidation, DuploOfStagedKernels) {
    const auto staged = [](std::vector<std::string> sets) {
        const std::vector<std::string> all = {"duplo.enabled=on", "duplo.octet_copies=1",
                                              "workload.kernel=cudnn"};
        sets.insert(sets.begin(), all.begin(), all.end());
        return error_with(sets);
    };
    EXPECT_EQ(staged({}), kNoError);
    EXPECT_EQ(staged({"duplo.octet_copies=2"}),
              "--set duplo.octet_copies=2: got '2', expected duplo.octet_copies 1 with a "
              "workload.kernel other than fragments, where Duplo sees staged copies of the tensor");
    for (const char* set : {"duplo.granularity=tile16", "duplo.id_formula=paper",
                            "duplo.keep=duplicates", "duplo.zero_rule=on"}) {
        EXPECT_THAT(staged({set}), ::testing::HasSubstr("where Duplo sees staged copies")) << set;
    }
    EXPECT_THAT(staged({"workload.kind=gemm", "workload.kernel=auto"}),
                ::testing::HasSubstr("expected duplo.enabled off with workload.kind gemm"));
}

TEST(ConfigValidation, PassesOfLayers) {
    EXPECT_EQ(error_with({"workload.pass=backward_data"}), kNoError);
    EXPECT_EQ(error_with({"workload.pass=backward_weight"}),
              "--set workload.pass=backward_weight: got 'backward_weight', expected forward or "
              "backward_data with workload.kernel fragments, which lowers an input");
    EXPECT_EQ(error_with({"workload.pass=backward_weight", "workload.kernel=auto"}), kNoError);
    EXPECT_EQ(error_with({"workload.kind=sparse_convolution", "workload.pass=backward_data"}),
              "--set workload.pass=backward_data: got 'backward_data', expected workload.pass "
              "forward with workload.kind sparse_gemm, sparse_convolution and composition");
}

TEST(ConfigValidation, Opportunistic) {
    const auto direct = [](std::vector<std::string> sets) {
        sets.insert(sets.begin(), "workload.kind=direct_convolution");
        return error_with(sets);
    };
    EXPECT_EQ(direct({"opportunistic.scheme=both", "opportunistic.cluster_sms=8"}), kNoError);
    EXPECT_EQ(direct({"opportunistic.scheme=both", "opportunistic.cluster_sms=7"}),
              "--set opportunistic.cluster_sms=7: got '7', expected opportunistic.cluster_sms (7) "
              "to divide gpu.sms (80)");
    EXPECT_EQ(direct({"opportunistic.scheme=none", "opportunistic.cluster_sms=7"}), kNoError);
    for (const char* table : {"pt_entries", "at_entries"}) {
        const std::string set = std::string("opportunistic.") + table + "=0";
        EXPECT_EQ(direct({set}),
                  "--set " + set + ": got '0', expected an integer from 1 to 1048576");
    }
    EXPECT_EQ(direct({"opportunistic.assign_queue_entries=0"}),
              "--set opportunistic.assign_queue_entries=0: got '0', expected an integer from 1 to "
              "1024");
    EXPECT_EQ(direct({"workload.layer.height=4", "workload.layer.width=9", "workload.layer.pad=0",
                      "workload.layer.filter_height=5"}),
              "--set workload.layer.filter_height=5: got '5', expected at most the padded input "
              "(4, workload.layer.height and workload.layer.pad)");
    EXPECT_EQ(direct({"workload.layer.batch=0"}),
              "--set workload.layer.batch=0: got '0', expected an integer from 1 to 1024");
    EXPECT_EQ(direct({"workload.direct.mapping=image", "workload.pass=backward_weight"}),
              "--set workload.direct.mapping=image: got 'image', expected another one with "
              "workload.pass backward_weight, whose outputs all images share");
    EXPECT_EQ(
        error_with({"opportunistic.scheme=intra"}),
        "--set opportunistic.scheme=intra: got 'intra', expected opportunistic.scheme none "
        "unless workload.kind is direct_convolution, whose vector operations it acts on, or a "
        "composition");
}

TEST(ConfigValidation, Operators) {
    const auto tensor = [](std::vector<std::string> sets) {
        sets.insert(sets.begin(), "workload.kind=tensor");
        return error_with(sets);
    };
    EXPECT_EQ(tensor({"workload.tensor.shape=8x0"}),
              "--set workload.tensor.shape=8x0: got '8x0', expected sizes above 0 joined by 'x', "
              "such as 8x56x56x64");
    EXPECT_THAT(tensor({"workload.tensor.shape=8x-4"}), testing::HasSubstr("joined by 'x'"));
    EXPECT_THAT(tensor({"workload.tensor.operation=add", "workload.tensor.other=8xy"}),
                testing::HasSubstr("workload.tensor.other"));
    EXPECT_THAT(tensor({"workload.tensor.operation=add", "workload.tensor.shape=3x4",
                        "workload.tensor.other=5"}),
                testing::HasSubstr("shapes 3x4 and 5: expected equal axes"));
    EXPECT_THAT(tensor({"workload.tensor.operation=softmax", "workload.tensor.axis=5"}),
                testing::HasSubstr("expected less than the 4 axes of workload.tensor.shape"));
    EXPECT_THAT(tensor({"workload.tensor.operation=max_pool", "workload.tensor.pad=2"}),
                testing::HasSubstr("padding of less than the window"));
    EXPECT_THAT(tensor({"duplo.enabled=on"}), testing::HasSubstr("duplo.enabled off"));
}

/// A layer in three ways must be possible in each of them.
TEST(ConfigValidation, Composition) {
    const auto composition = [](std::vector<std::string> sets) {
        sets.insert(sets.begin(), {"workload.kind=composition", "tensor_core.kind=outer_product",
                                   "workload.tiling.cta_m=64"});
        return error_with(sets);
    };
    EXPECT_EQ(composition(
                  {"duplo.enabled=on", "opportunistic.scheme=both", "opportunistic.cluster_sms=8"}),
              kNoError);
    EXPECT_THAT(composition({"tensor_core.kind=fedp"}),
                testing::HasSubstr("tensor_core.kind outer_product"));
    EXPECT_THAT(composition({"workload.layer.transposed=on"}),
                testing::HasSubstr("workload.layer.transposed"));
    EXPECT_THAT(composition({"workload.pass=backward_data"}), testing::HasSubstr("pass forward"));
    EXPECT_THAT(composition({"workload.given.file=layer.tensors"}),
                testing::HasSubstr("no workload.given.file with compositions"));
    EXPECT_THAT(composition({"opportunistic.scheme=both", "opportunistic.cluster_sms=7"}),
                testing::HasSubstr("opportunistic.cluster_sms (7) to divide"));
}

TEST(ConfigValidation, Detection) {
    EXPECT_EQ(error_with({"duplo.granularity=tile16"}),
              "--set duplo.granularity=tile16: got 'tile16', expected duplo.octet_copies 1 with "
              "duplo.granularity tile16, where the fragment is one unit");
    EXPECT_EQ(error_with({"duplo.granularity=tile16", "duplo.octet_copies=1"}), kNoError);
    EXPECT_EQ(error_with({"duplo.spare_units=32"}),
              "--set duplo.spare_units=32: got '32', expected duplo.spare_units 0 unless "
              "duplo.lifetime is until_reused, the only one that uses them");
    EXPECT_EQ(error_with({"duplo.spare_units=32", "duplo.lifetime=until_reused"}), kNoError);
    EXPECT_EQ(error_with({"duplo.in_flight_hits=off", "duplo.lifetime=in_flight"}),
              "--set duplo.lifetime=in_flight: got 'in_flight', expected duplo.in_flight_hits on "
              "with duplo.lifetime in_flight, which allows no other hits");
    // A GEMM has no convolution packet: the unit stays powered down, which is no contradiction.
    EXPECT_EQ(error_with({"duplo.enabled=on", "workload.kind=gemm"}), kNoError);
}

TEST(ConfigValidation, StreamingMultiprocessor) {
    EXPECT_EQ(error_with({"sm.shared_memory_kib=128"}),
              "--set sm.shared_memory_kib=128: got '128', expected sm.shared_memory_kib (128) to "
              "leave an L1 cache of sm.unified_l1_kib (128)");
    EXPECT_EQ(error_with({"sm.max_warps=63"}),
              "--set sm.max_warps=63: got '63', expected sm.max_warps (63) to be a multiple of "
              "sm.sub_cores (4)");
}

/// Kernels compile their products to one of three shapes; a trace has its own instructions.
TEST(ConfigValidation, AMachineWithoutTensorRatesRunsTracesOnly) {
    const auto without_rates = [](std::vector<std::string> sets) {
        for (const char* shape : {"hmma_884", "hmma_1688", "hmma_16816"}) {
            sets.push_back(std::string("sm.tensor_rates.") + shape + ".products_per_cycle=0");
        }
        return error_with(sets);
    };
    EXPECT_THAT(without_rates({"workload.kind=gemm"}),
                testing::HasSubstr("a rate for one of HMMA.884, HMMA.1688 and HMMA.16816"));
    EXPECT_EQ(without_rates({"workload.kind=trace", "workload.trace=kernelslist.g"}), kNoError);
}

/// The tensors of a prefill come from a file if one is given; those of the other operations of an
/// attention are always generated.
TEST(ConfigValidation, GivenTensorsOfAnAttention) {
    const auto attention = [](const std::string& operation) {
        return error_with({"workload.kind=attention", "workload.attention.operation=" + operation,
                           "sm.tensor_rates.hmma_16816.products_per_cycle=1024",
                           "workload.given.file=layer.tensors"});
    };
    EXPECT_EQ(attention("prefill"), kNoError);
    const auto refuses_it = testing::HasSubstr("no workload.given.file with");
    EXPECT_THAT(attention("decode"), refuses_it);
    EXPECT_THAT(attention("rotary"), refuses_it);
}

TEST(ConfigValidation, Caches) {
    EXPECT_EQ(error_with({"sm.unified_l1_kib=608"}), kNoError);  // Duplo V-D: 512 KiB of L1
    EXPECT_EQ(error_with({"l1.ways=3"}),
              "--set l1.ways=3: got '3', expected the L1 cache (sm.unified_l1_kib - "
              "sm.shared_memory_kib = 32768 bytes) to be a multiple of l1.ways x l1.line_bytes "
              "(384)");
    EXPECT_EQ(error_with({"l1.line_bytes=96"}),
              "--set l1.line_bytes=96: got '96', expected a power of two");
    EXPECT_EQ(error_with({"l1.line_bytes=32", "l1.sector_bytes=64"}),
              "--set l1.sector_bytes=64: got '64', expected l1.line_bytes (32) to hold 1 to 8 "
              "sectors of l1.sector_bytes (64)");
    EXPECT_EQ(error_with({"l2.line_bytes=512"}),
              "--set l2.line_bytes=512: got '512', expected l2.line_bytes (512) to hold 1 to 8 "
              "sectors of l2.sector_bytes (32)");
    EXPECT_EQ(error_with({"l2.sector_bytes=64"}),
              "--set l2.sector_bytes=64: got '64', expected l1.sector_bytes (32) and "
              "l2.sector_bytes (64) to be equal");
    EXPECT_EQ(error_with({"l2.slice_interleave_bytes=64"}),
              "--set l2.slice_interleave_bytes=64: got '64', expected l2.slice_interleave_bytes "
              "(64) to be at least l2.line_bytes (128)");
    EXPECT_EQ(error_with({"l1.banks=3"}), "--set l1.banks=3: got '3', expected a power of two");
}

TEST(ConfigValidation, Dram) {
    EXPECT_EQ(error_with({"l2.slices=50"}),
              "--set l2.slices=50: got '50', expected l2.slices (50) to be a multiple of "
              "dram.channels (48)");
    EXPECT_EQ(error_with({"dram.channels=5"}),
              "--set dram.channels=5: got '5', expected l2.slices (48) to be a multiple of "
              "dram.channels (5)");
    EXPECT_EQ(error_with({"dram.row_bytes=64"}),
              "--set dram.row_bytes=64: got '64', expected dram.row_bytes (64) to be at least "
              "l2.line_bytes (128)");
    EXPECT_EQ(error_with({"dram.banks=12"}),
              "--set dram.banks=12: got '12', expected a power of two");
}

TEST(ConfigValidation, Tiles) {
    EXPECT_EQ(error_with({"workload.tiling.warp_m=24"}),
              "--set workload.tiling.warp_m=24: got '24', expected a multiple of 16, the side of a "
              "fragment");
    EXPECT_EQ(error_with({"workload.tiling.cta_n=80"}),
              "--set workload.tiling.cta_n=80: got '80', expected workload.tiling.cta_n (80) to be "
              "a multiple of workload.tiling.warp_n (32)");
    EXPECT_EQ(error_with({"workload.tiling.c_traffic=off", "values=on"}),
              "--set values=on: got 'on', expected workload.tiling.c_traffic on with values on: "
              "otherwise no output is stored that could be checked");
}

TEST(ConfigValidation, ACtaMustFitAnSm) {
    EXPECT_EQ(error_with({"workload.tiling.cta_m=512"}),
              "--set workload.tiling.cta_m=512: got '512', expected a CTA to fit an SM: the tile "
              "of C needs 131072 bytes of sm.shared_memory_kib (96 KiB)");
    EXPECT_EQ(error_with({"sm.max_warps=4"}),
              "--set sm.max_warps=4: got '4', expected a CTA to fit an SM: needs 8 warps of "
              "sm.max_warps (4)");
    EXPECT_EQ(error_with({"sm.register_file_kib=64"}),
              "--set sm.register_file_kib=64: got '64', expected a CTA to fit an SM: needs 896 "
              "warp registers of 512 (sm.register_file_kib)");
    EXPECT_EQ(error_with({"workload.tiling.ctas_per_sm=3"}), kNoError);  // beyond the registers
    EXPECT_EQ(error_with({"workload.tiling.ctas_per_sm=4"}),
              "--set workload.tiling.ctas_per_sm=4: got '4', expected 4 CTAs "
              "(workload.tiling.ctas_per_sm) to fit an SM: the tile of C needs 131072 bytes of "
              "sm.shared_memory_kib (96 KiB)");
    EXPECT_EQ(error_with({"sm.max_ctas=2", "workload.tiling.ctas_per_sm=2"}), kNoError);
    EXPECT_EQ(error_with({"sm.max_ctas=2", "workload.tiling.ctas_per_sm=3"}),
              "--set workload.tiling.ctas_per_sm=3: got '3', expected 3 CTAs "
              "(workload.tiling.ctas_per_sm) to fit an SM of sm.max_ctas (2)");
}

TEST(ConfigValidation, RegistersOfAThread) {
    // 2 buffers x (2 + 2) fragments and 4 accumulators of 8 registers: 96, and 159 are 255.
    EXPECT_EQ(error_with({"workload.tiling.overhead_registers=159"}), kNoError);
    EXPECT_EQ(error_with({"workload.tiling.overhead_registers=160"}),
              "--set workload.tiling.overhead_registers=160: got '160', expected fragments and "
              "overhead to take at most 255 registers a thread, not 256");
    EXPECT_EQ(error_with({"workload.tiling.warp_n=64", "workload.tiling.warp_m=64"}),
              "--set workload.tiling.warp_m=64: got '64', expected fragments and overhead to take "
              "at most 255 registers a thread, not 272");
}

TEST(ConfigValidation, Layers) {
    EXPECT_EQ(error_with({"workload.layer.stride=0"}),
              "--set workload.layer.stride=0: got '0', expected an integer from 1 to 255");
    EXPECT_EQ(error_with({"workload.layer.height=1", "workload.layer.pad=0"}),
              "--set workload.layer.pad=0: got '0', expected workload.layer.filter_height (3) to "
              "be at most the padded input (1)");
    EXPECT_EQ(error_with({"workload.layer.filter_width=15", "workload.layer.width=12"}),
              "--set workload.layer.width=12: got '12', expected workload.layer.filter_width (15) "
              "to be at most the padded input (14)");
    EXPECT_EQ(error_with({"workload.layer.transposed=on", "workload.layer.pad=3"}),
              "--set workload.layer.pad=3: got '3', expected workload.layer.pad (3) of a "
              "transposed layer to be less than workload.layer.filter_height (3)");
    EXPECT_EQ(error_with({"workload.layer.transposed=on", "workload.layer.filter_width=5"}),
              "--set workload.layer.filter_width=5: got '5', expected a square filter for a "
              "transposed layer, whose padding is the same on all sides");
    // Two zero-inserted rows, no effective padding, three filter rows.
    EXPECT_EQ(error_with({"workload.layer.transposed=on", "workload.layer.pad=2",
                          "workload.layer.stride=2", "workload.layer.height=1"}),
              "--set workload.layer.height=1: got '1', expected workload.layer.filter_height (3) "
              "to be at most the padded input (2)");
    // Only library kernels support these settings.
    EXPECT_EQ(error_with({"workload.layer.dilation=2"}),
              "--set workload.layer.dilation=2: got '2', expected 1, unless the layer runs on "
              "kernels of libraries (workload.kind convolution, workload.kernel other than "
              "fragments)");
    for (const char* key : {"stride_height=2", "stride_width=3", "pad_height=0", "pad_width=2"}) {
        const std::string set = std::string("workload.layer.") + key;
        EXPECT_THAT(error_with({set}), testing::HasSubstr(", unless the layer runs on kernels"));
        EXPECT_THAT(error_with({set, "workload.kind=sparse_convolution"}),
                    testing::HasSubstr(", unless the layer runs on kernels"));
        EXPECT_EQ(error_with({set, "workload.kernel=cudnn"}), kNoError);
        const bool is_pad = set.find("pad") != std::string::npos;
        EXPECT_EQ(error_with({set, "workload.kind=direct_convolution"}) == kNoError, is_pad);
    }
    EXPECT_EQ(error_with({"workload.layer.stride_height=1", "workload.layer.pad_width=1"}),
              kNoError);
    // A GEMM does not look at the layer.
    EXPECT_EQ(error_with({"workload.layer.height=1", "workload.layer.pad=0", "workload.kind=gemm"}),
              kNoError);
}

TEST(ConfigValidation, TheConvolutionPacketLimitsALayer) {
    EXPECT_EQ(error_with({"workload.layer.batch=1024"}), kNoError);
    EXPECT_EQ(error_with({"workload.layer.batch=1025"}),
              "--set workload.layer.batch=1025: got '1025', expected an integer from 1 to 1024");
    EXPECT_EQ(error_with({"workload.layer.filter_height=16"}),
              "--set workload.layer.filter_height=16: got '16', expected a filter's height (16) of "
              "at most 15, which is what the convolution packet can express");
    EXPECT_EQ(error_with({"workload.layer.filter_height=16", "workload.kernel=cudnn"}), kNoError);
    EXPECT_EQ(
        error_with({"workload.layer.width=600", "workload.layer.filter_width=256"}),
        "--set workload.layer.filter_width=256: got '256', expected a filter's width (256) of "
        "at most 255, which is what the convolution packet can express");
    EXPECT_EQ(error_with({"workload.layer.transposed=on", "workload.layer.stride=16"}),
              "--set workload.layer.stride=16: got '16', expected the zero insertion of a "
              "transposed layer (16) of at most 15, which is what the convolution packet can "
              "express");
    EXPECT_EQ(error_with({"workload.layer.batch=1", "workload.layer.width=65535"}),
              "--set workload.layer.width=65535: got '65535', expected a padded input width "
              "(65537) of at most 65535, which is what the convolution packet can express");
    EXPECT_EQ(error_with({"workload.layer.channels=65530"}),
              "--set workload.layer.channels=65530: got '65530', expected padded channels (65536) "
              "of at most 65535, which is what the convolution packet can express");
    EXPECT_EQ(error_with({"workload.channel_rule=dense", "workload.layer.channels=16384"}),
              "--set workload.layer.channels=16384: got '16384', expected halves of a filter row "
              "(49152) of at most 32767, which is what the convolution packet can express");
    EXPECT_EQ(error_with({"workload.layer.height=8000", "workload.layer.width=8000",
                          "workload.layer.channels=4096"}),
              "--set workload.layer.channels=4096: got '4096', expected 32-byte chunks of the "
              "workspace (1179648000000) of at most 4294967295, which is what the convolution "
              "packet can express");
}

TEST(ConfigValidation, BlocksKeepTheirOwnLimits) {
    EXPECT_EQ(error_with({"workload.layer.batch=1024", "workload.layer.height=65533",
                          "workload.layer.width=65533"}),
              "--set workload.layer.batch=1024: got 1024, expected an output of less than 2^31 "
              "pixels");
    EXPECT_EQ(
        error_with({"workload.kind=gemm", "workload.gemm.m=16777216", "workload.gemm.n=16777216"}),
        "--set workload.gemm.n=16777216: got '16777216', expected fewer than 2^31 CTAs, not "
        "34359738368");
}

}  // namespace
}  // namespace tessera
