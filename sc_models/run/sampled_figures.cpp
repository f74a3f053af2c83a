#include "sc_models/run/sampled_figures.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sc_models/duplo/hit_class.h"
#include "sc_models/run/kernel_limits.h"

namespace tessera {
namespace {

using Paths = std::vector<std::string>;

class Figures {
public:
    explicit Figures(const StatGroup& statistics) : statistics_(statistics) {}

    /// Adds a figure: the sum of `count` over the sum of `of`, or per cycle without `of`. Skipped
    /// if a counter is missing.
    void add(const char* name, const char* unit, Paths count, Paths of = {}, double scale = 1,
             double peak = 0) {
        const auto known = [this](const std::string& path) { return statistics_.has(path); };
        if (!std::all_of(count.begin(), count.end(), known) ||
            !std::all_of(of.begin(), of.end(), known)) {
            return;
        }
        const auto sum = [&machine = statistics_](Paths paths) {
            return [&machine, paths = std::move(paths)] {
                std::uint64_t total = 0;
                for (const std::string& path : paths) total += machine.sum(path);
                return total;
            };
        };
        SampledFigure figure{name, unit, sum(std::move(count)), {}, scale, peak};
        if (!of.empty()) figure.of = sum(std::move(of));
        figures_.push_back(std::move(figure));
    }
    std::vector<SampledFigure> all() { return std::move(figures_); }

private:
    const StatGroup& statistics_;
    std::vector<SampledFigure> figures_;
};

/// Hit counters of all classes of the load history buffers.
Paths lhb_hits() {
    Paths paths;
    for (const HitClassText& text : kHitClassText) {
        paths.push_back("sm.ldst.detection." + std::string(text.statistic()));
    }
    return paths;
}

}  // namespace

std::vector<SampledFigure> sampled_figures(const Config& config, const StatGroup& statistics) {
    constexpr double kPercent = 100;
    // GB/s of one byte per cycle.
    const double gigabytes = config.gpu.core_clock_mhz.untracked_value() * 1e6 / 1e9;
    const MachinePeaks peaks = machine_peaks(config);
    const double sub_cores = static_cast<double>(config.gpu.sms.untracked_value()) *
                             config.sm.sub_cores.untracked_value();
    Figures figures(statistics);
    figures.add("IPC", "instructions a cycle", {"sm.sub_core.instructions"}, {}, 1, sub_cores);
    figures.add("tensor cores busy", "%",
                {"sm.sub_core.tensor.busy_cycles", "sm.sub_core.hmma_cycles"},
                {"sm.sub_core.cycles"}, kPercent, 1);
    figures.add("L1 hits", "% of reads", {"sm.l1.read_hits", "sm.l1.read_pending_hits"},
                {"sm.l1.reads"}, kPercent);
    figures.add("L1 misses", "sectors a cycle", {"sm.l1.read_misses"});
    figures.add("L2 hits", "% of reads", {"memory.l2.read_hits", "memory.l2.read_pending_hits"},
                {"memory.l2.reads"}, kPercent);
    figures.add("L2 misses", "sectors a cycle", {"memory.l2.read_misses"});
    figures.add("L2 bandwidth", "GB/s", {"memory.l2.bytes_read", "memory.l2.bytes_written"}, {},
                gigabytes, 2 * peaks.l2_bytes);
    figures.add("DRAM bandwidth", "GB/s", {"memory.dram.bytes_read", "memory.dram.bytes_written"},
                {}, gigabytes, peaks.dram_bytes);
    Paths looked_up = lhb_hits();
    looked_up.emplace_back("sm.ldst.detection.misses");
    figures.add("LHB hits (Duplo)", "% of look-ups", lhb_hits(), looked_up, kPercent);
    figures.add("OHMMAs skipped (dual-side)", "% of them", {"sm.sub_core.tensor.ohmmas_skipped"},
                {"sm.sub_core.tensor.ohmmas", "sm.sub_core.tensor.ohmmas_skipped"}, kPercent);
    figures.add("lanes predicted (opportunistic)", "lanes a cycle",
                {"sm.opportunistic.lanes_predicted"});
    figures.add("lanes assigned (opportunistic)", "lanes a cycle",
                {"sm.opportunistic.lanes_assigned"});
    return figures.all();
}

}  // namespace tessera
