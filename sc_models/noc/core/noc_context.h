// Configuration and surroundings of a network between SMs and L2.
#pragma once

#include <cstdint>

#include "sc_models/common/statistics.h"
#include "sc_models/config/noc_config.h"
#include "sc_models/memory/core/address_map.h"

namespace tessera {

/// Arguments that a crossbar has at either level of timing. Map and statistics must outlive it; the
/// map defines the number of slices.
struct CrossbarContext {
    const NocConfig& config;
    std::uint32_t sms;
    std::uint32_t sector_bytes;
    const AddressMap& map;
    StatGroup& statistics;
};

/// Arguments that a mesh has at either level of timing, likewise. The slices belong to
/// `controllers` memory controllers.
struct MeshContext {
    const NocConfig& config;
    std::uint32_t sms;
    std::uint32_t controllers;
    const AddressMap& map;
    StatGroup& statistics;
};

}  // namespace tessera
