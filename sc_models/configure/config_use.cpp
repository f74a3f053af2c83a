#include "sc_models/configure/config_use.h"

#include <array>
#include <string>
#include <string_view>

#include "sc_models/mechanisms/mechanisms.h"

namespace tessera {
namespace {

// Conditions are used only in messages; unread keys are detected by tracking reads.
constexpr std::string_view kWithLibraryLayers =
    "with workload.kind convolution and a workload.kernel other than fragments";
constexpr std::array<KeyCondition, 52> kConditions = {{
    {"noc.mesh.", "with noc.kind mesh"},
    {"noc.arbitration", "with timing at and noc.kind crossbar"},
    {"noc.response_queue_entries", "with timing at and noc.kind crossbar"},
    {"noc.", "with noc.kind crossbar"},
    {"l2.", "with timing at"},
    {"tlb.", "with tlb.entries set"},
    {"sm.register_file.", "with sm.register_file.banks set"},
    {"dram.t_ccd_l_", "with dram.bank_groups above 1"},
    {"dram.t_cwl_", "with dram.t_wtr_cycles set"},
    {"dram.t_wr_", "with dram.t_wtr_cycles set"},
    {"dram.write_drain_", "with dram.t_wtr_cycles set"},
    {"dram.t_rfc_", "with dram.t_refi_cycles set"},
    {"dram.", "with timing at"},
    {"protocol_check", "with timing at"},
    {"gpu.quantum_cycles", "with timing lt"},
    {"sm.operations.", "with kernels that issue such instructions"},
    {"impl.", "with a run that has this block"},
    {"workload.gemm.output", "with workload.kind gemm and a workload.kernel other than fragments"},
    {"workload.gemm.read_c", "with workload.kind gemm and a workload.kernel other than fragments"},
    {"workload.gemm.order", "with workload.kind gemm and a workload.kernel other than fragments"},
    {"workload.gemm.transpose_", "with workload.kind gemm"},
    {"workload.gemm.", "with workload.kind gemm or sparse_gemm"},
    {"workload.kernel", "with workload.kind gemm or convolution"},
    {"workload.split_k",
     "with workload.kind gemm or convolution and a workload.kernel other than fragments"},
    {"workload.pass", "with workload.kind convolution and direct_convolution"},
    {"workload.sum_order", kWithLibraryLayers},
    {"workload.layer.pad_", kWithLibraryLayers},
    {"workload.layer.stride_", kWithLibraryLayers},
    {"workload.layer.dilation", kWithLibraryLayers},
    {"workload.layer.", "with the kinds of workload that are convolutions"},
    {"workload.sparse.skip_unmet_tiles",
     "with SpWMMAs (workload.sparse.method single or dual) whose A is staged in tiles, which "
     "lowering implicit has with method dual, and a_fragments never"},
    {"workload.sparse.",
     "with workload.kind sparse_gemm or sparse_convolution, of operands that are no file's"},
    {"workload.direct.", "with workload.kind direct_convolution"},
    {"workload.tensor.other", "with workload.kind tensor and two operands, or expand"},
    {"workload.tensor.axis", "with workload.kind tensor and an operation along an axis"},
    {"workload.tensor.pad", "with workload.kind tensor and a pool or pad"},
    {"workload.tensor.", "with workload.kind tensor; window and stride with pools"},
    {"workload.attention.page_tokens", "with workload.kind attention and operation decode"},
    {"workload.attention.splits", "with workload.kind attention and operation decode"},
    {"workload.attention.causal", "with workload.kind attention and operation prefill"},
    {"workload.attention.", "with workload.kind attention; tokens not with operation decode"},
    {"workload.tiling.", "with kernels that are cut up like that"},
    {"workload.channel_rule", "with workload.kind convolution"},
    {"workload.im2col", "with convolutions that are lowered explicitly"},
    {"workload.trace", "with workload.kind trace"},
    {"workload.activations", "with values on, of layers that are no model's"},
    {"workload.weights", "with values on, of layers that are no model's"},
    {"sample.", "with sample.enabled on"},
    {"ldst.octet_l1_accesses",
     "with warps that load fragments from global memory (workload.kernel fragments)"},
    {"sm.alu_latency_cycles", "with ALU instructions that write a register"},
    {"sm.mma_", "with tensor_core.kind fedp"},
    {"sm.", "with kernels that use it"},
}};

}  // namespace

std::string what_acts(std::string_view key) {
    const auto applies = [key](const KeyCondition& one) {
        return key.substr(0, one.prefix.size()) == one.prefix;
    };
    const auto text = [](const KeyCondition& one) { return "it acts " + std::string(one.acts); };
    for (const Mechanism* mechanism : mechanisms()) {
        for (const KeyCondition& one : mechanism->key_conditions()) {
            if (applies(one)) return text(one);
        }
    }
    for (const KeyCondition& one : kConditions) {
        if (applies(one)) return text(one);
    }
    return "leave it out";
}

std::vector<std::string> unused_keys(const ConfigSource& source, const ReadLog& log,
                                     ParameterUse least) {
    std::vector<std::string> unused;
    for (const std::string& key : source.user_keys()) {
        if (log.use(key) < least) unused.push_back(key);
    }
    return unused;
}

void refuse_unused(const ConfigSource& source, const std::string& key) {
    source.fail_unused(key, what_acts(key) + "; --allow-unused lets it pass");
}

}  // namespace tessera
