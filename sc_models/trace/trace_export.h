// Our own kernels as instruction traces.
#pragma once

#include <cstdint>
#include <filesystem>

#include "sc_models/isa/kernel.h"
#include "sc_models/trace/trace_writer.h"

namespace tessera {

/// Writes what every warp of `kernel` executes as SASS, CTAs in issue order; .xz if the name of
/// `path` says so. Returns false, and leaves no file, if `progress` stopped it.
///
/// - A fragment of A or B is two LDG.E.128: of each row of 32 bytes every lane loads one half, and
///   the lanes of both octets read it, as HMMA.884 wants it. One of C is four 64-bit accesses.
/// - A 16x16x16 product is 16 HMMA.884 on the registers the fragments were loaded into.
/// - Other accesses go lane after lane, as wide as their alignment allows; what 32 lanes cannot
///   take goes into a further instruction.
/// - Registers keep the kernel's numbers. Addresses come from RZ: our kernels keep none.
/// - Instructions that look alike have one PC, so that a loop's are the same each time round.
///
/// Throws std::logic_error for instructions that only traces and microbenchmarks have.
bool export_kernel_trace(const Kernel& kernel, std::uint32_t id, const std::filesystem::path& path,
                         const TraceProgress& progress = {});

}  // namespace tessera
