// Module of a cluster's assign table.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/opportunistic/assign_table.h"

namespace tessera {

/// Assign table of a cluster (opportunistic computing, III-B) with its statistics. The cluster
/// calls table() as lookups and notifications arrive over the mesh.
class AssignTableModule : public sc_core::sc_module {
public:
    AssignTableModule(sc_core::sc_module_name name, std::uint32_t entries);

    [[nodiscard]] AssignTable& table() { return table_; }
    [[nodiscard]] const AssignTable& table() const { return table_; }
    /// Adds its counters to the statistics of the cluster.
    void add_statistics(StatGroup& cluster) const;
    /// Appends a violation, which begins with `cluster`, if pairs were lost.
    void check(std::string_view cluster, std::vector<std::string>& violations) const;
    void dump(std::ostream& out) const override;

private:
    AssignTable table_;
};

}  // namespace tessera
