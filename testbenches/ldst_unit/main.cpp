// Testbench of the load/store unit of an SM.
#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/gpu/machine_parts.h"
#include "sc_models/sm/ldst_unit_at.h"
#include "sc_models/sm/ldst_unit_lt.h"
#include "testbenches/harness/memory_target.h"
#include "testbenches/harness/run_until_idle.h"
#include "testbenches/harness/sm_plan.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/ldst_unit/ldst_checker.h"
#include "testbenches/ldst_unit/ldst_stimulus.h"
#include "testbenches/ldst_unit/naive_ldst.h"
#include "testbenches/ldst_unit/planted_ldst.h"
#include "testbenches/ldst_unit/sub_core_drivers.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr Cycle kBelow = 100;  ///< latency of the memory below, in cycles

Description description() {
    Description d;
    d.name = "ldst_unit";
    d.module = "load/store unit of an SM: arbiter, coalescer, L1 requests, shared memory";
    d.operation = "warp memory instructions";
    d.sections = {"ldst", "l1", "sm"};
    d.count = 4000;
    d.columns = warp_columns();
    d.errors = {{"fewer_slots", "the unit sends one sector a cycle less"},
                {"wrong_banks", "the unit interleaves its banks by twice the bytes"},
                {"narrow_shared", "the shared memory has half of its banks"},
                {"other_arbiter", "the arbiter follows the other policy"},
                {"lost_write", "the memory below loses every 16th write"},
                {"wrong_data", "a bit of every 64th read is inverted"}};
    d.view = "ldst_unit_testbench.gtkw";
    return d;
}
const Description kDescription = description();

/// Unit between drivers in place of the sub-cores and a memory of fixed latency in place of the L1.
/// Order and cycle of each grant, request and completion are checked exactly, and all data.
class LdstTestbench final : public Testbench {
public:
    explicit LdstTestbench(Session& session)
        : session_(session),
          config_(session.config()),
          unit_config_(planted_config(session)),
          naive_(config_, kBelow),
          ticker_("ticker", session.clock),
          memory_("memory", 1, session.clock, kBelow),
          parts_(unit_config_, statistics_),
          shared_memory_(session.plants("narrow_shared") ? config_.sm.shared_memory_banks / 2
                                                         : config_.sm.shared_memory_banks) {
        if (config_.sm.max_warps / config_.sm.sub_cores < kWarpsPerSubCore) {
            throw ConfigError(fmt::format("sm.max_warps: got {}, expected {} or more a sub-core",
                                          config_.sm.max_warps, kWarpsPerSubCore));
        }
        drivers_.emplace("sub_cores", session_.clock, config_, session_.approximately_timed(),
                         checker_);
        make_unit();
        checker_.attach(*drivers_, *unit_);
        draw_contents(session, *drivers_, naive_, {memory_, registers_, shared_memory_});
        drivers_->connect(*unit_, links_);
        links_.bind(unit_->to_l1, memory_.sockets[0]);
        memory_.delays_calls = true;
        memory_.accept_delay = [this] { return draw_delay(); };
        if (session.plants("lost_write")) memory_.lost_write_every = 16;
        if (session.plants("wrong_data")) memory_.wrong_read_every = 64;
    }

private:
    void make_unit();
    [[nodiscard]] Cycle draw_delay();
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void drain();
    void finish() override;

    Session& session_;
    const Config& config_;
    const Config unit_config_;  ///< with a planted error
    NaiveLdst naive_;
    CheckedLinks links_;
    CycleTicker ticker_;
    PayloadPool pool_;
    StatGroup statistics_{"ldst"};
    MemoryTarget memory_;
    MachineParts parts_;
    RegisterFile registers_;
    SharedMemory shared_memory_;
    std::optional<SubCoreDrivers> drivers_;
    std::unique_ptr<LdstUnit> unit_;
    LdstChecker checker_{session_, naive_, {memory_, registers_, shared_memory_}};
    bool delays_ = false;
};

void LdstTestbench::make_unit() {
    const Config& c = unit_config_;
    const SmPlan plan = plan_of(c);
    const LdstUnit::LdstContext context{session_.clock,      drivers_->time(), registers_,
                                        shared_memory_,      parts_,           statistics_,
                                        session_.observers()};
    registers_.configure(c.sm.max_warps, kRegistersPerWarp);
    shared_memory_.configure_values(kCtaSlots, kSharedBytes);
    if (session_.approximately_timed()) {
        const AtContext at{ticker_, pool_, session_.observers()};
        unit_ = std::make_unique<LdstUnitAt>("ldst", SmId(0), plan, context, at, *drivers_);
    } else {
        unit_ = std::make_unique<LdstUnitLt>("ldst", SmId(0), plan, context);
    }
}

/// One request in 24 is accepted late.
Cycle LdstTestbench::draw_delay() {
    const Cycle delay = delays_ && session_.below(24) == 0 ? 1 + session_.below(30) : 0;
    checker_.add_delay(delay);
    return delay;
}

void LdstTestbench::drain() {
    run_until_idle();
    if (drivers_->done() == drivers_->planned()) return;
    session_.violations({fmt::format("{} of {} instructions never ended",
                                     drivers_->planned() - drivers_->done(), drivers_->planned())});
}

void LdstTestbench::play_directed() {
    for (WarpOperation operation : directed_operations(config_)) {
        operation.at = session_.clock.now() + 200;
        drivers_->plan(operation);
        drain();
    }
    const Cycle at = session_.clock.now() + 200;
    for (WarpOperation operation : burst_of_fragments(config_)) {
        operation.at = at;
        drivers_->plan(operation);
    }
    drain();
    session_.directed = drivers_->planned();
}

/// Bursts of up to 64 instructions, with gaps of any length up to two latencies.
void LdstTestbench::play_random() {
    delays_ = true;
    const std::uint64_t count = session_.options().count;
    for (std::uint64_t i = 0; i < count;) {
        Cycle at = session_.clock.now() + 1 + session_.below(4 * kBelow);
        for (std::uint64_t end = std::min(count, i + 1 + session_.below(64)); i < end; ++i) {
            if (session_.below(8) == 0) at += session_.below(2 * kBelow);
            WarpOperation operation = draw_operation(session_);
            operation.at = at;
            drivers_->plan(operation);
        }
        drain();
    }
    session_.drawn = count;
}

void LdstTestbench::play_file(const Stimulus& stimulus) {
    for (const WarpOperation& o : warp_operations(stimulus, config_.sm.sub_cores)) {
        drivers_->plan(o);
        ++session_.drawn;
    }
    drain();
}

void LdstTestbench::finish() {
    checker_.check_end(statistics_);
    std::vector<std::string> violations;
    unit_->check(violations);
    links_.check(violations);
    if (pool_.live() != 0) {
        violations.push_back(fmt::format("{} payloads were not returned", pool_.live()));
    }
    session_.violations(violations);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<LdstTestbench>(argc, argv, kDescription);
}
