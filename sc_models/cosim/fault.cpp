#include "sc_models/cosim/fault.h"

#include <fmt/format.h>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {

FaultInjector::Done& FaultInjector::done() {
    static Done done;
    return done;
}

void FaultInjector::disturb(std::vector<std::uint32_t>& words, Cycle cycle) {
    if (plan_.kind == FaultKind::kLateByOne) {
        std::vector<std::uint32_t> present = words;
        if (cycle >= plan_.from && last_.size() == words.size()) words = last_;
        last_ = std::move(present);
        return;
    }
    require_bit(plan_, words.size());
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

void FaultInjector::require_bit(const FaultPlan& plan, std::size_t words) {
    if (plan.kind == FaultKind::kNone || plan.kind == FaultKind::kLateByOne) return;
    if (plan.bit < words * 32) return;
    throw ConfigError(fmt::format("{}, expected a bit below {}, as the outputs of this block have",
                                  plan.origin, words * 32));
}

void FaultInjector::require_broken(const FaultPlan& plan) {
    if (plan.kind == FaultKind::kNone || done().changed > 0) return;
    if (plan.from < done().reached) {
        throw ConfigError(plan.origin +
                          ", expected a fault that changes an output, this one changed none");
    }
    if (done().reached == 0) {
        throw ConfigError(plan.origin + ", expected a block for which the run has something to do");
    }
    throw ConfigError(fmt::format("{}, expected a cycle below {}, with which the run ended",
                                  plan.origin, done().reached));
}

void FaultInjector::require_unbroken(const FaultPlan& plan) {
    if (plan.kind == FaultKind::kNone || done().changed == 0) return;
    throw CheckError(fmt::format("{}: changed {} outputs, and no comparison noticed", plan.origin,
                                 done().changed));
}

}  // namespace tessera
