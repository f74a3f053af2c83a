// main() of every testbench.
#include <cstdlib>
#include <systemc>

#include "sc_models/common/standard_streams.h"

// SystemC's own main() would print its copyright.
int main(int argc, char** argv) {
    tessera::open_standard_streams();
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    return sc_core::sc_elab_and_sim(argc, argv);
}
