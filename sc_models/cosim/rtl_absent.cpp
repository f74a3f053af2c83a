#include <stdexcept>

#include "sc_models/common/error.h"
#include "sc_models/cosim/rtl_devices.h"
#include "sc_models/cosim/rtl_support.h"

namespace tessera {
namespace {

[[noreturn]] void refuse(const std::string& key) {
    throw ConfigError(key + ": needs the RTL blocks, but " + rtl_skipped());
}

/// Names the first block of `home` that asks for RTL.
[[noreturn]] void refuse(const Config& config, RtlHome home) {
    for (std::size_t i = 0; i < kRtlBlocks.size(); ++i) {
        if (kRtlBlocks[i].home == home && config.impl.blocks[i] != Implementation::kTlm) {
            refuse("impl." + std::string(kRtlBlocks[i].name));
        }
    }
    throw std::logic_error("no block asks for RTL");
}

}  // namespace

std::string rtl_skipped() {
    return TESSERA_RTL_SKIPPED;
}

bool rtl_counts_coverage() {
    return false;
}

void require_rtl(const std::string& key) {
    refuse(key);
}

std::unique_ptr<IdDevice> make_rtl_ids(const Config& config, const DevicePlace& /*place*/) {
    refuse(config, RtlHome::kDetectionUnit);
}

std::unique_ptr<HistoryDevice> make_rtl_history(const Config& config,
                                                const DevicePlace& /*place*/) {
    refuse(config, RtlHome::kDetectionUnit);
}

std::unique_ptr<MatrixUnit> make_rtl_outer_product(const Config& config,
                                                   const DevicePlace& /*place*/) {
    refuse(config, RtlHome::kTensorCores);
}

std::unique_ptr<SpwmmaUnit> make_rtl_spwmma(const Config& config, const DevicePlace& /*place*/) {
    refuse(config, RtlHome::kTensorCores);
}

}  // namespace tessera
