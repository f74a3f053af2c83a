// tessera block-pairs: how often the data of two cache blocks meet in a layer.
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/opportunistic/block_pairs.h"
#include "sc_models/workload/direct/direct_convolution.h"
#include "tools/tessera/commands.h"

namespace tessera {
namespace {

constexpr std::uint64_t kThresholds[] = {800, 400, 100, 32};

struct BlockPairsArguments {
    ConfigArguments config;
    std::string network;
    bool one_image = true;
};

std::string header() {
    std::string text = fmt::format("{:<28}{:>8}{:>14}{:>10}", "layer", "pairs", "products", "mean");
    for (const std::uint64_t threshold : kThresholds) {
        text += fmt::format("{:>9}", fmt::format(">{} %", threshold));
    }
    return text + "\n";
}

std::string row(const ConfigArguments& arguments, bool one_image) {
    ConfigSource source;
    Config config = arguments.load_acting(source);
    if (config.workload.kind != WorkloadKind::kDirectConvolution) {
        source.fail({"workload.kind"}, "direct_convolution (a layer of lenet5, say)");
    }
    if (one_image) config.workload.layer.batch = 1;
    const DirectConvolution layer(config.workload, config.seed, false, {});
    const BlockPairs pairs(layer.kernel(), config.l1.line_bytes);
    const auto count = static_cast<double>(pairs.pairs());
    std::string text =
        fmt::format("{:<28}{:>8}{:>14}{:>10.1f}", layer.name(), pairs.pairs(),
                    pairs.multiplications(), static_cast<double>(pairs.multiplications()) / count);
    for (const std::uint64_t threshold : kThresholds) {
        text += fmt::format("{:>9.1f}", 100.0 * static_cast<double>(pairs.over(threshold)) / count);
    }
    return text + "\n";
}

void print_block_pairs(const BlockPairsArguments& arguments) {
    std::vector<ConfigArguments> layers = {arguments.config};
    if (!arguments.network.empty()) {
        layers.clear();
        for (const std::string& layer : ConfigCatalog().layers(arguments.network)) {
            layers.push_back(arguments.config);
            layers.back().configs.push_back(layer);
        }
    }
    std::string above = header();  // a first row that is refused leaves nothing on the terminal
    for (const ConfigArguments& layer : layers) {
        print_text("{}{}", std::exchange(above, ""), row(layer, arguments.one_image));
    }
}

}  // namespace

void add_block_pairs_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "block-pairs", "Count the products between pairs of cache blocks of a direct convolution");
    auto arguments = std::make_shared<BlockPairsArguments>();
    arguments->config.add_to(*command);
    arguments->config.add_allow_unused_to(*command);
    command->add_option("--network", arguments->network, "all layers of a network, after CONFIG");
    command->add_flag("!--batch", arguments->one_image,
                      "the layer's whole batch instead of one image");
    command->callback([arguments, &code] {
        print_block_pairs(*arguments);
        code = 0;
    });
}

}  // namespace tessera
