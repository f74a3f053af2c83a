// Interface of a unit that executes vector operations of an SM's warps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/isa/kernel.h"

namespace tessera {

/// Decision on where a vector operation is computed.
struct VectorDecision {
    VectorOutcome outcome = VectorOutcome::kNormal;
    Cycle known = 0;       ///< the warp continues at this cycle at the earliest
    bool pending = false;  ///< unknown yet: VectorUnitHost::on_vector_decided() reports it
};

/// Interface of an SM to its vector unit.
class VectorUnitHost {
public:
    virtual ~VectorUnitHost() = default;
    /// Returns the cycle the SM has reached.
    [[nodiscard]] virtual Cycle present() const = 0;
    /// Reports the decision that was pending for `warp`.
    virtual void on_vector_decided(WarpId warp, const VectorDecision& decision) = 0;
    /// Reports that the assistant warp may have work.
    virtual void wake_assistant() = 0;
    /// Reports that the kernel does not end before cycle `at`.
    virtual void on_vector_activity(Cycle at) = 0;
};

/// Decides on the vector operations of the SM's warps, and may have an assistant warp that one of
/// the sub-cores runs in issue slots no other warp can use.
class VectorUnit {
public:
    using Decision = VectorDecision;

    virtual ~VectorUnit() = default;

    virtual void start_kernel(Cycle now) = 0;
    /// A CTA has been launched on the SM.
    virtual void begin_work() = 0;
    /// The SM's last CTA ended at `at`, and none is resident. Returns whether the assistant warp
    /// aborts its current operation.
    [[nodiscard]] virtual bool end_work(Cycle at) = 0;
    virtual void end_kernel() = 0;
    /// Appends a line for each reason why the unit waits.
    virtual void describe_waiting(std::vector<std::string>& lines) const = 0;

    /// Decides on `operation` of `warp`, whose kVectorOp issues at `now`.
    virtual Decision decode(WarpId warp, const VectorOperation& operation, Cycle now) = 0;
    /// Returns and clears the sums that `warp` adds to memory at `now`, a float a lane; null where
    /// values are not simulated.
    virtual const float* take_sums(WarpId warp, Cycle now) = 0;
    /// take_sums() of the assistant warp.
    virtual const float* take_assistant_sums(Cycle now) = 0;

    /// Returns whether there is an assistant warp.
    [[nodiscard]] virtual bool has_assistant() const = 0;
    /// Returns whether other warps wait until the assistant warp has finished its current
    /// operation.
    [[nodiscard]] virtual bool assistant_goes_first() const = 0;
    /// Returns the assistant warp's program: operation after operation, each ended by a kExit.
    virtual std::unique_ptr<WarpProgram> assistant_program() = 0;
    /// Registers a thread of the assistant warp uses.
    [[nodiscard]] virtual std::uint32_t assistant_registers() const = 0;
    /// For an idle assistant warp, returns the first cycle, not before `now`, at which it may get
    /// work without any other event; kNever: none.
    [[nodiscard]] virtual Cycle assistant_needed(Cycle now) = 0;
    /// Starts an operation on the assistant warp; returns false if there is none.
    virtual bool start_assistant(Cycle now) = 0;
    /// The assistant warp's kExit issues at `now`: the operation is finished.
    virtual void finish_assistant(Cycle now) = 0;
    /// An instruction of the assistant warp took the issue port from `now` on for `cycles`.
    virtual void on_assistant_issue(Cycle now, std::uint32_t cycles) = 0;
};

}  // namespace tessera
