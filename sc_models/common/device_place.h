// Where in the machine a block stands that may be a model or RTL.
#pragma once

#include <cstdint>
#include <string>

#include "sc_models/common/observer.h"

namespace tessera {

/// Where in the machine a block stands that may be a model or RTL.
struct DevicePlace {
    std::string scope;         ///< "sm3" or "sm3.tensor1"
    std::uint32_t number = 0;  ///< counts the places of a kind; with the run's seed it chooses the
                               ///< first values of the registers of RTL
    WaveRecorder* wave = nullptr;
};

}  // namespace tessera
