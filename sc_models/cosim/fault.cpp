#include "sc_models/cosim/fault.h"

#include <fmt/format.h>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {

void FaultInjector::disturb(std::vector<std::uint32_t>& words, Cycle cycle) {
    if (plan_.kind == FaultKind::kLateByOne) {
        std::vector<std::uint32_t> present = words;
        if (cycle >= plan_.from && last_.size() == words.size()) words = last_;
        last_ = std::move(present);
        return;
    }
    if (plan_.bit >= words.size() * 32) {
        throw ConfigError(
            fmt::format("{}, expected a bit below {}, as the outputs of this block have",
                        plan_.origin, words.size() * 32));
    }
    if (cycle < plan_.from) return;
    std::uint32_t& word = words[plan_.bit / 32];
    const std::uint32_t mask = 1U << plan_.bit % 32;
    switch (plan_.kind) {
        case FaultKind::kInvert:
            word ^= mask;
            break;
        case FaultKind::kStuckAt0:
            word &= ~mask;
            break;
        default:
            word |= mask;
            break;
    }
}

void FaultInjector::require_begun(const FaultPlan& plan) {
    if (plan.kind == FaultKind::kNone || plan.from < reached_) return;
    if (reached_ == 0) {
        throw ConfigError(plan.origin + ", expected a block for which the run has something to do");
    }
    throw ConfigError(fmt::format("{}, expected a cycle below {}, with which the run ended",
                                  plan.origin, reached_));
}

}  // namespace tessera
