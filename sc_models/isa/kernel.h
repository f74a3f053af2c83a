// A kernel as the machine sees it: a grid of CTAs whose warps yield instructions.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/isa/vector_operation.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// What the CTA dispatcher, the occupancy calculation and the detection unit need to know.
struct KernelInfo {
    std::string name;
    std::uint32_t ctas = 0;
    std::uint32_t warps_per_cta = 0;
    std::uint32_t registers_per_thread = 0;
    /// Registers an instruction may name; 0: registers_per_thread.
    std::uint32_t scoreboard_registers = 0;
    std::uint32_t shared_memory_bytes = 0;  ///< per CTA
    /// 0: as many CTAs as fit. Otherwise exactly so many an SM, even where registers would not
    /// suffice.
    std::uint32_t forced_ctas_per_sm = 0;
    /// Where the 32-byte convolution packet lies in global memory; 0: none, detection stays off.
    Address convolution_packet = 0;
    /// The A fragments, which the rename table maps: `a_fragments` of them from this register on,
    /// each of so many registers. Of a kernel that stages A, its copies of 16 x 32 B instead.
    std::uint8_t first_a_register = 0;
    std::uint32_t a_fragments = 0;
    std::uint32_t registers_per_a_fragment = kRegistersPerFragment;
    /// Where vector operations add their results: `output_bytes` from `outputs` on, of which
    /// `output_count` floats take operations_per_output each, the others none. 0: no such kernel.
    Address outputs = 0;
    std::uint64_t output_bytes = 0, output_count = 0;
    std::uint32_t operations_per_output = 0;
    /// Sub-core of a warp by its index in the CTA (size warps_per_cta), before `mod sub-cores`.
    std::vector<std::uint32_t> sub_core_of_warp;
    /// CTAs after which the grid begins a new row of tiles, and an operand once more; 0: no such.
    std::uint32_t row_ctas = 0;
    /// CTAs may be left out, so that outputs may lack operations.
    bool partial = false;
    /// So few instructions that fetching them takes no time to speak of.
    bool short_code = false;
};

/// `fill` is always called with at least this capacity.
inline constexpr std::size_t kFillCapacity = 64;

/// Instructions in program order, where they lie.
struct InstructionBatch {
    const WarpInstruction* begin = nullptr;
    std::size_t count = 0;
};

/// The slot of the machine that a CTA runs in: slot s of SM m is number s * SMs + m.
struct CtaPlace {
    std::uint32_t slot = 0;
    std::uint32_t slots = 1;  ///< that CTAs of this kernel can occupy at once
};

/// The instructions of one warp, in program order, made as they are needed.
class WarpProgram {
public:
    virtual ~WarpProgram() = default;
    /// Writes the next instructions to out[0..capacity) and returns how many (0 only after kExit
    /// has been given out). One call produces a handful, so that the virtual call is paid once for
    /// many.
    virtual std::size_t fill(WarpInstruction* out, std::size_t capacity) = 0;
    /// As fill into `room`, which has kFillCapacity; but a program that has its next instructions
    /// somewhere already points at them. Good until the next call.
    virtual InstructionBatch next(WarpInstruction* room) {
        return {room, fill(room, kFillCapacity)};
    }
    /// The operation that the kVectorOp given out last begins. Nothing is given out behind a
    /// kVectorOp in the same call, so that the machine can decide first.
    [[nodiscard]] virtual const VectorOperation& vector_operation() const {
        throw std::logic_error("this warp program has no vector operations");
    }
    /// Who computes that operation; the warp itself if nobody says. Before the next fill().
    virtual void resolve(VectorOutcome /*outcome*/) {}
    /// Sets where the warp's CTA runs, before the first fill(). Kernels with memory of their own
    /// for each resident thread need it.
    virtual void place(const CtaPlace& /*place*/) {}
};

/// A grid of CTAs, each of so many warps. It is asked for the program of a warp when its CTA is
/// launched; with host.threads on any thread, one at a time, while other threads fill() programs.
/// CTAs have no order: what one writes no other may touch in the same kernel, but by atomics.
class Kernel {
public:
    virtual ~Kernel() = default;
    [[nodiscard]] virtual const KernelInfo& info() const = 0;
    /// The program of warp `warp` (0..warps_per_cta-1) of CTA `cta` (0..ctas-1, in issue order).
    [[nodiscard]] virtual std::unique_ptr<WarpProgram> program(CtaId cta,
                                                               std::uint32_t warp) const = 0;
    /// Whether the kernel knows which results are those of CTAs that did not run.
    [[nodiscard]] virtual bool tells_results() const { return false; }
    /// Notes which CTAs ran (by number, size ctas), for checkers of results. Before it: all.
    void note_run(std::vector<bool> ran) { ran_ = std::move(ran); }

protected:
    [[nodiscard]] bool ran(std::uint64_t cta) const {
        return cta < info().ctas && (ran_.empty() || ran_[cta]);
    }

private:
    std::vector<bool> ran_;
};

}  // namespace tessera
