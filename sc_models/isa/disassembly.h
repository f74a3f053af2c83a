// Warp instructions as text, in the papers' mnemonics.
#pragma once

#include <string>

#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// Returns one line, e.g. "wmma.load.a.m16n16k16 %r0, [0x10c00000], 1152". Fragments are named by
/// their first register; memory operands show the address, and the pitch if there are several rows.
[[nodiscard]] std::string disassemble(const WarpInstruction& instruction);

}  // namespace tessera
