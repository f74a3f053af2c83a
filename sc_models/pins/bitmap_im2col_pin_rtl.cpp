#include <Vbitmap_im2col_sc.h>

#include "sc_models/pins/bitmap_im2col_pins.h"
#include "sc_models/pins/verilated_pins.h"

namespace tessera::pins {

template <>
struct TopOf<BitmapIm2colBlock> {
    using Type = Vbitmap_im2col_sc;
};
template class PinRtl<BitmapIm2colBlock>;

}  // namespace tessera::pins
