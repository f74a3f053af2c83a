// What an SM asks the unit that may take vector operations off its warps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/isa/kernel.h"

namespace tessera {

/// Who computes a vector operation.
struct VectorDecision {
    VectorOutcome outcome = VectorOutcome::kNormal;
    Cycle known = 0;       ///< the warp goes on from this cycle at the earliest
    bool pending = false;  ///< not known yet: VectorUnitHost::on_vector_decided() tells
};

/// What the unit asks of its SM.
class VectorUnitHost {
public:
    virtual ~VectorUnitHost() = default;
    /// How far the SM has got.
    [[nodiscard]] virtual Cycle present() const = 0;
    /// What was pending for `warp` has been decided.
    virtual void on_vector_decided(WarpId warp, const VectorDecision& decision) = 0;
    /// The assistant warp may have something to do now.
    virtual void wake_assistant() = 0;
    /// The kernel is not over before cycle `at`.
    virtual void on_vector_activity(Cycle at) = 0;
};

/// Decides about the vector operations of the SM's warps, and has an assistant warp of its own that
/// one of the sub-cores runs in issue slots no other warp can use.
class VectorUnit {
public:
    using Decision = VectorDecision;

    virtual ~VectorUnit() = default;

    virtual void start_kernel(Cycle now) = 0;
    /// A CTA has come to the SM.
    virtual void begin_work() = 0;
    /// The SM's last CTA is over at `at`, and no other comes. Returns whether the assistant warp
    /// gives up what it is computing.
    [[nodiscard]] virtual bool end_work(Cycle at) = 0;
    virtual void end_kernel() = 0;
    /// Appends what it waits for.
    virtual void describe_waiting(std::vector<std::string>& lines) const = 0;

    /// The kVectorOp of `warp` that begins `operation` issues at `now`.
    virtual Decision decode(WarpId warp, const VectorOperation& operation, Cycle now) = 0;
    /// `warp` adds its sums to memory at `now`: a float a lane, or null where values are not
    /// simulated. They start again from zero.
    virtual const float* take_sums(WarpId warp, Cycle now) = 0;
    /// As take_sums, of the assistant warp.
    virtual const float* take_assistant_sums(Cycle now) = 0;

    /// Whether there is an assistant warp at all.
    [[nodiscard]] virtual bool has_assistant() const = 0;
    /// Whether other warps wait until the assistant warp has finished what it has begun.
    [[nodiscard]] virtual bool assistant_goes_first() const = 0;
    /// The assistant warp's instructions: those of one operation after the other, each ended by a
    /// kExit.
    virtual std::unique_ptr<WarpProgram> assistant_program() = 0;
    /// Registers a thread of it uses.
    [[nodiscard]] virtual std::uint32_t assistant_registers() const = 0;
    /// While it has nothing to do: the first cycle, not before `now`, at which that may change
    /// without anything else happening; kNever: none.
    [[nodiscard]] virtual Cycle assistant_wanted(Cycle now) = 0;
    /// Gives the assistant warp an operation, if there is one.
    virtual bool start_assistant(Cycle now) = 0;
    /// Its kExit issues at `now`: it has finished the operation.
    virtual void finish_assistant(Cycle now) = 0;
    /// An instruction of it took the issue port from `now` on for `cycles`.
    virtual void on_assistant_issue(Cycle now, std::uint32_t cycles) = 0;
};

}  // namespace tessera
