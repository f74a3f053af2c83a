// Merging of several value change dumps into one waveform file.
#pragma once

#include <string>
#include <vector>

#include "sc_models/observe/wave_writer.h"

namespace tessera {

/// A value change dump to merge. Its scopes go below `scope`, whose dots separate levels; an empty
/// `scope` leaves them where they are.
struct ValueChangeDump {
    std::string file, scope;
};

/// Writes `dumps` (complete files in femtoseconds) as one waveform, their changes in order of time,
/// and commits it; changes at the same time keep the order of the dumps. Then removes the dumps;
/// one that was never written counts as empty. Throws ConfigError if a file cannot be written,
/// CheckError if one is no complete dump, or has real numbers.
void merge_dumps(const std::vector<ValueChangeDump>& dumps, WaveWriter& writer);

}  // namespace tessera
