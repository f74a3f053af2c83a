#include "sc_models/study/network_study/layer_limit.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "sc_models/common/error.h"
#include "sc_models/run/kernel_limits.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kHalf = 50;  // percent

/// Accessor for one kernel of a result.
class KernelTimes {
public:
    explicit KernelTimes(const Json& kernel) : kernel_(kernel) {
        for (const char* key : {"launch_cycles", "queued_launch_cycles"}) {
            if (kernel.contains(key)) continue;
            throw ConfigError(
                fmt::format("kernel {}: {} is missing: the result is of an earlier version, "
                            "expected one of this version (run it again)",
                            kernel.value("name", "?"), key));
        }
    }

    [[nodiscard]] std::string name() const { return kernel_.at("name"); }
    [[nodiscard]] double cycles() const { return kernel_.at("cycles"); }
    [[nodiscard]] double launch() const { return kernel_.at("launch_cycles"); }
    [[nodiscard]] double queued_launch() const { return kernel_.at("queued_launch_cycles"); }
    /// Cycles after the launch.
    [[nodiscard]] double working() const { return std::max(0.0, cycles() - launch()); }
    [[nodiscard]] std::uint32_t ctas() const { return kernel_.at("ctas"); }

    /// Cycles that the arithmetic units would take at their peaks, over all kinds of unit.
    [[nodiscard]] double arithmetic() const {
        double busy = 0;
        for (const Json& share : kernel_.at("percent_of_peak")) {
            const std::string unit = share.at("unit");
            if (unit != kTensorUnit && unit != kFp32Unit) continue;
            busy += share.at("percent").get<double>() / 100 * cycles();
        }
        return busy;
    }

    /// The unit nearest to its peak after the launch; empty if it is below kBoundPercent.
    [[nodiscard]] std::optional<std::string> bounding_unit() const {
        double most = 0;
        std::string text;
        for (const Json& share : kernel_.at("percent_of_peak")) {
            if (working() == 0) continue;
            const double percent = share.at("percent").get<double>() * cycles() / working();
            if (percent <= most) continue;
            most = percent;
            text = fmt::format("{}: {:.1f} % of {} from the launch on",
                               share.at("unit").get<std::string>(), percent,
                               share.at("peak").get<std::string>());
        }
        if (most < kBoundPercent) return std::nullopt;
        return text;
    }

    /// Percent of the issue slots by cause, after the launch. Before it, no warp is resident.
    [[nodiscard]] std::array<double, kStallReasons> slots() const {
        std::array<double, kStallReasons> slots{};
        double all = 0;
        const Json& counts = kernel_.at("issue_slots");
        for (std::size_t i = 0; i < kStallReasons; ++i) {
            slots[i] = counts.at(std::string(kStallReasonText[i].name));
            all += slots[i];
        }
        double& no_warp = slots[static_cast<std::size_t>(StallReason::kNoWarp)];
        const double in_launch = cycles() == 0 ? 0 : all * launch() / cycles();
        const double before = std::min(no_warp, in_launch);
        no_warp -= before;
        all -= before;
        for (double& slot : slots) slot = all == 0 ? 0 : 100 * slot / all;
        return slots;
    }

private:
    const Json& kernel_;
};

std::string limit_behind_launch(const KernelTimes& kernel, std::uint32_t sms) {
    if (const auto unit = kernel.bounding_unit()) return *unit;
    const std::array<double, kStallReasons> slots = kernel.slots();
    const double no_warp = slots[static_cast<std::size_t>(StallReason::kNoWarp)];
    if (no_warp >= kHalf) {
        return fmt::format(
            "few CTAs ({} on {} SMs): {:.1f} % of the issue slots from the launch on have no warp",
            kernel.ctas(), sms, no_warp);
    }
    const auto* const stall = std::max_element(slots.begin() + 1, slots.end());  // excludes kIssued
    const StallReasonText& text = kStallReasonText[static_cast<std::size_t>(stall - slots.begin())];
    return fmt::format(
        "latency: no unit is at {:.0f} % of its peak; of the issue slots from the launch on {:.1f} "
        "% are {}, {}",
        kBoundPercent, *stall, text.name, text.description);
}

}  // namespace

LayerLimit layer_limit(const Json& kernels, std::uint32_t sms) {
    LayerLimit limit;
    double cycles = 0;
    std::optional<KernelTimes> main;
    const auto less = [](const KernelTimes& a, const KernelTimes& b) {
        return std::pair(a.arithmetic(), a.working()) < std::pair(b.arithmetic(), b.working());
    };
    for (const Json& json : kernels) {
        const KernelTimes kernel(json);
        cycles += kernel.working() + kernel.queued_launch();
        limit.launch_cycles += kernel.queued_launch();
        limit.idle_launch_cycles += kernel.launch() - kernel.queued_launch();
        if (!main || less(*main, kernel)) main.emplace(kernel);
    }
    if (!main) return limit;
    limit.kernel = main->name();
    const double launch = cycles == 0 ? 0 : 100 * limit.launch_cycles / cycles;
    limit.text = launch < kHalf ? limit_behind_launch(*main, sms)
                                : fmt::format("launch: launches of {} {} take {:.1f} % of the time",
                                              kernels.size(),
                                              kernels.size() == 1 ? "kernel" : "kernels", launch);
    return limit;
}

}  // namespace tessera
