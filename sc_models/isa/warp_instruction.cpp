#include "sc_models/isa/warp_instruction.h"

#include <fmt/format.h>

#include "sc_models/common/error.h"

namespace tessera {

void WarpInstruction::refuse(const char* view) const {
    throw CheckError(
        fmt::format("a warp instruction '{}' has no view '{}'", name_of(opcode_), view));
}

}  // namespace tessera
