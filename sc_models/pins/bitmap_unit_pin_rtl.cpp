#include <Vbitmap_unit_sc.h>

#include "sc_models/pins/bitmap_unit_pins.h"
#include "sc_models/pins/verilated_pins.h"

namespace tessera::pins {

template <>
struct TopOf<BitmapUnitBlock> {
    using Type = Vbitmap_unit_sc;
};
template class PinRtl<BitmapUnitBlock>;

}  // namespace tessera::pins
