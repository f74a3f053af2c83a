#include "sc_models/configure/host_memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/configure/config_rules.h"
#include "sc_models/mechanisms/mechanisms.h"
#include "sc_models/memory/core/sector_tags.h"

namespace tessera {
namespace {

std::uint64_t number_in(const char* path, std::uint64_t otherwise) {
    std::ifstream in(path);
    std::uint64_t value = 0;
    return in >> value ? value : otherwise;  // "max" means unlimited
}

std::uint64_t memory_of_computer() {
    std::ifstream in("/proc/meminfo");
    for (std::string word; in >> word;) {
        std::uint64_t kib = 0;
        if (word == "MemAvailable:" && in >> kib) return kib * 1024;
    }
    return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t left_of(std::uint64_t limit, std::uint64_t used) {
    return limit > used ? limit - used : 0;
}

class HostMemoryRules : private ConfigRules {
public:
    HostMemoryRules(const Config& config, const ConfigSource& source)
        : ConfigRules(config, source) {}

    void check(std::uint64_t available) const {
        const std::uint64_t sets_of_l1 =
            c_.sm.l1_cache_bytes() / (std::uint64_t{c_.l1.ways} * c_.l1.line_bytes);
        const std::uint64_t l1 =
            c_.gpu.sms * SectorTags::host_bytes(static_cast<std::uint32_t>(sets_of_l1), c_.l1.ways);
        const std::uint64_t l2 =
            c_.l2.slices * SectorTags::host_bytes(c_.l2.sets_per_slice, c_.l2.ways);
        std::vector<HostTable> tables;
        for (const Mechanism* mechanism : mechanisms()) {
            for (HostTable& table : mechanism->host_tables(c_)) tables.push_back(std::move(table));
        }
        std::uint64_t all = l1 + l2;
        std::uint64_t largest = std::max(l1, l2);
        for (const HostTable& table : tables) {
            all += table.bytes;
            largest = std::max(largest, table.bytes);
        }
        const auto refuse = [&](std::uint64_t part, Keys keys, const std::string& what) {
            if (part != largest) return;
            require(all <= available, keys,
                    fmt::format("a machine whose tables fit the {} MiB of memory that this "
                                "computer has left: they take {} MiB, {} MiB of them {}",
                                available >> 20U, all >> 20U, part >> 20U, what));
        };
        refuse(l1,
               {"sm.unified_l1_kib", "gpu.sms", "sm.shared_memory_kib", "l1.line_bytes", "l1.ways"},
               fmt::format("the tags of the L1 caches (gpu.sms {} x {} KiB)", c_.gpu.sms,
                           c_.sm.l1_cache_bytes() >> 10U));
        refuse(l2, {"l2.sets_per_slice", "l2.slices", "l2.ways"},
               fmt::format("the tags of L2 (l2.slices {} x l2.sets_per_slice {} x l2.ways {})",
                           c_.l2.slices, c_.l2.sets_per_slice, c_.l2.ways));
        for (const HostTable& table : tables)
            refuse(table.bytes, {table.keys[0], table.keys[1]}, table.text);
    }
};

}  // namespace

std::uint64_t available_memory_bytes() {
    constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t available = memory_of_computer();
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        const std::uint64_t pages = number_in("/proc/self/statm", 0);
        const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
        available = std::min(available, left_of(limit.rlim_cur, pages * page_bytes));
    }
    const std::uint64_t group = number_in("/sys/fs/cgroup/memory.max", kNoLimit);
    const std::uint64_t taken = number_in("/sys/fs/cgroup/memory.current", 0);
    return std::min(available, left_of(group, taken));
}

void check_host_memory(const Config& config, const ConfigSource& source, std::uint64_t available) {
    HostMemoryRules(config, source).check(available);
}

}  // namespace tessera
