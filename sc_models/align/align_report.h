// Report of the first difference between two recordings.
#pragma once

#include <string>

#include "sc_models/align/aligner.h"

namespace tessera {

/// Names of the two sides in a report: files, or commands of runs.
struct AlignNames {
    std::string a, b;
};

/// Returns the report in several lines: numbers of pairs compared; of the first difference its
/// kind, place and values; what both sides did with the instruction, and the transactions of the
/// same SM before.
[[nodiscard]] std::string align_report(const Recording& a, const Recording& b,
                                       const Alignment& alignment, const AlignNames& names);

/// Core cycle of the first difference on each side; a side that lacks the transaction has that of
/// its latest one before.
struct DivergenceCycles {
    Cycle a = 0, b = 0;
};
[[nodiscard]] DivergenceCycles divergence_cycles(const Recording& a, const Recording& b,
                                                 const Divergence& divergence);

/// Writes the transactions of both sides from `half` cycles before the difference to `half` cycles
/// after as a waveform: scopes `a` and `b`, with a scope for each link of the instruction's SM and
/// for each L2 slice and DRAM bank in use. Both differences stand at cycle `half`; the signal
/// `cycle` has the core cycle of the side. One cycle takes 1 ns. Throws ConfigError if the file
/// cannot be written.
void write_align_wave(const std::string& file, const Recording& a, const Recording& b,
                      const Divergence& divergence, Cycle half = 100);

}  // namespace tessera
