#include <fmt/format.h>
#include <algorithm>
#include <vector>

#include "sc_models/common/text_table.h"
#include "sc_models/reproduction/paper_rules.h"

namespace tessera {
namespace {

using Value = std::optional<double>;
using Measured = PaperMeasurement;

/// Speedup over `other` as a ratio.
Value times(const Summary& s, const std::string& layer, const char* variant, const char* other,
            const char* cycles = "cycles") {
    const Value a = s.value(layer, variant, cycles);
    const Value b = s.value(layer, other, cycles);
    return a && b && *a > 0 ? Value(*b / *a) : std::nullopt;
}

/// A point of Figure 21: speedup over CUTLASS, which does not exploit zeros.
Measured point(const Summary& s, const char* layer) {
    const Value ideal = times(s, layer, "ideal", "cutlass");
    return {times(s, layer, "paper", "cutlass"), std::nullopt,
            fmt::format("dual_side_ideal {}", number_cell(ideal))};
}

/// Speedup of a product in CSR, all of its kernels counted, over CUTLASS.
Value csr_over_cutlass(const Summary& s, const char* variant) {
    return times(s, s.layers().front(), variant, "cutlass", "total_cycles");
}

/// Speedup of the dual-side product over the product in CSR.
Measured over_csr(const Summary& s) {
    return {times(s, s.layers().front(), "paper", "csr_a999", "total_cycles"), std::nullopt,
            "in CSR on the CUDA cores"};
}

/// Percentage of zeros of A, and the cycles by which a product takes longer than CUTLASS.
struct SparsityPoint {
    double zeros = 0;
    Value over;
};

/// Percentage of zeros at which a product is as fast as CUTLASS; linearly interpolated between
/// neighbouring points.
Measured break_even(const std::vector<SparsityPoint>& points) {
    const SparsityPoint* before = nullptr;
    for (const SparsityPoint& point : points) {
        if (!point.over) return {};
        if (*point.over <= 0) {
            if (before == nullptr) return {point.zeros, std::nullopt, ""};
            const double share = *before->over / (*before->over - *point.over);
            return {before->zeros + share * (point.zeros - before->zeros), std::nullopt, ""};
        }
        before = &point;
    }
    return {};
}

Value difference(const Value& a, const Value& b) {
    return a && b ? Value(*a - *b) : std::nullopt;
}

/// Break-even of the dual-side product with a dense B.
Measured break_even_of_dual(const Summary& s) {
    constexpr std::pair<double, const char*> kLayers[] = {{0, "fig21.a0000_b0000"},
                                                          {10, "fig21.a0100_b0000"},
                                                          {30, "fig21.a0300_b0000"},
                                                          {50, "fig21.a0500_b0000"},
                                                          {70, "fig21.a0700_b0000"}};
    std::vector<SparsityPoint> points;
    for (const auto& [zeros, layer] : kLayers) {
        points.push_back({zeros, difference(s.value(layer, "paper", "cycles"),
                                            s.value(layer, "cutlass", "cycles"))});
    }
    return break_even(points);
}

/// Break-even of the product in CSR with 99 % zeros in B.
Measured break_even_of_csr(const Summary& s) {
    constexpr std::pair<double, const char*> kVariants[] = {
        {50, "csr_a50"}, {60, "csr_a60"}, {90, "csr_a90"}};
    std::vector<SparsityPoint> points;
    const auto cycles = [&s](const char* variant) {
        return s.value(s.layers().front(), variant, "total_cycles");
    };
    for (const auto& [zeros, variant] : kVariants) {
        points.push_back({zeros, difference(cycles(variant), cycles("cutlass"))});
    }
    Measured measured = break_even(points);
    measured.remark = "in CSR on the CUDA cores";
    return measured;
}

/// Metric of the dense product, which gives the additions of Table IV their highest utilisation.
Measured of_dense(const Summary& s, const char* metric) {
    return {s.value("fig21.a0000_b0000", "ideal", metric), std::nullopt, "dense 4096^3"};
}

constexpr const char* kAddersArea = "accumulation_adders_area_mm2";
constexpr const char* kCollectorArea = "operand_collector_area_mm2";
constexpr const char* kBufferArea = "accumulation_buffer_area_mm2";

Measured area_of_additions(const Summary& s) {
    Measured sum{0, std::nullopt, "dense 4096^3"};
    for (const char* part : {kAddersArea, kCollectorArea, kBufferArea}) {
        const std::optional<double> area = of_dense(s, part).mean;
        if (!area) return of_dense(s, part);
        *sum.mean += *area;
    }
    return sum;
}

constexpr const char* kCnn[] = {"vgg16", "resnet18", "maskrcnn"};
constexpr const char* kNlp[] = {"bert_base", "lstm"};

/// Figure 22: speedups over dense of the layers of some networks, im2col kernels included.
struct Speedups {
    double sum = 0, least = 0, most = 0;
    std::size_t layers = 0;
    std::vector<double> all;

    template <std::size_t kCount>
    Speedups(const Summary& s, const char* variant, const char* const (&networks)[kCount]) {
        for (const std::string& layer : s.layers()) {
            const bool wanted =
                std::any_of(std::begin(networks), std::end(networks), [&](const char* network) {
                    return layer.rfind(std::string(network) + ".", 0) == 0;
                });
            const Value gain =
                wanted ? times(s, layer, variant, "dense", s.time_column()) : std::nullopt;
            if (!gain) continue;
            least = layers == 0 ? *gain : std::min(least, *gain);
            most = std::max(most, *gain);
            sum += *gain;
            all.push_back(*gain);
            ++layers;
        }
    }
    [[nodiscard]] Value mean() const {
        return layers > 0 ? Value(sum / static_cast<double>(layers)) : std::nullopt;
    }
};

enum class Of { kMean, kLeast, kMost };

template <std::size_t kCount>
Measured speedup(const Summary& s, const char* variant, const char* const (&networks)[kCount],
                 Of of = Of::kMean) {
    const auto pick = [of](const Speedups& all) -> Value {
        if (all.layers == 0) return std::nullopt;
        return of == Of::kMean ? all.mean() : Value(of == Of::kLeast ? all.least : all.most);
    };
    const Speedups found(s, variant, networks);
    Measured measured{pick(found), std::nullopt, fmt::format("{} layers", found.layers),
                      of == Of::kMean ? found.all : std::vector<double>()};
    if (std::string_view(variant) == "dual_paper") {
        const Value ideal = pick(Speedups(s, "dual_ideal", networks));
        measured.remark += fmt::format(", dual_ideal {}", number_cell(ideal));
    }
    return measured;
}

/// "2.22x higher" means a ratio of 3.22: 4.38 is 3.22 times 1.36.
template <std::size_t kCount>
Measured dual_over_single(const Summary& s, const char* single_variant,
                          const char* const (&networks)[kCount]) {
    const Value dual = Speedups(s, "dual_paper", networks).mean();
    const Value single = Speedups(s, single_variant, networks).mean();
    if (!dual || !single) return {};
    return {*dual / *single - 1, std::nullopt, "ratio of the means, less one"};
}

}  // namespace

const std::vector<PaperRule>& dual_side_rules() {
    static const char* const k21 = "dual_side_fig21";
    static const char* const kCsr = "dual_side_csr";
    static const char* const k22 = "dual_side_fig22";
    static const char* const k22Nlp = "dual_side_fig22_nlp";
    static const char* const kDual = "dual, times as fast as dense";
    static const char* const kSingle = "single, times as fast as dense";
    static const std::vector<PaperRule> kRules = {
        {"S.fig21.b99_a0", k21, "times as fast as CUTLASS",
         [](const Summary& s) { return point(s, "fig21.a0000_b0990"); }},
        {"S.fig21.b99_a99_9", k21, "times as fast as CUTLASS",
         [](const Summary& s) { return point(s, "fig21.a0999_b0990"); }},
        {"S.fig21.b99_a99_9_over_cusparse", kCsr, "times as fast as a product in CSR", over_csr},
        {"S.fig21.cusparse_b99_a99_9", kCsr, "CSR, times as fast as CUTLASS",
         [](const Summary& s) {
             return Measured{csr_over_cutlass(s, "csr_a999"), {}, ""};
         }},
        {"S.fig21.cusparse_b99_a90", kCsr, "CSR, times as fast as CUTLASS",
         [](const Summary& s) {
             return Measured{csr_over_cutlass(s, "csr_a90"), {}, ""};
         }},
        {"S.fig21.single_side_fixed", "dual_side_single",
         "times as fast, 75 % of B pruned by vector",
         [](const Summary& s) {
             return Measured{times(s, s.layers().front(), "vector_wise", "dense"), {}, ""};
         }},
        {"S.fig21.b0_breakeven_a", k21, "zeros of A to be as fast as CUTLASS, B dense",
         break_even_of_dual},
        {"S.fig21.cusparse_b99_breakeven_a", kCsr, "CSR, zeros of A to be as fast as CUTLASS",
         break_even_of_csr},
        {"S.table4.area_mm2.float_adders", k21, "area of the adders, mm^2",
         [](const Summary& s) { return of_dense(s, kAddersArea); }},
        {"S.table4.area_mm2.operand_collector", k21, "area of the collectors, mm^2",
         [](const Summary& s) { return of_dense(s, kCollectorArea); }},
        {"S.table4.area_mm2.total", k21, "area of all three, mm^2", area_of_additions},
        {"S.table4.area_mm2.accumulation_buffer", k21, "area of the buffers, mm^2",
         [](const Summary& s) { return of_dense(s, kBufferArea); }},
        {"S.table4.power_w.accumulation_buffer", k21, "power of the buffers, W",
         [](const Summary& s) { return of_dense(s, "accumulation_buffer_power_w"); }},
        {"S.table4.power_w.float_adders", k21, "power of the adders, W",
         [](const Summary& s) { return of_dense(s, "accumulation_adders_power_w"); }},
        {"S.fig22.cnn.dual_implicit.mean", k22, kDual,
         [](const Summary& s) { return speedup(s, "dual_paper", kCnn); }},
        {"S.fig22.cnn.dual_implicit.range.least", k22, kDual,
         [](const Summary& s) { return speedup(s, "dual_paper", kCnn, Of::kLeast); }},
        {"S.fig22.cnn.dual_implicit.range.most", k22, kDual,
         [](const Summary& s) { return speedup(s, "dual_paper", kCnn, Of::kMost); }},
        {"S.fig22.cnn.dual_over_single_explicit", k22, "dual above single explicit, times",
         [](const Summary& s) { return dual_over_single(s, "single_explicit", kCnn); }},
        {"S.fig22.cnn.single_implicit.mean", k22, kSingle,
         [](const Summary& s) { return speedup(s, "single_implicit", kCnn); }},
        {"S.fig22.cnn.single_implicit.range.least", k22, kSingle,
         [](const Summary& s) { return speedup(s, "single_implicit", kCnn, Of::kLeast); }},
        {"S.fig22.cnn.single_implicit.range.most", k22, kSingle,
         [](const Summary& s) { return speedup(s, "single_implicit", kCnn, Of::kMost); }},
        {"S.fig22.cnn.single_explicit.mean", k22, kSingle,
         [](const Summary& s) { return speedup(s, "single_explicit", kCnn); }},
        {"S.fig22.cnn.single_explicit.range.least", k22, kSingle,
         [](const Summary& s) { return speedup(s, "single_explicit", kCnn, Of::kLeast); }},
        {"S.fig22.cnn.single_explicit.range.most", k22, kSingle,
         [](const Summary& s) { return speedup(s, "single_explicit", kCnn, Of::kMost); }},
        {"S.fig22.nlp.dual.mean", k22Nlp, kDual,
         [](const Summary& s) { return speedup(s, "dual_paper", kNlp); }},
        {"S.fig22.nlp.dual.range.least", k22Nlp, kDual,
         [](const Summary& s) { return speedup(s, "dual_paper", kNlp, Of::kLeast); }},
        {"S.fig22.nlp.dual.range.most", k22Nlp, kDual,
         [](const Summary& s) { return speedup(s, "dual_paper", kNlp, Of::kMost); }},
        {"S.fig22.nlp.single.mean", k22Nlp, kSingle,
         [](const Summary& s) { return speedup(s, "single", kNlp); }},
        {"S.fig22.nlp.single.range.least", k22Nlp, kSingle,
         [](const Summary& s) { return speedup(s, "single", kNlp, Of::kLeast); }},
        {"S.fig22.nlp.single.range.most", k22Nlp, kSingle,
         [](const Summary& s) { return speedup(s, "single", kNlp, Of::kMost); }},
        {"S.fig22.nlp.dual_over_single", k22Nlp, "dual above single, times",
         [](const Summary& s) { return dual_over_single(s, "single", kNlp); }},
    };
    return kRules;
}

}  // namespace tessera
