#include "sc_models/run/run_page.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/configure/config_text.h"
#include "sc_models/gpu/occupancy.h"
#include "sc_models/run/foreign_models.h"
#include "sc_models/sm/stall_reason.h"

namespace tessera {
namespace {

/// Stall breakdown of a kernel's sub-cores, largest first.
std::string stall_text(const std::array<std::uint64_t, kStallReasons>& slots) {
    double cycles = 0;
    std::vector<std::pair<double, std::string_view>> shares;
    for (std::size_t kind = 0; kind < kStallReasons; ++kind) {
        shares.emplace_back(static_cast<double>(slots[kind]), kStallReasonText[kind].name);
        cycles += shares.back().first;
    }
    std::stable_sort(shares.begin(), shares.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (const auto& [count, name] : shares) {
        if (count > 0) text += fmt::format("    {:<20} {:6.2f} %\n", name, 100.0 * count / cycles);
    }
    return text;
}

/// Lines of the mechanisms that acted, each with its key figure, and of those that did not.
std::string mechanism_lines(const std::vector<MechanismFigure>& figures) {
    const auto lines = [&figures](bool acted) {
        std::string text;
        for (const MechanismFigure& figure : figures) {
            if (figure.acted != acted) continue;
            text += fmt::format("  {}: {}\n", figure.name, figure.figure);
        }
        return text;
    };
    const std::string acted = lines(true);
    const std::string idle = lines(false);
    return (acted.empty() ? "mechanisms that acted: none\n" : "mechanisms that acted:\n" + acted) +
           (idle.empty() ? "" : "switched on without effect:\n" + idle);
}

/// Sampling of the kernel, and the confidence of its time.
std::string sample_text(const Config& config, const KernelResult& kernel) {
    if (!kernel.sample) return "  not sampled: the next kernel reads its values\n";
    const KernelSample& sample = *kernel.sample;
    if (!kernel.sampled()) {
        return fmt::format("  not sampled, all CTAs ran: {} waves of {} CTAs\n", sample.waves,
                           sample.slots);
    }
    const double share = 100 * sample.skipped.half_width / static_cast<double>(kernel.cycles);
    const bool wide = share > config.sample.error_percent;
    return fmt::format(
        "  SAMPLED: {} of {} CTAs ran; cycles are expected within {:.2f} % (95 % interval from {} "
        "measured waves{}), counts are scaled\n",
        sample.ctas, kernel.ctas, share, sample.measured_waves,
        wide ? fmt::format(", wider than the {:g} % asked for", config.sample.error_percent) : "");
}

/// Limit of the kernel, and the utilisation of each kind of unit.
std::string limits_text(const KernelLimits& limits) {
    std::string text = fmt::format("  bound by {}\n", limits.bound);
    for (const UnitShare& share : limits.shares) {
        if (share.percent == 0) continue;
        text += fmt::format("    {:<20} {:6.2f} % of {}\n", share.unit, share.percent, share.peak);
    }
    return text;
}

}  // namespace

std::string summary_text(const Config& config, const RunReport& report) {
    std::string text =
        fmt::format("{}: {} SMs, values {}, config {}\n", report.workload, config.gpu.sms,
                    config.values ? "on" : "off", config_hash(config));
    text += mechanism_lines(report.mechanisms);
    for (const std::string& line : foreign_models(config)) {
        text += "made for another machine: " + line + "\n";
    }
    if (!report.complete) text += "INTERRUPTED: the figures cover what ran so far\n";
    for (const KernelReport& kernel : report.kernels) {
        const KernelResult& r = kernel.result;
        text += fmt::format(
            "\nkernel {}: {} cycles ({:.3f} ms at {} MHz), {} CTAs, {} an SM (limited by {})\n",
            r.name, r.cycles, static_cast<double>(r.cycles) / (1000.0 * config.gpu.core_clock_mhz),
            config.gpu.core_clock_mhz, r.ctas, r.occupancy.ctas, r.occupancy.limiter());
        if (config.sample.enabled) text += sample_text(config, r);
        text += limits_text(kernel.limits);
        text += "  issue slots of the sub-cores:\n";
        text += stall_text(kernel.issue_slots);
        text += mechanism_text(kernel.metrics);
    }
    const auto& m = report.metrics;
    text += report.metrics.contains("mmas") && report.metrics.at("mmas") == 0
                ? "\nlast kernel:\n"
                : "\nmatrix product:\n";
    text += fmt::format(
        "  sectors served by L1 {}, L2 {}, DRAM {}\n", m.at("l1_services").get<std::uint64_t>(),
        m.at("l2_services").get<std::uint64_t>(), m.at("dram_services").get<std::uint64_t>());
    text += fmt::format(
        "  L1 miss rate {:.1f} % ({:.1f} % with pending hits), L2 {:.1f} % ({:.1f} %)\n",
        m.at("l1_miss_rate_percent").get<double>(),
        m.at("l1_miss_rate_with_pending_percent").get<double>(),
        m.at("l2_miss_rate_percent").get<double>(),
        m.at("l2_miss_rate_with_pending_percent").get<double>());
    text +=
        fmt::format("  LDST stalls {} cycles, tensor cores occupied in {:.2f} % of their cycles\n",
                    m.at("ldst_stall_cycles").get<std::uint64_t>(),
                    m.at("tensor_utilisation_percent").get<double>());

    if (report.energy) {
        text += "\n" + energy_text(*report.energy);
        if (!report.above_power_limit.empty()) text += "    " + report.above_power_limit + "\n";
    }

    text += "\nchecks:\n";
    if (report.verification.checked) {
        const VerificationReport& v = report.verification;
        text += fmt::format("  output {} the golden model: {} of {} values differ{}\n",
                            v.mismatches == 0 ? "equals" : "DIFFERS FROM", v.mismatches, v.outputs,
                            v.first_mismatch.empty() ? "" : ", first " + v.first_mismatch);
    } else {
        text += "  values were not simulated\n";
    }
    if (report.complete) {
        text += report.violations.empty() ? "  all invariants hold\n" : "";
        for (const std::string& violation : report.violations)
            text += "  VIOLATED: " + violation + "\n";
    }
    return text;
}

std::string issue_slot_help() {
    std::string text;
    for (const StallReasonText& slot : kStallReasonText) {
        text += fmt::format("  {:<20} {}\n", slot.name, slot.description);
    }
    return text;
}

std::string plan_text(const Config& config, const Workload& workload) {
    std::string text =
        fmt::format("{}: {} SMs, values {}, config {}\n", workload.name(), config.gpu.sms,
                    config.values ? "on" : "off", config_hash(config));
    for (const auto& kernel : workload.kernels()) {
        const Occupancy occupancy = occupancy_of(kernel->info(), config.sm);
        text += fmt::format("  kernel {}: {} CTAs, {} an SM (limited by {})\n", kernel->info().name,
                            kernel->info().ctas, occupancy.ctas, occupancy.limiter());
    }
    return text;
}

std::string failure_text(const RunReport& report) {
    constexpr std::size_t kShown = 10;
    const VerificationReport& v = report.verification;
    std::string text;
    if (!v.passed()) {
        text +=
            fmt::format("check failed: {} of {} values differ from the golden model, first {}\n",
                        v.mismatches, v.outputs, v.first_mismatch);
    }
    for (std::size_t i = 0; i < std::min(report.violations.size(), kShown); ++i) {
        text += "check failed: " + report.violations[i] + "\n";
    }
    if (report.violations.size() > kShown) {
        text += fmt::format("... and {} more\n", report.violations.size() - kShown);
    }
    return text;
}

}  // namespace tessera
