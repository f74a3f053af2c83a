#include "testbenches/cosim/bench_module.h"

#include "sc_models/common/interrupt.h"

namespace tessera {

BenchModule::BenchModule(sc_core::sc_module_name name, CosimBench& bench, Scoreboard& scoreboard,
                         const ClockDomain& clock)
    : sc_module(name), bench_(bench), scoreboard_(scoreboard), period_(clock.span(1)) {
    SC_HAS_PROCESS(BenchModule);
    SC_METHOD(run);
}

void BenchModule::run() {
    interrupted_ = interrupt_requested();
    if (interrupted_) return;
    scoreboard_.begin_cycle(cycle_);
    bool more = false;
    try {
        more = bench_.cycle(cycle_, scoreboard_);
    } catch (...) {
        error_ = std::current_exception();
    }
    ++cycle_;
    if (more && scoreboard_.errors() == 0) next_trigger(period_);
}

}  // namespace tessera
