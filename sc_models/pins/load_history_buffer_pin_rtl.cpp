#include <Vload_history_buffer_sc.h>

#include "sc_models/pins/load_history_buffer_pins.h"
#include "sc_models/pins/verilated_pins.h"

namespace tessera::pins {

template <>
struct TopOf<LoadHistoryBufferBlock> {
    using Type = Vload_history_buffer_sc;
};
template class PinRtl<LoadHistoryBufferBlock>;

}  // namespace tessera::pins
