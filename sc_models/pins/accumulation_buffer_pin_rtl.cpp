#include <Vaccumulation_buffer_sc.h>

#include "sc_models/pins/accumulation_buffer_pins.h"
#include "sc_models/pins/verilated_pins.h"

namespace tessera::pins {

template <>
struct TopOf<AccumulationBufferBlock> {
    using Type = Vaccumulation_buffer_sc;
};
template class PinRtl<AccumulationBufferBlock>;

}  // namespace tessera::pins
