#include "sc_models/run/kernel_limits.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <numeric>

#include "sc_models/tensor_core/matrix_units.h"

namespace tessera {
namespace {

/// A multiply-add counts as two, as in all vendors' peaks.
constexpr double kFlopPerProduct = 2;
constexpr double kProductsPerMma = 16 * 16 * 16;
constexpr double kProductsPerOhmma = 8 * 16;
constexpr double kLanes = 32;

/// Multiply-adds of one product of 16x16 fragments, whose lines have 32 bytes.
double products_per_mma(const Config& config) {
    return kProductsPerMma * 2 / bytes_of(config.workload.operand_type());
}

/// Products per cycle of a sub-core's pair of tensor cores.
double tensor_products_per_cycle(const Config& config) {
    const FragmentProduct product = config.workload.fragment_product();
    if (product != FragmentProduct::kHalf) {
        return products_per_mma(config) /
               static_cast<double>(FedpUnit::product_timing(config.sm, product).initiation);
    }
    if (config.tensor_core.kind == TensorCoreKind::kFedp) {
        return kProductsPerMma / static_cast<double>(FedpUnit(config.sm).timing().initiation);
    }
    return kProductsPerMma / static_cast<double>(OuterProductUnit::kOhmmas);
}

/// The same for the fastest products of the type, which a warpgroup's are where there are any.
double peak_products_per_cycle(const Config& config) {
    const double mmas = tensor_products_per_cycle(config);
    const OperandType operands = config.workload.operand_type();
    if (!is_for_warpgroups(operands)) return mmas;
    const TensorRateConfig& rate = config.sm.tensor_rates[warpgroup_shape_of(operands)];
    if (!rate.is_number()) return mmas;
    return std::max(mmas, rate.products_per_cycle.unrecorded() / config.sm.sub_cores);
}

class Limits {
public:
    Limits(const Config& config, const StatGroup& statistics, Cycle cycles)
        : config_(config),
          statistics_(statistics),
          cycles_(static_cast<double>(cycles)),
          peaks_(machine_peaks(config)) {}

    std::vector<UnitShare> shares() {
        const double sms = config_.gpu.sms;
        add_rate(kTensorUnit, tensor_flop(), peaks_.tensor_flop, "FLOP/s");
        if (has_vector_operations(config_.workload.kind)) {
            add_rate(kFp32Unit,
                     kFlopPerProduct * (sum("sm.opportunistic.lanes_normal") +
                                        sum("sm.opportunistic.lanes_assigned")),
                     peaks_.fp32_flop, "FLOP/s");
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
        const double multicast = statistics_.has("memory.crossbar.multicast_bytes")
                                     ? sum("memory.crossbar.multicast_bytes")
                                     : 0;
        const double l2_read = sum("memory.l2.bytes_read");
        const double l2_written = sum("memory.l2.bytes_written");
        if (config_.noc.kind == NocKind::kCrossbar) {
            const NocConfig& noc = config_.noc;
            const double sms = config_.gpu.sms;
            add_rate("L2 to SMs", l2_read, sms * noc.response_bytes_per_cycle, "B/s");
            add_rate("SMs to L2", l2_written, sms * noc.request_bytes_per_cycle, "B/s");
        }
        add_rate(kL2Unit, std::max(l2_read - multicast, l2_written), peaks_.l2_bytes, "B/s");
    }

    void add_dram() {
        add_rate(kDramUnit, sum("memory.dram.bytes_read") + sum("memory.dram.bytes_written"),
                 peaks_.dram_bytes, "B/s");
    }

    /// HMMA steps of traces count as peak rate for their cycles.
    [[nodiscard]] double tensor_flop() const {
        const double peak = tensor_products_per_cycle(config_) * kFlopPerProduct;
        double flop = sum("sm.sub_core.warpgroup_products") * kFlopPerProduct +
                      sum("sm.sub_core.mmas") * products_per_mma(config_) * kFlopPerProduct +
                      sum("sm.sub_core.hmma_cycles") * peak;
        if (config_.tensor_core.kind == TensorCoreKind::kOuterProduct &&
            has_sparse_product(config_.workload.kind)) {
            flop += sum("sm.sub_core.tensor.ohmmas") * kProductsPerOhmma * kFlopPerProduct;
        }
        return flop;
    }

    /// Adds the share of `peak` (per cycle, whole machine) that `done` (whole kernel) reaches.
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
    const MachinePeaks peaks_;
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
        std::max_element(slots.begin() + 1, slots.end());  // excludes issued slots
    const auto all = std::accumulate(slots.begin(), slots.end(), std::uint64_t{0});
    const StallReasonText& text = kStallReasonText[static_cast<std::size_t>(stall - slots.begin())];
    return fmt::format(
        "latency: no unit is at {:.0f} % of its peak; of the issue slots {:.1f} % are {}, {}",
        kBoundPercent,
        all == 0 ? 0.0 : 100.0 * static_cast<double>(*stall) / static_cast<double>(all), text.name,
        text.description);
}

}  // namespace

MachinePeaks machine_peaks(const Config& config) {
    const double sub_cores = static_cast<double>(config.gpu.sms) * config.sm.sub_cores;
    const double slices = config.l2.slices;
    MachinePeaks peaks;
    peaks.tensor_flop = peak_products_per_cycle(config) * kFlopPerProduct * sub_cores;
    peaks.fp32_flop = kFlopPerProduct * kLanes / config.sm.alu_initiation_cycles * sub_cores;
    // On a mesh, a slice looks up one sector per cycle; the mesh's own traffic is reported in the
    // metrics.
    peaks.l2_bytes =
        slices * (config.noc.kind == NocKind::kCrossbar ? config.noc.slice_bytes_per_cycle
                                                        : config.l2.sector_bytes);
    const DramConfig& dram = config.dram;
    peaks.dram_bytes = static_cast<double>(dram.channels) * dram.bytes_per_clock * dram.clock_mhz /
                       config.gpu.core_clock_mhz;
    return peaks;
}

std::optional<double> peak_in(const std::string& text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || rest == text.data() || end - rest < 2 || *rest != ' ') {
        return std::nullopt;
    }
    const char prefix = rest[1];
    return value * (prefix == 'T' ? 1e12 : prefix == 'G' ? 1e9 : 1e6);
}

KernelLimits kernel_limits(const Config& config, const StatGroup& statistics,
                           const std::array<std::uint64_t, kStallReasons>& slots, Cycle cycles) {
    KernelLimits limits;
    limits.shares = Limits(config, statistics, cycles).shares();
    limits.bound = bound_of(limits.shares, slots);
    return limits;
}

}  // namespace tessera
