#include "sc_models/study/network_study/network_variant.h"

#include <algorithm>
#include <utility>

#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/configure/workload_kind.h"

namespace tessera {
namespace {

/// Whether the machine runs the kernels of Ampere's libraries, but not Volta's.
bool has_ampere_kernels(const Config& config) {
    const MmaShapeSet shapes = config.sm.tensor_rates.available();
    return shapes[static_cast<std::size_t>(MmaShape::kHmma16816)] &&
           !shapes[static_cast<std::size_t>(MmaShape::kHmma884)];
}

/// Whether the kernels of Ampere's libraries multiply other types than FP16 on the machine, by
/// instructions of this shape.
bool has_products(const Config& config, MmaShape shape) {
    return config.sm.tensor_rates[shape].is_number() &&
           config.tensor_core.kind == TensorCoreKind::kFedp &&
           config.gpu.energy_table == kNoEnergyTable &&
           config.workload.structured_sparsity == StructuredSparsity::kNone;
}

/// Whether the machine runs the kernel of FlashAttention-2.
bool has_flash_attention(const Config& config) {
    return config.sm.tensor_rates[MmaShape::kHmma16816].is_number() &&
           config.tensor_core.kind == TensorCoreKind::kFedp;
}

}  // namespace

ConfigSource source_of(const std::vector<std::string>& configs,
                       const std::vector<std::string>& sets, const std::string& file) {
    const ConfigCatalog catalog;
    ConfigSource source;
    for (const std::string& config : configs) catalog.add_to(source, config);
    if (!file.empty()) catalog.add_to(source, file);
    for (const std::string& set : sets) source.add_set(set);
    return source;
}

ConfigPart part_of(const std::string& config) {
    return source_of({config}, {}, "").pieces().back().part;
}

std::string mechanism_of(const std::string& config) {
    const ConfigSource source = source_of({config}, {}, "");
    const ConfigPiece& piece = source.pieces().back();
    return piece.part == ConfigPart::kMechanism ? piece.mechanism : std::string();
}

std::vector<std::string> kernel_settings(const std::string& kernel) {
    std::vector<std::string> sets = {"workload.kernel=" + kernel};
    if (kernel == kAmpereKernels) sets.emplace_back("workload.tiling.raster=m_groups");
    return sets;
}

Config config_of(const NetworkVariant& variant) {
    ConfigSource source = source_of(variant.configs, variant.sets, "");
    return load_config(source);
}

VariantMachine machine_of(const NetworkVariant& variant) {
    ConfigSource source = source_of(variant.configs, variant.sets, "");
    const Config config = load_config(source);
    VariantMachine machine;
    machine.is_sparse = is_sparse(config.workload.kind);
    machine.wants_values = config.values || machine.is_sparse;
    machine.computes_zeros = !machine.is_sparse && !has_vector_operations(config.workload.kind);
    const ProductKernel kernel = config.workload.kernel;
    const bool ampere = has_ampere_kernels(config) && kernel != ProductKernel::kMultistage;
    machine.library_kernel = ampere ? kAmpereKernels : "cudnn";
    if (source.where("workload.kernel").source == nullptr && !machine.is_sparse &&
        !has_vector_operations(config.workload.kind)) {
        machine.sets = kernel_settings(machine.library_kernel);
        machine.library = true;
        machine.multiplies = machine.library_kernel == kAmpereKernels;
    } else {
        machine.library = kernel != ProductKernel::kFragments;
        machine.multiplies =
            kernel == ProductKernel::kMultistage || kernel == ProductKernel::kWgmma;
    }
    const bool multistage = machine.sets.empty() ? kernel == ProductKernel::kMultistage
                                                 : machine.library_kernel == kAmpereKernels;
    machine.multiplies_integers =
        multistage && !machine.is_sparse && has_products(config, MmaShape::kImma16832);
    machine.multiplies_bf16 =
        multistage && !machine.is_sparse && has_products(config, MmaShape::kHmma16816Bf16);
    machine.has_attention = machine.multiplies && !machine.is_sparse && has_flash_attention(config);
    for (const std::string& name : variant.configs) {
        if (mechanism_of(name).empty()) machine.plain.push_back(name);
    }
    const std::vector<std::string> keys = source.user_keys();
    machine.repeats = std::binary_search(keys.begin(), keys.end(), "workload.repeat");
    machine.sms = config.gpu.sms;
    machine.peaks = machine_peaks(config);
    machine.core_clock_mhz = config.gpu.core_clock_mhz;
    machine.has_epilogues =
        machine.is_sparse || (machine.library && kernel != ProductKernel::kWgmma);
    return machine;
}

}  // namespace tessera
