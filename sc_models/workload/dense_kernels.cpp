#include "sc_models/workload/dense_kernels.h"

#include <algorithm>
#include <cmath>

#include "sc_models/common/error.h"
#include "sc_models/workload/staged_registers.h"

namespace tessera {
namespace {

constexpr std::uint32_t kOverheadRegisters = 16;
constexpr std::uint32_t kHalfBytes = sizeof(HalfBits);
constexpr std::uint32_t kStepBytes = DenseKernel::kStep * kHalfBytes;  // of a line

// Found once, by least squares over all kernels for 34 products on machine v100
// (docs/library_kernels.md).
constexpr double kStepLatency = 330;   // cycles from copies to their use
constexpr double kStepAlone = 1.07;    // share of a CTA's products that nothing hides
constexpr double kStepShared = 1.18;   // what CTAs that share an SM lose
constexpr double kReachedOfL2 = 0.83;  // of its bandwidth
constexpr double kReachedOfDram = 0.885;
constexpr double kTogether = 6.5;     // of SMs and memory, the slower hides the other mostly
constexpr double kBeginAndEnd = 150;  // cycles
constexpr double kReduction = 2200;   // the same

/// CTAs of `kernel` that an SM holds; 0 if none fits.
std::uint32_t resident_ctas(const DenseProblem& problem, const DenseKernel& kernel,
                            const TargetMachine& machine) {
    StagedProduct product;  // transposed
    product.tiling = dense_tiling(kernel);
    product.depth_tiles = DenseKernel::kStep / kDepthTile;
    DenseSide a, b;
    a.aside = problem.b_aside;
    b.aside = problem.a_aside;
    a.k_tiles = b.k_tiles = product.depth_tiles;
    a.lines = a.cta_lines = kernel.cta_n;
    b.lines = b.cta_lines = kernel.cta_m;
    const StagedResources takes(product, *make_operand(a), *make_operand(b));
    return std::min({machine.warp_registers / (takes.registers_per_thread * takes.warps),
                     machine.shared_memory_bytes / takes.shared_memory_bytes,
                     machine.warps / round_up(takes.warps, machine.sub_cores)});
}

/// Cycles of a step of one CTA if only tensor cores, or only shared memory, took time.
struct StepCycles {
    double products = 0, shared = 0;
};
StepCycles step_cycles(const DenseKernel& kernel, const TargetMachine& machine) {
    constexpr double kWavefrontBytes = 128;
    constexpr std::uint32_t kTiles = DenseKernel::kStep / kFragmentRows;
    const double products =
        static_cast<double>(kernel.cta_m / kFragmentRows) * (kernel.cta_n / kFragmentRows) * kTiles;
    const double fragments =
        kernel.warps() * kTiles * (kernel.warp_m + kernel.warp_n) / double{kFragmentRows};
    const double stored = (kernel.cta_m + kernel.cta_n) * kStepBytes / kWavefrontBytes;
    return {products * machine.mma_cycles / machine.sub_cores,
            fragments * kFragmentRows * kFragmentRowBytes / kWavefrontBytes + stored};
}

}  // namespace

const std::vector<DenseKernel>& dense_kernels() {
    static const std::vector<DenseKernel> kernels = {
        {ProductKernel::k256x128, "256x128", 256, 128, 64, 64},
        {ProductKernel::k128x256, "128x256", 128, 256, 64, 64},
        {ProductKernel::k256x64, "256x64", 256, 64, 64, 64},
        {ProductKernel::k64x256, "64x256", 64, 256, 64, 64},
        {ProductKernel::k128x128, "128x128", 128, 128, 64, 64},
        {ProductKernel::k128x64, "128x64", 128, 64, 64, 32},
        {ProductKernel::k64x128, "64x128", 64, 128, 32, 64},
        {ProductKernel::k64x64, "64x64", 64, 64, 32, 32},
        {ProductKernel::k128x32, "128x32", 128, 32, 32, 32},
        {ProductKernel::k32x128, "32x128", 32, 128, 32, 32},
        {ProductKernel::k64x32, "64x32", 64, 32, 32, 16},
        {ProductKernel::k32x64, "32x64", 32, 64, 16, 32}};
    return kernels;
}

std::unique_ptr<StagedOperand> make_operand(const DenseSide& side) {
    if (!side.aside) return std::make_unique<DenseLines>(side.base, side.k_tiles);
    LinesAside::Place place;
    place.base = side.base;
    place.pitch_bytes = static_cast<std::uint32_t>(side.pitch_bytes());
    place.lines = side.lines;
    place.k_tiles = side.k_tiles;
    return std::make_unique<LinesAside>(place, side.cta_lines / kLineTile);
}

TilingConfig dense_tiling(const DenseKernel& kernel) {
    TilingConfig tiling;
    tiling.cta_m = kernel.cta_n;
    tiling.cta_n = kernel.cta_m;
    tiling.warp_m = kernel.warp_n;
    tiling.warp_n = kernel.warp_m;
    tiling.fragment_buffers = 1;
    tiling.overhead_registers = kOverheadRegisters;
    return tiling;
}

double expected_cycles(const DenseProblem& problem, const DenseChoice& choice,
                       const TargetMachine& machine) {
    const DenseKernel& kernel = *choice.kernel;
    const std::uint64_t tiles = ceil_div(problem.m, std::uint64_t{kernel.cta_m}) *
                                ceil_div(problem.n, std::uint64_t{kernel.cta_n});
    const std::uint64_t steps = ceil_div(problem.k, std::uint64_t{DenseKernel::kStep});
    const std::uint64_t of_part = ceil_div(steps, std::uint64_t{choice.parts});
    const std::uint64_t parts = ceil_div(steps, of_part);
    const std::uint64_t ctas = tiles * parts;

    const StepCycles step = step_cycles(kernel, machine);
    const double latency = kStepLatency + kStepAlone * step.products;
    const double busy = kStepShared * std::max(step.products, step.shared);
    const std::uint64_t of_sm = ceil_div(ctas, std::uint64_t{machine.sms});
    const std::uint64_t resident = std::max(1U, resident_ctas(problem, kernel, machine));
    const auto turn = [&](std::uint64_t together) {
        return together == 0 ? 0 : std::max(static_cast<double>(together) * busy, latency);
    };
    const double sms =
        static_cast<double>(of_part) *
        (static_cast<double>(of_sm / resident) * turn(resident) + turn(of_sm % resident));

    const auto lines = static_cast<double>(std::min<std::uint64_t>(kernel.cta_m, problem.m) +
                                           std::min<std::uint64_t>(kernel.cta_n, problem.n));
    const double copied = static_cast<double>(ctas * of_part) * lines * kStepBytes;
    const double outputs = static_cast<double>(problem.m) * static_cast<double>(problem.n);
    const double c_and_d =
        2 * outputs * (problem.output == OutputType::kFp16 ? kHalfBytes : sizeof(float));
    const double operands =
        static_cast<double>(problem.m + problem.n) * static_cast<double>(problem.k) * kHalfBytes;
    const double l2 = kReachedOfL2 * machine.l2_bytes_per_cycle;
    const double memory = std::max(
        copied / l2, (operands + c_and_d) / (kReachedOfDram * machine.dram_bytes_per_cycle));
    double cycles = machine.launch_cycles + kBeginAndEnd +
                    std::pow(std::pow(sms, kTogether) + std::pow(memory, kTogether), 1 / kTogether);
    if (parts > 1) {
        const double sums = outputs * static_cast<double>(parts) * sizeof(float);
        cycles += machine.launch_cycles + kReduction + 2 * sums / l2;
    }
    return cycles;
}

DenseChoice choose_dense_kernel(const DenseProblem& problem, const WorkloadConfig& config,
                                const TargetMachine& machine) {
    constexpr std::uint32_t kMostParts = 64;
    const auto steps =
        static_cast<std::uint32_t>(ceil_div(problem.k, std::uint64_t{DenseKernel::kStep}));
    if (config.split_k > steps) {
        throw ConfigError("workload.split_k: got " + std::to_string(config.split_k) +
                          ", expected at most " + std::to_string(steps) +
                          ", the steps of 32 in workload.gemm.k");
    }
    const bool any_parts = config.split_k == WorkloadConfig::kAutoSplit;
    DenseChoice best;
    double fewest = 0;
    bool any_kernel = false;
    for (const DenseKernel& kernel : dense_kernels()) {
        const bool wanted = config.kernel == ProductKernel::kAuto
                                ? resident_ctas(problem, kernel, machine) > 0
                                : config.kernel == kernel.kernel;
        if (!wanted) continue;
        any_kernel = true;
        const std::uint32_t first = any_parts ? 1 : config.split_k.get();
        const std::uint32_t last = any_parts ? std::min(steps, kMostParts) : first;
        for (std::uint32_t parts = first; parts <= last; ++parts) {
            // A part without a step is none.
            if (ceil_div(steps, ceil_div(steps, parts)) != parts) continue;
            const DenseChoice choice{&kernel, parts};
            const double cycles = expected_cycles(problem, choice, machine);
            if (best.kernel != nullptr && cycles >= fewest) continue;
            best = choice;
            fewest = cycles;
        }
    }
    if (!any_kernel) {
        throw ConfigError(
            "workload.kernel: got auto, but no kernel fits an SM: the smallest has CTAs of 4 warps "
            "(sm.register_file_kib, sm.shared_memory_kib, sm.max_warps)");
    }
    if (best.kernel == nullptr) {
        throw ConfigError("workload.split_k: got " + std::to_string(config.split_k) +
                          ", expected a number that leaves every part a step: " +
                          std::to_string(ceil_div(steps, ceil_div(steps, config.split_k.get()))) +
                          " in place of it");
    }
    return best;
}

}  // namespace tessera
