// Testbench of a DRAM channel with its controller.
#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <vector>

#include "sc_models/memory/at/dram_channel_at.h"
#include "sc_models/memory/lt/dram_channel.h"
#include "testbenches/dram/dram_cases.h"
#include "testbenches/dram/dram_checker.h"
#include "testbenches/dram/dram_stimulus.h"
#include "testbenches/harness/memory_rig.h"
#include "testbenches/harness/testbench.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

const Description kDescription = description();

/// Map of one slice and one channel: addresses of the channel are those of its memory.
AddressMap one_channel() {
    L2Config l2;
    DramConfig dram;
    l2.slices = 1;
    dram.channels = 1;
    return {l2, dram};
}

/// A channel under two initiators. Lone accesses, pairs in one bank and directed cases are checked
/// exactly (row outcome and all distances); overlapping ones for data, order, the bandwidth of the
/// data bus and conservation.
class DramTestbench final : public Testbench {
public:
    explicit DramTestbench(Session& session)
        : session_(session),
          config_(session.config().dram),
          sector_(session.config().l2.sector_bytes),
          rig_(session),
          traffic_(session, add_channel()) {}

    void run_curve() override;

private:
    [[nodiscard]] DramConfig planted_config() const;
    const std::vector<Initiator*>& add_channel();
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void finish() override;

    Session& session_;
    const DramConfig config_;
    const std::uint32_t sector_;  ///< bytes
    const AddressMap map_ = one_channel();
    MemoryRig rig_;
    MemoryImage image_;
    EitherTiming<DramChannel, DramChannelAt> channel_;
    MemoryTraffic traffic_;
    DramChecker checker_{session_, traffic_};
    DramStimulus stimulus_{session_, checker_.naive()};
    DramCases cases_{session_, traffic_, stimulus_, checker_};
};

DramConfig DramTestbench::planted_config() const {
    DramConfig config = config_;
    const auto reduce = [this](const char* error, auto& parameter, std::uint32_t by) {
        if (session_.plants(error)) parameter = parameter - std::min<std::uint32_t>(by, parameter);
    };
    reduce("early_column", config.t_cl_cycles, 1);
    reduce("early_activation", config.t_rcd_cycles, 1);
    reduce("early_precharge", config.t_rp_cycles, 1);
    reduce("short_row", config.t_ras_cycles, 2);
    reduce("half_banks", config.banks, config.banks / 2);
    reduce("in_order", config.queue_entries, config.queue_entries - 1);
    return config;
}

/// Makes the channel and its links; returns the initiators above it.
const std::vector<Initiator*>& DramTestbench::add_channel() {
    const DramConfig config = planted_config();
    const bool values = !session_.plants("no_data");
    const DramContext context{config, sector_, map_, image_, values, rig_.statistics};
    if (session_.approximately_timed()) {
        channel_.at = std::make_unique<DramChannelAt>("dram", context, kPorts, rig_.at());
    } else {
        channel_.lt =
            std::make_unique<DramChannel>("dram", context, session_.clock, session_.observers());
    }
    for (std::uint32_t i = 0; i < kPorts; ++i) {
        const std::string name = "initiator_" + std::to_string(i);
        if (channel_.at) {
            rig_.add_initiator(name, channel_.at->targets[i]);
        } else {
            rig_.add_initiator(name, channel_.lt->target);
        }
    }
    return rig_.initiators();
}

/// Each outcome, each rule of order, and a burst that fills the queue.
void DramTestbench::play_directed() {
    cases_.rows();
    cases_.rules();
    cases_.overlapping(4 * (config_.queue_entries + config_.controller_latency_cycles), 0);
    session_.directed = traffic_.finished();
}

/// Half of the accesses one by one or in pairs, half overlapping.
void DramTestbench::play_random() {
    const std::uint64_t count = session_.options().count;
    for (std::uint64_t i = 0; i < count / 2; ++i) {
        if (session_.below(3) != 0 || i + 1 == count / 2) {
            cases_.lone();
        } else {
            cases_.pair();
            ++i;
        }
    }
    cases_.overlapping(count - count / 2, 40);
    session_.drawn = count;
}

void DramTestbench::play_file(const Stimulus& stimulus) {
    const std::vector<MemoryOperation> operations = stimulus_.operations_of(stimulus);
    for (const MemoryOperation& operation : operations) checker_.overlap(operation);
    session_.drawn = operations.size();
    traffic_.drain();
}

/// Reads of rows that are open, then of random rows.
void DramTestbench::run_curve() {
    const double peak = static_cast<double>(config_.clock_mhz) / session_.clock.frequency_mhz() /
                        static_cast<double>(checker_.naive().burst());  // sectors a core cycle
    std::vector<double> loads;
    for (const double percent : {10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 100, 110}) {
        loads.push_back(percent / 100 * peak);
    }
    const auto measure = [&](const char* title, std::uint64_t rows) {
        std::vector<LoadPoint> points = traffic_.curve(loads, sector_, session_.options().count,
                                                       [&] { return stimulus_.draw_read(rows); });
        for (LoadPoint& point : points) {
            point.offered *= 100 / peak;
            point.accepted *= 100 / peak;
        }
        session_.print(title + curve_table(points, "% of the peak"));
    };
    session_.print(fmt::format("peak of the data bus: {:.3f} sectors of {} bytes a core cycle\n\n",
                               peak, sector_));
    measure("row hits (one row in each bank):\n", 1);
    measure("\nrandom rows:\n", 1U << 16U);
    finish();
}

/// Bins of the module's own counters, and the rules that it must have kept.
void DramTestbench::finish() {
    checker_.cover();
    Coverage& c = session_.coverage;
    const DramStatistics& counted = channel_.statistics();
    if (checker_.naive().turns()) {
        c.add_counted("turnaround", counted.turnarounds, "the data bus turns");
    }
    if (session_.approximately_timed()) {
        c.add_counted("queue_full", rig_.statistics.sum("held_cycles"),
                      "cycles in which an access waits");
    }
    session_.scoreboard.expect_count("accesses counted by the channel", traffic_.finished(),
                                     counted.reads + counted.writes);
    checker_.check_reads(rig_.initiators());
    rig_.report_violations(channel_);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<DramTestbench>(argc, argv, kDescription);
}
