#include <Vassign_table_sc.h>

#include "sc_models/pins/assign_table_pins.h"
#include "sc_models/pins/verilated_pins.h"

namespace tessera::pins {

template <>
struct TopOf<AssignTableBlock> {
    using Type = Vassign_table_sc;
};
template class PinRtl<AssignTableBlock>;

}  // namespace tessera::pins
