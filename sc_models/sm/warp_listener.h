// Interface through which a sub-core notifies its SM.
#pragma once

#include <cstdint>

#include "sc_models/common/types.h"

namespace tessera {

/// Interface through which a sub-core notifies its SM.
class WarpListener {
public:
    virtual ~WarpListener() = default;
    /// A warp of CTA slot `cta` reached named barrier `barrier` at cycle `at`.
    virtual void on_barrier(std::uint32_t cta, std::uint32_t barrier, Cycle at) = 0;
    /// A warp of CTA slot `cta` ended at cycle `at`; its slot is free.
    virtual void on_exit(std::uint32_t cta, WarpId warp, Cycle at) = 0;
    /// A store was accepted by the memory below at cycle `at`.
    virtual void on_store_accepted(Cycle at) = 0;
};

}  // namespace tessera
