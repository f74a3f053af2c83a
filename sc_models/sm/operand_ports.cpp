#include "sc_models/sm/operand_ports.h"

#include <algorithm>

namespace tessera {

OperandPorts::OperandPorts(const RegisterFileConfig& config, StatGroup& sub_core)
    : reads_per_cycle_(config.banks == 0 ? 1 : config.reads_per_bank_cycle),
      reuses_(config.banks != 0 && config.reuse_cache),
      banks_(config.banks) {
    if (!modelled()) return;
    forget();
    collectors_.resize(config.collectors);
    StatGroup& statistics = sub_core.child("operands");
    statistics.counter("reads", reads_, "registers", "warp registers read");
    statistics.counter("reused", reused_, "registers", "found in the reuse cache instead");
    statistics.counter("late_cycles", late_cycles_, "cycles",
                       "by which instructions began later because of banks and ports");
}

void OperandPorts::read(WarpId warp, std::uint32_t place, std::uint32_t reg) {
    if (warp != last_warp_) forget();
    last_warp_ = warp;
    if (reuses_ && last_[place] == reg) {
        ++reused_;
        return;
    }
    last_[place] = reg;
    ++banks_[reg % banks_.size()].reads;
}

void OperandPorts::read_evenly(std::uint32_t count) {
    const auto banks = static_cast<std::uint32_t>(banks_.size());
    for (Bank& bank : banks_) bank.reads += count / banks;
    for (std::uint32_t i = 0; i < count % banks; ++i) {
        ++banks_[next_bank_].reads;
        next_bank_ = (next_bank_ + 1) % banks;
    }
}

void OperandPorts::written(WarpId warp, std::uint32_t reg) {
    if (warp == last_warp_) std::replace(last_.begin(), last_.end(), reg, kNoOperand);
}

Cycle OperandPorts::issue(Cycle now, Cycle span, bool paced) {
    const std::uint64_t present = now * reads_per_cycle_;
    Cycle begin = now;
    Cycle end = now;
    for (Bank& bank : banks_) {
        const std::uint64_t reads = bank.reads;
        if (reads == 0) continue;
        bank.reads = 0;
        reads_ += reads;
        std::uint64_t first = std::max(bank.urgent, present);
        if (paced) {
            first = std::max(first, bank.paced);
            bank.paced = first + reads;
        } else {
            bank.urgent = first + reads;
            if (bank.paced > present) bank.paced += reads;  // urgent reads overtake paced ones
        }
        begin = std::max(begin, first / reads_per_cycle_);
        end = std::max(end, ceil_div(first + reads, reads_per_cycle_));
    }
    if (end == now) return 0;
    *std::min_element(collectors_.begin(), collectors_.end()) = end;
    const Cycle late = std::max(begin, std::max(end, now + span) - span) - now;
    late_cycles_ += late;
    return late;
}

Cycle OperandPorts::free_at() const {
    return *std::min_element(collectors_.begin(), collectors_.end());
}

}  // namespace tessera
