#include <Vprecompute_table_sc.h>

#include "sc_models/pins/precompute_table_pins.h"
#include "sc_models/pins/verilated_pins.h"

namespace tessera::pins {

template <>
struct TopOf<PrecomputeTableBlock> {
    using Type = Vprecompute_table_sc;
};
template class PinRtl<PrecomputeTableBlock>;

}  // namespace tessera::pins
