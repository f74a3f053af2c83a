#include "sc_models/network/operator_sets.h"

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::network {
namespace {

using AttributeType = onnx::AttributeProto::AttributeType;

/// An attribute with its default, or with its type if it has none.
struct AttributeRow {
    const char* name;
    std::variant<AttributeType, std::int64_t, float, std::string> otherwise;
    bool required = false;
};

/// Revision of an operator. Operands are names joined by spaces; '?' marks one that may be omitted.
struct OperatorRow {
    const char* name;
    int since;  ///< the first set with this revision
    const char* inputs;
    const char* outputs;
    std::vector<AttributeRow> attributes{};
    bool is_checked = true;  ///< whether operands and attributes are listed
};

AttributeRow text(const char* name, const char* otherwise) {
    return {name, std::string(otherwise)};
}
AttributeRow integer(const char* name, std::int64_t otherwise) {
    return {name, otherwise};
}
AttributeRow real(const char* name, float otherwise) {
    return {name, otherwise};
}
AttributeRow open(const char* name, AttributeType type) {
    return {name, type};
}

/// An operator that this project does not support, so that only its name matters.
OperatorRow named(const char* name, int since) {
    return {name, since, "", "", {}, false};
}

OperatorRow reduction(const char* name, int since) {
    return {name,
            since,
            "data axes?",
            "reduced",
            {integer("keepdims", 1), integer("noop_with_empty_axes", 0)}};
}

std::vector<OperatorRow> resizing(int since) {
    return {{"Resize",
             since,
             "X roi? scales? sizes?",
             "Y",
             {integer("antialias", 0), open("axes", onnx::AttributeProto::INTS),
              text("coordinate_transformation_mode", "half_pixel"), real("cubic_coeff_a", -0.75F),
              integer("exclude_outside", 0), real("extrapolation_value", 0),
              text("keep_aspect_ratio_policy", "stretch"), text("mode", "nearest"),
              text("nearest_mode", "round_prefer_floor")}}};
}

std::vector<OperatorRow> set_18() {
    std::vector<OperatorRow> rows = {
        {"BitwiseAnd", 18, "A B", "C"},
        {"BitwiseNot", 18, "X", "Y"},
        {"BitwiseOr", 18, "A B", "C"},
        {"BitwiseXor", 18, "A B", "C"},
        {"GroupNormalization",
         18,
         "X scale bias",
         "Y",
         {real("epsilon", 1e-5F), {"num_groups", onnx::AttributeProto::INT, true}}},
        {"Mish", 18, "X", "Y"},
        {"Pad", 18, "data pads constant_value? axes?", "output", {text("mode", "constant")}},
        {"ScatterElements",
         18,
         "data indices updates",
         "output",
         {integer("axis", 0), text("reduction", "none")}},
        {"ScatterND", 18, "data indices updates", "output", {text("reduction", "none")}},
        named("CenterCropPad", 18),
        named("Col2Im", 18),
        named("LpPool", 18),
    };
    // Split's outputs are any number; "outputs*" marks that.
    rows.push_back({"Split",
                    18,
                    "input split?",
                    "outputs*",
                    {integer("axis", 0), open("num_outputs", onnx::AttributeProto::INT)}});
    for (const char* const name :
         {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
          "ReduceMin", "ReduceProd", "ReduceSumSquare"}) {
        rows.push_back(reduction(name, 18));
    }
    return rows;
}

std::vector<OperatorRow> sets_19_to_22() {
    std::vector<OperatorRow> rows = {
        {"AveragePool",
         19,
         "X",
         "Y",
         {text("auto_pad", "NOTSET"),
          integer("ceil_mode", 0),
          integer("count_include_pad", 0),
          open("dilations", onnx::AttributeProto::INTS),
          {"kernel_shape", onnx::AttributeProto::INTS, true},
          open("pads", onnx::AttributeProto::INTS),
          open("strides", onnx::AttributeProto::INTS)}},
        {"Cast",
         19,
         "input",
         "output",
         {integer("saturate", 1), {"to", onnx::AttributeProto::INT, true}}},
        {"CastLike", 19, "input target_type", "output", {integer("saturate", 1)}},
        // Mode "wrap" is new.
        {"Pad", 19, "data pads constant_value? axes?", "output", {text("mode", "constant")}},
        {"Gelu", 20, "X", "Y", {text("approximate", "none")}},
        {"GridSample",
         20,
         "X grid",
         "Y",
         {integer("align_corners", 0), text("mode", "linear"), text("padding_mode", "zeros")}},
        // Float8 and scales of FLOAT16 are new.
        {"DequantizeLinear", 19, "x x_scale x_zero_point?", "y", {integer("axis", 1)}},
        {"QuantizeLinear",
         19,
         "x y_scale y_zero_point?",
         "y",
         {integer("axis", 1), integer("saturate", 1)}},
        // Integers of 4 and 16 bits and blocks are new.
        {"DequantizeLinear",
         21,
         "x x_scale x_zero_point?",
         "y",
         {integer("axis", 1), integer("block_size", 0)}},
        {"QuantizeLinear",
         21,
         "x y_scale y_zero_point?",
         "y",
         {integer("axis", 1), integer("block_size", 0), integer("output_dtype", 0),
          integer("saturate", 1)}},
        // Truth values are new.
        reduction("ReduceMax", 20),
        reduction("ReduceMin", 20),
        // Scale and bias have an element for each channel; before, one for each group.
        {"GroupNormalization",
         21,
         "X scale bias",
         "Y",
         {real("epsilon", 1e-5F),
          {"num_groups", onnx::AttributeProto::INT, true},
          integer("stash_type", 1)}},
        named("DFT", 20),
        named("DeformConv", 19),
        named("AffineGrid", 20),
        named("ImageDecoder", 20),
        named("RegexFullMatch", 20),
        named("StringConcat", 20),
        named("StringSplit", 20),
    };
    return rows;
}

std::vector<OperatorRow> set_23() {
    return {
        {"Attention",
         23,
         "Q K V attn_mask? past_key? past_value?",
         "Y present_key? present_value? qk_matmul_output?",
         {integer("is_causal", 0), open("kv_num_heads", onnx::AttributeProto::INT),
          open("q_num_heads", onnx::AttributeProto::INT), integer("qk_matmul_output_mode", 0),
          open("scale", onnx::AttributeProto::FLOAT), real("softcap", 0),
          open("softmax_precision", onnx::AttributeProto::INT)}},
        {"DequantizeLinear",
         23,
         "x x_scale x_zero_point?",
         "y",
         {integer("axis", 1), integer("block_size", 0), integer("output_dtype", 0)}},
        {"QuantizeLinear",
         23,
         "x y_scale y_zero_point?",
         "y",
         {integer("axis", 1), integer("block_size", 0), integer("output_dtype", 0),
          integer("precision", 0), integer("saturate", 1)}},
        {"RMSNormalization",
         23,
         "X scale",
         "Y",
         {integer("axis", -1), real("epsilon", 1e-5F), integer("stash_type", 1)}},
        {"RotaryEmbedding",
         23,
         "X cos_cache sin_cache position_ids?",
         "Y",
         {integer("interleaved", 0), integer("num_heads", 0), integer("rotary_embedding_dim", 0)}},
    };
}

using Formal = onnx::OpSchema::FormalParameterOption;

/// Calls `add` with number, name and kind of each operand of a list.
template <class Add>
void for_each_operand(std::string_view list, const Add& add) {
    for (int number = 0; !list.empty(); ++number) {
        const std::size_t end = list.find(' ');
        std::string name(list.substr(0, end));
        list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
        const Formal kind = name.back() == '?'   ? onnx::OpSchema::Optional
                            : name.back() == '*' ? onnx::OpSchema::Variadic
                                                 : onnx::OpSchema::Single;
        if (kind != onnx::OpSchema::Single) name.pop_back();
        add(number, name, kind);
    }
}

onnx::OpSchema definition_of(const OperatorRow& row) {
    constexpr const char* kAnyType = "tensor(float)";  // libonnx does not check types here
    onnx::OpSchema definition(row.name, __FILE__, __LINE__);
    definition.SinceVersion(row.since);
    if (!row.is_checked) definition.AllowUncheckedAttributes();
    for_each_operand(row.inputs, [&](int number, const std::string& name, Formal kind) {
        definition.Input(number, name, "", kAnyType, kind);
    });
    for_each_operand(row.outputs, [&](int number, const std::string& name, Formal kind) {
        definition.Output(number, name, "", kAnyType, kind);
    });
    for (const AttributeRow& attribute : row.attributes) {
        const std::string name = attribute.name;
        if (const auto* type = std::get_if<AttributeType>(&attribute.otherwise)) {
            definition.Attr(name, "", *type, attribute.required);
        } else if (const auto* number = std::get_if<std::int64_t>(&attribute.otherwise)) {
            definition.Attr(name, "", onnx::AttributeProto::INT, *number);
        } else if (const auto* value = std::get_if<float>(&attribute.otherwise)) {
            definition.Attr(name, "", onnx::AttributeProto::FLOAT, *value);
        } else {
            definition.Attr(name, "", onnx::AttributeProto::STRING,
                            std::get<std::string>(attribute.otherwise));
        }
    }
    definition.Finalize();
    return definition;
}

using Definitions = std::map<std::pair<std::string, int>, onnx::OpSchema>;

const Definitions& definitions() {
    static const Definitions all = [] {
        Definitions made;
        for (const auto& rows : {set_18(), resizing(18), resizing(19), sets_19_to_22(), set_23()}) {
            for (const OperatorRow& row : rows) {
                made.emplace(std::pair(std::string(row.name), row.since), definition_of(row));
            }
        }
        return made;
    }();
    return all;
}

}  // namespace

const onnx::OpSchema* operator_definition(const std::string& name, std::int64_t operator_set) {
    constexpr int kNewestOfLibrary = 17;
    const auto set = static_cast<int>(operator_set);
    // The newest revision of this name that is not newer than the set.
    auto found = definitions().upper_bound({name, set});
    if (found != definitions().begin() && (--found)->first.first == name) return &found->second;
    return onnx::OpSchemaRegistry::Schema(name, std::min(set, kNewestOfLibrary), "");
}

}  // namespace tessera::network
