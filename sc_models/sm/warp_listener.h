// Interface through which a sub-core notifies its SM.
#pragma once

#include <cstdint>

#include "sc_models/common/types.h"
#include "sc_models/isa/warp_instruction.h"

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
    /// A warp of CTA slot `cta` arrived at arrival barrier `barrier` at cycle `at`; the phase
    /// expects `bytes` more.
    virtual void on_arrival(std::uint32_t cta, std::uint32_t barrier, std::uint32_t bytes,
                            Cycle at) = 0;
    /// A warp of CTA slot `cta` issued a kBulkCopy at cycle `at`.
    virtual void on_bulk_copy(std::uint32_t cta, const WarpInstruction& instruction, Cycle at) = 0;
    /// `bytes` bytes (0: none yet) of bulk copies for an arrival barrier have come by cycle `at`.
    /// `resolves`: it becomes known only now, of a quantum that ran ahead.
    virtual void on_bytes(std::uint32_t cta, std::uint32_t barrier, std::uint32_t bytes, Cycle at,
                          bool resolves) = 0;
    /// Approximately timed: the same, in this cycle.
    virtual void on_bulk_response(std::uint32_t cta, std::uint32_t barrier,
                                  std::uint32_t bytes) = 0;
    /// Returns the first cycle at which a warp of CTA slot `cta` goes on that waits for the end of
    /// phase `phase` of an arrival barrier; kNever: not known yet.
    [[nodiscard]] virtual Cycle phase_end(std::uint32_t cta, std::uint32_t barrier,
                                          std::uint32_t phase) const = 0;
};

}  // namespace tessera
