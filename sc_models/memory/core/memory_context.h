// Configuration and surroundings of L2 slices and DRAM channels.
#pragma once

#include <cstdint>

#include "sc_models/common/statistics.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/memory/core/address_map.h"
#include "sc_models/memory/core/memory_image.h"

namespace tessera {

/// Arguments that an L2 slice has at either level of timing. Map and statistics must outlive it.
struct L2Context {
    const L2Config& config;
    std::uint32_t index;  ///< of the slice, in `map`
    const AddressMap& map;
    bool values;  ///< transactions carry data
    StatGroup& statistics;
};

/// Arguments that a DRAM channel has at either level of timing. Map, image and statistics must
/// outlive it.
struct DramContext {
    const DramConfig& config;
    std::uint32_t sector_bytes;
    const AddressMap& map;
    MemoryImage& image;  ///< contents of the memory
    bool values;         ///< transactions carry data
    StatGroup& statistics;
};

}  // namespace tessera
