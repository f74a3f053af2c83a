#include "testbenches/harness/latency.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/common/text_table.h"

namespace tessera::testbench {

void LatencyTable::add(const std::string& kind, Cycle cycles, std::uint64_t bytes) {
    auto found = std::find_if(classes_.begin(), classes_.end(),
                              [&kind](const Class& c) { return c.name == kind; });
    if (found == classes_.end()) found = classes_.insert(found, {kind});
    ++found->count;
    found->bytes += bytes;
    found->sum += cycles;
    found->least = std::min(found->least, cycles);
    found->most = std::max(found->most, cycles);
}

std::string LatencyTable::table(Cycle cycles) const {
    TextTable table({"latency", "transactions", "least", "mean", "most", "bytes a cycle"});
    for (const Class& c : classes_) {
        const double mean = static_cast<double>(c.sum) / static_cast<double>(c.count);
        const double rate =
            cycles == 0 ? 0 : static_cast<double>(c.bytes) / static_cast<double>(cycles);
        table.add({c.name, std::to_string(c.count), std::to_string(c.least),
                   fmt::format("{:.1f}", mean), std::to_string(c.most),
                   c.bytes == 0 ? "-" : fmt::format("{:.2f}", rate)});
    }
    return table.str();
}

std::string curve_table(const std::vector<LoadPoint>& points, const std::string& unit) {
    TextTable table({"offered [" + unit + "]", "accepted", "mean latency [cycles]"});
    table.set_text_columns(0);
    double most = 0;
    for (const LoadPoint& point : points) {
        table.add({fmt::format("{:.3f}", point.offered), fmt::format("{:.3f}", point.accepted),
                   fmt::format("{:.1f}", point.latency)});
        most = std::max(most, point.accepted);
    }
    return table.str() + fmt::format("  saturation at {:.3f} {}\n", most, unit);
}

}  // namespace tessera::testbench
