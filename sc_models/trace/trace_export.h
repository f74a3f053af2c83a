// Export of generated kernels as instruction traces.
#pragma once

#include <cstdint>
#include <filesystem>

#include "sc_models/isa/kernel.h"
#include "sc_models/trace/trace_writer.h"

namespace tessera {

/// Writes the instructions of every warp of `kernel` as SASS, CTAs in issue order; compressed if
/// `path` ends in .xz. Returns false, and leaves no file, if `progress` stopped it.
///
/// - A fragment of A or B is two LDG.E.128: of each row of 32 bytes every lane loads one half, and
/// the lanes of both octets read it, as HMMA.884 requires. A fragment of C is four 64-bit accesses.
/// - A 16x16x16 product is 16 HMMA.884 on the registers the fragments were loaded into.
/// - Other accesses go lane after lane, as wide as their alignment allows; accesses beyond 32 lanes
/// use a further instruction.
/// - Registers keep the kernel's numbers. Addresses come from RZ: the kernels keep none.
/// - Equal instructions share one PC, so a loop has the same PCs in every iteration.
///
/// Throws std::logic_error for instructions that occur only in traces and microbenchmarks.
bool export_kernel_trace(const Kernel& kernel, std::uint32_t id, const std::filesystem::path& path,
                         const TraceProgress& progress = {});

}  // namespace tessera
