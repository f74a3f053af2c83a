// Does the kind of a workload follow from layer and mechanism, whatever the order, and is nothing
// thrown away without a word?
#include "sc_models/configure/workload_kind.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "tests/unit/config_test_support.h"

namespace tessera {
namespace {

using test::error_of;

Config load(const std::vector<std::string>& arguments) {
    const ConfigCatalog catalog(std::string(TESSERA_SOURCE_DIR) + "/configs");
    ConfigSource source;
    for (const std::string& argument : arguments) {
        const bool set = argument.find('=') != std::string::npos;
        if (set) source.add_set(argument);
        if (!set) catalog.add_to(source, argument);
    }
    return load_config(source);
}
std::string refusal(const std::vector<std::string>& arguments) {
    return error_of([&] { (void)load(arguments); });
}

/// The kind of the arguments in every order, each of which must give the same configuration.
WorkloadKind kind_of(std::vector<std::string> arguments) {
    std::sort(arguments.begin(), arguments.end());
    const Config first = load(arguments);
    while (std::next_permutation(arguments.begin(), arguments.end())) {
        EXPECT_EQ(to_yaml(load(arguments)), to_yaml(first));
    }
    return first.workload.kind;
}

TEST(WorkloadKind, FollowsFromLayerAndMechanismInAnyOrder) {
    using Kind = WorkloadKind;
    EXPECT_EQ(kind_of({"titan_v", "resnet.C2"}), Kind::kConvolution);
    EXPECT_EQ(kind_of({"titan_v", "resnet.C2", "duplo_paper"}), Kind::kConvolution);
    EXPECT_EQ(kind_of({"dual_side_v100", "resnet.C2", "dual_side_ideal"}),
              Kind::kSparseConvolution);
    EXPECT_EQ(kind_of({"dual_side_v100", "vgg16.conv3_1", "dual_implicit_ideal"}),
              Kind::kSparseConvolution);
    EXPECT_EQ(kind_of({"dual_side_v100", "fig21.a0500_b0600", "dual_side_paper"}),
              Kind::kSparseGemm);
    EXPECT_EQ(kind_of({"gtx480_56sm", "opportunistic", "lenet5.C1.forward"}),
              Kind::kDirectConvolution);
    EXPECT_EQ(kind_of({"gtx480_56sm", "lenet5.C1.forward"}), Kind::kDirectConvolution);
    EXPECT_EQ(kind_of({"gtx480_56sm", "opportunistic", "resnet.C2"}), Kind::kDirectConvolution);
    EXPECT_EQ(kind_of({"titan_v", "all_three"}), Kind::kComposition);
    EXPECT_EQ(kind_of({"dual_side_v100", "duplo_paper", "single_unstaged", "vgg16.conv4_1"}),
              Kind::kSparseConvolution);
}

TEST(WorkloadKind, WithoutALayerTheMechanismOrTheShapeDecides) {
    using Kind = WorkloadKind;
    EXPECT_EQ(kind_of({"titan_v"}), Kind::kConvolution);
    EXPECT_EQ(kind_of({"dual_side_v100", "dual_side_ideal"}), Kind::kSparseGemm);
    EXPECT_EQ(kind_of({"v100", "library"}), Kind::kGemm);
    EXPECT_EQ(kind_of({"titan_v", "workload.gemm.m=256"}), Kind::kGemm);
    EXPECT_EQ(kind_of({"dual_implicit_ideal", "workload.layer.batch=1"}), Kind::kSparseConvolution);
    EXPECT_EQ(kind_of({"gtx480_56sm", "opportunistic"}), Kind::kDirectConvolution);
    EXPECT_EQ(kind_of({"workload.trace=x.g"}), Kind::kTrace);
    EXPECT_EQ(kind_of({"v100", "workload.tensor.operation=relu"}), Kind::kTensor);
}

TEST(WorkloadKind, SettingsComeOverEverythingWhereverTheyStand) {
    const Config config = load({"workload.sparse.a.sparsity=0.25", "vgg16.conv3_1",
                                "dual_implicit_ideal", "duplo_titan_v"});
    EXPECT_EQ(config.workload.sparse.a.sparsity, 0.25);
    EXPECT_EQ(config.workload.sparse.b.sparsity, 0.47);
    EXPECT_EQ(load({"workspace_ready", "resnet.C2"}).workload.im2col, Im2colMode::kFunctional);
}

TEST(WorkloadKind, WhatWouldBeThrownAwayIsRefusedWithBothNames) {
    EXPECT_EQ(refusal({"resnet.C2", "resnet.C3"}),
              "got 'resnet.C2' and 'resnet.C3', expected one workload for a run");
    EXPECT_EQ(refusal({"titan_v", "resnet.C2", "gtx480_56sm"}),
              "got 'titan_v' and 'gtx480_56sm', expected one gpu for a run");
    EXPECT_EQ(refusal({"duplo_paper", "baseline"}),
              "got 'duplo_paper' and 'baseline', expected one file of the mechanism 'duplo'");
    EXPECT_EQ(refusal({"duplo_paper", "lenet5.C1.forward"}),
              "mechanism 'duplo_paper' has nothing to act on in 'lenet5.C1.forward' (workload.kind "
              "direct_convolution); leave one of them out");
    EXPECT_EQ(refusal({"duplo_paper", "workload.trace=x.g"}),
              "mechanism 'duplo_paper' has nothing to act on in workload.kind trace; leave one of "
              "them out");
    EXPECT_EQ(refusal({"resnet.C2", "workload.trace=x.g"}),
              "got 'resnet.C2' and the trace 'x.g', expected one workload for a run");
    EXPECT_NE(refusal({"lenet5.C1.forward", "dual_side_ideal"}).find("'dual_side_ideal'"),
              std::string::npos);
    EXPECT_NE(refusal({"fig21.a0500_b0600", "opportunistic"}).find("'fig21.a0500_b0600'"),
              std::string::npos);
    EXPECT_EQ(
        refusal({"resnet.C2", "workload.kind=gemm"}),
        "workload.kind gemm has no use for 'resnet.C2', a convolution; leave one of them out");
    EXPECT_NE(refusal({"duplo_paper", "dual_side_ideal", "resnet.C2"}).find("a_fragments"),
              std::string::npos);
}

TEST(WorkloadKind, ZerosThatNothingUsesAreRefusedUnlessTheyAreToBeComputed) {
    EXPECT_NE(refusal({"titan_v", "vgg16.conv3_1"}).find("'vgg16.conv3_1' has zeros"),
              std::string::npos);
    EXPECT_NE(refusal({"duplo_paper", "vgg16.conv3_1"}).find("'duplo_paper'"), std::string::npos);
    EXPECT_EQ(load({"duplo_paper", "vgg16.conv3_1", "workload.kind=convolution"}).workload.kind,
              WorkloadKind::kConvolution);
}

TEST(WorkloadKind, AWholeRunTakesSettingsOnly) {
    const Config config = load({"duplo_titan_v", "duplo_paper", "resnet.C2"});
    ConfigSource again;
    again.add_text(run_to_yaml(config), "config.yaml");
    again.add_set("duplo.lhb.entries=64");
    EXPECT_EQ(load_config(again).duplo.lhb_entries, 64U);
    ConfigSource more;
    more.add_text(run_to_yaml(config), "config.yaml");
    ConfigCatalog(std::string(TESSERA_SOURCE_DIR) + "/configs").add_to(more, "resnet.C3");
    EXPECT_EQ(error_of([&] { (void)load_config(more); }),
              "got 'config.yaml' and 'resnet.C3', expected nothing but settings besides the "
              "configuration of a whole run (part: run)");
}

TEST(WorkloadKind, AFileDefinesItsPart) {
    const auto text_error = [](const std::string& text) {
        return error_of([&] {
            ConfigSource source;
            source.add_text(text, "x.yaml");
            (void)load_config(source);
        });
    };
    EXPECT_EQ(text_error("part: machine\n"),
              "x.yaml:1:7: part: got 'machine', expected one of {run, gpu, mechanism, workload, "
              "settings} (did you mean 'mechanism'?)");
    EXPECT_EQ(text_error("part: mechanism\nduplo: {enabled: on}\n"),
              "x.yaml:1:1: mechanism: missing, expected the name of the mechanism");
    EXPECT_EQ(text_error("part: mechanism\nmechanism: duplex\n"),
              "x.yaml: mechanism: got 'duplex', expected one of {duplo, sparse, opportunistic, "
              "composition, library, cudnn, simt, winograd, fft, csr} (did you mean 'duplo'?)");
    EXPECT_EQ(text_error("mechanism: duplo\n"),
              "x.yaml:1:12: mechanism: goes with 'part: mechanism' only");
}

TEST(WorkloadKind, ErrorsNameTheLayerAndWhatTheUserWrote) {
    // The machine's file sets the key, but it is the layer that does not suit it.
    const std::string error = refusal({"duplo_titan_v", "resnet.C2", "workload.tiling.cta_m=1024"});
    EXPECT_EQ(error.find("--set workload.tiling.cta_m=1024: "), 0U) << error;
    EXPECT_NE(error.find("(resnet.C2)"), std::string::npos) << error;
    EXPECT_EQ(refusal({"titan_v", "resnet.C2", "workload.layer.filter_height=100"}).find("default"),
              std::string::npos);
}

}  // namespace
}  // namespace tessera
