// How long a run will take, compared with others.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/workload/workload.h"

namespace tessera {

/// What simulating each kernel of `workload` costs the host, compared with the others: its warp
/// instructions and the memory sectors they touch, extrapolated from a few warps of a few CTAs; of
/// a trace, which is read only once, the warps.
[[nodiscard]] std::vector<double> kernel_costs(const Workload& workload);

/// Of all kernels. Traces count by the size of their files and compare with each other only.
[[nodiscard]] double workload_cost(const Workload& workload);

/// Turns costs into seconds: the rate of the runs that have finished, of the same kind and variant
/// if there are such, else of the same kind, else of all.
class RunTimes {
public:
    /// A run of `cost` took `seconds`.
    void finished(const std::string& kind, const std::string& variant, double cost, double seconds);
    /// None as long as no run has finished.
    [[nodiscard]] std::optional<double> estimate(const std::string& kind,
                                                 const std::string& variant, double cost) const;

private:
    struct Rate {
        double cost = 0, seconds = 0;
    };
    /// By kind and variant, by kind (no variant), of all (neither).
    std::map<std::pair<std::string, std::string>, Rate> rates_;
};

/// Seconds until all runs have ended: `running` have so many left, `waiting` start in this order,
/// each as soon as one of `jobs` slots is free.
[[nodiscard]] double seconds_left(std::vector<double> running, const std::vector<double>& waiting,
                                  std::size_t jobs);

}  // namespace tessera
