#include <Vspwmma_core_sc.h>

#include "sc_models/pins/spwmma_core_pins.h"
#include "sc_models/pins/verilated_pins.h"

namespace tessera::pins {

template <>
struct TopOf<SpwmmaCoreBlock> {
    using Type = Vspwmma_core_sc;
};
template class PinRtl<SpwmmaCoreBlock>;

}  // namespace tessera::pins
