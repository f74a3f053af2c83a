// Pin-level RTL modules of a build without RTL: their constructors throw ConfigError.
#include "sc_models/cosim/rtl_support.h"
#include "sc_models/pins/accumulation_buffer_pins.h"
#include "sc_models/pins/assign_table_pins.h"
#include "sc_models/pins/bitmap_im2col_pins.h"
#include "sc_models/pins/bitmap_unit_pins.h"
#include "sc_models/pins/duplo_core_pins.h"
#include "sc_models/pins/feop_array_pins.h"
#include "sc_models/pins/id_generator_pins.h"
#include "sc_models/pins/load_history_buffer_pins.h"
#include "sc_models/pins/precompute_table_pins.h"
#include "sc_models/pins/rename_table_pins.h"
#include "sc_models/pins/spwmma_core_pins.h"

namespace tessera::pins {

template <class Block>
struct PinRtl<Block>::Verilated {};

template <class Block>
PinRtl<Block>::PinRtl(const sc_core::sc_module_name& name, std::uint32_t /*seed*/)
    : PinModule<Block>(name) {
    require_rtl(std::string("pin-level RTL module ") + this->name());
}

template <class Block>
PinRtl<Block>::~PinRtl() = default;

template class PinRtl<IdGeneratorBlock>;
template class PinRtl<LoadHistoryBufferBlock>;
template class PinRtl<PrecomputeTableBlock>;
template class PinRtl<AssignTableBlock>;
template class PinRtl<RenameTableBlock>;
template class PinRtl<DuploCoreBlock>;
template class PinRtl<FeopArrayBlock>;
template class PinRtl<AccumulationBufferBlock>;
template class PinRtl<BitmapUnitBlock>;
template class PinRtl<BitmapIm2colBlock>;
template class PinRtl<SpwmmaCoreBlock>;

}  // namespace tessera::pins
