// Arbiter of the LDST unit among sub-cores.
#pragma once

#include <array>
#include <cstdint>

namespace tessera {

/// Pin-level model of the arbiter of the LDST unit, for up to 16 sub-cores; one step is one
/// decision. Greedy policy: the request of the sub-core that was served last goes first if it is of
/// the same warp, then the request of the oldest warp. Round robin: the next request in sub-core
/// order. Equal requests are granted in sub-core order.
class LdstArbiter {
public:
    static constexpr std::uint32_t kClients = 16;

    /// Each bit or array element belongs to one sub-core.
    struct Inputs {
        std::uint32_t round_robin = 0;              ///< not 0: round robin
        std::uint32_t request = 0;                  ///< sub-cores with an instruction to issue
        std::uint32_t new_warp = 0;                 ///< see LdstRequest::new_warp
        std::array<std::uint64_t, kClients> age{};  ///< don't-care for sub-cores without a request
        /// Sub-core whose instruction the unit has taken since the last step, one bit; 0: none.
        std::uint32_t served = 0;
    };
    struct Outputs {
        std::uint32_t grant = 0;  ///< granted sub-core, one bit; 0: no request
    };

    Outputs step(const Inputs& in) {
        if (in.served != 0) last_ = static_cast<std::uint32_t>(__builtin_ctz(in.served));
        const std::uint32_t first = (last_ + 1) % kClients;
        std::uint32_t in_turn = (in.request >> first | in.request << (kClients - first)) & kAll;
        Outputs out;
        if ((in_turn & (in_turn - 1)) == 0) {  // one request at most
            out.grant = in.request;
            return out;
        }
        bool best_is_new = false;
        std::uint64_t best_age = 0;
        for (; in_turn != 0; in_turn &= in_turn - 1) {
            const std::uint32_t i =
                (first + static_cast<std::uint32_t>(__builtin_ctz(in_turn))) % kClients;
            const bool new_warp = i != last_ || (in.new_warp >> i & 1U) != 0;
            const bool smaller = new_warp != best_is_new ? best_is_new : in.age[i] < best_age;
            if (out.grant != 0 && (in.round_robin != 0 || !smaller)) continue;
            out.grant = 1U << i;
            best_is_new = new_warp;
            best_age = in.age[i];
        }
        return out;
    }
    void reset() { last_ = 0; }

private:
    static constexpr std::uint32_t kAll = (1U << kClients) - 1;

    std::uint32_t last_ = 0;  ///< sub-core that was served last
};

}  // namespace tessera
