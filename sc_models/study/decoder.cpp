#include "sc_models/study/decoder.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <utility>

#include "sc_models/common/edit_distance.h"
#include "sc_models/common/error.h"
#include "sc_models/common/types.h"
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

constexpr std::uint64_t kHalfBytes = 2;

DecoderOperator product(const char* name, std::uint64_t m, std::uint64_t n, std::uint64_t k) {
    return {name,
            true,
            {fmt::format("workload.gemm.m={}", m), fmt::format("workload.gemm.n={}", n),
             fmt::format("workload.gemm.k={}", k), "workload.gemm.transpose_a=t",
             "workload.gemm.transpose_b=n"},
            "product",
            fmt::format("{}x{}x{}", m, n, k),
            2.0 * static_cast<double>(m * n) * static_cast<double>(k),
            kHalfBytes * (m * k + n * k + m * n)};
}

/// An operator on `tensors` tensors of rows x columns, results among them.
DecoderOperator tensor(const char* name, const char* operation, std::uint64_t rows,
                       std::uint64_t columns, std::uint64_t tensors) {
    return {name,
            false,
            {fmt::format("workload.tensor.operation={}", operation),
             fmt::format("workload.tensor.shape={}x{}", rows, columns)},
            operation,
            fmt::format("{}x{}", rows, columns),
            0,
            kHalfBytes * tensors * rows * columns};
}

/// Sizes of one card.
struct CardSizes {
    std::uint32_t heads = 0, kv_heads = 0, mlp = 0;
};

CardSizes sizes_of_card(const Decoder& decoder, std::uint32_t cards) {
    const auto divide = [&](const char* what, std::uint32_t size) {
        if (size % cards == 0) return size / cards;
        throw ConfigError(fmt::format("{}: got {} {} for {} cards, expected a multiple of them",
                                      decoder.name, what, size, cards));
    };
    // Each card has at least one head of keys and values: with fewer heads than cards, copies.
    return {divide("heads", decoder.heads),
            decoder.kv_heads < cards ? 1 : divide("kv_heads", decoder.kv_heads),
            divide("mlp", decoder.mlp)};
}

std::vector<std::string> attention_sets(const Decoder& decoder, const CardSizes& card,
                                        const char* operation) {
    return {fmt::format("workload.attention.operation={}", operation),
            fmt::format("workload.attention.heads={}", card.heads),
            fmt::format("workload.attention.kv_heads={}", card.kv_heads),
            fmt::format("workload.attention.head_size={}", decoder.head_size())};
}

/// The rotation of queries and keys. Their bytes are read and written.
DecoderOperator rotary(const Decoder& decoder, const CardSizes& card, std::uint64_t tokens) {
    const std::uint64_t elements =
        tokens * (card.heads + card.kv_heads) * std::uint64_t{decoder.head_size()};
    DecoderOperator rotary{"attn_rope",
                           false,
                           attention_sets(decoder, card, "rotary"),
                           "rotary",
                           fmt::format("{}x{}", tokens, card.heads + card.kv_heads),
                           0,
                           2 * kHalfBytes * elements};
    rotary.sets.push_back(fmt::format("workload.attention.tokens={}", tokens));
    return rotary;
}

}  // namespace

std::string DecoderOperator::section() const {
    const std::string& first = sets.front();
    const std::size_t begin = first.find('.') + 1;
    return first.substr(begin, first.find('.', begin) - begin);
}

bool is_decoder(const std::string& argument, const ConfigCatalog& catalog) {
    if (!is_config_path(argument)) {
        const std::vector<std::string> known = catalog.names(kFolder);
        return std::find(known.begin(), known.end(), argument) != known.end();
    }
    if (is_model_path(argument) || !std::filesystem::is_regular_file(argument)) return false;
    const ConfigNode root = parse_yaml_file(argument);
    return root.kind == ConfigNode::Kind::kMapping && root.find("hidden") != nullptr;
}

Decoder read_decoder(const std::string& argument, const ConfigCatalog& catalog) {
    const std::string path = file_of(argument, catalog);
    const ConfigNode root = parse_yaml_file(path);
    root.expect_mapping("");
    root.expect_keys(
        "", {"hidden", "heads", "kv_heads", "mlp", "gated", "vocabulary", "hidden_layers"});
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
    if (root.find("hidden_layers") != nullptr) decoder.hidden_layers = size("hidden_layers");
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
    const CardSizes card = sizes_of_card(decoder, tensor_parallel);
    const std::uint64_t queries = std::uint64_t{card.heads} * decoder.head_size();
    const std::uint64_t keys = std::uint64_t{card.kv_heads} * decoder.head_size();
    const std::uint64_t inner = card.mlp, hidden = decoder.hidden;
    DecoderOperator embedding = tensor("emb", "gather", decoder.vocabulary, hidden, 0);
    embedding.sets.push_back(fmt::format("workload.tensor.other={}", tokens));
    embedding.sets.emplace_back("workload.tensor.axis=0");
    embedding.bytes = 2 * kHalfBytes * tokens * hidden;
    return {
        embedding,
        tensor("input_layernorm", "rms_normalization", tokens, hidden, 2),
        product("attn_pre_proj", tokens, queries + 2 * keys, hidden),
        rotary(decoder, card, tokens),
        product("attn_post_proj", tokens, hidden, queries),
        tensor("post_attention_layernorm", "rms_normalization", tokens, hidden, 2),
        product("mlp_up_proj", tokens, decoder.gated ? 2 * inner : inner, hidden),
        tensor("mlp_act", decoder.gated ? "swiglu" : "gelu", tokens, inner, decoder.gated ? 3 : 2),
        product("mlp_down_proj", tokens, hidden, inner),
        tensor("add", "add", tokens, hidden, 3)};
}

DecoderOperator attention_of(const Decoder& decoder, const DecoderLoad& load) {
    const CardSizes card = sizes_of_card(decoder, load.tensor_parallel);
    const bool decodes = load.decodes();
    DecoderOperator attention;
    attention.name = decodes ? "attn_decode" : "attn_prefill";
    attention.operation = "attention";
    attention.shape = fmt::format("{}x{}x{}", load.batch, card.heads, load.context + load.tokens);
    attention.sets = attention_sets(decoder, card, decodes ? "decode" : "prefill");
    attention.sets.push_back(fmt::format("workload.attention.batch={}", load.batch));
    attention.sets.push_back(fmt::format("workload.attention.context={}", load.context));
    if (decodes) {
        attention.sets.push_back(fmt::format("workload.attention.page_tokens={}", kPageTokens));
    } else {
        attention.sets.push_back(fmt::format("workload.attention.tokens={}", load.tokens));
    }
    const double tokens = load.tokens, before = load.context;
    const double pairs = tokens * before + tokens * (tokens + 1) / 2;  // of a query and a key
    const double elements = double{1} * load.batch * card.heads * decoder.head_size();
    attention.flop = 4 * elements * pairs;
    const std::uint64_t of_queries = 2 * std::uint64_t{load.tokens} * card.heads;
    const std::uint64_t of_keys = 2 * (std::uint64_t{load.context} + load.tokens) * card.kv_heads;
    attention.bytes = kHalfBytes * load.batch * decoder.head_size() * (of_queries + of_keys);
    return attention;
}

DecoderPass pass_of(const Decoder& decoder, const DecoderLoad& load) {
    DecoderPass pass;
    for (DecoderOperator& op : operators_of(decoder, load.all_tokens(), load.tensor_parallel)) {
        if (op.name == "emb") {
            pass.before.push_back(std::move(op));
            continue;
        }
        const std::string name = op.name;
        if (name == "add") op.name = "mlp_add";
        pass.layer.push_back(op);
        if (name == "attn_rope") pass.layer.push_back(attention_of(decoder, load));
        if (name != "attn_post_proj") continue;
        pass.layer.push_back(tensor("attn_add", "add", load.all_tokens(), decoder.hidden, 3));
    }
    pass.after.push_back(
        tensor("final_layernorm", "rms_normalization", load.all_tokens(), decoder.hidden, 2));
    pass.after.push_back(product(
        "lm_head", load.batch, ceil_div(decoder.vocabulary, load.tensor_parallel), decoder.hidden));
    return pass;
}

}  // namespace tessera
