// Operand collector of a sub-core: the register reads of each instruction.
#pragma once

#include "sc_models/common/statistics.h"
#include "sc_models/common/types.h"
#include "sc_models/config/sm_config.h"
#include "sc_models/isa/register_reads.h"
#include "sc_models/sm/issued_instruction.h"
#include "sc_models/sm/operand_ports.h"
#include "sc_models/sm/register_file.h"

namespace tessera {

/// Register reads of a dense product, and the cycles for which it occupies the tensor cores.
struct ProductOperands {
    ProductReads reads;
    Cycle span = 0;
};

/// Reads the operands of the instructions of a sub-core through its OperandPorts. Without banks
/// (sm.register_file.banks 0) reads take no time and only modelled() may be called.
class OperandCollector {
public:
    /// Statistics become children of `sub_core`.
    OperandCollector(const SmConfig& config, const ProductOperands& product,
                     RegisterFile& registers, StatGroup& sub_core);

    /// Returns whether register reads take time.
    [[nodiscard]] bool modelled() const { return ports_.modelled(); }
    /// Reads the operands of `issued` from its issue cycle on and returns the cycle at which its
    /// unit begins: later than the issue by the delay beyond an idle register file.
    [[nodiscard]] Cycle collect(const IssuedInstruction& issued);
    /// Reads the sums that move into the accumulation buffer from `now` on.
    void read_swapped_sums(Cycle now);
    /// Returns the first cycle at which a collector is free for the next instruction.
    [[nodiscard]] Cycle free_at() const { return ports_.free_at(); }
    /// Empties the reuse cache, since another warp has taken a slot.
    void forget() { ports_.forget(); }

private:
    /// Returns the delay of the operands, in cycles.
    [[nodiscard]] Cycle read(const IssuedInstruction& issued);
    [[nodiscard]] Cycle read_operation(const IssuedInstruction& issued);
    [[nodiscard]] Cycle read_product(const IssuedInstruction& issued);
    void read_memory_operands(const IssuedInstruction& issued);

    const SmConfig& config_;
    const ProductOperands product_;
    RegisterFile& registers_;
    OperandPorts ports_;
};

}  // namespace tessera
