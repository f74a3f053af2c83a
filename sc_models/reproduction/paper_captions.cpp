// Captions of rows whose rule does not describe the figure by itself.
#include <fmt/format.h>
#include <map>

#include "sc_models/reproduction/paper_rules.h"
#include "sc_models/reproduction/reproduction.h"

namespace tessera {
namespace {

const std::map<std::string, std::string>& captions() {
    static const std::map<std::string, std::string> kCaptions = {
        {"D.fig2.gemm_cuda", "GEMM on CUDA cores over direct convolution"},
        {"D.fig2.gemm_tensor", "GEMM on tensor cores over direct convolution"},
        {"D.fig2.winograd", "Winograd over direct convolution"},
        {"D.fig2.fft", "FFT over direct convolution"},
        {"D.fig3.gemm_memory", "memory of explicit GEMM over direct convolution"},
        {"D.fig3.winograd_memory", "memory of Winograd over direct convolution"},
        {"D.fig3.fft_memory", "memory of FFT over direct convolution"},
        {"D.fig3.implicit_less_than_explicit", "memory of explicit over implicit GEMM"},
        {"D.table2", "four loads through a buffer of 4 entries (Table II)"},
        {"D.fig6.unique_ids", "unique ids of a 4x4 input under a 3x3 filter (Figure 6)"},
        {"D.info_packet", "size of the convolution packet"},
        {"D.lhb.fields", "fields of an entry of the load history buffer"},
        {"D.fig9.lhb2048.gap_to_oracle", "speedup of an infinite buffer less that of 2048 entries"},
        {"D.fig12.8way_over_direct", "speedup of 8 ways over direct-mapped"},
        {"D.fig13.batch8_to_32", "change of the gain from batch 8 to batch 32"},
        {"D.fig14.inference_time", "time of the networks, forward, 1024 entries"},
        {"D.fig14.training_time", "time of the networks, training"},
        {"D.abstract.speedup", "speedup of the networks, forward, 1024 entries"},
        {"D.energy.on_chip", "energy of registers, caches and detection, 1024 entries"},
        {"D.area.of_register_file", "area of 1024 entries over the register file's"},
        {"D.latency3.degradation", "speedup of detection in 3 cycles over 2"},
        {"D.gemm.c_only_over_all_in_shared",
         "4096^3: only C in shared memory over A, B and C there"},
        {"S.fig5.ohmma_steps", "OHMMAs done of 8, 20 by 11 of 32 non-zeros (Figure 5)"},
        {"S.fig15.enabled", "OHMMAs enabled, 20 by 12 non-zeros (Figure 15)"},
        {"S.fig6.speedup", "speedup of a row unevenly spread over warp tiles (Figure 6)"},
        {"S.fig21.b99_a0", "99 % zeros in B, A dense, over CUTLASS"},
        {"S.fig21.b99_a99_9", "99 % zeros in B, 99.9 % in A, over CUTLASS"},
        {"S.fig21.b99_a99_9_over_cusparse", "99 % zeros in B, 99.9 % in A, over cuSPARSE"},
        {"S.fig21.b0_breakeven_a", "zeros of A to be as fast as CUTLASS, B dense"},
        {"S.fig21.single_side_fixed", "single-side, 75 % of B pruned by vector, over dense"},
        {"S.fig21.cusparse_b99_breakeven_a",
         "cuSPARSE: zeros of A to be as fast as CUTLASS, 99 % in B"},
        {"S.fig21.cusparse_b99_a99_9", "cuSPARSE: 99 % zeros in B, 99.9 % in A, over CUTLASS"},
        {"S.fig21.cusparse_b99_a90", "cuSPARSE: 99 % zeros in B, 90 % in A, over CUTLASS"},
        {"S.fig22.cnn.dual_over_single_explicit",
         "convolutions: dual above single with explicit im2col"},
        {"S.fig22.nlp.dual_over_single", "language models: dual above single"},
        {"O.fig1.c1_pairs_over_800", "pairs that meet more than 800 times, LeNet C1 forward"},
        {"O.fig1.c1_pairs_over_100", "pairs that meet more than 100 times, LeNet C1 forward"},
        {"O.fig2.found_in_other_sm.max", "found in another SM, the layer with most"},
        {"O.fig2.found_in_other_sm.all", "found in another SM, all misses"},
        {"O.fig5.intra.lenet_c2_fwd.c1", "IPC, intra, LeNet C2 forward, 256 entries"},
        {"O.fig5.intra.lenet_c2_fwd.c2", "IPC, intra, LeNet C2 forward, 512 entries"},
        {"O.fig5.intra.alexnet_c3_fwd.c1", "IPC, intra, AlexNet third layer, 256 entries"},
        {"O.fig5.intra.alexnet_c3_fwd.c2", "IPC, intra, AlexNet third layer, 512 entries"},
        {"O.fig10.predicted_plus_assigned", "predicted or assigned, C2 forward and two gradients"},
        {"O.network.lenet", "speedup of LeNet-5, both, C2"},
        {"O.network.alexnet", "speedup of AlexNet's four layers, both, C2"},
        {"O.area.precompute_table_bytes", "precompute table, 256 scalar entries"},
        {"O.area.assign_table_bytes", "assign table, 512 entries"},
        {"O.area.per_sm", "both over the storage of an SM"},
    };
    return kCaptions;
}

/// Captions of ids that share a beginning and end in one of several parts.
struct Family {
    const char* beginning;
    const char* words;
    std::map<std::string, std::string> parts;
};

const std::vector<Family>& families() {
    static const std::map<std::string, std::string> kOf = {
        {"mean", "mean"}, {"range.least", "least"}, {"range.most", "most"}};
    static const std::map<std::string, std::string> kAdditions = {
        {"float_adders", "adders"},
        {"operand_collector", "operand collector"},
        {"accumulation_buffer", "accumulation buffers"},
        {"total", "total"}};
    static const std::vector<Family> kFamilies = {
        {"S.fig22.cnn.dual_implicit.", "convolutions, dual over dense", kOf},
        {"S.fig22.cnn.single_implicit.", "convolutions, single with implicit im2col over dense",
         kOf},
        {"S.fig22.cnn.single_explicit.", "convolutions, single with explicit im2col over dense",
         kOf},
        {"S.fig22.nlp.dual.", "language models, dual over dense", kOf},
        {"S.fig22.nlp.single.", "language models, single over dense", kOf},
        {"S.table4.area_mm2.", "area in mm^2", kAdditions},
        {"S.table4.power_w.", "power in W", kAdditions},
        {"S.table3.csr.", "CSR over dense", {}},
        {"S.table3.bitmap.", "bitmap over dense", {}},
    };
    return kFamilies;
}

}  // namespace

std::string caption_of(const PaperAnswer& answer) {
    const std::string& id = answer.paper.id;
    const auto found = captions().find(id);
    if (found != captions().end()) return found->second;
    for (const Family& family : families()) {
        if (id.rfind(family.beginning, 0) != 0) continue;
        const std::string part = id.substr(std::string_view(family.beginning).size());
        const auto words = family.parts.find(part);
        return fmt::format("{}, {}", family.words,
                           words == family.parts.end() ? part + " % zeros" : words->second);
    }
    // Figures without a result use the description of their rule.
    const auto rules = rules_of(answer.paper);
    if (!rules.empty()) return rules.front()->what;
    if (!answer.what.empty()) return answer.what;
    const std::string note = short_note(answer.paper);
    return note.empty() ? id : note;
}

}  // namespace tessera
