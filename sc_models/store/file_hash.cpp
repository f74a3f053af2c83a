#include "sc_models/store/file_hash.h"

#include <array>

#include "sc_models/common/input_file.h"
#include "sc_models/config/engine/config_entries.h"

namespace tessera {

std::string hash_of_file(const std::string& file) {
    const InputFile in(file);
    std::string content;
    std::array<char, 1 << 16> block{};
    while (const std::size_t bytes = in.read(block.data(), block.size())) {
        content.append(block.data(), bytes);
    }
    return fnv1a_hex(content);
}

}  // namespace tessera
