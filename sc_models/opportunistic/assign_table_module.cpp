#include "sc_models/opportunistic/assign_table_module.h"

#include <fmt/format.h>
#include <ostream>
#include <utility>

namespace tessera {

AssignTableModule::AssignTableModule(sc_core::sc_module_name name, std::uint32_t entries,
                                     std::unique_ptr<AssignDevice> device)
    : sc_module(name), port_(entries, std::move(device)) {}

void AssignTableModule::add_statistics(StatGroup& cluster) const {
    const AssignTable::Counts& counts = port_.counts();
    cluster.counter("lookups", counts.lookups, "count", "look-ups of pairs of blocks");
    cluster.counter("hits", counts.hits, "count", "pairs that were found");
    cluster.counter("inserted", counts.inserted, "count", "pairs entered");
    cluster.counter("replaced", counts.replaced, "count", "pairs that made room");
    cluster.counter("invalidated", counts.invalidated, "count",
                    "pairs of which the L1 lost a block");
    cluster.counter("rtl_cycles", rtl_cycles_, "cycles",
                    "clock cycles of RTL in place of the assign table (impl)");
}

void AssignTableModule::check(std::string_view cluster,
                              std::vector<std::string>& violations) const {
    const AssignTable::Counts& c = port_.counts();
    const std::uint64_t left = c.replaced + c.invalidated + c.flushed;
    if (c.inserted != left + port_.size()) {
        violations.push_back(fmt::format("{}: {} pairs entered, {} left, {} there", cluster,
                                         c.inserted, left, port_.size()));
    }
}

void AssignTableModule::dump(std::ostream& out) const {
    sc_module::dump(out);
    out << fmt::format("implementation = {}\nentries = {}\nlookups = {}\n",
                       port_.has_device() ? "rtl" : "model", port_.size(), port_.counts().lookups);
}

}  // namespace tessera
