// Header of a kernel's instruction trace.
#pragma once

#include <cstdint>
#include <string>

#include "sc_models/common/types.h"
#include "sc_models/trace/line_reader.h"

namespace tessera {

/// Size of a grid or a block in three dimensions.
struct Dim3 {
    std::uint32_t x = 1;
    std::uint32_t y = 1;
    std::uint32_t z = 1;

    [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
    friend bool operator==(const Dim3& a, const Dim3& b) {
        return a.x == b.x && a.y == b.y && a.z == b.z;
    }
};

inline constexpr std::uint32_t kThreadsPerWarp = 32;
/// Size of the windows of shared and of local memory in the generic address space.
inline constexpr Address kTraceWindowBytes = Address{1} << 24U;

/// Launch parameters of a traced kernel.
struct TraceHeader {
    std::string name;
    std::uint32_t id = 1;
    Dim3 grid;   ///< CTAs
    Dim3 block;  ///< threads of a CTA
    std::uint32_t shared_memory_bytes = 0;
    std::uint32_t registers = 1;  ///< per thread
    std::uint32_t binary_version = 70;
    std::uint64_t stream = 0;
    Address shared_base = 0;  ///< shared memory's window in the generic address space
    Address local_base = 0;   ///< local memory's window
    std::uint32_t tracer_version = 5;
    bool line_info = false;  ///< instruction lines start with a source line

    [[nodiscard]] std::uint32_t warps_per_cta() const {
        return ceil_div(static_cast<std::uint32_t>(block.count()), kThreadsPerWarp);
    }
    [[nodiscard]] bool in_shared_window(Address address) const {
        return address - shared_base < kTraceWindowBytes;
    }
    [[nodiscard]] bool in_local_window(Address address) const {
        return address - local_base < kTraceWindowBytes;
    }
    /// Offset of an address in a thread's local memory; LDL and STL give the offset itself.
    [[nodiscard]] Address local_offset(Address address) const {
        return in_local_window(address) ? address - local_base : address;
    }
    /// Before version 3, instruction lines start with CTA and warp.
    [[nodiscard]] bool cta_columns() const { return tracer_version < 3; }
    /// Version 5 has an immediate in every line.
    [[nodiscard]] bool immediate_required() const { return tracer_version >= 5; }
    /// Version 6 names uniform and predicate registers, ends every line in NoVal or Val, and has
    /// one line for each LDGSTS.
    [[nodiscard]] bool is_tracer6() const { return tracer_version >= 6; }
    /// Whether LDGSTS, LDGDEPBAR and DEPBAR are the machine's asynchronous copies.
    [[nodiscard]] bool has_copy_groups() const { return is_tracer6() && binary_version >= 80; }
};

/// Reads the lines up to the first that starts with '#'. Throws ConfigError, "file:line: ...", for
/// values that are missing, repeated, malformed or beyond a GPU's launch limits. Unknown keys are
/// ignored: tracers add some.
[[nodiscard]] TraceHeader read_trace_header(LineReader& lines);

/// Formats the header, with the comment line.
[[nodiscard]] std::string to_text(const TraceHeader& header);

/// "(x,y,z)" or "x,y,z" with decimal numbers up to `max`.
[[nodiscard]] Dim3 parse_dim3(std::string_view text, const Dim3& max, std::string_view what);

}  // namespace tessera
