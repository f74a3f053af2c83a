// Module of a cluster's assign table.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/opportunistic/assign_port.h"

namespace tessera {

/// Assign table of a cluster (opportunistic computing, III-B) with its statistics. The cluster
/// calls port() as lookups and notifications arrive over the mesh.
class AssignTableModule : public sc_core::sc_module {
public:
    /// `device` (null: the model) has `entries` entries, too.
    AssignTableModule(sc_core::sc_module_name name, std::uint32_t entries,
                      std::unique_ptr<AssignDevice> device = nullptr);

    [[nodiscard]] AssignPort& port() { return port_; }
    /// Notes what the statistics of a kernel need.
    void end_kernel() { rtl_cycles_ = port_.rtl_cycles(); }
    /// Adds its counters to the statistics of the cluster.
    void add_statistics(StatGroup& cluster) const;
    /// Appends a violation, which begins with `cluster`, if pairs were lost.
    void check(std::string_view cluster, std::vector<std::string>& violations) const;
    void dump(std::ostream& out) const override;

private:
    AssignPort port_;
    std::uint64_t rtl_cycles_ = 0;
};

}  // namespace tessera
