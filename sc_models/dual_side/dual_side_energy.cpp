#include "sc_models/dual_side/dual_side_energy.h"

#include <nlohmann/json.hpp>
#include <string>

#include "sc_models/isa/register_reads.h"

namespace tessera {
namespace {

constexpr std::uint64_t kProductsOfMma = 16 * 16 * 16;
/// OHMMA.8161 (dual-side sparse tensor core, V-A).
constexpr std::uint64_t kProductsOfOhmma = 8 * 16;
constexpr std::string_view kBufferArea = "accumulation_buffer";
constexpr std::string_view kAddersArea = "accumulation_adders";
constexpr std::string_view kCollectorArea = "operand_collector";

bool is_present(const Config& config) {
    return config.tensor_core.kind == TensorCoreKind::kOuterProduct;
}

/// Counter of the SpWMMA units; 0 if the tensor cores have none.
std::uint64_t of_spwmmas(const CountedKernel& kernel, const char* name) {
    const Config& config = kernel.config;
    if (!is_present(config) || !has_sparse_product(config.workload.kind)) return 0;
    return kernel.sum(std::string("sm.sub_core.tensor.") + name);
}

EnergyStructure accumulation_buffers(const Config& config) {
    return {std::uint64_t{config.gpu.sms} * config.sm.sub_cores,
            config.tensor_core.spwmma.buffer.banks};
}

class DualSideEnergy : public MechanismEnergy {
public:
    [[nodiscard]] std::vector<const EnergyEvent*> events() const override {
        return {&energy_event::kAccumulationRead, &energy_event::kAccumulationWrite,
                &energy_event::kAccumulationAdd,  &energy_event::kCollectorEntry,
                &energy_event::kBitmapSet,        &energy_event::kAccumulationLeakage};
    }

    void count(const CountedKernel& kernel, const EventCounter& add) const override {
        if (!is_present(kernel.config)) return;
        const std::uint64_t banks = kernel.config.tensor_core.spwmma.buffer.banks;
        const std::uint64_t additions =
            of_spwmmas(kernel, "additions") + kernel.sum("sm.sub_core.mmas") * kProductsOfMma;
        add(energy_event::kAccumulationRead, additions, banks);
        add(energy_event::kAccumulationWrite, additions, banks);
        add(energy_event::kAccumulationAdd, additions, 0);
        add(energy_event::kCollectorEntry, additions, 0);
        add(energy_event::kBitmapSet, of_spwmmas(kernel, "bohmmas"), 0);
        const EnergyStructure buffers = accumulation_buffers(kernel.config);
        add(energy_event::kAccumulationLeakage, buffers.instances * kernel.cycles, buffers.size);
    }

    [[nodiscard]] MechanismWork work(const CountedKernel& kernel) const override {
        MechanismWork work;
        const std::uint64_t spwmmas = of_spwmmas(kernel, "spwmmas");
        const std::uint64_t ohmmas = of_spwmmas(kernel, "ohmmas");
        const std::uint64_t swapped = of_spwmmas(kernel, "swaps") * kRegistersOfSwap;
        work.steps = ohmmas + of_spwmmas(kernel, "bohmmas");
        work.not_alu = spwmmas;
        work.reads = kReadsOfSpwmma * spwmmas + swapped;
        work.writes = swapped;
        work.products = ohmmas * kProductsOfOhmma;
        return work;
    }

    [[nodiscard]] std::vector<std::string_view> areas() const override {
        return {kBufferArea, kAddersArea, kCollectorArea};
    }

    void add_metrics(const Config& config, const EnergyFigures& figures,
                     nlohmann::ordered_json& metrics) const override {
        if (!is_present(config)) return;
        for (const std::string_view part : areas()) {
            const auto area = figures.area_mm2(part, accumulation_buffers(config));
            if (area) metrics[std::string(part) + "_area_mm2"] = *area;
        }
        metrics["accumulation_buffer_power_w"] =
            figures.watts({&energy_event::kAccumulationRead, &energy_event::kAccumulationWrite,
                           &energy_event::kAccumulationLeakage});
        metrics["accumulation_adders_power_w"] = figures.watts({&energy_event::kAccumulationAdd});
    }
};

}  // namespace

const MechanismEnergy& dual_side_energy() {
    static const DualSideEnergy kEnergy;
    return kEnergy;
}

}  // namespace tessera
