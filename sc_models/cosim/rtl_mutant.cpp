#include "sc_models/cosim/rtl_mutant.h"

namespace tessera {
namespace {

// Set once by the command line; blocks know nothing of it.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
unsigned mutant_of_run = 0;

}  // namespace

void set_rtl_mutant(unsigned mutant) {
    mutant_of_run = mutant;
}

unsigned rtl_mutant() {
    return mutant_of_run;
}

}  // namespace tessera
