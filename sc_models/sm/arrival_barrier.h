// Arrival barrier of a CTA in shared memory (mbarrier).
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "sc_models/common/types.h"

namespace tessera {

/// Arrival barrier (PTX mbarrier). A phase ends when `arrivals` warps have arrived and all bytes
/// that it expects have come; the next phase begins at once. Cycles may lie in the future: the
/// phase then ends at the latest of them.
class ArrivalBarrier {
public:
    ArrivalBarrier() = default;
    explicit ArrivalBarrier(std::uint32_t arrivals) : arrivals_(arrivals), missing_(arrivals) {}

    /// A warp arrives at cycle `at`, and the phase expects `bytes` more. Returns whether the phase
    /// ended.
    bool arrive(std::uint32_t bytes, Cycle at) {
        if (missing_ == 0) {
            throw std::logic_error("ArrivalBarrier: more arrivals than a phase has");
        }
        --missing_;
        bytes_ += bytes;
        return move_on(at);
    }
    /// `bytes` bytes have come by cycle `at`. Returns whether the phase ended.
    bool complete(std::uint32_t bytes, Cycle at) {
        bytes_ -= bytes;
        return move_on(at);
    }
    /// Returns the cycle at which phase `phase` ended; kNever: it has not, or not all its bytes
    /// have a known cycle.
    [[nodiscard]] Cycle phase_end(std::uint32_t phase) const {
        if (phase >= phases_) return kNever;
        return phase + 1 == phases_ ? ended_ : 0;
    }

private:
    bool move_on(Cycle at) {
        latest_ = std::max(latest_, at);
        if (missing_ != 0 || bytes_ != 0) return false;
        ended_ = latest_;
        missing_ = arrivals_;
        ++phases_;
        return true;
    }

    std::uint32_t arrivals_ = 0, missing_ = 0;
    std::int64_t bytes_ = 0;    ///< expected and not come; negative: came before they were expected
    std::uint32_t phases_ = 0;  ///< that have ended
    Cycle latest_ = 0;          ///< of all arrivals and bytes so far
    Cycle ended_ = 0;           ///< end of the last phase
};

}  // namespace tessera
