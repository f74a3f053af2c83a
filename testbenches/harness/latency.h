// Latency, bandwidth and load-latency tables of a testbench.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera::testbench {

/// Latencies in cycles by class of transaction ("hit", "miss"), in the order of first use.
class LatencyTable {
public:
    void add(const std::string& kind, Cycle cycles, std::uint64_t bytes = 0);
    [[nodiscard]] bool empty() const { return classes_.empty(); }
    /// Table of count, minimum, mean and maximum latency; with bytes a cycle over `cycles`.
    [[nodiscard]] std::string table(Cycle cycles) const;

private:
    struct Class {
        std::string name;
        std::uint64_t count = 0, bytes = 0;
        Cycle least = kNever, most = 0, sum = 0;
    };
    std::vector<Class> classes_;
};

/// A point of a load-latency curve.
struct LoadPoint {
    double offered = 0;   ///< offered load, in the unit of the curve
    double accepted = 0;  ///< accepted load
    double latency = 0;   ///< mean latency in cycles
};

/// Table of a load-latency curve. The saturation point is the largest accepted load; from there on
/// the latency grows with the length of the run. `unit`: of the load, "sectors a cycle".
[[nodiscard]] std::string curve_table(const std::vector<LoadPoint>& points,
                                      const std::string& unit);

}  // namespace tessera::testbench
