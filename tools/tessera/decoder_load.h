// Sizes of a pass through a decoder on the command line of `tessera network`.
#pragma once

#include "sc_models/study/decoder.h"
#include "tools/tessera/network_arguments.h"

namespace tessera {

/// Tokens of a prompt without --dim tokens.
inline constexpr std::uint32_t kPromptTokens = 2048;

/// Reads --dim tokens, batch, context and tensor_parallel. Throws ConfigError for others, and for
/// options of ONNX models.
[[nodiscard]] DecoderLoad load_of(const NetworkArguments& arguments);

}  // namespace tessera
