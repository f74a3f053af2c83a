// Uses the installed library from outside: its headers, a compiled function, and SystemC's kernel.
#include <sc_models/common/clock.h>
#include <sc_models/common/version_info.h>
#include <iostream>
#include <systemc>

int sc_main(int, char**) {
    tessera::init_time_resolution();
    const tessera::ClockDomain clock(1000);
    sc_core::sc_start(clock.span(7));
    std::cout << "tessera " << tessera::build_info().version << " at cycle " << clock.now() << '\n';
    return clock.now() == 7 ? 0 : 1;
}
