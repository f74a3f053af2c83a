// Interface of observers that follow warp instructions through an SM.
#pragma once

#include <cstdint>
#include <string_view>

#include "sc_models/common/types.h"

namespace tessera {

/// Receives the events that no link of the machine shows: launches, issues, and answers of the load
/// filter. All calls come from the thread of the SM.
class TransactionObserver {
public:
    virtual ~TransactionObserver() = default;
    /// Warp `warp_of_cta` of CTA `cta` occupies warp slot `slot` of the SM from now on.
    virtual void launch(SmId sm, WarpId slot, CtaId cta, std::uint32_t warp_of_cta) = 0;
    /// The warp in `slot` issues its next instruction, of code `opcode` (isa/opcode.h), at cycle
    /// `at`. Precedes everything that the instruction sends.
    virtual void issue(SmId sm, SubCoreId sub_core, WarpId slot, std::uint32_t opcode,
                       Cycle at) = 0;
    /// Answer of the load filter to one unit of an access.
    struct LookUp {
        std::uint64_t access = 0;  ///< number of the access (AccessInfo::id)
        std::uint32_t unit = 0;
        std::uint32_t kind = 0;  ///< AccessKind
        PhysRegId phys;
        std::uint64_t element = 0;  ///< identity of the unit's data, with `batch`
        std::uint32_t batch = 0;
    };
    /// A unit passes the load filter at cycle `at`.
    virtual void look_up(SmId sm, const LookUp& look_up, Cycle at) = 0;
    /// Declares an RTL block in `scope` ("sm3.tensor1.feop_array"), at elaboration. Returns its
    /// number. `access` (null: none) points to the number of the access that an SM's LDST unit
    /// serves.
    virtual std::uint32_t add_block(std::string_view scope, const std::uint64_t* access) = 0;
    /// Block `block` had outputs of this hash in cycle `at`.
    virtual void output(std::uint32_t block, std::uint32_t hash, Cycle at) = 0;
};

}  // namespace tessera
