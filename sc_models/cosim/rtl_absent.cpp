#include "sc_models/common/error.h"
#include "sc_models/cosim/rtl_devices.h"
#include "sc_models/cosim/rtl_support.h"

namespace tessera {
namespace {

[[noreturn]] void refuse(const std::string& key) {
    throw ConfigError(key + ": needs the RTL blocks, but " + rtl_skipped());
}

/// The key that asks for RTL in the tensor cores.
const char* tensor_key(const Config& config) {
    if (config.impl.feop_array != Implementation::kTlm) return "impl.feop_array";
    if (config.impl.accumulation_buffer != Implementation::kTlm) return "impl.accumulation_buffer";
    return "impl.bitmap_unit";
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

std::unique_ptr<IdDevice> make_rtl_ids(const Config& /*config*/, const DevicePlace& /*place*/) {
    refuse("impl.id_generator");
}

std::unique_ptr<HistoryDevice> make_rtl_history(const Config& /*config*/,
                                                const DevicePlace& /*place*/) {
    refuse("impl.load_history_buffer");
}

std::unique_ptr<MatrixUnit> make_rtl_outer_product(const Config& config,
                                                   const DevicePlace& /*place*/) {
    refuse(tensor_key(config));
}

std::unique_ptr<SpwmmaUnit> make_rtl_spwmma(const Config& config, const DevicePlace& /*place*/) {
    refuse(tensor_key(config));
}

}  // namespace tessera
