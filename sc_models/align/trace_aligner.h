// Alignment of two instruction traces in Accel-Sim's format.
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// Result of an alignment of traces.
struct TraceAlignment {
    std::uint64_t instructions = 0;  ///< pairs that were compared
    std::uint64_t differences = 0;
    std::string first;  ///< report of the first difference; empty: none

    [[nodiscard]] bool equal() const { return differences == 0; }
};

/// Lines up the traces of two command lists by kernel, CTA and warp, in program order. Kernels and
/// their CTAs are paired in the order of the files. An instruction differs in program counter,
/// opcode, registers, active lanes or addresses; one that a trace lacks is one difference. Throws
/// ConfigError as TraceFile does.
[[nodiscard]] TraceAlignment align_traces(const std::string& list_a, const std::string& list_b);

}  // namespace tessera
