#include "testbenches/cosim/blocks.h"
#include "testbenches/cosim/bench.h"

namespace tessera {

const std::vector<CosimBlock>& cosim_blocks() {
    static const std::vector<CosimBlock> kBlocks = {
        {"accumulation_buffer", "operand collector, banks and adders for OHMMA products",
         "accumulations", make_accumulation_buffer_bench},
        {"bitmap_unit", "popcounts, value offsets and OHMMA sequencer of a SpWMMA tile",
         "popcounts and OHMMAs", make_bitmap_unit_bench},
        {"fedp", "four-element dot-product unit", "dot products", make_fedp_bench},
        {"feop", "four-element outer-product unit with its adders", "lane results",
         make_feop_bench},
        {"feop_array", "pair of outer-product tensor cores, OHMMA and BOHMMA", "FP16 products",
         make_feop_array_bench},
        {"fp", "FP16 multiplier and FP32 adder, 4294967296 for every product", "products",
         make_fp_bench},
        {"id_generator", "address of a workspace chunk to the id of its datum", "addresses",
         make_id_generator_bench},
        {"load_history_buffer", "which register holds a datum", "operations",
         make_load_history_buffer_bench},
    };
    return kBlocks;
}

}  // namespace tessera
