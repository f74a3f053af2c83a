#include "tools/tessera/decoder_load.h"

#include <fmt/format.h>
#include <array>
#include <charconv>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"

namespace tessera {

DecoderLoad load_of(const NetworkArguments& arguments) {
    constexpr std::uint32_t kMost = 1U << 20;
    DecoderLoad load;
    load.tokens = kPromptTokens;
    const std::array<std::pair<std::string_view, std::uint32_t*>, 4> sizes = {
        {{"tokens", &load.tokens},
         {"batch", &load.batch},
         {"context", &load.context},
         {"tensor_parallel", &load.tensor_parallel}}};
    for (const std::string& text : arguments.sides) {
        const std::string name = text.substr(0, text.find('='));
        std::uint32_t* size = nullptr;
        for (const auto& [known, place] : sizes) {
            if (known == name) size = place;
        }
        if (size == nullptr) {
            throw ConfigError(fmt::format(
                "--dim: got {}, expected one of {{tokens, batch, context, tensor_parallel}} of a "
                "decoder, and =SIZE",
                in_quotes(text)));
        }
        const std::string value = text.size() > name.size() ? text.substr(name.size() + 1) : "";
        const char* const end = value.data() + value.size();
        const std::uint32_t least = size == &load.context ? 0 : 1;
        const auto [rest, error] = std::from_chars(value.data(), end, *size);
        if (error != std::errc() || rest != end || *size < least || *size > kMost) {
            throw ConfigError(fmt::format("--dim {}: got {}, expected an integer from {} to {}",
                                          name, in_quotes(value), least, kMost));
        }
    }
    if (std::uint64_t{load.batch} * load.tokens > kMost) {
        throw ConfigError(
            fmt::format("--dim batch: got {} sequences of {} tokens, expected at "
                        "most {} tokens",
                        load.batch, load.tokens, kMost));
    }
    NetworkArguments others = arguments;
    others.sides.clear();
    refuse_model_options(others);
    return load;
}

}  // namespace tessera
