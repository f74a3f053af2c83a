// Export of generated kernels as instruction traces.
#pragma once

#include <cstdint>
#include <filesystem>

#include "sc_models/isa/kernel.h"
#include "sc_models/trace/trace_writer.h"

namespace tessera {

/// Versions in the header of an exported trace.
struct TraceVersions {
    std::uint32_t tracer = 5;
    std::uint32_t binary = 70;
};

/// Whether a trace of the kernel needs tracer 6: tracers before it split an LDGSTS into two lines.
[[nodiscard]] bool needs_tracer6(const Kernel& kernel);

/// Writes the instructions of every warp of `kernel` as SASS, CTAs in issue order; compressed or
/// packed by the end of `path` as TraceWriter does. Returns false, and leaves no file, if
/// `progress` stopped it.
///
/// - A fragment of A or B is two LDG.E.128: of each row of 32 bytes every lane loads one half, and
/// the lanes of both octets read it, as HMMA.884 requires. A fragment of C is four 64-bit accesses.
/// - A 16x16x16 product is 16 HMMA.884 on the registers the fragments were loaded into. With
/// operands of LDSM it is two HMMA.16816, and with a 2:4 operand two HMMA.SP.16832.
/// - Rows of an LDSM are swizzled: bits 4 to 6 of their place differ from row to row, as CUTLASS
/// places them, so that a replay has no bank conflicts either.
/// - Other accesses go lane after lane, as wide as their alignment allows; accesses beyond 32 lanes
/// use a further instruction.
/// - Registers keep the kernel's numbers. Addresses come from RZ: the kernels keep none.
/// - Equal instructions share one PC, so a loop has the same PCs in every iteration.
///
/// Throws std::logic_error for instructions that occur only in traces and microbenchmarks.
bool export_kernel_trace(const Kernel& kernel, std::uint32_t id, const std::filesystem::path& path,
                         const TraceVersions& versions = {}, const TraceProgress& progress = {});

}  // namespace tessera
