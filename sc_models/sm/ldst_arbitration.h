// Interfaces between sub-cores and the arbiter of the LDST unit.
#pragma once

#include <cstdint>
#include <optional>
#include <systemc>

#include "sc_models/common/types.h"

namespace tessera {

/// Request of a sub-core for the LDST unit: a ready memory instruction.
struct LdstRequest {
    static constexpr std::uint64_t kYoungest = ~std::uint64_t{0};

    bool new_warp = true;   ///< its warp differs from the one of this sub-core that was served last
    std::uint64_t age = 0;  ///< position of the warp in launch order over the SM
};

/// Completion of an access that was granted in a quantum that runs ahead of SystemC's time.
struct LdstCompletion {
    WarpId warp;
    std::uint8_t reg = 0;  ///< destination of a load; kNoRegister: none
    bool is_store = false;
    Cycle done = 0;  ///< cycle at which the load's data arrives or the store is accepted
};

/// Interface of the LDST unit's arbiter to the sub-cores, which bind a port to it. Arbitration is
/// no transaction: the granted instruction follows as one through the sub-core's socket.
class LdstRequests : public virtual sc_core::sc_interface {
public:
    /// The sub-core has a memory instruction to issue from cycle `ready` on; kNever: it has none.
    /// Replaces the sub-core's previous request.
    virtual void request(SubCoreId id, Cycle ready) = 0;
    /// Returns the first cycle at which the unit takes another instruction.
    [[nodiscard]] virtual Cycle free_at() const = 0;
};

/// Interface of a sub-core to the arbiter of the LDST unit, which binds a port to it.
class LdstClient : public virtual sc_core::sc_interface {
public:
    /// Returns the request for the memory instruction this sub-core would issue at cycle `now`, if
    /// any.
    [[nodiscard]] virtual std::optional<LdstRequest> ldst_request(Cycle now) const = 0;
    /// Grants the unit, which is free at `now`, to this sub-core: it issues one instruction, which
    /// its scheduler may choose not to be a memory instruction.
    virtual void on_ldst_grant(Cycle now) = 0;
    virtual void on_ldst_completed(const LdstCompletion& /*completion*/) {}
};

}  // namespace tessera
