#include "sc_models/study/network_study/layer_planner.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "sc_models/common/error_kinds.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/configure/equal_runs.h"
#include "sc_models/configure/workload_kind.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// Output size along one axis, in pixels.
std::uint64_t output_side(const LayerConfig& layer, std::uint64_t side, std::uint64_t filter,
                          std::uint64_t pad, std::uint64_t stride) {
    if (layer.transposed) return side * stride + filter - 2 * pad - 1;
    return (side + 2 * pad - layer.dilation * (filter - 1) - 1) / stride + 1;
}

/// Fills in operation, shape, FLOP and bytes of a layer of a network in YAML.
void describe(const WorkloadConfig& workload, NetworkLayer& layer) {
    constexpr std::uint64_t kHalf = 2;
    const GemmShapeConfig& gemm = workload.gemm;
    const std::uint64_t result = gemm.output == OutputType::kFp32 ? 2 * kHalf : kHalf;
    const bool is_matrices =
        workload.kind == WorkloadKind::kGemm || workload.kind == WorkloadKind::kSparseGemm;
    if (is_matrices) {
        const std::uint64_t m = gemm.m;
        const std::uint64_t n = gemm.n;
        const std::uint64_t k = gemm.k;
        layer.operation = "product";
        layer.shape = fmt::format("{}x{}x{}", m, n, k);
        layer.flop = 2.0 * static_cast<double>(m * n) * static_cast<double>(k);
        const std::uint64_t operand = bytes_of(workload.operand_type());
        layer.bytes = operand * (m * k + n * k) + result * m * n;
    } else {
        const LayerConfig& l = workload.layer;
        const std::uint64_t taps =
            std::uint64_t{l.filter_height} * l.filter_width * (l.channels / l.groups);
        const std::uint64_t pixels =
            l.batch *
            output_side(l, l.height, l.filter_height, l.pad_of_height(), l.stride_of_height()) *
            output_side(l, l.width, l.filter_width, l.pad_of_width(), l.stride_of_width());
        const std::uint64_t input = std::uint64_t{l.batch} * l.height * l.width * l.channels;
        layer.operation = "convolution";
        layer.shape = layer_text(l);
        layer.flop = 2.0 * static_cast<double>(pixels * l.filters) * static_cast<double>(taps);
        const std::uint64_t operand = bytes_of(workload.operand_type());
        layer.bytes = operand * (input + l.filters * taps) + result * pixels * l.filters;
    }
}

/// Type of a layer's operands in memory; a conversion has two.
std::string type_text(const WorkloadConfig& workload, const LoweredLayer* lowered) {
    if (workload.kind == WorkloadKind::kTensor) {
        const TensorOperation operation = lowered != nullptr && lowered->given.operation
                                              ? *lowered->given.operation
                                              : operation_of(workload.tensor);
        const std::string first(name_of(operation.operand_type(0)));
        const std::string_view made = name_of(operation.result_type());
        return first == made ? first : fmt::format("{} to {}", first, made);
    }
    switch (workload.operand_type()) {
        case OperandType::kInt8:
            return std::string(name_of(TensorType::kInt8));
        case OperandType::kUint8:
            return fmt::format("{} x {}", name_of(TensorType::kUint8), name_of(TensorType::kInt8));
        case OperandType::kBf16:
        case OperandType::kTf32:
        case OperandType::kFp8:
            return std::string(name_of(workload.operand_type()));
        case OperandType::kFp16:
            break;
    }
    const bool on_lanes = workload.kind == WorkloadKind::kDirectConvolution ||
                          (workload.kind != WorkloadKind::kAttention && is_fp32(workload.kernel));
    return std::string(name_of(on_lanes ? TensorType::kFp32 : TensorType::kFp16));
}

}  // namespace

LayerPlanner::LayerPlanner(std::vector<NetworkVariant> variants, NetworkPart part)
    : variants_(std::move(variants)), part_(std::move(part)) {
    for (const NetworkVariant& variant : variants_) {
        VariantMachine machine = machine_of(variant);
        const double mhz = machine.core_clock_mhz;
        const double expected = machines_.empty() ? mhz : machines_[0].core_clock_mhz;
        if (mhz != expected) {
            throw ConfigError(fmt::format(
                "{}: got gpu.core_clock_mhz {:g}, expected {:g}, that of {}: machines are compared "
                "by their cycles",
                variant.name, mhz, expected, variants_[0].name));
        }
        machines_.push_back(std::move(machine));
    }
    check_direct_convolutions();
}

bool LayerPlanner::wants_values() const {
    return std::any_of(machines_.begin(), machines_.end(),
                       [](const VariantMachine& machine) { return machine.wants_values; });
}

EpilogueStyle LayerPlanner::epilogue_style() const {
    const bool all =
        std::all_of(machines_.begin(), machines_.end(),
                    [](const VariantMachine& machine) { return machine.has_epilogues; });
    return all ? EpilogueStyle::kFused : EpilogueStyle::kApart;
}

network::MachineKernels LayerPlanner::machine_kernels() const {
    const auto have = [this](bool VariantMachine::*kernel) {
        return std::all_of(machines_.begin(), machines_.end(),
                           [=](const VariantMachine& machine) { return machine.*kernel; });
    };
    return {have(&VariantMachine::multiplies_integers) ? network::ProductNumbers::kIntegers
                                                       : network::ProductNumbers::kReal,
            have(&VariantMachine::has_attention), have(&VariantMachine::multiplies_bf16)};
}

/// Opportunistic computing acts on direct convolutions in FP32, whereas the machine alone runs
/// products on tensor cores; a comparison of both would not measure the mechanism.
void LayerPlanner::check_direct_convolutions() const {
    constexpr std::string_view kMechanism = "opportunistic";
    const auto has = [&](const NetworkVariant& variant) {
        return std::any_of(
            variant.configs.begin(), variant.configs.end(),
            [&](const std::string& config) { return mechanism_of(config) == kMechanism; });
    };
    if (has(variants_[0])) return;
    for (const NetworkVariant& variant : variants_) {
        if (!has(variant)) continue;
        throw ConfigError(fmt::format(
            "{}: got machine {}, whose products run on tensor cores, expected "
            "{},opportunistic,opportunistic.scheme=none, the direct convolutions that the "
            "mechanism acts on",
            variant.name, variants_[0].name, variants_[0].name));
    }
}

std::optional<LayerPlanner::Planned> LayerPlanner::plan_run(const NetworkLayer& layer,
                                                            std::size_t variant,
                                                            const LoweredLayer* lowered,
                                                            const std::string& file, bool alone,
                                                            std::string& refused) const {
    const VariantMachine& machine = machines_[variant];
    std::vector<std::string> sets = machines_[layer.is_product ? variant : 0].sets;
    if (alone) sets = kernel_settings(machine.library_kernel);
    const bool library = alone || (machine.library && !machine.is_sparse);
    const bool multiplies = alone ? machine.library_kernel == kAmpereKernels : machine.multiplies;
    if (layer.of_decoder) {
        // The machine says none.
        if (!sets.empty() && !multiplies) sets = {"workload.kernel=auto"};
        if (!layer.is_product) sets.clear();
    } else if (layer.is_matrices && library) {
        if (!multiplies) sets.emplace_back("workload.kernel=auto");
        if (lowered != nullptr && lowered->kind == LoweredLayer::Kind::kProduct) {
            sets.emplace_back("workload.gemm.order=rows");
            const OperandType operands = lowered->gemm.operands;
            if (!is_integer(operands)) {
                sets.push_back(fmt::format("workload.gemm.output={}", name_of(operands)));
            }
            if (!multiplies) sets.emplace_back("workload.tiling.raster=m_fastest");
        }
    }
    if (lowered == nullptr && !layer.of_decoder && machine.computes_zeros) {
        // Set the kind that ignores the layer's zeros; `tessera run` leaves that to the user.
        const std::string kind =
            kind_that_computes_zeros(source_of({}, {}, file).pieces().back().body);
        if (!kind.empty()) sets.push_back("workload.kind=" + kind);
    }
    if (lowered != nullptr && lowered->pass != LayerPass::kForward && library) {
        sets.emplace_back("workload.kind=convolution");  // passes default to direct ones
    }
    Planned planned;
    PlannedRun& run = planned.run;
    run.variant = variants_[variant].name;
    // Mechanisms do not act on non-GEMM operators.
    const std::vector<std::string>& configs =
        layer.is_product && !alone ? variants_[variant].configs : machine.plain;
    run.arguments = configs;
    run.arguments.push_back(file);
    if (!machine.repeats) sets.emplace_back("workload.repeat=1");
    sets.insert(sets.end(), variants_[variant].sets.begin(), variants_[variant].sets.end());
    for (const std::string& set : sets) run.arguments.insert(run.arguments.end(), {"--set", set});
    ConfigSource source = source_of(configs, sets, file);
    try {
        planned.config = check_run(source, run).config;
    } catch (const FileError&) {
        throw;
    } catch (const ConfigError& error) {
        refused = error.what();
        return std::nullopt;
    }
    run.layer = layer.name;
    run.baseline = variants_[0].name;
    run.folder = fs::path("runs") / run.layer / run.variant;
    Config same = planned.config;
    same.workload.layer.name = std::string();
    same.workload.given.file = std::string();
    planned.key = run.variant + config_hash(same);
    return planned;
}

void LayerPlanner::plan(NetworkLayer& layer, const LoweredLayer* lowered,
                        const std::vector<std::string>& files, std::vector<PlannedRun>& runs) {
    layer.runs.resize(variants_.size());
    layer.reasons.resize(variants_.size());
    std::string alone;  // acting hash on the machine alone
    for (std::size_t v = 0; v < variants_.size(); ++v) {
        if (v > 0 && !layer.is_product && !differs_from_machine(v)) continue;
        const std::string& file = files[machines_[layer.is_product ? v : 0].wants_values ? 1 : 0];
        std::optional<Planned> run = plan_run(layer, v, lowered, file, false, layer.reasons[v]);
        // If the first machine's mechanism cannot run a layer, that machine runs it without the
        // mechanism.
        const bool is_alone_there = part_.layer.empty() && part_.share_runs &&
                                    machines_[0].plain.size() < variants_[0].configs.size();
        std::string ignored;
        if (v == 0 && !run && is_alone_there) {
            run = plan_run(layer, 0, lowered, file, true, ignored);
        }
        if (v == 0 && !run) throw NoKernelError(layer.name + ": " + layer.reasons[0]);
        if (!run) continue;
        if (!layer.is_product) {
            // No mechanism acts here, but the variant's machine settings may.
            const std::string acts = acting_hash(run->config, {});
            if (v == 0) alone = acts;
            if (v > 0 && acts == alone) continue;
        }
        const WorkloadConfig& workload = run->config.workload;
        if (v == 0) layer.type = type_text(workload, lowered);
        if (v == 0 && lowered == nullptr && !layer.of_decoder) describe(workload, layer);
        if (lowered == nullptr && is_sparse(workload.kind)) {
            layer.zeros_a = workload.sparse.a.sparsity;
            layer.zeros_b = workload.sparse.b.sparsity;
        }
        layer.runs[v] = add_runs(*std::move(run), runs);
    }
}

/// Whether a variant has other settings than the machine alone, apart from mechanisms.
bool LayerPlanner::differs_from_machine(std::size_t variant) const {
    return machines_[variant].plain != machines_[0].plain ||
           variants_[variant].sets != variants_[0].sets;
}

/// Adds the runs of a layer; layers with equal keys share the first one's runs. Returns the index
/// of the first run.
std::size_t LayerPlanner::add_runs(Planned planned, std::vector<PlannedRun>& runs) {
    const std::size_t first = runs.size();
    if (part_.share_runs) {
        const auto [found, is_new] = first_runs_.try_emplace(planned.key, first);
        if (!is_new) return found->second;
    }
    if (part_.seeds.empty()) runs.push_back(std::move(planned.run));
    for (const std::uint64_t seed : part_.seeds) {
        PlannedRun run = planned.run;
        planned.config.seed = seed;
        run.seed = seed;
        run.hash = run.acting = config_hash(planned.config);
        run.arguments.insert(run.arguments.end(), {"--set", fmt::format("seed={}", seed)});
        run.folder /= fmt::format("seed{}", seed);
        runs.push_back(std::move(run));
    }
    return first;
}

}  // namespace tessera
