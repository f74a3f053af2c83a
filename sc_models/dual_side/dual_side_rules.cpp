#include "sc_models/dual_side/dual_side_rules.h"

#include <string>

#include "sc_models/config/config_rules.h"
#include "sc_models/tensor_core/spwmma_pipeline.h"

namespace tessera {
namespace {

class DualSideRules : private ConfigRules {
public:
    DualSideRules(const Config& config, const ConfigSource& source) : ConfigRules(config, source) {}

    void check_tensor_cores() const {
        const bool outer_product = c_.tensor_core.kind == TensorCoreKind::kOuterProduct;
        const bool steps = c_.workload.kind == WorkloadKind::kTrace;
        require(!outer_product || !steps, {"tensor_core.kind", "workload.kind"},
                "tensor_core.kind fedp: traces hold HMMA steps of Volta's tensor cores");
        for (std::size_t i = 0; i < kRtlBlocks.size(); ++i) {
            if (kRtlBlocks[i].home != RtlHome::kTensorCores) continue;
            const std::string key = "impl." + std::string(kRtlBlocks[i].name);
            require(c_.impl.blocks[i] == Implementation::kTlm || (outer_product && c_.values),
                    {key, "tensor_core.kind", "values"},
                    key +
                        " tlm unless tensor_core.kind is outer_product and values are on: without "
                        "values there is nothing to compute");
        }
        const bool sparse = c_.workload.uses_spwmma();
        require(!c_.impl.has_rtl(RtlBlock::kBitmapUnit) || sparse,
                {"impl.bitmap_unit", "workload.kind", "workload.sparse.method"},
                "impl.bitmap_unit tlm unless workload.sparse.method is single or dual, whose "
                "SpWMMAs the unit cuts up");
        const bool core = c_.impl.has_rtl(RtlBlock::kSpwmmaCore);
        require(!core || sparse, {"impl.spwmma_core", "workload.kind", "workload.sparse.method"},
                "impl.spwmma_core tlm unless workload.sparse.method is single or dual, whose "
                "SpWMMAs the core computes");
        require(
            !core || !(c_.impl.has_rtl(RtlBlock::kBitmapUnit) || c_.impl.has_dense_rtl()),
            {"impl.spwmma_core", "impl.feop_array", "impl.accumulation_buffer", "impl.bitmap_unit"},
            "impl.feop_array, impl.accumulation_buffer and impl.bitmap_unit tlm with RTL of "
            "impl.spwmma_core, which contains them");
        require(!c_.impl.has_rtl(RtlBlock::kAccumulationBuffer) ||
                    SpwmmaPipeline::supports(c_.tensor_core.spwmma.buffer),
                {"impl.accumulation_buffer"},
                "the keys of tensor_core.accumulation_buffer as they are by default with its RTL, "
                "which knows no other");
        require(
            !sparse || !c_.impl.has_rtl(RtlHome::kTensorCores) ||
                SpwmmaPipeline::supports(c_.tensor_core.spwmma),
            {"impl.feop_array", "impl.accumulation_buffer", "impl.bitmap_unit", "impl.spwmma_core"},
            "tensor_core.spwmma.accumulation collector, the other keys of tensor_core.spwmma "
            "but latency_cycles and swap_cycles as they are by default, and "
            "tensor_core.accumulation_buffer likewise, with RTL under SpWMMAs: it knows no "
            "other");
    }

    void check_spwmmas() const {
        const ProductMethod method = c_.workload.sparse.method;
        const bool fragments =
            method == ProductMethod::kDense || method == ProductMethod::kVectorWise;
        const bool outer_product = c_.tensor_core.kind == TensorCoreKind::kOuterProduct;
        require(fragments || outer_product, {"workload.sparse.method", "tensor_core.kind"},
                "tensor_core.kind outer_product with workload.sparse.method single and dual, which "
                "are made of SpWMMAs");
        const SpwmmaConfig& spwmma = c_.tensor_core.spwmma;
        require_power_of_two(spwmma.buffer.banks, "tensor_core.accumulation_buffer.banks");
        require(spwmma.ohmma_cycles >= 1 || spwmma.accumulation == AccumulationDetail::kCount,
                {"tensor_core.spwmma.ohmma_cycles", "tensor_core.spwmma.accumulation"},
                "tensor_core.spwmma.accumulation count with ohmma_cycles below 1: the buffer's "
                "models take one OHMMA a cycle at most");
        require(spwmma.granularity == OhmmaGranularity::k8x16 ||
                    spwmma.accumulation == AccumulationDetail::kCount,
                {"tensor_core.spwmma.granularity", "tensor_core.spwmma.accumulation"},
                "tensor_core.spwmma.accumulation count with granularity 8x8: the collector takes "
                "OHMMAs of 8x16");
    }
};

}  // namespace

void check_dual_side_machine(const Config& config, const ConfigSource& source) {
    DualSideRules(config, source).check_tensor_cores();
}

void check_dual_side_workload(const Config& config, const ConfigSource& source) {
    if (has_sparse_product(config.workload.kind)) DualSideRules(config, source).check_spwmmas();
}

}  // namespace tessera
