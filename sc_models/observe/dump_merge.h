// Several value change dumps made into one file of waveforms.
#pragma once

#include <string>
#include <vector>

#include "sc_models/observe/wave_writer.h"

namespace tessera {

/// A value change dump to be merged; the dots of `scope` make the hierarchy its own scopes go into.
/// Without any, they stay where they are.
struct ValueChangeDump {
    std::string file, scope;
};

/// Writes `dumps` (whole files in femtoseconds) as one waveform, their changes in order of time,
/// and commits it; of changes at one time those of the first dump come first. Afterwards the dumps
/// are removed; one that was never written counts as empty. Throws ConfigError if a file cannot be
/// written, CheckError if one is no whole dump, or has real numbers.
void merge_dumps(const std::vector<ValueChangeDump>& dumps, WaveWriter& writer);

}  // namespace tessera
