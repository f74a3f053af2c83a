#include "sc_models/mechanisms/mechanisms.h"

#include "sc_models/dual_side/dual_side_mechanism.h"
#include "sc_models/duplo/duplo_mechanism.h"
#include "sc_models/opportunistic/opportunistic_mechanism.h"

namespace tessera {

const std::vector<const Mechanism*>& mechanisms() {
    static const std::vector<const Mechanism*> kMechanisms = {
        &duplo_mechanism(), &dual_side_mechanism(), &opportunistic_mechanism()};
    return kMechanisms;
}

}  // namespace tessera
