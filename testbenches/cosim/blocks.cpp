#include "testbenches/cosim/blocks.h"

namespace tessera {

const std::vector<CosimBlock>& cosim_blocks() {
    static const std::vector<CosimBlock> kBlocks = {
        {"fedp", "four-element dot-product unit", "dot products", make_fedp_bench},
        {"feop", "four-element outer-product unit with its adders", "lane results",
         make_feop_bench},
        {"feop_array", "pair of outer-product tensor cores, OHMMA and BOHMMA", "FP16 products",
         make_feop_array_bench},
        {"fp", "FP16 multiplier and FP32 adder, 4294967296 for every product", "products",
         make_fp_bench},
    };
    return kBlocks;
}

}  // namespace tessera
