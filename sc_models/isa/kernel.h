// Interface of a kernel: a grid of CTAs whose warps yield instructions.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/isa/vector_operation.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// Kernel properties that the CTA dispatcher, the occupancy calculation and the detection unit use.
struct KernelInfo {
    std::string name;
    std::uint32_t ctas = 0;
    std::uint32_t warps_per_cta = 0;
    std::uint32_t registers_per_thread = 0;
    /// Registers an instruction may name; 0: registers_per_thread.
    std::uint32_t scoreboard_registers = 0;
    /// Asynchronous copies of a warp that may be in flight at once; with the registers at most 255.
    std::uint32_t copies_in_flight = 0;
    std::uint32_t shared_memory_bytes = 0;  ///< per CTA
    /// Arrival barriers of a CTA: the arrivals that end a phase of each.
    std::vector<std::uint32_t> arrivals;
    /// 0: as many CTAs as fit. Otherwise exactly this number per SM, even if registers do not
    /// suffice.
    std::uint32_t forced_ctas_per_sm = 0;
    /// Address of the 32-byte convolution packet in global memory; 0: none, detection is off.
    Address convolution_packet = 0;
    /// Fragments of A, which the rename table maps: `a_fragments` of them from this register on,
    /// each of registers_per_a_fragment registers. In a kernel that stages A these are its copies
    /// of 16 x 32 B.
    std::uint8_t first_a_register = 0;
    std::uint32_t a_fragments = 0;
    std::uint32_t registers_per_a_fragment = kRegistersPerFragment;
    /// Output range of vector operations: `output_bytes` from `outputs` on. In it `output_count`
    /// floats receive operations_per_output additions each, all others none. 0: no such kernel.
    Address outputs = 0;
    std::uint64_t output_bytes = 0, output_count = 0;
    std::uint32_t operations_per_output = 0;
    /// Sub-core of a warp by its index in the CTA (size warps_per_cta), before `mod sub-cores`.
    std::vector<std::uint32_t> sub_core_of_warp;
    /// Number of CTAs after which the grid begins a new row of tiles and reads an operand again; 0:
    /// none.
    std::uint32_t row_ctas = 0;
    /// Some CTAs may be omitted, so outputs may lack operations.
    bool partial = false;
    /// The code is short enough to neglect its fetch time.
    bool short_code = false;
};

/// Minimum capacity of every call of `fill`.
inline constexpr std::size_t kFillCapacity = 64;

/// Instructions in program order, by reference.
struct InstructionBatch {
    const WarpInstruction* begin = nullptr;
    std::size_t count = 0;
};

/// The slot in which a CTA runs: slot s of SM m has number s * SMs + m.
struct CtaPlace {
    std::uint32_t slot = 0;
    std::uint32_t slots = 1;  ///< number that CTAs of this kernel can occupy at once
};

/// The instructions of one warp, in program order, generated on demand.
class WarpProgram {
public:
    virtual ~WarpProgram() = default;
    /// Writes the next instructions to out[0..capacity) and returns their number (0 only after
    /// kExit has been returned). One call produces several, which amortises the virtual call.
    virtual std::size_t fill(WarpInstruction* out, std::size_t capacity) = 0;
    /// Returns the next instructions, valid until the next call. The default implementation fills
    /// `room`, whose capacity is kFillCapacity; a program that already stores its instructions
    /// returns a pointer to them.
    virtual InstructionBatch next(WarpInstruction* room) {
        return {room, fill(room, kFillCapacity)};
    }
    /// The operation that the last returned kVectorOp begins. A call returns nothing behind a
    /// kVectorOp, so that the machine can decide first.
    [[nodiscard]] virtual const VectorOperation& vector_operation() const {
        throw std::logic_error("this warp program has no vector operations");
    }
    /// Sets the outcome of that operation, before the next fill(). Without a call the warp computes
    /// it.
    virtual void resolve(VectorOutcome /*outcome*/) {}
    /// Sets the slot of the warp's CTA, before the first fill(). Kernels with memory for each
    /// resident thread use it.
    virtual void place(const CtaPlace& /*place*/) {}
};

/// A grid of CTAs, each of the same number of warps. program() is called when a CTA is launched;
/// with host.threads on any thread, one call at a time, while other threads run fill(). CTAs are
/// unordered: data written by one must not be touched by another in the same kernel, except by
/// atomics.
class Kernel {
public:
    virtual ~Kernel() = default;
    [[nodiscard]] virtual const KernelInfo& info() const = 0;
    /// The program of warp `warp` (0..warps_per_cta-1) of CTA `cta` (0..ctas-1, in issue order).
    [[nodiscard]] virtual std::unique_ptr<WarpProgram> program(CtaId cta,
                                                               std::uint32_t warp) const = 0;
    /// Whether the kernel can attribute each result to a CTA that ran or did not run.
    [[nodiscard]] virtual bool tells_results() const { return false; }
    /// Records which CTAs ran (by number, size ctas), for checkers of results. By default all ran.
    void note_run(std::vector<bool> ran) { ran_ = std::move(ran); }

protected:
    [[nodiscard]] bool ran(std::uint64_t cta) const {
        return cta < info().ctas && (ran_.empty() || ran_[cta]);
    }

private:
    std::vector<bool> ran_;
};

}  // namespace tessera
