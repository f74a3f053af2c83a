// Check of an instruction's dependences against the scoreboard of its warp.
#pragma once

#include "sc_models/common/types.h"
#include "sc_models/isa/warp_instruction.h"
#include "sc_models/sm/copy_groups.h"
#include "sc_models/sm/product_groups.h"
#include "sc_models/sm/register_scoreboard.h"
#include "sc_models/sm/warp_scheduler.h"

namespace tessera {

/// Returns the first cycle, not before `from`, at which the operands of `instruction` are written
/// (read-after-write) and its destination is neither written nor read by an earlier instruction.
/// An exit or a fence waits for all results of the warp, a kWaitCopies for those of `copies` that
/// it needs, and a kWaitProducts for those of `products`.
[[nodiscard]] WarpReadiness check_dependences(const WarpInstruction& instruction,
                                              const RegisterScoreboard& scoreboard,
                                              const CopyGroups& copies,
                                              const ProductGroups& products, Cycle from);

}  // namespace tessera
