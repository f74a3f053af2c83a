// Stimulus of a sub-core: warp programs.
#pragma once

#include <vector>

#include "testbenches/harness/session.h"
#include "tests/support/script_kernel.h"

namespace tessera::testbench {

inline constexpr std::uint32_t kMostWarps = 16;

/// Programs of the warps of one CTA, with the cycles of all issues after the launch if they were
/// counted by hand.
struct WarpPrograms {
    std::vector<test::Script> warps;
    std::vector<Cycle> issues = {};
};

/// Columns of a stimulus file.
[[nodiscard]] std::vector<Column> program_columns();
/// Programs of a file, each row checked. Throws ConfigError that names file, line and column.
[[nodiscard]] WarpPrograms programs_of(const Stimulus& stimulus);
/// Small programs, one for each rule, with cycles made of the configuration's latencies (none if
/// an instruction takes the issue port for several cycles).
[[nodiscard]] std::vector<WarpPrograms> directed_programs(const Config& config);
/// Draws programs of up to 8 warps.
[[nodiscard]] WarpPrograms draw_programs(Session& session);
/// Gives each global load a line of its own, from line `next` on; returns the next free line.
std::uint64_t place_loads(WarpPrograms& programs, std::uint64_t next, std::uint32_t line_bytes);

}  // namespace tessera::testbench
