#include "testbenches/cosim/bench_module.h"

#include "sc_models/common/interrupt.h"

namespace tessera {

BenchModule::BenchModule(sc_core::sc_module_name name, CosimBench& bench, Scoreboard& scoreboard,
                         const ClockDomain& clock, std::uint32_t cycles_at_a_time)
    : sc_module(name),
      bench_(bench),
      scoreboard_(scoreboard),
      clock_(clock),
      cycles_at_a_time_(cycles_at_a_time) {
    SC_HAS_PROCESS(BenchModule);
    SC_METHOD(run);
}

void BenchModule::run() {
    interrupted_ = interrupt_requested();
    if (interrupted_) return;
    for (std::uint32_t n = 0; n < cycles_at_a_time_; ++n) {
        if (!run_cycle()) return;
    }
    next_trigger(clock_.span(cycles()) - sc_core::sc_time_stamp());
}

bool BenchModule::run_cycle() {
    bool more = false;
    try {
        more = bench_.cycle(step_++, scoreboard_);
    } catch (...) {
        error_ = std::current_exception();
    }
    return more && scoreboard_.errors() == 0;
}

}  // namespace tessera
