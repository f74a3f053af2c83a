// Place in the machine of a block that runs as model or RTL.
#pragma once

#include <cstdint>
#include <string>

#include "sc_models/common/observer.h"

namespace tessera {

/// Place in the machine of a block that runs as model or RTL.
struct DevicePlace {
    std::string scope;         ///< "sm3" or "sm3.tensor1"
    std::uint32_t number = 0;  ///< index among the places of a kind; together with the run's seed
                               ///< it determines the initial register values of RTL
    WaveRecorder* wave = nullptr;
    TransactionObserver* transactions = nullptr;
    /// Number of the access that the LDST unit of the SM serves (AccessInfo::id); null: none.
    const std::uint64_t* access = nullptr;
};

}  // namespace tessera
