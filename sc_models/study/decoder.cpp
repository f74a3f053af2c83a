#include "sc_models/study/decoder.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>

#include "sc_models/common/edit_distance.h"
#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/config/engine/yaml_reader.h"

namespace tessera {
namespace {

constexpr const char* kFolder = "decoders";
constexpr std::uint32_t kMostElements = 1U << 20;

std::string file_of(const std::string& argument, const ConfigCatalog& catalog) {
    if (is_config_path(argument)) return argument;
    const std::vector<std::string> known = catalog.names(kFolder);
    if (std::find(known.begin(), known.end(), argument) == known.end()) {
        const std::vector<std::string_view> views(known.begin(), known.end());
        throw ConfigError("got decoder " + in_quotes(argument) +
                          ", expected a YAML file or one of " + braced_list(views) +
                          did_you_mean(argument, views));
    }
    return (catalog.root() / kFolder / (argument + ".yaml")).string();
}

DecoderOperator product(const char* name, std::uint64_t m, std::uint64_t n, std::uint64_t k) {
    return {name,
            true,
            {fmt::format("workload.gemm.m={}", m), fmt::format("workload.gemm.n={}", n),
             fmt::format("workload.gemm.k={}", k), "workload.gemm.transpose_a=t",
             "workload.gemm.transpose_b=n"}};
}

DecoderOperator tensor(const char* name, const char* operation, std::uint64_t rows,
                       std::uint64_t columns) {
    return {name,
            false,
            {fmt::format("workload.tensor.operation={}", operation),
             fmt::format("workload.tensor.shape={}x{}", rows, columns)}};
}

}  // namespace

Decoder read_decoder(const std::string& argument, const ConfigCatalog& catalog) {
    const std::string path = file_of(argument, catalog);
    const ConfigNode root = parse_yaml_file(path);
    root.expect_mapping("");
    root.expect_keys("", {"hidden", "heads", "kv_heads", "mlp", "gated", "vocabulary"});
    const auto member = [&root](const char* key) -> const ConfigNode& {
        const ConfigNode* found = root.find(key);
        if (found == nullptr) root.fail(key, "got nothing, expected a value");
        return *found;
    };
    const auto size = [&member](const char* key) {
        return static_cast<std::uint32_t>(member(key).as_integer(key, 1, kMostElements));
    };
    Decoder decoder;
    decoder.name = std::filesystem::path(path).stem().string();
    decoder.hidden = size("hidden");
    decoder.heads = size("heads");
    decoder.kv_heads = size("kv_heads");
    decoder.mlp = size("mlp");
    decoder.vocabulary = size("vocabulary");
    decoder.gated = member("gated").as_boolean("gated");
    if (decoder.hidden % decoder.heads != 0) {
        member("heads").fail_expected("heads",
                                      fmt::format("a divisor of hidden {}", decoder.hidden));
    }
    if (decoder.heads % decoder.kv_heads != 0) {
        member("kv_heads")
            .fail_expected("kv_heads", fmt::format("a divisor of heads {}", decoder.heads));
    }
    return decoder;
}

std::vector<DecoderOperator> operators_of(const Decoder& decoder, std::uint32_t tokens,
                                          std::uint32_t tensor_parallel) {
    const auto divide = [&](const char* what, std::uint32_t size) {
        if (size % tensor_parallel == 0) return size / tensor_parallel;
        throw ConfigError(fmt::format("{}: got {} {} for {} cards, expected a multiple of them",
                                      decoder.name, what, size, tensor_parallel));
    };
    const std::uint64_t size_of_head = decoder.hidden / decoder.heads;
    const std::uint64_t queries = divide("heads", decoder.heads) * size_of_head;
    // Each card has at least one head of keys and values: with fewer heads than cards, copies.
    const std::uint64_t keys =
        (decoder.kv_heads < tensor_parallel ? 1 : divide("kv_heads", decoder.kv_heads)) *
        size_of_head;
    const std::uint64_t inner = divide("mlp", decoder.mlp);
    const std::uint64_t hidden = decoder.hidden;
    DecoderOperator embedding = tensor("emb", "gather", decoder.vocabulary, hidden);
    embedding.sets.push_back(fmt::format("workload.tensor.other={}", tokens));
    embedding.sets.emplace_back("workload.tensor.axis=0");
    return {embedding,
            tensor("input_layernorm", "rms_normalization", tokens, hidden),
            product("attn_pre_proj", tokens, queries + 2 * keys, hidden),
            product("attn_post_proj", tokens, hidden, queries),
            tensor("post_attention_layernorm", "rms_normalization", tokens, hidden),
            product("mlp_up_proj", tokens, decoder.gated ? 2 * inner : inner, hidden),
            tensor("mlp_act", decoder.gated ? "swiglu" : "gelu", tokens, inner),
            product("mlp_down_proj", tokens, hidden, inner),
            tensor("add", "add", tokens, hidden)};
}

}  // namespace tessera
