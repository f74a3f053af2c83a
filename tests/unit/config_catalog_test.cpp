// Are the shipped configurations found, good, and what the paper says?
#include "sc_models/configure/config_catalog.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "sc_models/configure/config_text.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/config_test_support.h"

namespace tessera {
namespace {

using test::error_of;

const std::string kSource = TESSERA_SOURCE_DIR;

ConfigCatalog catalog() {
    return ConfigCatalog(kSource + "/configs");
}

Config load_names(const std::vector<std::string>& names) {
    ConfigSource source;
    for (const std::string& name : names) catalog().add_to(source, name);
    return load_config(source);
}
std::string names_error(const std::vector<std::string>& names) {
    return error_of([&] { (void)load_names(names); });
}

TEST(ConfigCatalog, EveryShippedConfigurationIsGood) {
    std::size_t count = 0;
    for (const char* folder : {"gpus", "mechanisms", "layers"}) {
        for (const std::string& name : catalog().names(folder)) {
            // Clusters of 7 SMs divide those of one machine only, and few have HMMA.16816 or HGMMA.
            std::vector<std::string> names = {name};
            if (name == "opportunistic") names.insert(names.begin(), "gtx480_56sm");
            if (name == "multistage" || name == "multistage_2of4")
                names.insert(names.begin(), "a100");
            if (name == "wgmma") names.insert(names.begin(), "h100");
            EXPECT_EQ(names_error(names), "no error") << name;
            ++count;
        }
    }
    EXPECT_GE(count, 5U);
}

TEST(ConfigCatalog, TitanVIsTheDefaultMachineAndWritesEveryKeyOfIt) {
    EXPECT_EQ(to_yaml(load_names({"duplo_titan_v"})), to_yaml(Config()));
    ConfigSource source;
    catalog().add_to(source, "duplo_titan_v");
    (void)load_config(source);
    const std::set<std::string> machine = {"gpu", "sm",  "tensor_core", "ldst", "l1",
                                           "tlb", "noc", "l2",          "dram"};
    for (const ConfigEntry& entry : config_entries_of(Config())) {
        const bool wanted =
            !entry.is_section && machine.count(entry.path.substr(0, entry.path.find('.'))) != 0;
        EXPECT_EQ(source.is_set(entry.path), wanted) << entry.path;
    }
}

TEST(ConfigCatalog, ABaselineDiffersFromItsDuploInTheDuploSectionOnly) {
    for (const auto& [baseline, duplo] : {std::pair("baseline", "duplo_paper"),
                                          std::pair("baseline_buildable", "duplo_buildable")}) {
        const Config off = load_names({"duplo_titan_v", baseline, "resnet.C2"});
        Config on = load_names({"duplo_titan_v", duplo, "resnet.C2"});
        EXPECT_FALSE(off.duplo.enabled);
        EXPECT_TRUE(on.duplo.enabled);
        on.duplo = off.duplo;
        EXPECT_EQ(to_yaml(on), to_yaml(off)) << duplo;
    }
    EXPECT_EQ(load_names({"baseline"}).workload.tiling.ctas_per_sm, 3U);
}

TEST(ConfigCatalog, LayersMatchTableI) {
    std::ifstream table(kSource + "/tests/golden/duplo_table1.csv");
    ASSERT_TRUE(table.is_open());
    std::string line;
    std::getline(table, line);  // where it comes from
    std::getline(table, line);
    std::vector<std::string> keys;
    for (std::istringstream header(line); std::getline(header, line, ',');) keys.push_back(line);
    std::vector<std::string> seen;
    while (std::getline(table, line)) {
        std::istringstream row(line);
        std::string name, field;
        std::getline(row, name, ',');
        seen.push_back(name);
        ConfigSource expected;
        expected.add_set("workload.layer.name=" + name);
        for (std::size_t i = 1; i < keys.size(); ++i) {
            ASSERT_TRUE(std::getline(row, field, ','));
            expected.add_set("workload.layer." + keys[i] + "=" + field);
        }
        EXPECT_EQ(to_yaml(load_names({name})), to_yaml(load_config(expected))) << name;
    }
    EXPECT_EQ(seen.size(), 22U);
    std::vector<std::string> shipped;
    for (const char* network : {"resnet", "gan", "yolo"}) {
        for (const std::string& layer : catalog().layers(network)) shipped.push_back(layer);
    }
    EXPECT_EQ(shipped, seen);
}

TEST(ConfigCatalog, LayersAreFoundInAnyCase) {
    const Config config = load_names({"ResNet.c2"});
    EXPECT_EQ(config.workload.layer.name, "resnet.C2");
    EXPECT_FALSE(config.workload.layer.transposed);
    EXPECT_TRUE(load_names({"GAN.tc1"}).workload.layer.transposed);
}

TEST(ConfigCatalog, ALayersZerosAreItsOwn) {
    const WorkloadConfig sparse = load_names({"dual_implicit_ideal", "vgg16.conv3_1"}).workload;
    EXPECT_EQ(sparse.kind, WorkloadKind::kSparseConvolution);
    EXPECT_EQ(sparse.sparse.a.sparsity, 0.19);
    EXPECT_EQ(sparse.sparse.b.sparsity, 0.47);
    EXPECT_EQ(sparse.sparse.lowering, Lowering::kImplicit);
    const WorkloadConfig dense = load_names({"resnet.C2"}).workload;
    EXPECT_EQ(dense.kind, WorkloadKind::kConvolution);
    EXPECT_EQ(dense.sparse.a.sparsity, 0);
    EXPECT_EQ(dense.sparse.b.sparsity, 0);
}

TEST(ConfigCatalog, UnknownNamesGiveTheNearest) {
    EXPECT_EQ(names_error({"duplo_papr"}),
              "unknown configuration 'duplo_papr' (did you mean 'duplo_paper'?); expected a YAML "
              "file, a layer such as resnet.C2, or a name from " +
                  kSource + "/configs/{gpus,mechanisms,layers}");
    EXPECT_NE(names_error({"resnte.C2"}).find("(did you mean 'resnet.C2'?)"), std::string::npos);
    EXPECT_EQ(names_error({"yolo.C7"}),
              "got layer 'yolo.C7', expected one of {yolo.C1, yolo.C2, yolo.C3, yolo.C4, yolo.C5, "
              "yolo.C6} (did you mean 'yolo.C1'?)");
    EXPECT_EQ(names_error({"yolo"}),
              "got network 'yolo', expected one of {yolo.C1, yolo.C2, yolo.C3, yolo.C4, yolo.C5, "
              "yolo.C6}");
    EXPECT_EQ(names_error({"nowhere/x.yaml"}),
              "nowhere/x.yaml: cannot read: No such file or directory");
    EXPECT_NE(names_error({""}).find("unknown configuration ''"), std::string::npos);
    EXPECT_NE(names_error({std::string(100000, 'x')}).find("unknown configuration"),
              std::string::npos);
}

/// A configs folder of its own, with one network file.
class ConfigCatalogFiles : public test::TempFolder {
protected:
    ConfigCatalogFiles() {
        std::filesystem::create_directories(folder / "networks");
        std::filesystem::create_directories(folder / "experiments");
    }

    std::string network_error(const std::string& text) {
        write("networks/net.yaml", text);
        return error_of([&] {
            ConfigSource source;
            ConfigCatalog(folder).add_to(source, "net.a");
            (void)load_config(source);
        });
    }
};

TEST_F(ConfigCatalogFiles, MistakesInNetworksAreLocated) {
    const std::string file = (folder / "networks" / "net.yaml").string();
    const std::string rest =
        "width: 4, channels: 4, filters: 4, filter_height: 3, filter_width: 3, pad: 1, stride: 1}";
    EXPECT_EQ(network_error("layers:\n  a: {batch: 1, height: 4, " + rest), "no error");
    EXPECT_EQ(network_error("layers:\n  a: {batch: 1, hight: 4, " + rest),
              file +
                  ":2:17: layers.a: unknown key 'hight', expected one of {batch, height, width, "
                  "channels, filters, filter_height, filter_width, pad, stride, transposed, "
                  "groups, pass, dilation, pad_height, pad_width, stride_height, "
                  "stride_width, sparse} "
                  "(did you mean 'height'?)");
    EXPECT_EQ(network_error("layers:\n  a: {batch: 1, " + rest),
              file + ":2:6: layers.a: key 'height' is missing");
    EXPECT_EQ(network_error("layers:\n  a: {m: 1, n: 2}"),
              file + ":2:6: layers.a: key 'k' is missing");
    EXPECT_EQ(network_error("layers:\n  a: {m: 1, n: 2, k: 3, batch: 1}"),
              file + ":2:25: layers.a: unknown key 'batch', expected one of {m, n, k, sparse}");
    EXPECT_EQ(
        network_error("layers:\n  a: {batch: 1, height: tall, " + rest),
        file + ":2:25: workload.layer.height: got 'tall', expected an integer from 1 to 65535");
    EXPECT_EQ(network_error("layer: {}"), file +
                                              ":1:1: unknown key 'layer', expected one of "
                                              "{description, layers} (did you mean 'layers'?)");
    EXPECT_EQ(network_error(""), file + ": layers: missing, expected a mapping of layers");
    EXPECT_EQ(network_error("layers: [a]"), file + ":1:9: layers: got a list, expected a mapping");
}

TEST_F(ConfigCatalogFiles, NetworksMayLieAnywhere) {
    const std::string file = write("mine.yaml",
                                   "layers:\n  a: {batch: 1, height: 40, width: 30, channels: 3, "
                                   "filters: 8, filter_height: 16, filter_width: 16, pad: 0, "
                                   "stride: 16, stride_width: 14, dilation: 1}\n"
                                   "  b: {m: 5, n: 6, k: 7}\n");
    const ConfigCatalog files(kSource + "/configs");
    const auto load = [&files](const std::string& argument) {
        ConfigSource source;
        files.add_to(source, "cudnn");
        files.add_to(source, argument);
        return load_config(source);
    };
    const Config a = load(file + ":a");
    EXPECT_EQ(a.workload.layer.name, "mine.a");
    EXPECT_EQ(a.workload.layer.filter_height, 16U);
    EXPECT_EQ(a.workload.layer.stride_of_width(), 14U);
    EXPECT_EQ(files.layers(file), (std::vector<std::string>{file + ":a", file + ":b"}));
    EXPECT_EQ(layer_name(file + ":a"), "mine.a");
    EXPECT_EQ(layer_name("resnet.C2"), "resnet.C2");
    EXPECT_TRUE(is_config_path("mine.yaml:a"));
    EXPECT_TRUE(is_config_path("mine.yml"));
    EXPECT_FALSE(is_config_path("resnet.C2"));
    const auto error = [&](const std::string& argument) {
        return error_of([&] { (void)load(argument); });
    };
    EXPECT_EQ(error(file), file + ": got no layer, expected " + file + ":LAYER with one of {a, b}");
    EXPECT_EQ(error(file + ":c"),
              file + ": got layer 'c', expected " + file + ":LAYER with one of {a, b}");
    const std::string other = write("other.yaml", "timing: at\n");
    EXPECT_EQ(error(other + ":c"), other +
                                       ":1:1: unknown key 'timing', expected one of "
                                       "{description, layers}");
    EXPECT_EQ(load(other).timing, Timing::kApproximatelyTimed);
    const std::string one = write("one.yml", "layers:\n  x: {m: 5, n: 6, k: 7}\n");
    ConfigSource source;
    files.add_to(source, one);
    EXPECT_EQ(load_config(source).workload.gemm.k, 7U);
}

TEST_F(ConfigCatalogFiles, ExperimentsAreFoundByNameAndAreNoConfigurations) {
    std::ofstream(folder / "experiments" / "fig9.yaml") << "{}\n";
    const ConfigCatalog files(folder);
    EXPECT_EQ(files.experiment_file("fig9"), (folder / "experiments" / "fig9.yaml").string());
    EXPECT_EQ(files.experiment_file("some/where.yaml"), "some/where.yaml");
    EXPECT_EQ(error_of([&] { (void)files.experiment_file("fig8"); }),
              "got experiment 'fig8', expected a YAML file or one of {fig9} (did you mean "
              "'fig9'?)");
    ConfigSource source;
    EXPECT_EQ(error_of([&] { files.add_to(source, "fig9"); }),
              "'fig9' is an experiment, not a configuration; run it with: tessera sweep fig9");
}

TEST_F(ConfigCatalogFiles, TheEnvironmentChoosesTheFolder) {
    ASSERT_EQ(setenv("TESSERA_CONFIG_DIR", folder.c_str(), 1), 0);
    EXPECT_EQ(ConfigCatalog().root(), folder);
    ASSERT_EQ(setenv("TESSERA_CONFIG_DIR", "/nowhere", 1), 0);
    EXPECT_EQ(error_of([] { ConfigCatalog(); }),
              "TESSERA_CONFIG_DIR: got '/nowhere', expected a folder");
    ASSERT_EQ(unsetenv("TESSERA_CONFIG_DIR"), 0);
    EXPECT_EQ(ConfigCatalog().root(), kSource + "/configs");
}

}  // namespace
}  // namespace tessera
