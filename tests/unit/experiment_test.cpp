// Is an experiment file expanded into the right runs, and is every mistake named with its place?
#include "sc_models/study/experiment.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "tests/support/temp_folder.h"
#include "tests/unit/config_test_support.h"

namespace tessera {
namespace {

using test::error_of;

const std::string kConfigs = std::string(TESSERA_SOURCE_DIR) + "/configs";

class ExperimentTest : public test::TempFolder {
protected:
    std::string write(const std::string& text, const std::string& name = "trial.yaml") {
        return TempFolder::write(name, text);
    }
    Experiment read(const std::string& text) { return read_experiment(write(text), catalog_); }
    std::vector<PlannedRun> plan(const std::string& text,
                                 const std::vector<std::string>& sets = {}) {
        return plan_runs(read(text), catalog_, sets);
    }
    /// The error of reading and planning, with the file's path taken off.
    std::string error(const std::string& text, const std::vector<std::string>& sets = {}) {
        std::string message = error_of([&] { (void)plan(text, sets); });
        const std::string path = (folder / "trial.yaml").string();
        for (std::size_t at = 0; (at = message.find(path)) != std::string::npos;) {
            message.replace(at, path.size(), "FILE");
        }
        return message;
    }

    ConfigCatalog catalog_{kConfigs};
};

constexpr const char* kTwoByThree = R"(
name: trial
title: A trial
base: [duplo_titan_v]
layers: [resnet.c2, yolo.C6]
variants:
  off: {configs: [baseline]}
  on: {configs: [duplo_paper]}
  small: {configs: [duplo_paper], set: {duplo.lhb.entries: 256}}
)";

TEST_F(ExperimentTest, ExpandsLayersThenVariants) {
    const auto runs = plan(kTwoByThree);
    ASSERT_EQ(runs.size(), 6U);
    EXPECT_EQ(runs[0].layer, "resnet.C2");  // as the network spells it
    EXPECT_EQ(runs[0].variant, "off");
    EXPECT_EQ(runs[0].baseline, "off");
    EXPECT_EQ(runs[2].folder, "runs/resnet.C2/small");
    EXPECT_EQ(runs[2].baseline, "off");
    EXPECT_EQ(runs[2].arguments,
              (std::vector<std::string>{"duplo_titan_v", "resnet.C2", "duplo_paper", "--set",
                                        "duplo.lhb.entries=256"}));
    EXPECT_EQ(runs[5].layer, "yolo.C6");
    std::set<std::string> hashes;
    for (const PlannedRun& run : runs) hashes.insert(run.hash);
    EXPECT_EQ(hashes.size(), runs.size());
}

TEST_F(ExperimentTest, WorkOfALayerDoesNotDependOnTheVariantAndGrowsWithTheLayer) {
    const auto runs = plan(kTwoByThree);
    EXPECT_EQ(runs[0].work, runs[1].work);
    EXPECT_GT(runs[0].work, 0);
    const auto limited = plan(kTwoByThree, {"workload.layer.batch=1"});
    EXPECT_LT(limited[0].work, runs[0].work);
}

TEST_F(ExperimentTest, DirectConvolutionsHaveTheirWorkToo) {
    const auto runs = plan(
        "base: [gtx480_56sm, opportunistic]\nlayers: [lenet5.C1.forward, lenet5.C2.forward]\n"
        "variants: {small: {set: {workload.layer.batch: 1}}, large: {},\n"
        "           at: {set: {timing: at}}}\n");
    ASSERT_EQ(runs.size(), 6U);
    EXPECT_GT(runs[1].work, 4 * runs[0].work);
    EXPECT_GT(runs[2].work, runs[1].work);
    EXPECT_NE(runs[2].kind, runs[1].kind);
    EXPECT_NE(runs[4].work, runs[1].work);
}

TEST_F(ExperimentTest, NetworksAreAllTheirLayers) {
    const auto runs = plan("networks: [resnet, gan, yolo]\nvariants: {only: {}}\n");
    ASSERT_EQ(runs.size(), 22U);
    EXPECT_EQ(runs[0].layer, "resnet.C1");
    EXPECT_EQ(runs[8].layer, "gan.TC1");
    EXPECT_EQ(runs[21].layer, "yolo.C6");
}

TEST_F(ExperimentTest, NetworksAndLayersMayBeFiles) {
    write(
        "layers:\n  a: {m: 16, n: 16, k: 16}\n  b: {batch: 1, height: 4, width: 4, channels: 8, "
        "filters: 8, filter_height: 1, filter_width: 1, pad: 0, stride: 1}\n",
        "mine.yaml");
    const auto runs = plan("networks: [mine.yaml]\nvariants: {only: {}}\n");
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0].layer, "mine.a");
    EXPECT_EQ(runs[0].folder.string(), "runs/mine.a/only");
    EXPECT_EQ(runs[1].layer, "mine.b");
    EXPECT_EQ(runs[1].arguments,
              (std::vector<std::string>{(folder / "mine.yaml").string() + ":b"}));
    const auto one = plan("layers: [resnet.C2, mine.yaml:b]\nvariants: {only: {}}\n");
    ASSERT_EQ(one.size(), 2U);
    EXPECT_EQ(one[1].layer, "mine.b");
    EXPECT_EQ(error("layers: [mine.yaml:b, mine.yaml:b]\nvariants: {a: {}}\n"),
              "FILE:1:23: layers: layer 'mine.b' is there twice");
    EXPECT_EQ(error("layers: [mine.yaml]\nvariants: {a: {}}\n"),
              "FILE:1:10: layers: got 'mine.yaml', expected the layer of a network, such as "
              "resnet.C2 or net.yaml:C2");
}

TEST_F(ExperimentTest, WithoutLayersTheRowIsNamedByTheFirstVariantsWorkload) {
    const auto runs = plan(
        "base: [duplo_titan_v]\nvariants:\n"
        "  a: {set: {workload.kind: gemm, workload.gemm.m: 256}}\n"
        "  b: {set: {workload.kind: gemm, workload.gemm.m: 512}}\n");
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0].layer, runs[1].layer);
    EXPECT_EQ(runs[0].layer.find_first_of("/ ,"), std::string::npos);
}

TEST_F(ExperimentTest, NamesAndTitleHaveDefaults) {
    const Experiment experiment = read("variants: {only: {}}\n");
    EXPECT_EQ(experiment.name, "trial");
    EXPECT_EQ(experiment.title, "trial");
}

TEST_F(ExperimentTest, SeedsMultiplyRuns) {
    const auto runs =
        plan("layers: [resnet.C8]\nseeds: [3, 4]\nvariants: {a: {}, b: {set: {gpu.sms: 40}}}\n");
    ASSERT_EQ(runs.size(), 4U);
    EXPECT_EQ(runs[1].seed, 4U);
    EXPECT_EQ(runs[1].variant, "a");
    EXPECT_EQ(runs[1].folder, "runs/resnet.C8/a/seed4");
    EXPECT_NE(runs[0].hash, runs[1].hash);
}

TEST_F(ExperimentTest, BaselinesCanBeChosenAndAreTheirOwn) {
    const auto runs = plan(
        "layers: [resnet.C8]\nvariants:\n  a: {}\n  b: {set: {gpu.sms: 40}}\n"
        "  c: {set: {gpu.sms: 20}, baseline: b}\n");
    EXPECT_EQ(runs[0].baseline, "a");
    EXPECT_EQ(runs[1].baseline, "b");
    EXPECT_EQ(runs[2].baseline, "b");
}

TEST_F(ExperimentTest, CommandLineWinsOverTheFile) {
    const auto runs =
        plan("layers: [resnet.C8]\nvariants: {a: {set: {gpu.sms: 40}}}\n", {"gpu.sms=20"});
    const auto same = plan("layers: [resnet.C8]\nvariants: {a: {set: {gpu.sms: 20}}}\n");
    EXPECT_EQ(runs[0].hash, same[0].hash);
    EXPECT_EQ(runs[0].arguments.back(), "gpu.sms=20");
}

TEST_F(ExperimentTest, FilesAreRelativeToTheExperiment) {
    write("gpu: {sms: 7}\n", "seven.yaml");
    const auto runs = plan("base: [seven.yaml]\nlayers: [resnet.C8]\nvariants: {a: {}}\n");
    EXPECT_EQ(runs[0].arguments[0], (folder / "seven.yaml").string());
}

// system.sweep checks that the runs of these experiments are valid, too.
TEST_F(ExperimentTest, EveryShippedExperimentHasItsNameAndATitle) {
    const auto names = catalog_.names("experiments");
    EXPECT_GE(names.size(), 5U);
    for (const std::string& name : names) {
        const Experiment experiment = read_experiment(catalog_.experiment_file(name), catalog_);
        EXPECT_EQ(experiment.name, name);
        EXPECT_NE(experiment.title, name);
    }
}

TEST_F(ExperimentTest, MistakesAreNamedWithTheirPlace) {
    EXPECT_EQ(
        error("titel: x\nvariants: {a: {}}\n"),
        "FILE:1:1: unknown key 'titel', expected one of {name, title, base, layers, networks, "
        "grid, variants, seeds} (did you mean 'title'?)");
    EXPECT_EQ(error("title: x\n"), "FILE:1:1: variants: missing, expected a mapping of variants");
    EXPECT_EQ(error("variants: {}\n"), "FILE:1:11: variants: expected at least one variant");
    EXPECT_EQ(error("variants: {a: {sets: {}}}\n"),
              "FILE:1:16: variants.a: unknown key 'sets', expected one of {configs, set, grid, "
              "baseline} "
              "(did you mean 'set'?)");
    EXPECT_EQ(error("variants:\n  a: {}\n  b: {baseline: c}\n"),
              "FILE:3:17: variants.b.baseline: got 'c', expected one of {a, b}");
    EXPECT_EQ(error("variants:\n  a: {}\n  b: {baseline: a}\n  c: {baseline: b}\n"),
              "FILE:4:6: variants.c.baseline: got 'b', which has the baseline 'a' itself");
    EXPECT_EQ(
        error("variants: {../a: {}}\n"),
        "FILE:1:18: variants: got '../a', expected a name of 1..64 letters, digits, '_', '-', "
        "'+'");
    EXPECT_EQ(error("layers: [resnet.C2]\nnetworks: [gan]\nvariants: {a: {}}\n"),
              "FILE:2:11: networks: excludes layers, which is there too");
    EXPECT_EQ(error("layers: [resnet.C2, resnet.c2]\nvariants: {a: {}}\n"),
              "FILE:1:21: layers: layer 'resnet.C2' is there twice");
    EXPECT_EQ(
        error("layers: [baseline]\nvariants: {a: {}}\n"),
        "FILE:1:10: layers: got 'baseline', expected the layer of a network, such as resnet.C2 "
        "or net.yaml:C2");
    EXPECT_EQ(error("layers: []\nvariants: {a: {}}\n"),
              "FILE:1:9: layers: expected at least one layer");
    EXPECT_EQ(
        error("networks: [resnt]\nvariants: {a: {}}\n"),
        "FILE:1:12: networks: got 'resnt', expected one of {a100_sparse, alexnet_opportunistic, "
        "bert_base, fig21, gan, kernels, lenet5, "
        "lstm, maskrcnn, resnet, resnet18, spgemm_grid, vgg16, yolo} (did you mean 'resnet'?)");
    EXPECT_EQ(error("seeds: [1, 1]\nvariants: {a: {}}\n"),
              "FILE:1:12: seeds: seed 1 is there twice");
    EXPECT_EQ(error("base: baseline\nvariants: {a: {}}\n"),
              "FILE:1:7: base: got 'baseline', expected a list");
}

TEST_F(ExperimentTest, GridsCrossTheirValues) {
    const auto runs = plan(
        "base: [duplo_titan_v]\nlayers: [resnet.C2]\ngrid: {l1.mshr_entries: [128, 256]}\n"
        "variants:\n  off: {configs: [baseline]}\n"
        "  on: {configs: [duplo_paper], set: {duplo.lhb.ways: 1}, grid: {duplo.lhb.entries: [256, "
        "512, 1024], duplo.latency_cycles: [2, 3]}}\n");
    ASSERT_EQ(runs.size(), 2U + 2 * 3 * 2);
    EXPECT_EQ(runs[0].variant, "off-128");
    EXPECT_EQ(runs[0].baseline, "off-128");
    EXPECT_EQ(runs[1].variant, "off-256");
    EXPECT_EQ(runs[2].variant, "on-128-256-2");
    EXPECT_EQ(runs[2].baseline, "off-128");
    EXPECT_EQ(runs[3].variant, "on-128-256-3") << "the last key is the fastest";
    EXPECT_EQ(runs.back().variant, "on-256-1024-3");
    EXPECT_EQ(runs.back().baseline, "off-256");
    EXPECT_EQ(runs.back().point,
              (std::vector<std::pair<std::string, std::string>>{{"l1.mshr_entries", "256"},
                                                                {"duplo.lhb.entries", "1024"},
                                                                {"duplo.latency_cycles", "3"}}));
    std::set<std::string> hashes;
    for (const PlannedRun& run : runs) hashes.insert(run.hash);
    EXPECT_EQ(hashes.size(), runs.size());
}

TEST_F(ExperimentTest, WhatAnExperimentVariesIsNotSetForAllRuns) {
    const auto refused = [this](const std::string& more, const std::string& set) {
        return test::error_of([&] {
            (void)plan("base: [duplo_titan_v]\nlayers: [resnet.C2]\n" + more +
                           "variants: {a: {configs: [baseline]}}\n",
                       {set});
        });
    };
    EXPECT_EQ(refused("grid: {l1.mshr_entries: [128, 256]}\n", "l1.mshr_entries=512"),
              "--set: got l1.mshr_entries, expected another key, as a grid of the experiment "
              "varies it");
    EXPECT_EQ(refused("seeds: [1, 2]\n", "seed=4"),
              "--set: got seed, expected another key, as the experiment has seeds");
    EXPECT_EQ(error("base: [duplo_titan_v]\nlayers: [resnet.C2]\nseeds: [1, 2]\n"
                    "grid: {seed: [1, 2]}\nvariants: {a: {}}\n"),
              "resnet.C2 a-1: grid: got seed, and the experiment has seeds, expected one");
}

TEST_F(ExperimentTest, MistakesOfGridsAreNamedWithTheirPlace) {
    EXPECT_EQ(error("grid: {x.yz: []}\nvariants: {a: {}}\n"),
              "FILE:1:14: grid.x.yz: expected at least one value");
    EXPECT_EQ(error("grid: {x.yz: 1}\nvariants: {a: {}}\n"),
              "FILE:1:14: grid.x.yz: got '1', expected a list");
    EXPECT_EQ(error("grid: {x.yz: [1, 1]}\nvariants: {a: {}}\n"),
              "FILE:1:18: grid.x.yz: value '1' is there twice");
    EXPECT_EQ(
        error("variants: {a: {grid: {x.yz: [1]}}}\n"),
        "FILE:1:22: variants.a.grid: others are compared with this variant, so that it cannot "
        "be several (a grid of the experiment crosses all variants)");
    EXPECT_EQ(error("grid: {x.yz: [1]}\nvariants: {a: {set: {x.yz: 2}}}\n"),
              "FILE:1:8: grid: key 'x.yz' is set twice in variant 'a', expected it in one place");
    EXPECT_EQ(error("variants: {a: {set: {gpu: {sms: 2}}}}\n"),
              "FILE:1:27: variants.a.set.gpu: got a mapping, expected whole keys: gpu.KEY: VALUE");
    EXPECT_EQ(error("variants: {a: {}, b: {grid: {x.y: [a.b, a_b]}}}\n"),
              "FILE:1:22: variants.b: the grid makes two variants of the name 'b-a_b'");
    EXPECT_EQ(error("base: [duplo_titan_v, resnet.C2]\ngrid: {sm.typo: [1]}\nvariants: {a: {}}\n")
                  .rfind("a-1: FILE:2:18: sm.typo: unknown key", 0),
              0U);
}

TEST_F(ExperimentTest, UnknownConfigurationsAreNamedWithTheirPlace) {
    EXPECT_EQ(error("variants: {a: {configs: [duplo_papr]}}\n").substr(0, 96),
              "FILE:1:26: variants.a.configs: unknown configuration 'duplo_papr' (did you mean "
              "'duplo_paper'?);");
    EXPECT_EQ(error("layers: [resnet.C9]\nvariants: {a: {}}\n").substr(0, 44),
              "FILE:1:10: layers: got layer 'resnet.C9', ex");
}

TEST_F(ExperimentTest, BadKeysAndValuesNameTheRunAndThePlace) {
    const std::string begin = "layers: [resnet.C2]\nvariants:\n  a: {}\n";
    EXPECT_EQ(error(begin + "  b: {set: {gpu.sms: many}}\n"),
              "resnet.C2 b: FILE:4:22: gpu.sms: got 'many', expected an integer from 1 to 1024");
    EXPECT_NE(error(begin + "  b: {set: {duplo.lbh.entries: 4}}\n").find("(did you mean 'lhb'?)"),
              std::string::npos);
    EXPECT_EQ(error(begin + "  b: {set: {gpu.sms: [1]}}\n"),
              "FILE:4:22: variants.b.set.gpu.sms: got a list, expected text");
    EXPECT_EQ(error(begin, {"gpu.sms=0"}).substr(0, 29), "resnet.C2 a: --set gpu.sms=0:");
}

TEST_F(ExperimentTest, AWorkloadThatFitsNoSmIsRefusedBeforeAnythingRuns) {
    const std::string message =
        error("layers: [resnet.C2]\nvariants:\n  a: {}\n  b: {set: {sm.max_warps: 4}}\n");
    EXPECT_EQ(message.substr(0, 13), "resnet.C2 b: ") << message;
}

}  // namespace
}  // namespace tessera
