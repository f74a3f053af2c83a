#include <Vduplo_core_sc.h>

#include "sc_models/pins/duplo_core_pins.h"
#include "sc_models/pins/verilated_pins.h"

namespace tessera::pins {

template <>
struct TopOf<DuploCoreBlock> {
    using Type = Vduplo_core_sc;
};
template class PinRtl<DuploCoreBlock>;

}  // namespace tessera::pins
