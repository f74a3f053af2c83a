// Do the networks' tables agree with the sources of their sparsities?
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/sparse/sparsity.h"
#include "tests/unit/config_test_support.h"

namespace tessera {
namespace {

const std::string kSource = TESSERA_SOURCE_DIR;

/// The configuration sections that a layer of a network sets.
struct LayerEntry {
    LayerConfig layer;
    GemmShapeConfig gemm;
    SparsityConfig a, b;

    void bind(ConfigVisitor& v) {
        v.section("workload", "", [&] {
            v.section("layer", "", [&] { layer.bind(v); });
            v.section("gemm", "", [&] { gemm.bind(v); });
            v.section("sparse", "", [&] {
                v.section("a", "", [&] { a.bind(v); });
                v.section("b", "", [&] { b.bind(v); });
            });
        });
    }
};

LayerEntry entry(const std::string& name) {
    ConfigSource source;
    ConfigCatalog(kSource + "/configs").add_to(source, name);
    return source.load<LayerEntry>();
}

using Row = std::map<std::string, std::string>;

std::vector<std::string> fields(const std::string& line) {
    std::vector<std::string> found(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            found.emplace_back();
        } else {
            found.back() += c;
        }
    }
    return found;
}

std::vector<Row> table(const std::string& name) {
    std::ifstream file(kSource + "/configs/reference/sparsity/" + name);
    EXPECT_TRUE(file.is_open()) << name;
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> keys = fields(line);
    std::vector<Row> rows;
    while (std::getline(file, line)) {
        const std::vector<std::string> values = fields(line);
        EXPECT_EQ(values.size(), keys.size()) << line;
        Row& row = rows.emplace_back();
        for (std::size_t i = 0; i < keys.size(); ++i) row[keys[i]] = values.at(i);
    }
    return rows;
}

/// "(64, 3, 7, 7)" as numbers.
std::vector<std::uint32_t> shape(const std::string& text) {
    std::vector<std::uint32_t> numbers;
    for (const std::string& part : fields(text.substr(1, text.size() - 2))) {
        numbers.push_back(static_cast<std::uint32_t>(std::stoul(part)));
    }
    return numbers;
}

void expect_sparsity(const LayerEntry& layer, const std::string& input_density,
                     const std::string& weight_density) {
    EXPECT_NEAR(layer.a.sparsity, 1 - std::stod(input_density), 1e-12);
    EXPECT_NEAR(layer.b.sparsity, 1 - std::stod(weight_density), 1e-12);
    EXPECT_EQ(layer.a.pattern, SparsityPattern::kUniform);
    EXPECT_EQ(layer.b.pattern, SparsityPattern::kUniform);
}

void expect_filter(const LayerConfig& layer, const std::vector<std::uint32_t>& weights) {
    EXPECT_EQ(layer.filters, weights.at(0));
    EXPECT_EQ(layer.channels, weights.at(1));
    EXPECT_EQ(layer.filter_height, weights.at(2));
    EXPECT_EQ(layer.filter_width, weights.at(3));
    EXPECT_EQ(layer.pad, weights.at(2) / 2);
}

TEST(NetworkSparsity, Vgg16) {
    const auto rows = table("vgg16.csv");
    const auto layers = ConfigCatalog(kSource + "/configs").layers("vgg16");
    ASSERT_EQ(layers.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        SCOPED_TRACE(layers[i]);
        EXPECT_EQ(layers[i], "vgg16." + row.at("layer"));
        const LayerEntry found = entry(layers[i]);
        EXPECT_EQ(std::to_string(found.layer.height), row.at("H"));
        EXPECT_EQ(std::to_string(found.layer.width), row.at("W"));
        expect_filter(found.layer, shape("(" + row.at("N") + "," + row.at("C") + "," +
                                         row.at("kernel") + "," + row.at("kernel") + ")"));
        EXPECT_EQ(found.layer.stride, 1U);
        expect_sparsity(found, row.at("input_density(previous layer Act%)"),
                        row.at("weight_density"));
    }
}

TEST(NetworkSparsity, Resnet18) {
    const auto rows = table("resnet18.csv");
    const auto layers = ConfigCatalog(kSource + "/configs").layers("resnet18");
    ASSERT_EQ(layers.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        SCOPED_TRACE(layers[i]);
        EXPECT_EQ(layers[i], "resnet18." + rows[i].at("layer"));
        const LayerEntry found = entry(layers[i]);
        EXPECT_EQ(std::to_string(found.layer.height), rows[i].at("H_in"));
        EXPECT_EQ(found.layer.width, found.layer.height);
        expect_filter(found.layer, shape(rows[i].at("weight_shape")));
        // The output must be the next layer's input.
        if (i + 1 < rows.size()) {
            EXPECT_EQ(std::to_string(found.layer.height / found.layer.stride),
                      rows[i + 1].at("H_in"));
        }
        expect_sparsity(found, rows[i].at("input_density_est"), rows[i].at("weight_density"));
    }
}

TEST(NetworkSparsity, MaskRcnn) {
    const auto rows = table("maskrcnn.csv");
    const auto layers = ConfigCatalog(kSource + "/configs").layers("maskrcnn");
    ASSERT_EQ(layers.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        SCOPED_TRACE(layers[i]);
        const std::string name = layers[i].substr(std::string("maskrcnn.").size());
        const bool head = row.at("layer") == "rpn.head.conv";  // of every level: .p2 ...
        const std::string unlevelled = head ? name.substr(0, name.size() - 3) : name;
        const std::string& full = row.at("layer");
        ASSERT_GE(full.size(), unlevelled.size());
        EXPECT_EQ(full.substr(full.size() - unlevelled.size()), unlevelled);
        const LayerEntry found = entry(layers[i]);
        EXPECT_EQ(std::to_string(found.layer.height), row.at("H_in"));
        EXPECT_EQ(std::to_string(found.layer.width), row.at("W_in"));
        expect_filter(found.layer, shape(row.at("weight_shape")));
        expect_sparsity(found, row.at("input_density"), row.at("weight_density"));
        // Inside a block the output is the next layer's input.
        const bool next_in_block = name.find("conv2") != std::string::npos;
        if (next_in_block && rows[i + 1].at("layer").find("conv3") != std::string::npos) {
            EXPECT_EQ(std::to_string(found.layer.height / found.layer.stride),
                      rows[i + 1].at("H_in"));
        }
    }
}

TEST(NetworkSparsity, BertBaseAndLstm) {
    std::map<std::string, std::size_t> rows_of;
    for (const Row& row : table("bert_rnn.csv")) {
        std::string name;
        if (row.at("network").rfind("BERT", 0) == 0) {
            const std::string tensor = row.at("tensor").substr(row.at("tensor").find('.') + 1);
            name = tensor == "attention.self.query/key/value" ? "attention.query_key_value"
                                                              : tensor.substr(0, tensor.rfind('.'));
            name.insert(0, "bert_base.");
        } else {
            const std::string tensor = row.at("tensor").substr(row.at("tensor").find('.') + 1);
            name = "lstm." + (row.at("tensor") == "encoder/decoder (tied)" ? "decoder" : tensor);
        }
        SCOPED_TRACE(name);
        ++rows_of[name];
        const LayerEntry found = entry(name);
        EXPECT_EQ(found.layer.name, name);
        const auto weights = shape(row.at("shape"));
        EXPECT_EQ(found.gemm.n, weights.at(0));
        EXPECT_EQ(found.gemm.k, weights.at(1));
        expect_sparsity(found, row.at("input_density"), row.at("weight_density"));
    }
    const ConfigCatalog catalog(kSource + "/configs");
    for (const auto& [network, rows] : {std::pair("bert_base", 12), std::pair("lstm", 1)}) {
        for (const std::string& layer : catalog.layers(network)) {
            EXPECT_EQ(rows_of[layer], static_cast<std::size_t>(rows)) << layer;
            rows_of.erase(layer);
        }
    }
    EXPECT_TRUE(rows_of.empty());
}

}  // namespace
}  // namespace tessera
