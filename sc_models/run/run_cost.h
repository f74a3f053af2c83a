// Relative cost of runs, and estimates of their duration.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/workload/workload.h"

namespace tessera {

/// Host cost of each kernel of `workload`, relative to the others: its warp instructions and the
/// memory sectors they touch, extrapolated from a few warps of a few CTAs. For a trace, which is
/// read only once: the number of warps.
[[nodiscard]] std::vector<double> kernel_costs(const Workload& workload);

/// Host cost of all kernels. Traces count by the size of their files and compare only with other
/// traces.
[[nodiscard]] double workload_cost(const Workload& workload);

/// Converts costs to seconds by the rate of finished runs: those of the same kind and variant if
/// there are any, else of the same kind, else all.
class RunTimes {
public:
    /// Records that a run of `cost` took `seconds`.
    void finished(const std::string& kind, const std::string& variant, double cost, double seconds);
    /// Empty until a run has finished.
    [[nodiscard]] std::optional<double> estimate(const std::string& kind,
                                                 const std::string& variant, double cost) const;

private:
    struct Rate {
        double cost = 0, seconds = 0;
    };
    /// by kind and variant, by kind (no variant), of all (neither)
    std::map<std::pair<std::string, std::string>, Rate> rates_;
};

/// Seconds until all runs have ended: `running` holds the remaining seconds of active runs;
/// `waiting` runs start in this order, each when one of `jobs` slots is free.
[[nodiscard]] double seconds_left(std::vector<double> running, const std::vector<double>& waiting,
                                  std::size_t jobs);

}  // namespace tessera
