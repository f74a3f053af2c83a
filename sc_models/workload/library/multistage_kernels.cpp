#include <algorithm>
#include <cmath>

#include "sc_models/tensor_core/structured_sparsity.h"
#include "sc_models/workload/library/dense_kernels.h"

namespace tessera {
namespace {

constexpr std::uint32_t kBytesOfHalf = sizeof(HalfBits);

// Chosen, and compared with simulated times of all kernels on machine a100 (docs/machines/a100.md).
constexpr double kCopyLatency = 900;       // cycles from a copy to its use, under load
constexpr double kSharedSm = 1.05;         // slowdown of CTAs that share an SM
constexpr double kStagedShareOfL2 = 0.83;  // achieved fraction of L2 bandwidth
constexpr double kStagedShareOfDram = 0.95;
constexpr double kOverlap = 6.5;          // exponent of overlap, as of the other kernels
constexpr double kPrologueAndEnd = 900;   // cycles
constexpr double kPartsReduction = 2200;  // the same

constexpr DenseKernel staged(std::string_view name, std::uint32_t cta_m, std::uint32_t cta_n,
                             std::uint32_t warp_m, std::uint32_t warp_n, std::uint32_t step,
                             std::uint32_t stages) {
    return {ProductKernel::kMultistage, name, cta_m, cta_n, warp_m, warp_n, step, stages, true};
}

constexpr DenseKernel structured(std::string_view name, std::uint32_t cta_m, std::uint32_t cta_n,
                                 std::uint32_t warp_m, std::uint32_t warp_n, std::uint32_t step,
                                 std::uint32_t stages) {
    DenseKernel kernel = staged(name, cta_m, cta_n, warp_m, warp_n, step, stages);
    kernel.structured = true;
    return kernel;
}

}  // namespace

const std::vector<DenseKernel>& multistage_kernels() {
    static const std::vector<DenseKernel> kKernels = {
        staged("256x128_32x3", 256, 128, 64, 64, 32, 3),
        staged("128x256_32x3", 128, 256, 64, 64, 32, 3),
        staged("256x64_32x4", 256, 64, 64, 64, 32, 4),
        staged("64x256_32x4", 64, 256, 64, 64, 32, 4),
        staged("128x128_32x3", 128, 128, 64, 64, 32, 3),
        staged("128x128_32x4", 128, 128, 64, 64, 32, 4),
        staged("128x128_32x5", 128, 128, 64, 64, 32, 5),
        staged("128x64_32x6", 128, 64, 64, 32, 32, 6),
        staged("64x128_32x6", 64, 128, 32, 64, 32, 6),
        staged("64x64_32x10", 64, 64, 32, 32, 32, 10),
        staged("256x128_64x3", 256, 128, 64, 64, 64, 3),
        staged("128x256_64x3", 128, 256, 64, 64, 64, 3),
        staged("256x64_64x4", 256, 64, 64, 64, 64, 4),
        staged("64x256_64x4", 64, 256, 64, 64, 64, 4),
        staged("128x128_64x4", 128, 128, 64, 64, 64, 4),
        staged("128x64_64x3", 128, 64, 64, 32, 64, 3),
        staged("64x128_64x3", 64, 128, 32, 64, 64, 3),
        staged("64x64_64x5", 64, 64, 32, 32, 64, 5)};
    return kKernels;
}

const std::vector<DenseKernel>& structured_kernels() {
    static const std::vector<DenseKernel> kKernels = {
        structured("64x128_64x6", 64, 128, 32, 64, 64, 6),
        structured("256x128_64x3", 256, 128, 64, 64, 64, 3),
        structured("128x256_64x3", 128, 256, 64, 64, 64, 3),
        structured("128x128_64x3", 128, 128, 64, 64, 64, 3),
        structured("256x64_64x3", 256, 64, 64, 64, 64, 3),
        structured("64x256_64x4", 64, 256, 64, 64, 64, 4),
        structured("128x64_64x3", 128, 64, 64, 32, 64, 3),
        structured("64x64_64x4", 64, 64, 32, 32, 64, 4),
        structured("128x128_128x3", 128, 128, 64, 32, 128, 3),
        structured("256x64_128x3", 256, 64, 64, 64, 128, 3),
        structured("128x64_128x4", 128, 64, 64, 32, 128, 4),
        structured("64x128_128x3", 64, 128, 32, 64, 128, 3),
        structured("64x64_128x3", 64, 64, 32, 32, 128, 3)};
    return kKernels;
}

const std::vector<DenseKernel>& kernels_of(const WorkloadConfig& config) {
    if (config.kernel == ProductKernel::kWgmma) return wgmma_kernels();
    if (config.kernel != ProductKernel::kMultistage) return dense_kernels();
    return config.structured_sparsity == StructuredSparsity::kNone ? multistage_kernels()
                                                                   : structured_kernels();
}

StepCycles structured_step_cycles(const DenseKernel& kernel, const TargetMachine& machine) {
    constexpr double kWavefrontBytes = 128;
    constexpr double kFragmentWavefronts = kFragmentRows * kFragmentRowBytes / kWavefrontBytes;
    const double pairs = kernel.step / kStructuredDepth;
    const double products = kernel.cta_m / kFragmentRows * (kernel.cta_n / kFragmentRows) * pairs;
    const double fragments =
        kernel.warps() * pairs * (kernel.warp_m + 2 * kernel.warp_n) / double{kFragmentRows};
    const double metadata = kernel.warps() * pairs * kernel.warp_m * CompressedLines::kWordBytes;
    const double stored =
        (kCompressedShare * kernel.cta_m + kernel.cta_n) * kernel.step * kBytesOfHalf;
    return {products * machine.structured_mma_cycles / machine.sub_cores,
            fragments * kFragmentWavefronts + (metadata + stored) / kWavefrontBytes};
}

double expected_multistage_cycles(const DenseProblem& problem, const DenseChoice& choice,
                                  const TargetMachine& machine) {
    const DenseKernel& kernel = *choice.kernel;
    const std::uint64_t tiles = problem.products *
                                ceil_div(problem.m, std::uint64_t{kernel.cta_m}) *
                                ceil_div(problem.n, std::uint64_t{kernel.cta_n});
    const std::uint64_t steps = ceil_div(problem.k, std::uint64_t{kernel.step});
    const std::uint64_t of_part = ceil_div(steps, std::uint64_t{choice.parts});
    const std::uint64_t parts = ceil_div(steps, of_part);
    const std::uint64_t ctas = tiles * parts;

    const StepCycles step = step_cycles(kernel, machine);
    const auto lines_m = static_cast<double>(std::min<std::uint64_t>(kernel.cta_m, problem.m));
    const auto lines_n = static_cast<double>(std::min<std::uint64_t>(kernel.cta_n, problem.n));
    const double lines = lines_m * (kernel.structured ? kCompressedShare : 1) + lines_n;
    const double step_bytes = lines * kernel.step * kBytesOfHalf;
    const double l2 = kStagedShareOfL2 * machine.l2_bytes_per_cycle;
    const double busy = kSharedSm * std::max(step.products, step.shared);
    const double alone = kCopyLatency / (kernel.stages - 1);
    const auto turn = [&](std::uint64_t together) {
        const auto count = static_cast<double>(together);
        if (together == 0) return 0.0;
        // Fragments and products of a compressed operand take about as long as each other. One warp
        // a sub-core does them in turn, several hide each other's.
        const double warps = count * kernel.warps() / machine.sub_cores;
        const double exposed =
            kernel.structured ? count * std::min(step.products, step.shared) / (warps * warps) : 0;
        return std::max(count * busy + exposed, alone) + busy / kernel.step;
    };
    const std::uint64_t of_sm = ceil_div(ctas, std::uint64_t{machine.sms});
    const std::uint64_t resident = std::max(1U, resident_ctas(problem, kernel, machine));
    const std::uint64_t turns = of_sm / resident;
    const double sms = static_cast<double>(of_part) *
                           (static_cast<double>(turns) * turn(resident) + turn(of_sm % resident)) +
                       static_cast<double>(ceil_div(of_sm, resident)) * kPrologueAndEnd;
    const double copied = static_cast<double>(ctas * of_part) * step_bytes;
    const double memory =
        std::max(copied / l2, static_cast<double>(problem.tensor_bytes) /
                                  (kStagedShareOfDram * machine.dram_bytes_per_cycle));
    double cycles = machine.launch_cycles +
                    std::pow(std::pow(sms, kOverlap) + std::pow(memory, kOverlap), 1 / kOverlap);
    if (parts > 1) {
        const double sums = static_cast<double>(problem.products * problem.m * problem.n) *
                            static_cast<double>(parts) * sizeof(float);
        cycles += machine.launch_cycles + kPartsReduction + 2 * sums / l2;
    }
    return cycles;
}

}  // namespace tessera
