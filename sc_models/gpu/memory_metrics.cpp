#include "sc_models/gpu/memory_metrics.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "sc_models/common/percent.h"

namespace tessera {

void add_memory_metrics(const StatGroup& machine, nlohmann::ordered_json& metrics) {
    const auto sum = [&machine](std::string_view path) { return machine.sum(path); };
    const std::uint64_t l1_reads = sum("sm.l1.reads");
    const std::uint64_t l1_hits = sum("sm.l1.read_hits");
    const std::uint64_t l1_pending = sum("sm.l1.read_pending_hits");
    const std::uint64_t l2_reads = sum("memory.l2.reads");
    const std::uint64_t l2_hits = sum("memory.l2.read_hits");
    const std::uint64_t l2_pending = sum("memory.l2.read_pending_hits");
    metrics["l1_services"] = l1_hits + l1_pending;
    metrics["l2_services"] = l2_hits + l2_pending;
    metrics["dram_services"] = l2_reads - l2_hits - l2_pending;
    metrics["dram_sectors"] = sum("memory.dram.reads") + sum("memory.dram.writes");
    metrics["l1_miss_rate_percent"] = percent(l1_reads - l1_hits - l1_pending, l1_reads);
    metrics["l1_miss_rate_with_pending_percent"] = percent(l1_reads - l1_hits, l1_reads);
    metrics["l2_miss_rate_percent"] = percent(l2_reads - l2_hits - l2_pending, l2_reads);
    metrics["l2_miss_rate_with_pending_percent"] = percent(l2_reads - l2_hits, l2_reads);
}

}  // namespace tessera
