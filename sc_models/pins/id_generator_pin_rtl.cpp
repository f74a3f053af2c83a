#include <Vid_generator_sc.h>

#include "sc_models/pins/id_generator_pins.h"
#include "sc_models/pins/verilated_pins.h"

namespace tessera::pins {

template <>
struct TopOf<IdGeneratorBlock> {
    using Type = Vid_generator_sc;
};
template class PinRtl<IdGeneratorBlock>;

}  // namespace tessera::pins
