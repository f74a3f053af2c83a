#include "sc_models/duplo/rename_units.h"

#include <string>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

std::uint32_t rows_of(Granularity granularity) {
    switch (granularity) {
        case Granularity::kRow16:
            return 1;
        case Granularity::kHalfTile8:
            return 8;
        default:
            return kFragmentRows;
    }
}

/// A tile covers both octet copies; rows and half-tiles are counted for each copy.
std::uint32_t copies_of(const DuploConfig& config) {
    if (config.octet_copies != 1 && config.octet_copies != 2) {
        throw ConfigError("duplo.octet_copies: got " + std::to_string(config.octet_copies) +
                          ", expected 1 or 2");
    }
    return config.granularity == Granularity::kTile16 ? 1 : config.octet_copies;
}

}  // namespace

FragmentUnits units_of(const DuploConfig& config) {
    return {rows_of(config.granularity), copies_of(config)};
}

}  // namespace tessera
