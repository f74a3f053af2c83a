// Which sub-core issues to the LDST unit next.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sc_models/common/types.h"

namespace tessera {

/// A sub-core as the arbiter of the LDST unit sees it.
class LdstClient {
public:
    /// A ready memory instruction.
    struct Claim {
        bool newcomer = true;   ///< its warp is not the one of its sub-core that was served last
        std::uint64_t age = 0;  ///< of the warp, in launch order over the SM
    };
    virtual ~LdstClient() = default;
    /// The claim of the memory instruction this sub-core would issue at cycle `now`, if any.
    [[nodiscard]] virtual std::optional<Claim> ldst_claim(Cycle now) const = 0;
    /// The unit is free at `now` and this sub-core's turn has come: it issues one instruction,
    /// which its own scheduler may decide is not a memory instruction.
    virtual void ldst_grant(Cycle now) = 0;
    /// What became of an access that was granted in a turn that runs ahead.
    struct Answer {
        WarpId warp;
        std::uint8_t reg = 0;  ///< of a load, kNoRegister: none
        bool is_store = false;
        Cycle done = 0;  ///< the load's data is there, or the store is accepted
    };
    virtual void ldst_answered(const Answer& /*answer*/) {}
};

/// The arbiter of the LDST unit by its pins, for up to 16 sub-cores; one step is one decision. The
/// claim of the sub-core that was served last goes first if it is of the same warp, then the one of
/// the oldest warp; or the next claim in turn. Of equal claims the next in turn goes first.
class LdstArbiter {
public:
    static constexpr std::uint32_t kClients = 16;

    /// A bit or an element is a sub-core's.
    struct Inputs {
        std::uint32_t round_robin = 0;              ///< not 0: the next claim in turn
        std::uint32_t claim = 0;                    ///< who has an instruction to issue
        std::uint32_t newcomer = 0;                 ///< see LdstClient::Claim
        std::array<std::uint64_t, kClients> age{};  ///< of those without a claim: any
        /// Whose instruction the unit has taken since the last step, one bit; 0: nobody's.
        std::uint32_t served = 0;
    };
    struct Outputs {
        std::uint32_t grant = 0;  ///< whose turn it is, one bit; 0: nobody claims it
    };

    Outputs step(const Inputs& in) {
        if (in.served != 0) last_ = static_cast<std::uint32_t>(__builtin_ctz(in.served));
        const std::uint32_t first = (last_ + 1) % kClients;
        std::uint32_t in_turn = (in.claim >> first | in.claim << (kClients - first)) & kAll;
        Outputs out;
        if ((in_turn & (in_turn - 1)) == 0) {  // one claim at most
            out.grant = in.claim;
            return out;
        }
        bool best_newcomer = false;
        std::uint64_t best_age = 0;
        for (; in_turn != 0; in_turn &= in_turn - 1) {
            const std::uint32_t i =
                (first + static_cast<std::uint32_t>(__builtin_ctz(in_turn))) % kClients;
            const bool newcomer = i != last_ || (in.newcomer >> i & 1U) != 0;
            const bool smaller = newcomer != best_newcomer ? best_newcomer : in.age[i] < best_age;
            if (out.grant != 0 && (in.round_robin != 0 || !smaller)) continue;
            out.grant = 1U << i;
            best_newcomer = newcomer;
            best_age = in.age[i];
        }
        return out;
    }
    void reset() { last_ = 0; }

private:
    static constexpr std::uint32_t kAll = (1U << kClients) - 1;

    std::uint32_t last_ = 0;  ///< the sub-core that was served last
};

}  // namespace tessera
