// main() for every test executable: GoogleTest inside SystemC's elaboration.
#include <gtest/gtest.h>

#include <cstdlib>
#include <systemc>

#include "sc_models/common/clock.h"

int sc_main(int argc, char** argv) {
    tessera::init_time_resolution();
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}

int main(int argc, char** argv) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    return sc_core::sc_elab_and_sim(argc, argv);
}
