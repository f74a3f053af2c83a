#include <stdexcept>

#include "sc_models/cosim/rtl_devices.h"
#include "sc_models/cosim/rtl_support.h"

namespace tessera {

std::string rtl_skipped() {
    return {};
}

bool rtl_counts_coverage() {
    return VM_COVERAGE != 0;
}

void require_rtl(const std::string& /*key*/) {}

std::unique_ptr<Device> make_rtl_block(RtlBlock block, const Config& config,
                                       const DevicePlace& place) {
    switch (block) {
        case RtlBlock::kIdGenerator:
            return make_rtl_id_generator(config, place);
        case RtlBlock::kLoadHistoryBuffer:
            return make_rtl_load_history_buffer(config, place);
        case RtlBlock::kFeopArray:
            return make_rtl_feop_array(config, place);
        case RtlBlock::kAccumulationBuffer:
            return make_rtl_accumulation_buffer(config, place);
        case RtlBlock::kBitmapUnit:
            return make_rtl_bitmap_unit(config, place);
        case RtlBlock::kRenameTable:
            return make_rtl_rename_table(config, place);
        case RtlBlock::kDuploCore:
            return make_rtl_duplo_core(config, place);
        case RtlBlock::kPrecomputeTable:
            return make_rtl_precompute_table(config, place);
        case RtlBlock::kAssignTable:
            return make_rtl_assign_table(config, place);
        case RtlBlock::kSpwmmaCore:
            return make_rtl_spwmma_core(config, place);
    }
    throw std::logic_error("no such block");
}

}  // namespace tessera
