// Number of runs of an experiment.
#pragma once

#include <algorithm>
#include <cstddef>

#include "sc_models/study/experiment.h"

namespace tessera {

/// Number of runs that plan_runs() makes of the experiment, without checking their configurations.
/// Layers of ONNX models count once each.
[[nodiscard]] inline std::size_t run_count(const Experiment& experiment) {
    const auto at_least_one = [](std::size_t count) { return std::max<std::size_t>(count, 1); };
    return at_least_one(experiment.layers.size()) * experiment.variants.size() *
           at_least_one(experiment.seeds.size());
}

}  // namespace tessera
