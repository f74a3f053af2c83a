#include <algorithm>

#include "testbenches/cosim/bench.h"

namespace tessera {
namespace {

std::vector<CosimBlock>& registered() {
    static std::vector<CosimBlock> blocks;
    return blocks;
}

}  // namespace

const std::vector<CosimBlock>& cosim_blocks() {
    return registered();
}

void register_cosim_block(const CosimBlock& block) {
    std::vector<CosimBlock>& blocks = registered();
    const auto after =
        std::find_if(blocks.begin(), blocks.end(),
                     [&block](const CosimBlock& other) { return block.name < other.name; });
    blocks.insert(after, block);
}

}  // namespace tessera
