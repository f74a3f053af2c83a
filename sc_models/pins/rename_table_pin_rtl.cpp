#include <Vrename_table_sc.h>

#include "sc_models/pins/rename_table_pins.h"
#include "sc_models/pins/verilated_pins.h"

namespace tessera::pins {

template <>
struct TopOf<RenameTableBlock> {
    using Type = Vrename_table_sc;
};
template class PinRtl<RenameTableBlock>;

}  // namespace tessera::pins
