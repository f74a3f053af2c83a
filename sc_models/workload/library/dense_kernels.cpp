#include "sc_models/workload/library/dense_kernels.h"

#include <algorithm>
#include <cmath>

#include "sc_models/common/error.h"
#include "sc_models/workload/library/wgmma_kernel.h"
#include "sc_models/workload/staged/gathered_operand.h"
#include "sc_models/workload/staged/staged_registers.h"

namespace tessera {
namespace {

constexpr std::uint32_t kOverheadRegisters = 16;
constexpr std::uint32_t kHalfBytes = sizeof(HalfBits);

// Fitted once, by least squares over all kernels for 34 products on machine v100
// (docs/library_kernels.md).
constexpr double kStepLatency = 330;   // cycles from copies to their use
constexpr double kStepAlone = 1.07;    // share of a CTA's products that is not hidden
constexpr double kStepShared = 1.18;   // slowdown of CTAs that share an SM
constexpr double kReachedOfL2 = 0.83;  // achieved fraction of L2 bandwidth
constexpr double kReachedOfDram = 0.885;
constexpr double kTogether = 6.5;     // exponent of overlap: the slower of SMs and memory mostly
                                      // hides the other
constexpr double kBeginAndEnd = 150;  // cycles
constexpr double kReduction = 2200;   // the same

/// Resources of an SM that a CTA of `kernel` occupies.
StagedResources resources_of(const DenseProblem& problem, const DenseKernel& kernel) {
    StagedProduct product;  // transposed
    product.tiling = dense_tiling(kernel);
    product.depth_tiles = kernel.step / kDepthTile;
    product.stages = kernel.stages;
    product.asynchronous = kernel.asynchronous;
    const auto operand = [&](bool aside, std::uint32_t lines,
                             bool structured) -> std::unique_ptr<StagedOperand> {
        if (problem.lane_bytes > 0) {
            return std::make_unique<GatheredOperand>(
                nullptr, GatheredOperand::Layout{aside, lines / kLineTile, lines,
                                                 problem.lane_bytes, kernel.asynchronous});
        }
        const std::uint32_t k_tiles =
            product.depth_tiles / (structured ? CompressedLines::kTilesOfWord : 1);
        return make_operand({0, lines, k_tiles, aside, lines, kernel.asynchronous, structured});
    };
    return {product, *operand(problem.b_transposed, kernel.cta_n, false),
            *operand(problem.a_transposed, kernel.cta_m, kernel.structured)};
}

/// Whether `config` permits the kernel.
bool is_open(const DenseProblem& problem, const DenseKernel& kernel, const WorkloadConfig& config,
             const TargetMachine& machine) {
    if (config.kernel == ProductKernel::kMultistage) {
        if (config.multistage != WorkloadConfig::kAutoMultistage) {
            return config.multistage == kernel.name;
        }
        return resident_ctas(problem, kernel, machine) > 0;
    }
    if (config.kernel == ProductKernel::kWgmma) {
        if (config.wgmma != WorkloadConfig::kAutoMultistage) {
            return config.wgmma == kernel.name;
        }
        return resident_ctas(problem, kernel, machine) > 0;
    }
    const bool automatic = config.kernel == ProductKernel::kAuto;
    const bool cudnn = config.kernel == ProductKernel::kCudnn;
    if (!automatic && !cudnn) return config.kernel == kernel.kernel;
    // Other kernels, which are not modelled, load less than 16 bytes per lane.
    const bool whole_lanes = problem.lane_bytes == kPieceBytes;
    if (cudnn && whole_lanes && !is_of_cudnn(kernel.kernel)) return false;
    return resident_ctas(problem, kernel, machine) > 0;
}

[[noreturn]] void throw_no_named(const WorkloadConfig& config) {
    const bool wgmma = config.kernel == ProductKernel::kWgmma;
    const std::string& name = wgmma ? config.wgmma : config.multistage;
    std::string names(WorkloadConfig::kAutoMultistage);
    for (const DenseKernel& kernel : kernels_of(config)) {
        names += ", " + std::string(kernel.name);
    }
    throw ConfigError(std::string("workload.") + (wgmma ? "wgmma" : "multistage") + ": got " +
                      name + ", expected one of {" + names +
                      "} that fits an SM (sm.register_file_kib, " +
                      "sm.shared_memory_kib, sm.max_warps)");
}

/// Checks the registers, because lanes that load little need a register each as well.
void check_registers(const DenseProblem& problem, const DenseKernel& kernel) {
    if (kernel.kernel == ProductKernel::kWgmma) return;  // they load no registers
    const std::uint32_t registers = resources_of(problem, kernel).registers_per_thread;
    if (registers <= kMaxThreadRegisters) return;
    throw ConfigError("workload.kernel: got " + std::string(kernel.name) +
                      ", expected one that needs at most 255 registers a thread (this one " +
                      std::to_string(registers) + ", as its lanes load " +
                      std::to_string(problem.lane_bytes) +
                      " bytes: channels and filters of a group begin nowhere else)");
}

/// The number of parts next to `parts` that leaves each of them a step.
std::uint32_t parts_without_empty(std::uint32_t steps, std::uint32_t parts) {
    return ceil_div(steps, ceil_div(steps, parts));
}

std::uint64_t tiles_of(const DenseProblem& problem, const DenseKernel& kernel) {
    return problem.products * ceil_div(problem.m, std::uint64_t{kernel.cta_m}) *
           ceil_div(problem.n, std::uint64_t{kernel.cta_n});
}

}  // namespace

StepCycles step_cycles(const DenseKernel& kernel, const TargetMachine& machine) {
    if (kernel.structured) return structured_step_cycles(kernel, machine);
    constexpr double kWavefrontBytes = 128;
    const std::uint32_t tiles = kernel.step / kFragmentRows;
    const std::uint32_t blocks_m = kernel.cta_m / kFragmentRows;
    const std::uint32_t blocks_n = kernel.cta_n / kFragmentRows;
    const double products = blocks_m * blocks_n * tiles;
    const double fragments =
        kernel.warps() * tiles * (kernel.warp_m + kernel.warp_n) / double{kFragmentRows};
    const double stored =
        (kernel.cta_m + kernel.cta_n) * kernel.step * kHalfBytes / kWavefrontBytes;
    return {products * machine.mma_cycles / machine.sub_cores,
            fragments * kFragmentRows * kFragmentRowBytes / kWavefrontBytes + stored};
}

bool is_of_cudnn(ProductKernel kernel) {
    return kernel == ProductKernel::k256x128 || kernel == ProductKernel::k128x128 ||
           kernel == ProductKernel::k256x64;
}

DenseProblem::DenseProblem(const GemmShapeConfig& shape, bool structured)
    : m(shape.m),
      n(shape.n),
      k(shape.k),
      a_transposed(shape.transpose_a == Transpose::kN),
      b_transposed(shape.transpose_b == Transpose::kT),
      k_key("workload.gemm.k") {
    const std::uint64_t element = shape.output == OutputType::kFp32 ? sizeof(float) : kHalfBytes;
    const auto a_bytes = static_cast<std::uint64_t>(static_cast<double>(m * k * kHalfBytes) *
                                                    (structured ? kCompressedShare : 1));
    tensor_bytes = a_bytes + n * k * kHalfBytes + 2 * m * n * element;
}

const std::vector<DenseKernel>& dense_kernels() {
    static const std::vector<DenseKernel> kKernels = {
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
    return kKernels;
}

std::unique_ptr<StagedOperand> make_operand(const DenseSide& side) {
    if (side.structured) {
        DenseSide kept = side;
        kept.structured = false;
        return std::make_unique<CompressedLines>(make_operand(kept), side.metadata_place());
    }
    if (!side.aside) {
        return std::make_unique<DenseLines>(side.base, side.k_tiles, kFragmentRowBytes,
                                            side.swizzled);
    }
    TransposedLines::Placement place;
    place.base = side.base;
    place.pitch_bytes = static_cast<std::uint32_t>(side.pitch_bytes());
    place.lines = side.lines;
    place.k_tiles = side.k_tiles;
    return std::make_unique<TransposedLines>(place, side.cta_lines / kLineTile, side.swizzled);
}

TilingConfig dense_tiling(const DenseKernel& kernel) {
    TilingConfig tiling;
    tiling.cta_m = kernel.cta_n;
    tiling.cta_n = kernel.cta_m;
    tiling.warp_m = kernel.warp_n;
    tiling.warp_n = kernel.warp_m;
    tiling.fragment_buffers = kernel.asynchronous ? 2 : 1;
    tiling.overhead_registers = kOverheadRegisters;
    return tiling;
}

std::uint32_t resident_ctas(const DenseProblem& problem, const DenseKernel& kernel,
                            const TargetMachine& machine) {
    if (kernel.kernel == ProductKernel::kWgmma) {
        constexpr std::uint32_t kRegisterUnit = 8;
        const std::uint32_t warps = kernel.warps() + 1;
        const std::uint32_t registers = round_up(wgmma_registers(kernel), kRegisterUnit);
        return std::min({machine.warp_registers / (registers * warps),
                         machine.shared_memory_bytes / wgmma_shared_bytes(kernel),
                         machine.warps / warps});
    }
    const StagedResources takes = resources_of(problem, kernel);
    if (takes.registers_per_thread > kMaxThreadRegisters) return 0;
    // CTAs spread over sub-cores in order (sm/warp_placement.h), so that no sub-core keeps a slot
    // that no warp can use.
    return std::min({machine.warp_registers / (takes.registers_per_thread * takes.warps),
                     machine.shared_memory_bytes / takes.shared_memory_bytes,
                     machine.warps / takes.warps});
}

double expected_cycles(const DenseProblem& problem, const DenseChoice& choice,
                       const TargetMachine& machine) {
    const DenseKernel& kernel = *choice.kernel;
    if (kernel.asynchronous) return expected_multistage_cycles(problem, choice, machine);
    if (kernel.kernel == ProductKernel::kWgmma) {
        return expected_wgmma_cycles(problem, choice, machine);
    }
    const std::uint64_t tiles = tiles_of(problem, kernel);
    const std::uint64_t steps = ceil_div(problem.k, std::uint64_t{kernel.step});
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
    const std::uint64_t whole_turns = of_sm / resident;
    const double sms = static_cast<double>(of_part) *
                       (static_cast<double>(whole_turns) * turn(resident) + turn(of_sm % resident));

    const auto lines = static_cast<double>(std::min<std::uint64_t>(kernel.cta_m, problem.m) +
                                           std::min<std::uint64_t>(kernel.cta_n, problem.n));
    const double copied = static_cast<double>(ctas * of_part) * lines * kernel.step * kHalfBytes;
    const double l2 = kReachedOfL2 * machine.l2_bytes_per_cycle;
    const double memory =
        std::max(copied / l2, static_cast<double>(problem.tensor_bytes) /
                                  (kReachedOfDram * machine.dram_bytes_per_cycle));
    double cycles = machine.launch_cycles + kBeginAndEnd +
                    std::pow(std::pow(sms, kTogether) + std::pow(memory, kTogether), 1 / kTogether);
    if (parts > 1) {
        const double sums = static_cast<double>(problem.products * problem.m * problem.n) *
                            static_cast<double>(parts) * sizeof(float);
        cycles += machine.launch_cycles + kReduction + 2 * sums / l2;
    }
    return cycles;
}

DenseChoice choose_dense_kernel(const DenseProblem& problem, const WorkloadConfig& config,
                                const TargetMachine& machine) {
    constexpr std::uint32_t kMostParts = 64;
    const auto steps_of = [&](const DenseKernel& kernel) {
        return static_cast<std::uint32_t>(ceil_div(problem.k, std::uint64_t{kernel.step}));
    };
    if (const std::uint32_t most = steps_of(kernels_of(config).front()); config.split_k > most) {
        throw ConfigError("workload.split_k: got " + std::to_string(config.split_k) +
                          ", expected at most " + std::to_string(most) + ", the steps of " +
                          std::to_string(kernels_of(config).front().step) + " in " +
                          std::string(problem.k_key));
    }
    const bool cudnn = config.kernel == ProductKernel::kCudnn;
    const bool any_parts = config.split_k == WorkloadConfig::kAutoSplit;
    DenseChoice best;
    double fewest = 0;
    bool any_kernel = false;
    for (const DenseKernel& kernel : kernels_of(config)) {
        if (!is_open(problem, kernel, config, machine)) continue;
        check_registers(problem, kernel);
        any_kernel = true;
        const std::uint32_t steps = steps_of(kernel);
        const std::uint32_t first = any_parts ? 1 : config.split_k;
        const std::uint32_t most = cudnn && !problem.cudnn_divides_k ? 1 : kMostParts;
        const std::uint32_t last = any_parts ? std::max(1U, std::min(steps, most)) : first;
        for (std::uint32_t parts = first; parts <= last; ++parts) {
            // Skips divisions with an empty part.
            if (parts > 1 && parts_without_empty(steps, parts) != parts) continue;
            // Divides k only if some SMs have no tile.
            if (any_parts && parts > 1 && tiles_of(problem, kernel) >= machine.sms) break;
            const DenseChoice choice{&kernel, parts};
            const double cycles = expected_cycles(problem, choice, machine);
            if (best.kernel != nullptr && cycles >= fewest) continue;
            best = choice;
            fewest = cycles;
        }
    }
    if (!any_kernel &&
        (config.kernel == ProductKernel::kMultistage || config.kernel == ProductKernel::kWgmma)) {
        throw_no_named(config);
    }
    if (!any_kernel) {
        throw ConfigError(
            "workload.kernel: got auto or cudnn, but no kernel fits an SM: the smallest has CTAs "
            "of 4 warps (sm.register_file_kib, sm.shared_memory_kib, sm.max_warps)");
    }
    if (best.kernel == nullptr) {
        throw ConfigError("workload.split_k: got " + std::to_string(config.split_k) +
                          ", expected a number that leaves every part a step: " +
                          std::to_string(parts_without_empty(steps_of(kernels_of(config).front()),
                                                             config.split_k)) +
                          " in place of it");
    }
    return best;
}

}  // namespace tessera
