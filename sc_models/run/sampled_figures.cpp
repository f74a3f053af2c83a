#include "sc_models/run/sampled_figures.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sc_models/mechanism/mechanism_figures.h"
#include "sc_models/mechanisms/mechanisms.h"
#include "sc_models/run/kernel_limits.h"

namespace tessera {
namespace {

using Paths = std::vector<std::string>;

class Figures {
public:
    explicit Figures(const StatGroup& statistics) : statistics_(statistics) {}

    /// Adds a figure, unless a counter is missing.
    void add(const CounterRatio& ratio) {
        const auto known = [this](const std::string& path) { return statistics_.has(path); };
        if (!std::all_of(ratio.count.begin(), ratio.count.end(), known) ||
            !std::all_of(ratio.of.begin(), ratio.of.end(), known)) {
            return;
        }
        const auto sum = [&machine = statistics_](Paths paths) {
            return [&machine, paths = std::move(paths)] {
                std::uint64_t total = 0;
                for (const std::string& path : paths) total += machine.sum(path);
                return total;
            };
        };
        SampledFigure figure{ratio.name, ratio.unit, sum(ratio.count), {}, ratio.scale, ratio.peak};
        if (!ratio.of.empty()) figure.of = sum(ratio.of);
        figures_.push_back(std::move(figure));
    }
    std::vector<SampledFigure> all() { return std::move(figures_); }

private:
    const StatGroup& statistics_;
    std::vector<SampledFigure> figures_;
};

}  // namespace

std::vector<SampledFigure> sampled_figures(const Config& config, const StatGroup& statistics) {
    constexpr double kPercent = 100;
    // GB/s of one byte per cycle.
    const double gigabytes = config.gpu.core_clock_mhz * 1e6 / 1e9;
    const MachinePeaks peaks = machine_peaks(config);
    const double sub_cores = static_cast<double>(config.gpu.sms) * config.sm.sub_cores;
    Figures figures(statistics);
    figures.add({"IPC", "instructions a cycle", {"sm.sub_core.instructions"}, {}, 1, sub_cores});
    figures.add({"tensor cores busy",
                 "%",
                 {"sm.sub_core.tensor.busy_cycles", "sm.sub_core.hmma_cycles"},
                 {"sm.sub_core.cycles"},
                 kPercent,
                 1});
    figures.add({"L1 hits",
                 "% of reads",
                 {"sm.l1.read_hits", "sm.l1.read_pending_hits"},
                 {"sm.l1.reads"},
                 kPercent});
    figures.add({"L1 misses", "sectors a cycle", {"sm.l1.read_misses"}});
    figures.add({"L2 hits",
                 "% of reads",
                 {"memory.l2.read_hits", "memory.l2.read_pending_hits"},
                 {"memory.l2.reads"},
                 kPercent});
    figures.add({"L2 misses", "sectors a cycle", {"memory.l2.read_misses"}});
    figures.add({"L2 bandwidth",
                 "GB/s",
                 {"memory.l2.bytes_read", "memory.l2.bytes_written"},
                 {},
                 gigabytes,
                 2 * peaks.l2_bytes});
    figures.add({"DRAM bandwidth",
                 "GB/s",
                 {"memory.dram.bytes_read", "memory.dram.bytes_written"},
                 {},
                 gigabytes,
                 peaks.dram_bytes});
    for (const Mechanism* mechanism : mechanisms()) {
        if (mechanism->figures() == nullptr) continue;
        for (const CounterRatio& ratio : mechanism->figures()->sampled()) figures.add(ratio);
    }
    return figures.all();
}

}  // namespace tessera
