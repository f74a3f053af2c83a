#include "sc_models/run/kernel_limits.h"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>

#include "sc_models/tensor_core/matrix_units.h"

namespace tessera {
namespace {

/// Multiply and add count as two, as in every vendor's peak.
constexpr double kFlopPerProduct = 2;
constexpr double kProductsPerMma = 16 * 16 * 16;
constexpr double kProductsPerOhmma = 8 * 16;
constexpr double kLanes = 32;

class Limits {
public:
    Limits(const Config& config, const StatGroup& statistics, Cycle cycles)
        : config_(config), statistics_(statistics), cycles_(static_cast<double>(cycles)) {}

    std::vector<UnitShare> shares() {
        const double sms = config_.gpu.sms;
        const double sub_cores = sms * config_.sm.sub_cores;
        const double tensor_peak = tensor_products_per_cycle() * kFlopPerProduct;
        add_rate("tensor cores", tensor_flop(tensor_peak), tensor_peak * sub_cores, "FLOP/s");
        if (has_vector_operations(config_.workload.kind)) {
            const double peak = kFlopPerProduct * kLanes / config_.sm.alu_initiation_cycles;
            add_rate("FP32 lanes",
                     kFlopPerProduct * (sum("sm.opportunistic.lanes_normal") +
                                        sum("sm.opportunistic.lanes_assigned")),
                     peak * sub_cores, "FLOP/s");
        }
        add_busy("LDST units", sum("sm.ldst.busy_cycles"), sms);
        add_busy("shared memory", sum("sm.ldst.shared_wavefronts"), sms);
        add_rate("L1", sum("sm.l1.bytes_read") + sum("sm.l1.bytes_written"),
                 sms * config_.ldst.sectors_per_cycle * config_.l1.sector_bytes, "B/s");
        if (statistics_.has("memory.l2.bytes_read")) add_l2();
        if (statistics_.has("memory.dram.bytes_read")) add_dram();
        return std::move(shares_);
    }

private:
    [[nodiscard]] double sum(std::string_view path) const {
        return static_cast<double>(statistics_.sum(path));
    }

    void add_l2() {
        const double l2_read = sum("memory.l2.bytes_read");
        const double l2_written = sum("memory.l2.bytes_written");
        if (config_.noc.kind == NocKind::kCrossbar) {
            const NocConfig& noc = config_.noc;
            const double sms = config_.gpu.sms;
            add_rate("L2 to SMs", l2_read, sms * noc.response_bytes_per_cycle, "B/s");
            add_rate("SMs to L2", l2_written, sms * noc.request_bytes_per_cycle, "B/s");
            add_rate("L2", std::max(l2_read, l2_written),
                     static_cast<double>(config_.l2.slices) * noc.slice_bytes_per_cycle, "B/s");
        } else {
            // A slice looks up a sector a cycle; what the mesh carries is among the metrics.
            add_rate("L2", std::max(l2_read, l2_written),
                     static_cast<double>(config_.l2.slices) * config_.l2.sector_bytes, "B/s");
        }
    }

    void add_dram() {
        const DramConfig& dram = config_.dram;
        add_rate("DRAM", sum("memory.dram.bytes_read") + sum("memory.dram.bytes_written"),
                 static_cast<double>(dram.channels) * dram.bytes_per_clock * dram.clock_mhz /
                     config_.gpu.core_clock_mhz,
                 "B/s");
    }

    /// Of a sub-core's pair of tensor cores.
    [[nodiscard]] double tensor_products_per_cycle() const {
        if (config_.tensor_core.kind == TensorCoreKind::kFedp) {
            const OperationConfig& hmma = config_.sm.operation(Operation::kHmmaF32);
            return kProductsPerMma / static_cast<double>(FedpUnit(hmma).timing().initiation);
        }
        return kProductsPerMma / static_cast<double>(OuterProductUnit::kOhmmas);
    }

    /// Single HMMA steps of traces keep the tensor cores as busy as they can be.
    [[nodiscard]] double tensor_flop(double peak) const {
        double flop = sum("sm.sub_core.mmas") * kProductsPerMma * kFlopPerProduct +
                      sum("sm.sub_core.hmma_cycles") * peak;
        if (config_.tensor_core.kind == TensorCoreKind::kOuterProduct &&
            has_sparse_product(config_.workload.kind)) {
            flop += sum("sm.sub_core.tensor.ohmmas") * kProductsPerOhmma * kFlopPerProduct;
        }
        return flop;
    }

    /// `done` in the whole kernel against `peak` in a cycle, of the whole machine.
    void add_rate(const char* unit, double done, double peak, const char* per_second) {
        const double rate = peak * config_.gpu.core_clock_mhz * 1e6;
        const auto [scaled, prefix] = rate >= 1e12  ? std::pair(rate / 1e12, "T")
                                      : rate >= 1e9 ? std::pair(rate / 1e9, "G")
                                                    : std::pair(rate / 1e6, "M");
        shares_.push_back({unit, cycles_ > 0 ? 100 * done / (peak * cycles_) : 0,
                           fmt::format("{:.4g} {}{}", scaled, prefix, per_second)});
    }
    void add_busy(const char* unit, double busy_cycles, double units) {
        shares_.push_back(
            {unit, cycles_ > 0 ? 100 * busy_cycles / (units * cycles_) : 0, "their cycles"});
    }

    const Config& config_;
    const StatGroup& statistics_;
    const double cycles_;
    std::vector<UnitShare> shares_;
};

std::string bound_of(const std::vector<UnitShare>& shares,
                     const std::array<std::uint64_t, kStallReasons>& slots) {
    const UnitShare& first = *std::max_element(
        shares.begin(), shares.end(),
        [](const UnitShare& a, const UnitShare& b) { return a.percent < b.percent; });
    if (first.percent >= kBoundPercent) {
        return fmt::format("{}: {:.1f} % of {}", first.unit, first.percent, first.peak);
    }
    const auto* const stall =
        std::max_element(slots.begin() + 1, slots.end());  // after those that issued
    const auto all = std::accumulate(slots.begin(), slots.end(), std::uint64_t{0});
    const StallReasonText& text = kStallReasonText[static_cast<std::size_t>(stall - slots.begin())];
    return fmt::format(
        "latency: no unit is at {:.0f} % of its peak; of the issue slots {:.1f} % are {}, {}",
        kBoundPercent,
        all == 0 ? 0.0 : 100.0 * static_cast<double>(*stall) / static_cast<double>(all), text.name,
        text.description);
}

}  // namespace

KernelLimits kernel_limits(const Config& config, const StatGroup& statistics,
                           const std::array<std::uint64_t, kStallReasons>& slots, Cycle cycles) {
    KernelLimits limits;
    limits.shares = Limits(config, statistics, cycles).shares();
    limits.bound = bound_of(limits.shares, slots);
    return limits;
}

}  // namespace tessera
