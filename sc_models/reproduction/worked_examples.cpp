#include "sc_models/reproduction/worked_examples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <array>
#include <functional>
#include <set>
#include <string_view>

#include "sc_models/configure/config_text.h"
#include "sc_models/duplo/element_formula.h"
#include "sc_models/duplo/load_history_buffer.h"
#include "sc_models/duplo/rename_table.h"
#include "sc_models/isa/convolution_packet.h"
#include "sc_models/reproduction/duplo_examples.h"
#include "sc_models/study/im2col_methods.h"
#include "sc_models/tensor_core/bitmap_unit.h"
#include "sc_models/workload/direct/direct_convolution.h"
#include "sc_models/workload/fragment/convolution_geometry.h"
#include "sc_models/workload/simt/fft_convolution.h"
#include "sc_models/workload/simt/winograd_convolution.h"

namespace tessera {
namespace {

/// A number, or words where the paper states words.
struct Worked {
    std::optional<double> value;
    std::string words;
};

struct WorkedExample {
    std::string id;
    const char* what;
    std::function<Worked(const ConfigCatalog&)> work;
};

// Duplo --------------------------------------------------------------------------------------

Worked unique_ids(const ConfigCatalog&) {
    constexpr std::uint32_t kWorkspace = 4 * 9;
    const ElementFormula ids(duplo_figure6(), IdFormula::kCorrected, FormulaReading::kLiteral);
    std::set<std::uint64_t> unique;
    for (std::uint32_t i = 0; i < kWorkspace; ++i) unique.insert(ids(i).element);
    return {static_cast<double>(unique.size()), ""};
}

/// Table II: four loads through a direct-mapped buffer of 4 entries.
Worked table2(const ConfigCatalog&) {
    const ElementFormula ids(duplo_figure6(), IdFormula::kCorrected, FormulaReading::kLiteral);
    LoadHistoryBuffer lhb(DuploTable2::kEntries, 1, false);
    lhb.program(0, DuploTable2::kPhysical);
    RenameTable rename;
    rename.reset(DuploTable2::kArchitectural, DuploTable2::kPhysical, false);
    rename.set_free_order({DuploTable2::kFreeOrder.begin(), DuploTable2::kFreeOrder.end()});
    std::vector<std::string> indices, elements, entries, outcomes, registers;
    for (const DuploTable2Load& load : DuploTable2::kLoads) {
        PhysRegId physical;
        if (load.array_index) {
            DataId id;
            id.element = ids(*load.array_index).element;
            id.batch = static_cast<std::uint32_t>(ids(*load.array_index).batch);
            const LhbKey key = LhbKey::make(id, 0, 0);
            indices.push_back(std::to_string(*load.array_index));
            elements.push_back(std::to_string(id.element));
            entries.push_back(std::to_string(lhb.set_of(key)));
            physical = lhb.find(key);
            if (physical.valid()) {
                outcomes.emplace_back("hit");
                rename.share(load.architectural, physical);
            } else {
                physical = rename.map_new(load.architectural);
                const bool replaces = lhb.insert(key, physical).phys.valid();
                outcomes.emplace_back(replaces ? "miss (conflict, replaces)" : "miss");
            }
        } else {
            indices.emplace_back("-");
            elements.emplace_back("-");
            outcomes.emplace_back("bypass");
            physical = rename.map_new(load.architectural);
        }
        registers.push_back(fmt::format("%r{}->%p{}", load.architectural, physical.value()));
    }
    const bool one_entry = std::set<std::string>(entries.begin(), entries.end()).size() == 1;
    return {std::nullopt, fmt::format("array_idx {} -> element_id {}; LHB entry {}; {}; {}",
                                      fmt::join(indices, ","), fmt::join(elements, ","),
                                      one_entry ? entries.front() + " each"
                                                : fmt::format("{}", fmt::join(entries, ",")),
                                      fmt::join(outcomes, ", "), fmt::join(registers, ", "))};
}

/// Field widths of a buffer with 1024 entries: the id bits that select the entry, those that are
/// compared, and the registers it can name.
Worked lhb_fields(const ConfigCatalog&) {
    constexpr std::uint32_t kEntries = 1024;
    constexpr unsigned kIdBits = 32;
    constexpr std::uint32_t kRegisters = 1024;
    LoadHistoryBuffer lhb(kEntries, 1, false);
    lhb.program(0, kRegisters);
    const auto key = [](std::uint64_t element, std::uint32_t batch, std::uint8_t process) {
        DataId id;
        id.element = element;
        id.batch = batch;
        return LhbKey::make(id, 0, process);
    };
    unsigned index_bits = 0;
    unsigned tag_bits = 0;
    for (unsigned bit = 0; bit < kIdBits; ++bit) {
        const LhbKey one = key(std::uint64_t{1} << bit, 0, 0);
        if (lhb.set_of(one) != lhb.set_of(key(0, 0, 0))) {
            ++index_bits;
            continue;
        }
        lhb.clear();
        lhb.insert(key(0, 0, 0), PhysRegId{0});
        tag_bits += lhb.find(one).valid() ? 0 : 1;
    }
    lhb.clear();
    lhb.insert(key(0, 0, 0), PhysRegId{kRegisters - 1});
    const bool batch = !lhb.find(key(0, kRegisters - 1, 0)).valid();
    const bool process = !lhb.find(key(0, 0, 1)).valid();
    const bool names_all = lhb.find(key(0, 0, 0)) == PhysRegId{kRegisters - 1};
    return {std::nullopt,
            fmt::format("index: low {} bits of element id; tag: upper {} bits of element id, {}{}; "
                        "payload: {} register id",
                        index_bits, tag_bits, batch ? "10-bit batch id" : "no batch id",
                        process ? ", process id" : "", names_all ? "10-bit" : "narrower")};
}

/// Figure 3: memory of input, filters, output and workspace, relative to that without the
/// workspace, which direct convolution and implicit lowering do not need. Mean over the layers of
/// Table I, unpadded.
Worked workspace_ratio(const ConfigCatalog& catalog) {
    double sum = 0;
    double layers = 0;
    for (const char* network : {"resnet", "gan", "yolo"}) {
        for (const std::string& name : catalog.layers(network)) {
            ConfigSource source;
            catalog.add_to(source, name);
            const LayerConfig layer = load_config(source).workload.layer;
            const auto g = ConvolutionGeometry::make(layer, ChannelRule::kDense);
            const auto needed =
                static_cast<double>(std::uint64_t{g.batch} * g.height * g.width * g.channels +
                                    g.n * g.k_unpadded + g.m * g.n);
            sum += 1 + static_cast<double>(g.workspace_elements()) / needed;
            ++layers;
        }
    }
    return {sum / layers, ""};
}

std::uint64_t allocated_bytes(const Workload& workload) {
    std::uint64_t bytes = 0;
    for (const MemoryRegion& region : workload.regions()) bytes += region.bytes;
    return bytes;
}

/// Figure 3: mean over the layers of Table I with 3x3 filters and stride 1 of the bytes of a method
/// over those that direct convolution allocates. Transforms need stride 1 (II-A).
Worked memory_over_direct(const ConfigCatalog& catalog,
                          const std::function<std::uint64_t(const WorkloadConfig&)>& bytes_of) {
    double sum = 0;
    int layers = 0;
    for (const char* network : {"resnet", "yolo"}) {
        for (const std::string& name : catalog.layers(network)) {
            ConfigSource source;
            catalog.add_to(source, name);
            WorkloadConfig config = load_config(source).workload;
            const LayerConfig& layer = config.layer;
            if (layer.filter_height != 3 || layer.filter_width != 3 || layer.stride != 1) continue;
            config.kind = WorkloadKind::kDirectConvolution;
            const DirectConvolution direct(config, 1, false, {});
            sum += static_cast<double>(bytes_of(config)) /
                   static_cast<double>(allocated_bytes(direct));
            ++layers;
        }
    }
    return {sum / layers, ""};
}

/// Bytes that the kernels of a transform allocate.
template <class Convolution>
Worked transform_memory(const ConfigCatalog& catalog, ProductKernel kernel) {
    return memory_over_direct(catalog, [kernel](WorkloadConfig config) {
        config.kind = WorkloadKind::kConvolution;
        config.kernel = kernel;
        return allocated_bytes(Convolution(config, 1, false, {}));
    });
}

Worked winograd_memory(const ConfigCatalog& catalog) {
    return transform_memory<WinogradConvolution>(catalog, ProductKernel::kWinograd);
}

Worked fft_memory(const ConfigCatalog& catalog) {
    return transform_memory<FftConvolution>(catalog, ProductKernel::kFft);
}

// Dual-side sparse tensor core ----------------------------------------------------------------

/// Mask of the enabled OHMMAs (8 in all) of a 32x32x1 product with these numbers of non-zeros of A
/// and of B.
std::uint32_t enabled_ohmmas(unsigned a_nonzeros, unsigned b_nonzeros) {
    const auto bits = [](unsigned count) { return count >= 32 ? ~0U : (1U << count) - 1; };
    std::array<std::uint32_t, kTileDepth> a{};
    std::array<std::uint32_t, kTileDepth> b{};
    a[0] = bits(a_nonzeros);
    b[0] = bits(b_nonzeros);
    return BitmapUnit::summarise(a, b).predicates[0];
}

Worked figure5(const ConfigCatalog&) {
    return {static_cast<double>(__builtin_popcount(enabled_ohmmas(20, 11))), ""};
}

Worked figure15(const ConfigCatalog&) {
    std::vector<unsigned> on, off;
    for (unsigned i = 0; i < 8; ++i) {
        ((enabled_ohmmas(20, 12) >> i & 1U) != 0 ? on : off).push_back(i);
    }
    if (on.empty()) return {std::nullopt, "none enabled"};
    const unsigned last = on.back();
    on.pop_back();
    return {std::nullopt, fmt::format("OHMMA {} and {} enabled; {} skipped", fmt::join(on, ", "),
                                      last, fmt::join(off, ", "))};
}

/// Figure 6: a row of B over four warp tiles, 80 of 128 elements, placed such that two tiles hold
/// 8.
Worked figure6_speedup(const ConfigCatalog&) {
    double ohmmas = 0;
    for (const unsigned b_nonzeros : {32U, 8U, 32U, 8U}) {
        ohmmas += __builtin_popcount(enabled_ohmmas(32, b_nonzeros));
    }
    constexpr double kDense = 4 * 8;
    return {kDense / ohmmas, ""};
}

/// Table III in operations instead of time: everything that a method reads, tests and counts,
/// relative to the reads of the dense method, for a map of 56x56x128 under 3x3 filters with the
/// given percentage of zeros.
Worked lowering_operations(Im2colMethod method, double percent) {
    const FeatureMap map({}, percent / 100, 1);
    Lowered lowered;
    const auto all = [&](Im2colMethod of) {
        const Im2colOperations o = lower_counted(of, map, lowered);
        return static_cast<double>(o.shifts + o.masks + o.popcounts + o.adds + o.index_reads +
                                   o.value_reads);
    };
    return {all(method) / all(Im2colMethod::kDense), ""};
}

void add_table3(std::vector<WorkedExample>& examples) {
    constexpr const char* kWhat = "operations, element by element, over dense";
    for (const char* percent : {"0", "25", "50", "75", "99", "99.9"}) {
        const double zeros = std::stod(percent);
        examples.push_back(
            {std::string("S.table3.csr.") + percent, kWhat, [zeros](const ConfigCatalog&) {
                 return lowering_operations(Im2colMethod::kCsrElement, zeros);
             }});
        examples.push_back(
            {std::string("S.table3.bitmap.") + percent, kWhat, [zeros](const ConfigCatalog&) {
                 return lowering_operations(Im2colMethod::kBitmapElement, zeros);
             }});
    }
}

std::vector<WorkedExample> make_examples() {
    std::vector<WorkedExample> examples = {
        {"D.table2", "four loads through a buffer of 4 entries", table2},
        {"D.fig6.unique_ids", "ids of a 4x4 input under a 3x3 filter", unique_ids},
        {"D.info_packet", "the convolution packet",
         [](const ConfigCatalog&) {
             return Worked{static_cast<double>(ConvolutionPacket().encode().size()), ""};
         }},
        {"D.lhb.fields", "fields of an entry, 1024 entries", lhb_fields},
        {"D.fig3.gemm_memory", "memory with a workspace over without, Table I", workspace_ratio},
        {"D.fig3.implicit_less_than_explicit", "memory with a workspace over without, Table I",
         workspace_ratio},
        {"D.fig3.winograd_memory", "buffers of Winograd F(2x2, 3x3) over those of direct",
         winograd_memory},
        {"D.fig3.fft_memory", "buffers of Fourier transforms over those of direct", fft_memory},
        {"S.fig5.ohmma_steps", "OHMMAs of 8, 20 by 11 non-zeros", figure5},
        {"S.fig15.enabled", "OHMMAs of 8, 20 by 12 non-zeros", figure15},
        {"S.fig6.speedup", "speedup, a row of B unevenly spread", figure6_speedup},
    };
    add_table3(examples);
    return examples;
}

const std::vector<WorkedExample>& examples() {
    static const std::vector<WorkedExample> kExamples = make_examples();
    return kExamples;
}

}  // namespace

std::vector<PaperAnswer> worked_examples(const std::vector<PaperFigure>& figures,
                                         const ConfigCatalog& catalog) {
    std::vector<PaperAnswer> answers;
    for (const PaperFigure& figure : figures) {
        for (const WorkedExample& example : examples()) {
            if (figure.id != example.id) continue;
            const Worked worked = example.work(catalog);
            PaperAnswer answer;
            answer.paper = figure;
            answer.what = example.what;
            if (worked.value) {
                answer.ours = estimate_of({*worked.value});
                answer.verdict = verdict_of(figure, *answer.ours);
            } else {
                answer.words = worked.words;
                answer.verdict =
                    worked.words == figure.stated ? Verdict::kReproduced : Verdict::kNot;
            }
            answers.push_back(std::move(answer));
        }
    }
    return answers;
}

}  // namespace tessera
