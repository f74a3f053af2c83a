#include "sc_models/cosim/rtl_mutant.h"

namespace tessera {
namespace {

// The command line sets this once; blocks do not depend on it.
unsigned mutant_of_run = 0;

}  // namespace

void set_rtl_mutant(unsigned mutant) {
    mutant_of_run = mutant;
}

unsigned rtl_mutant() {
    return mutant_of_run;
}

}  // namespace tessera
