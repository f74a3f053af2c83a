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
    /// Approximately timed: the response to a memory instruction of `warp` arrived. A load has its
    /// data in `reg`, or L2 has accepted a store.
    virtual void on_memory_response(SubCoreId sub_core, WarpId warp, std::uint8_t reg,
                                    bool store) = 0;
};

}  // namespace tessera
