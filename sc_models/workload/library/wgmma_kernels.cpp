#include <algorithm>
#include <cmath>

#include "sc_models/workload/library/dense_kernels.h"
#include "sc_models/workload/library/wgmma_kernel.h"

namespace tessera {
namespace {

constexpr std::uint32_t kBytesOfElement = sizeof(HalfBits);

// Chosen beside simulated times of products on machine h100 (docs/machines/h100.md).
constexpr double kCopyUnderLoad = 900;  // cycles from a bulk copy to its use
constexpr double kPathBytes = 128;      // a cycle: from the network to shared memory of an SM
constexpr double kStoredBytes = 32;     // a cycle: from an SM to the network
constexpr double kShareOfL2 = 0.83;     // achieved fraction of its bandwidth
constexpr double kShareOfDram = 0.95;   // the same
constexpr double kBoth = 6.5;           // exponent of overlap of SMs and memory
constexpr double kBegin = 900;          // cycles of a CTA before its first product
constexpr double kAddition = 2200;      // cycles of the kernel that adds parts

/// A tile of 256 x n has two products of 64 lines a warpgroup.
constexpr DenseKernel wgmma(std::string_view name, std::uint32_t cta_m, std::uint32_t cta_n,
                            std::uint32_t stages) {
    constexpr std::uint32_t kStep = 64, kLines = 64, kOfWarpgroup = 4;
    const std::uint32_t warpgroups = cta_m > kLines ? 2 : 1;
    return {ProductKernel::kWgmma,
            name,
            cta_m,
            cta_n,
            cta_m / (warpgroups * kOfWarpgroup),
            cta_n,
            kStep,
            stages};
}

}  // namespace

const std::vector<DenseKernel>& wgmma_kernels() {
    static const std::vector<DenseKernel> kKernels = {
        wgmma("128x256x64_4", 128, 256, 4), wgmma("256x128x64_4", 256, 128, 4),
        wgmma("256x64x64_5", 256, 64, 5),   wgmma("64x256x64_5", 64, 256, 5),
        wgmma("128x128x64_6", 128, 128, 6), wgmma("128x128x64_3", 128, 128, 3),
        wgmma("128x64x64_8", 128, 64, 8),   wgmma("128x64x64_4", 128, 64, 4),
        wgmma("64x128x64_8", 64, 128, 8),   wgmma("64x128x64_4", 64, 128, 4),
        wgmma("64x64x64_13", 64, 64, 13),   wgmma("64x64x64_6", 64, 64, 6),
        wgmma("128x32x64_10", 128, 32, 10), wgmma("128x32x64_5", 128, 32, 5),
        wgmma("128x16x64_11", 128, 16, 11), wgmma("128x16x64_5", 128, 16, 5),
        wgmma("64x32x64_16", 64, 32, 16),   wgmma("64x32x64_8", 64, 32, 8),
        wgmma("64x16x64_16", 64, 16, 16),   wgmma("64x16x64_9", 64, 16, 9)};
    return kKernels;
}

double expected_wgmma_cycles(const DenseProblem& problem, const DenseChoice& choice,
                             const TargetMachine& machine) {
    constexpr double kOperandBytes = 128;  // of shared memory a cycle
    constexpr std::uint32_t kLines = 64;
    const DenseKernel& kernel = *choice.kernel;
    const std::uint64_t tiles = problem.products *
                                ceil_div(problem.m, std::uint64_t{kernel.cta_m}) *
                                ceil_div(problem.n, std::uint64_t{kernel.cta_n});
    const std::uint64_t steps = ceil_div(problem.k, std::uint64_t{kernel.step});
    const std::uint64_t of_part = ceil_div(steps, std::uint64_t{choice.parts});
    const std::uint64_t parts = ceil_div(steps, of_part);
    const std::uint64_t ctas = tiles * parts;

    const double products = static_cast<double>(kernel.cta_m) * kernel.cta_n * kernel.step /
                            machine.warpgroup_products_per_cycle;
    const double operands = static_cast<double>(kernel.cta_m) / kLines * (kLines + kernel.cta_n) *
                            kernel.step * kBytesOfElement / kOperandBytes;
    const auto lines = static_cast<double>(std::min<std::uint64_t>(kernel.cta_m, problem.m) +
                                           std::min<std::uint64_t>(kernel.cta_n, problem.n));
    const double step_bytes = lines * kernel.step * kBytesOfElement;
    const double busy = std::max({products, operands, step_bytes / kPathBytes});
    const double element = parts > 1 ? sizeof(float) : kBytesOfElement;
    const double end = std::min<double>(kernel.cta_m, static_cast<double>(problem.m)) *
                       std::min<double>(kernel.cta_n, static_cast<double>(problem.n)) * element /
                       kStoredBytes;
    const auto round = [&](std::uint64_t together) {
        if (together == 0) return 0.0;
        const auto count = static_cast<double>(together);
        const double step = std::max(count * busy, kCopyUnderLoad / kernel.stages);
        return static_cast<double>(of_part) * step + kBegin + count * end;
    };
    const std::uint64_t of_sm = ceil_div(ctas, std::uint64_t{machine.sms});
    const std::uint64_t resident = std::max(1U, resident_ctas(problem, kernel, machine));
    const double sms =
        static_cast<double>(of_sm / resident) * round(resident) + round(of_sm % resident);
    // Two CTAs that follow one another along m (workload.tiling.raster m_groups) each fetch half of
    // the lines of B that both need.
    const auto shared_lines = static_cast<double>(std::min<std::uint64_t>(kernel.cta_n, problem.n));
    const double fetched = machine.multicast && problem.m > kernel.cta_m
                               ? step_bytes * (1 - shared_lines / 2 / lines)
                               : step_bytes;
    const double l2 = kShareOfL2 * machine.l2_bytes_per_cycle;
    const double memory = std::max(
        static_cast<double>(ctas * of_part) * fetched / l2,
        static_cast<double>(problem.tensor_bytes) / (kShareOfDram * machine.dram_bytes_per_cycle));
    double cycles =
        machine.launch_cycles + std::pow(std::pow(sms, kBoth) + std::pow(memory, kBoth), 1 / kBoth);
    if (parts > 1) {
        const double sums = static_cast<double>(problem.products * problem.m * problem.n) *
                            static_cast<double>(parts) * sizeof(float);
        cycles += machine.launch_cycles + kAddition + 2 * sums / l2;
    }
    return cycles;
}

}  // namespace tessera
