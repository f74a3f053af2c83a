// tessera reproduce --search: the fewest settings under which the most figures of a paper come out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/tessera/study_arguments.h"

namespace tessera {

/// Searches each of `papers` (kPaperNames; empty: all) over the settings of the atlas that have a
/// source, prints the way and writes the best set as a reading. `atlas`: a file in the form of
/// configs/atlas.yaml; empty: that one. Returns the exit code. Throws ConfigError for other names.
[[nodiscard]] int search_readings(const std::vector<std::string>& papers,
                                  const StudyArguments& study, const std::string& atlas,
                                  std::size_t budget);

}  // namespace tessera
