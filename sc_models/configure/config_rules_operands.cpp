#include <string>

#include "sc_models/configure/config_rules.h"

namespace tessera {
namespace {

class OperandRules : private ConfigRules {
public:
    OperandRules(const Config& config, const ConfigSource& source) : ConfigRules(config, source) {}

    void check() const {
        check_structured();
        check_operand_type();
    }

private:
    /// Sizes are those of cuSPARSELt for halves (PyTorch, _DTYPE_SHAPE_CONSTRAINTS): rows and
    /// columns of a structured matrix multiples of 16, those of a dense one multiples of 8.
    void check_structured() const {
        constexpr std::uint32_t kOfStructured = 16;
        constexpr std::uint32_t kOfDense = 8;
        const WorkloadConfig& w = c_.workload;
        if (w.structured_sparsity == StructuredSparsity::kNone) return;
        require(w.kind == WorkloadKind::kGemm && w.kernel == ProductKernel::kMultistage,
                {"workload.structured_sparsity", "workload.kind", "workload.kernel"},
                "workload.structured_sparsity none unless workload.kind is gemm and "
                "workload.kernel multistage");
        require(
            c_.sm.tensor_rates[MmaShape::kHmmaSp16832].is_number(),
            {"workload.structured_sparsity", "sm.tensor_rates.hmma_sp_16832.products_per_cycle"},
            "a number above 0 in sm.tensor_rates.hmma_sp_16832.products_per_cycle with "
            "workload.structured_sparsity 2of4: the machine has no rate for its HMMA.SP.16832");
        require(c_.tensor_core.kind == TensorCoreKind::kFedp,
                {"workload.structured_sparsity", "tensor_core.kind"},
                "tensor_core.kind fedp with workload.structured_sparsity 2of4");
        require(w.gemm.k % kOfStructured == 0, {"workload.gemm.k", "workload.structured_sparsity"},
                "a multiple of 16 with workload.structured_sparsity 2of4");
        const bool rows = w.gemm.order == ResultOrder::kRows;
        const auto check_lines = [&](std::uint32_t lines, const char* key, bool structured) {
            const std::uint32_t of = structured ? kOfStructured : kOfDense;
            require(
                lines % of == 0, {key, "workload.structured_sparsity"},
                "a multiple of " + number(of) + " with workload.structured_sparsity 2of4, the " +
                    (structured ? "lines of the pruned operand" : "lines of the dense operand"));
        };
        check_lines(w.gemm.m, "workload.gemm.m", !rows);
        check_lines(w.gemm.n, "workload.gemm.n", rows);
    }

    /// Operands of other types than FP16. Those of 1 and 4 bytes lie with their k side by side:
    /// cuBLAS has integers so, and LDSM has no transposed matrices of other elements than halves.
    void check_operand_type() const {
        const WorkloadConfig& w = c_.workload;
        const OperandType type = w.operand_type();
        const bool is_product = w.kind == WorkloadKind::kGemm;
        if (is_product && w.kernel != ProductKernel::kFragments) check_output(type);
        if (type == OperandType::kFp16) return;
        const char* const key = is_product ? "workload.gemm.operands" : "workload.layer.operands";
        const bool bf16 = type == OperandType::kBf16;
        const std::string with = std::string(" with ") + key + " " +
                                 (is_integer(type) ? "int8 or uint8" : std::string(name_of(type)));
        const bool wgmma =
            is_product && is_for_warpgroups(type) && w.kernel == ProductKernel::kWgmma;
        const bool multistage = type != OperandType::kFp8 && w.kernel == ProductKernel::kMultistage;
        require(wgmma || multistage, {key, "workload.kernel"},
                std::string("workload.kernel ") +
                    (bf16                        ? "multistage or wgmma"
                     : type == OperandType::kFp8 ? "wgmma and workload.kind gemm"
                                                 : "multistage") +
                    with);
        const MmaShape shape = wgmma ? warpgroup_shape_of(type) : shape_of(w.fragment_product());
        const std::string rate =
            "sm.tensor_rates." + std::string(text_of(shape).key) + ".products_per_cycle";
        require(c_.sm.tensor_rates[shape].is_number(), {key, rate.c_str()},
                "a number above 0 in " + rate + with + ": the machine has no rate for its " +
                    std::string(text_of(shape).mnemonic));
        require(c_.tensor_core.kind == TensorCoreKind::kFedp, {key, "tensor_core.kind"},
                "tensor_core.kind fedp" + with);
        require(w.structured_sparsity == StructuredSparsity::kNone,
                {"workload.structured_sparsity", key}, "workload.structured_sparsity none" + with);
        require(c_.gpu.energy_table == kNoEnergyTable, {"gpu.energy_table", key},
                "gpu.energy_table none" + with + ", whose products have no price");
        if (bf16) return;
        if (!is_integer(type)) {
            require(w.given.file.empty(), {"workload.given.file", key},
                    "no workload.given.file" + with + ": files have FP16, BF16 or integers");
        }
        if (!is_product) {
            require(w.pass == LayerPass::kForward && !w.layer.transposed, {"workload.pass", key},
                    "workload.pass forward and no transposed layer" + with);
            require(w.layer.groups == 1, {"workload.layer.groups", key}, "one group" + with);
            return;
        }
        require(w.gemm.transpose_a == Transpose::kT && w.gemm.transpose_b == Transpose::kN,
                {"workload.gemm.transpose_a", "workload.gemm.transpose_b", key},
                "workload.gemm.transpose_a t and transpose_b n" + with);
        require(type != OperandType::kUint8 || w.gemm.order == ResultOrder::kRows,
                {"workload.gemm.order", key},
                "workload.gemm.order rows with workload.gemm.operands uint8");
    }

    /// C and D of 16 bits have the type of the operands.
    void check_output(OperandType type) const {
        const OutputType output = c_.workload.gemm.output;
        const bool fits = output == OutputType::kFp32 || is_integer(type) ||
                          (output == OutputType::kFp16 &&
                           (type == OperandType::kFp16 || type == OperandType::kFp8)) ||
                          (output == OutputType::kBf16 && type == OperandType::kBf16);
        require(fits, {"workload.gemm.output", "workload.gemm.operands"},
                "workload.gemm.output fp32, or the workload.gemm.operands if they are fp16 or "
                "bf16, or fp16 if they are fp8");
    }
};

}  // namespace

void check_operands(const Config& config, const ConfigSource& source) {
    if (config.workload.kind == WorkloadKind::kAttention) return;  // check_attention()
    OperandRules(config, source).check();
}

}  // namespace tessera
