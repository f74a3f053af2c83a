// tessera block-pairs: how often the data of two cache blocks meet in a layer.
#include <fmt/format.h>
#include <memory>

#include "sc_models/common/error.h"
#include "sc_models/gpu/config_catalog.h"
#include "sc_models/gpu/config_text.h"
#include "sc_models/opportunistic/block_pairs.h"
#include "sc_models/workload/direct_convolution.h"
#include "testbenches/tessera/commands.h"

namespace tessera {
namespace {

constexpr std::uint64_t kThresholds[] = {800, 400, 100, 32};

struct BlockPairsArguments {
    ConfigArguments config;
    std::string network;
    bool one_image = true;
};

void print_header() {
    fmt::print("{:<28}{:>8}{:>14}{:>10}", "layer", "pairs", "products", "mean");
    for (const std::uint64_t threshold : kThresholds) {
        fmt::print("{:>9}", fmt::format(">{} %", threshold));
    }
    fmt::print("\n");
}

void print_row(Config config, bool one_image) {
    if (config.workload.kind != WorkloadKind::kDirectConvolution) {
        throw ConfigError("workload.kind: expected direct_convolution (a layer of lenet5, say)");
    }
    if (one_image) config.workload.layer.batch = 1;
    const DirectConvolution layer(config.workload, config.seed, false, {});
    const BlockPairs pairs(layer.kernel(), config.l1.line_bytes);
    fmt::print("{:<28}{:>8}{:>14}{:>10.1f}", layer.name(), pairs.pairs(), pairs.multiplications(),
               static_cast<double>(pairs.multiplications()) / static_cast<double>(pairs.pairs()));
    for (const std::uint64_t threshold : kThresholds) {
        fmt::print("{:>9.1f}", 100.0 * static_cast<double>(pairs.over(threshold)) /
                                   static_cast<double>(pairs.pairs()));
    }
    fmt::print("\n");
}

void print_block_pairs(const BlockPairsArguments& arguments) {
    ConfigSource source;
    if (arguments.network.empty()) {
        const Config config = arguments.config.load(source);
        print_header();
        print_row(config, arguments.one_image);
        return;
    }
    const std::vector<std::string> layers = ConfigCatalog().layers(arguments.network);
    print_header();
    for (const std::string& layer : layers) {
        ConfigArguments one = arguments.config;
        one.configs.push_back(layer);
        ConfigSource of_layer;
        print_row(one.load(of_layer), arguments.one_image);
    }
}

}  // namespace

void add_block_pairs_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "block-pairs", "Count the products between pairs of cache blocks of a direct convolution");
    auto arguments = std::make_shared<BlockPairsArguments>();
    arguments->config.add_to(*command);
    command->add_option("--network", arguments->network, "all layers of a network, after CONFIG");
    command->add_flag("!--batch", arguments->one_image,
                      "the layer's whole batch instead of one image");
    command->callback([arguments, &code] {
        print_block_pairs(*arguments);
        code = 0;
    });
}

}  // namespace tessera
