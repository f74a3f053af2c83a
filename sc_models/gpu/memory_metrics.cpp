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
    const bool has_l2 = machine.has("memory.l2.reads");
    const std::uint64_t l2_reads = has_l2 ? sum("memory.l2.reads") : 0;
    const std::uint64_t l2_hits = has_l2 ? sum("memory.l2.read_hits") : 0;
    const std::uint64_t l2_pending = has_l2 ? sum("memory.l2.read_pending_hits") : 0;
    metrics["l1_services"] = l1_hits + l1_pending;
    if (has_l2) {
        metrics["l2_services"] = l2_hits + l2_pending;
        metrics["dram_services"] = l2_reads - l2_hits - l2_pending;
    }
    if (machine.has("memory.dram.reads")) {
        metrics["dram_sectors"] = sum("memory.dram.reads") + sum("memory.dram.writes");
    }
    metrics["l1_miss_rate_percent"] = percent(l1_reads - l1_hits - l1_pending, l1_reads);
    metrics["l1_miss_rate_with_pending_percent"] = percent(l1_reads - l1_hits, l1_reads);
    if (!has_l2) return;
    metrics["l2_miss_rate_percent"] = percent(l2_reads - l2_hits - l2_pending, l2_reads);
    metrics["l2_miss_rate_with_pending_percent"] = percent(l2_reads - l2_hits, l2_reads);
}

}  // namespace tessera
