// Which sub-core issues to the LDST unit next.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "sc_models/common/types.h"

namespace tessera {

/// A sub-core as the arbiter of the LDST unit sees it.
class LdstClient {
public:
    /// A ready memory instruction; the smaller claim goes first.
    struct Claim {
        bool newcomer = true;   ///< its warp is not the one of its sub-core that was served last
        std::uint64_t age = 0;  ///< of the warp, in launch order over the SM
        friend bool operator<(const Claim& a, const Claim& b) {
            return std::tie(a.newcomer, a.age) < std::tie(b.newcomer, b.age);
        }
    };
    virtual ~LdstClient() = default;
    /// The claim of the memory instruction this sub-core would issue at cycle `now`, if any.
    [[nodiscard]] virtual std::optional<Claim> ldst_claim(Cycle now) const = 0;
    /// The unit is free at `now` and this sub-core's turn has come: it issues one instruction,
    /// which its own scheduler may decide is not a memory instruction.
    virtual void ldst_grant(Cycle now) = 0;
};

}  // namespace tessera
