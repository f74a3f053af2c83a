#include <Vfeop_array_sc.h>

#include "sc_models/pins/feop_array_pins.h"
#include "sc_models/pins/verilated_pins.h"

namespace tessera::pins {

template <>
struct TopOf<FeopArrayBlock> {
    using Type = Vfeop_array_sc;
};
template class PinRtl<FeopArrayBlock>;

}  // namespace tessera::pins
