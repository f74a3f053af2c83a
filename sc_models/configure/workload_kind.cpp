#include "sc_models/configure/workload_kind.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/edit_distance.h"
#include "sc_models/mechanisms/mechanisms.h"

namespace tessera {
namespace {

/// Kernel families that files select like mechanisms (`mechanism: NAME`).
constexpr std::array<MechanismKinds, 7> kKernelFamilies = {
    {{"composition", {"composition"}},
     {"library", {"gemm", "convolution"}, "gemm"},
     {"cudnn", {"convolution"}},
     {"simt", {"gemm", "convolution"}},
     {"winograd", {"convolution"}},
     {"fft", {"convolution"}},
     {"csr", {"sparse_gemm"}, "sparse_gemm"}}};

/// Kinds of all mechanisms and kernel families.
std::vector<const MechanismKinds*> all_kinds() {
    std::vector<const MechanismKinds*> all;
    for (const Mechanism* mechanism : mechanisms()) all.push_back(&mechanism->kinds());
    for (const MechanismKinds& family : kKernelFamilies) all.push_back(&family);
    return all;
}

/// Type of the layer to compute; the mechanism determines the kind of workload.
enum class Layer { kNone, kConvolution, kPass, kProduct, kTrace, kTensor, kAttention };
constexpr std::array<std::string_view, 7> kLayerTexts = {
    "no layer",         "a convolution", "a convolution with a pass",
    "a matrix product", "a trace",       "an operator that is no product",
    "attention"};
/// Kinds that compute each type of layer, the default one first.
constexpr std::array<std::array<std::string_view, 4>, 7> kLayerKinds = {
    {{},
     {"convolution", "sparse_convolution", "direct_convolution", "composition"},
     {"direct_convolution", "composition", "convolution"},
     {"gemm", "sparse_gemm"},
     {"trace"},
     {"tensor"},
     {"attention"}}};

template <class Kinds>
bool has(const Kinds& kinds, std::string_view kind) {
    return !kind.empty() && std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

/// The node at a dotted path, or null.
const ConfigNode* find_path(const ConfigNode& node, std::string_view path) {
    const std::size_t dot = path.find('.');
    const ConfigNode* inner = node.find(path.substr(0, dot));
    if (inner == nullptr || dot == std::string_view::npos) return inner;
    return find_path(*inner, path.substr(dot + 1));
}

bool has_zeros(const ConfigNode& body) {
    const auto operands = {"a", "b"};
    return std::any_of(operands.begin(), operands.end(), [&body](const char* operand) {
        const std::string path = std::string("workload.sparse.") + operand;
        const ConfigNode* sparsity = find_path(body, path + ".sparsity");
        return (sparsity != nullptr && sparsity->scalar != "0") ||
               find_path(body, path + ".file") != nullptr;
    });
}

std::string quoted_names(const std::vector<const ConfigPiece*>& pieces) {
    std::string text;
    for (const ConfigPiece* piece : pieces) {
        text += (text.empty() ? "" : " and ") + in_quotes(piece->name);
    }
    return text;
}

class KindSettler {
public:
    explicit KindSettler(ConfigSource& source) : source_(source) {}

    void settle() {
        check_parts();
        layer_ = find_layer();
        const ConfigNode* explicit_kind = find_set("workload.kind");
        const std::string kind = explicit_kind == nullptr ? kind_of_parts() : explicit_kind->scalar;
        if (kind.empty()) return;
        check_layer(kind, explicit_kind != nullptr);
        check_mechanisms(kind);
        if (explicit_kind == nullptr) add(kind);
    }

private:
    /// Checks that there is at most one run, machine and layer, and one file per mechanism.
    void check_parts() {
        (void)source_.only(ConfigPart::kGpu);
        const ConfigPiece* const run = source_.only(ConfigPart::kRun);
        workload_ = source_.only(ConfigPart::kWorkload);
        for (const ConfigPiece& piece : source_.pieces()) {
            if (run != nullptr && piece.part != ConfigPart::kRun &&
                piece.part != ConfigPart::kSettings) {
                throw ConfigError("got " + in_quotes(run->name) + " and " + in_quotes(piece.name) +
                                  ", expected nothing but settings besides the configuration of a "
                                  "whole run (part: run)");
            }
            if (piece.part == ConfigPart::kMechanism) add_mechanism(piece);
        }
    }

    void add_mechanism(const ConfigPiece& piece) {
        std::vector<std::string_view> known;
        for (const MechanismKinds* kinds : all_kinds()) known.push_back(kinds->name);
        if (!has(known, piece.mechanism)) {
            throw ConfigError(piece.name + ": mechanism: got " + in_quotes(piece.mechanism) +
                              ", expected one of " + braced_list(known) +
                              did_you_mean(piece.mechanism, known));
        }
        for (const ConfigPiece* other : mechanisms_) {
            if (other->mechanism != piece.mechanism) continue;
            throw ConfigError("got " + in_quotes(other->name) + " and " + in_quotes(piece.name) +
                              ", expected one file of the mechanism " + in_quotes(piece.mechanism));
        }
        mechanisms_.push_back(&piece);
    }

    /// The node at `path` in the last piece that sets it, or null.
    [[nodiscard]] const ConfigNode* find_set(std::string_view path) const {
        const ConfigNode* found = nullptr;
        for (const ConfigPiece& piece : source_.pieces()) {
            if (const ConfigNode* node = find_path(piece.body, path)) found = node;
        }
        return found;
    }

    [[nodiscard]] Layer find_layer() const {
        const ConfigNode* trace = find_set("workload.trace");
        if (trace != nullptr && !trace->scalar.empty()) {
            if (workload_ != nullptr && find_path(workload_->body, "workload.trace") == nullptr) {
                throw ConfigError("got " + in_quotes(workload_->name) + " and the trace " +
                                  in_quotes(trace->scalar) + ", expected one workload for a run");
            }
            return Layer::kTrace;
        }
        if (workload_ != nullptr) {
            const Layer layer = layer_in(workload_->body);
            const bool has_pass = find_path(workload_->body, "workload.pass") != nullptr;
            return layer == Layer::kConvolution && has_pass ? Layer::kPass : layer;
        }
        Layer found = Layer::kNone;
        for (const ConfigPiece& piece : source_.pieces()) {
            const Layer layer = layer_in(piece.body);
            if (layer != Layer::kNone && piece.part == ConfigPart::kSettings) found = layer;
        }
        return found;
    }
    [[nodiscard]] static Layer layer_in(const ConfigNode& body) {
        if (find_path(body, "workload.gemm") != nullptr) return Layer::kProduct;
        if (find_path(body, "workload.tensor") != nullptr) return Layer::kTensor;
        if (find_path(body, "workload.attention") != nullptr) return Layer::kAttention;
        const ConfigNode* layer = find_path(body, "workload.layer");
        if (layer == nullptr) return Layer::kNone;
        const bool geometry =
            std::any_of(layer->members.begin(), layer->members.end(),
                        [](const ConfigNode::Member& member) { return member.key != "name"; });
        return geometry ? Layer::kConvolution : Layer::kNone;
    }

    [[nodiscard]] bool has_mechanism(std::string_view name) const {
        return std::any_of(mechanisms_.begin(), mechanisms_.end(),
                           [name](const ConfigPiece* piece) { return piece->mechanism == name; });
    }

    [[nodiscard]] std::string kind_of_parts() const {
        if (has_mechanism("composition")) return "composition";
        switch (layer_) {
            case Layer::kConvolution:
                return kind_by(&MechanismKinds::of_convolution, "convolution");
            case Layer::kPass:
                return has_mechanism("cudnn") || has_mechanism("library") ? "convolution"
                                                                          : "direct_convolution";
            case Layer::kProduct:
                return kind_by(&MechanismKinds::of_product, "gemm");
            case Layer::kTrace:
                return "trace";
            case Layer::kTensor:
                return "tensor";
            case Layer::kAttention:
                return "attention";
            case Layer::kNone:
                break;
        }
        return kind_by(&MechanismKinds::of_nothing, "");
    }

    /// Kind of the first mechanism that determines it, or `otherwise`.
    [[nodiscard]] std::string kind_by(std::string_view MechanismKinds::*kind,
                                      std::string_view otherwise) const {
        for (const MechanismKinds* kinds : all_kinds()) {
            const bool implied =
                !kinds->implied_by.empty() && find_set(kinds->implied_by) != nullptr;
            if ((implied || has_mechanism(kinds->name)) && !(kinds->*kind).empty()) {
                return std::string(kinds->*kind);
            }
        }
        return std::string(otherwise);
    }

    /// Checks that the kind computes the given layer and that the layer's zeros are exploited or
    /// explicitly computed.
    void check_layer(const std::string& kind, bool is_explicit) const {
        if (workload_ == nullptr) return;
        if (!has(kLayerKinds.at(static_cast<std::size_t>(layer_)), kind)) {
            std::string who = "workload.kind " + kind;
            if (!is_explicit) who = "mechanism " + quoted_names(mechanisms_);
            throw ConfigError(who + " has no use for " + in_quotes(workload_->name) + ", " +
                              std::string(kLayerTexts.at(static_cast<std::size_t>(layer_))) +
                              "; leave one of them out");
        }
        const bool computes_zeros = kind == "convolution" || kind == "gemm";
        if (is_explicit || !computes_zeros || !has_zeros(workload_->body)) return;
        throw ConfigError(in_quotes(workload_->name) + " has zeros, and nothing makes use of them" +
                          (mechanisms_.empty() ? "" : " beside " + quoted_names(mechanisms_)) +
                          "; add a sparse mechanism such as dual_implicit_ideal, or "
                          "compute them with --set workload.kind=" +
                          kind);
    }
    void check_mechanisms(const std::string& kind) const {
        for (const ConfigPiece* piece : mechanisms_) {
            const MechanismKinds& mechanism = kinds_of(piece->mechanism);
            const bool met = kind != mechanism.conditional_kind || is_on(mechanism.needs);
            if (has(mechanism.kinds, kind) && met) continue;
            const std::string what =
                workload_ == nullptr ? "workload.kind " + kind
                                     : in_quotes(workload_->name) + " (workload.kind " + kind + ")";
            throw ConfigError("mechanism " + in_quotes(piece->name) + " has nothing to act on in " +
                              what +
                              (met ? "; leave one of them out" : std::string(mechanism.remedy)));
        }
    }
    [[nodiscard]] static const MechanismKinds& kinds_of(std::string_view name) {
        const std::vector<const MechanismKinds*> all = all_kinds();
        return **std::find_if(all.begin(), all.end(),
                              [name](const MechanismKinds* one) { return one->name == name; });
    }
    [[nodiscard]] bool is_on(std::string_view key) const {
        const ConfigNode* node = find_set(key);
        return node != nullptr && node->as_boolean(key);
    }

    void add(const std::string& kind) {
        ConfigPiece piece;
        piece.part = ConfigPart::kRun;  // read before all others, so that errors name those first
        piece.name = source_.what_runs();
        piece.from_user = false;
        ConfigNode node;
        node.kind = ConfigNode::Kind::kScalar;
        node.location.source = std::make_shared<const std::string>(piece.name);
        node.scalar = kind;
        piece.body = nested_under("workload.kind", std::move(node));
        source_.add_piece(std::move(piece));
    }

    ConfigSource& source_;
    const ConfigPiece* workload_ = nullptr;
    std::vector<const ConfigPiece*> mechanisms_;
    Layer layer_ = Layer::kNone;
};

}  // namespace

std::string kind_that_computes_zeros(const ConfigNode& layer) {
    if (!has_zeros(layer)) return "";
    return is_matrix_product(layer) ? "gemm" : "convolution";
}

bool is_matrix_product(const ConfigNode& layer) {
    return find_path(layer, "workload.gemm") != nullptr;
}

void settle_workload_kind(ConfigSource& source) {
    KindSettler(source).settle();
}

}  // namespace tessera
