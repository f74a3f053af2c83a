#include "sc_models/workload/given_layer.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>

#include "sc_models/common/error_kinds.h"
#include "sc_models/common/output_file.h"
#include "sc_models/config/engine/config_entries.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "tessera layer 1";
constexpr std::size_t kOperandsOfAttention = 4;  // at most: queries, keys, values and mask

/// Calls `visit(name, member)` for every part of an operation except its operator and its floats.
template <class Operation, class Visit>
void for_each_member(Operation& o, const Visit& visit) {
    visit("operands", o.operands);
    visit("results", o.results);
    visit("axes", o.axes);
    visit("order", o.order);
    visit("begins", o.begins);
    visit("steps", o.steps);
    visit("sizes", o.sizes);
    visit("indices", o.indices);
    visit("pads_before", o.pads_before);
    visit("pads_after", o.pads_after);
    visit("window", o.window);
    visit("strides", o.strides);
    visit("dilations", o.dilations);
    visit("ceil_mode", o.ceil_mode);
    visit("count_padding", o.count_padding);
    visit("type", o.type);
    visit("pad_mode", o.pad_mode);
    visit("resize", o.resize);
    visit("coordinates", o.coordinates);
    visit("rounding", o.rounding);
    visit("exclude_outside", o.exclude_outside);
}

Json json_of(const TensorOperation& o) {
    Json json;
    json["operation"] = name_of(o.op);
    for_each_member(o, [&](const char* name, const auto& member) { json[name] = member; });
    // Other operations have no types of their own.
    if (!o.types.empty()) json["types"] = o.types;
    // Stores floats as bits, because JSON has no infinities.
    std::vector<std::uint32_t> scales;
    for (const float scale : o.scales) scales.push_back(float_bits(scale));
    json["scales"] = scales;
    std::vector<std::uint32_t> region;
    for (const float part : o.region) region.push_back(float_bits(part));
    json["region"] = region;
    json["gamma"] = float_bits(o.gamma);
    json["alpha"] = float_bits(o.alpha);
    json["beta"] = float_bits(o.beta);
    return json;
}

TensorOperation operation_of_json(const Json& json) {
    TensorOperation o;
    const std::optional<TensorOperator> op =
        tensor_operator(json.at("operation").get<std::string>());
    if (!op) throw ConfigError("unknown operation");
    o.op = *op;
    for_each_member(o, [&](const char* name, auto& member) {
        // Older files lack these members.
        const std::string_view later = name;
        if ((later == "indices" || later == "exclude_outside") && !json.contains(name)) return;
        json.at(name).get_to(member);
    });
    if (json.contains("types")) json.at("types").get_to(o.types);
    for (const std::uint32_t scale : json.at("scales").get<std::vector<std::uint32_t>>()) {
        o.scales.push_back(float_from_bits(scale));
    }
    for (const std::uint32_t part : json.value("region", std::vector<std::uint32_t>())) {
        o.region.push_back(float_from_bits(part));
    }
    o.gamma = float_from_bits(json.value("gamma", std::uint32_t{0}));
    o.alpha = float_from_bits(json.at("alpha").get<std::uint32_t>());
    o.beta = float_from_bits(json.at("beta").get<std::uint32_t>());
    return o;
}

Json json_of(const ProductEpilogue& epilogue) {
    Json json = {{"operands", Json::array()}, {"steps", Json::array()}};
    if (epilogue.format() != Float16::kFp16) json["format"] = epilogue.format();
    for (const ProductEpilogue::Operand& operand : epilogue.operands()) {
        json["operands"].push_back(
            {{"place", operand.place}, {"scalar", float_bits(operand.scalar)}});
    }
    for (const ProductEpilogue::Step& step : epilogue.steps()) {
        json["steps"].push_back({{"operation", name_of(step.op)},
                                 {"alpha", float_bits(step.alpha)},
                                 {"beta", float_bits(step.beta)},
                                 {"operand", step.operand},
                                 {"operand_first", step.operand_first}});
    }
    return json;
}

Json json_of(const Requantization& rule) {
    std::vector<std::uint32_t> factors;
    for (const float factor : rule.factors) factors.push_back(float_bits(factor));
    return {{"bias", rule.bias},   {"factors", factors}, {"zero_point", rule.zero_point},
            {"least", rule.least}, {"most", rule.most},  {"is_unsigned", rule.is_unsigned}};
}

std::shared_ptr<const Requantization> requantization_of(const Json& json) {
    Requantization rule;
    json.at("bias").get_to(rule.bias);
    for (const auto bits : json.at("factors").get<std::vector<std::uint32_t>>()) {
        rule.factors.push_back(float_from_bits(bits));
    }
    json.at("zero_point").get_to(rule.zero_point);
    json.at("least").get_to(rule.least);
    json.at("most").get_to(rule.most);
    json.at("is_unsigned").get_to(rule.is_unsigned);
    return std::make_shared<const Requantization>(std::move(rule));
}

std::string operand_name(std::size_t i) {
    return fmt::format("epilogue{}", i);
}

std::shared_ptr<const ProductEpilogue> epilogue_of(
    const Json& json, std::map<std::string, GivenLayer::Elements>& tensors) {
    std::vector<ProductEpilogue::Operand> operands;
    for (const Json& operand : json.at("operands")) {
        operands.push_back({operand.at("place").get<ProductEpilogue::OperandExtent>(),
                            float_from_bits(operand.at("scalar").get<std::uint32_t>()),
                            tensors[operand_name(operands.size())]});
    }
    std::vector<ProductEpilogue::Step> steps;
    for (const Json& step : json.at("steps")) {
        const auto op = tensor_operator(step.at("operation").get<std::string>());
        if (!op) throw ConfigError("unknown operation");
        steps.push_back({*op, float_from_bits(step.at("alpha").get<std::uint32_t>()),
                         float_from_bits(step.at("beta").get<std::uint32_t>()),
                         step.at("operand").get<std::int32_t>(),
                         step.at("operand_first").get<bool>()});
    }
    return std::make_shared<const ProductEpilogue>(std::move(operands), std::move(steps), false,
                                                   json.value("format", Float16::kFp16));
}

/// Returns the tensors of a layer that exist, by name.
std::vector<std::pair<std::string, GivenLayer::Elements>> tensors_of(const GivenLayer& layer) {
    std::vector<std::pair<std::string, GivenLayer::Elements>> all = {
        {"activations", layer.activations}, {"weights", layer.weights}, {"result", layer.result}};
    for (std::size_t i = 0; i < layer.operands.size(); ++i) {
        all.emplace_back(fmt::format("operand{}", i), layer.operands[i]);
    }
    for (std::size_t i = 0; layer.epilogue != nullptr && i < layer.epilogue->operands().size();
         ++i) {
        all.emplace_back(operand_name(i), layer.epilogue->operands()[i].values);
    }
    return all;
}

/// Makes the channels the slower side of images of `channels` channels.
void put_first(GivenLayer::Elements& elements, std::uint64_t images, std::uint64_t channels) {
    if (elements == nullptr || images == 0 || channels == 0) return;
    const std::uint64_t pixels = elements->size() / images / channels;
    auto turned = std::make_shared<std::vector<HalfBits>>(elements->size());
    for (std::uint64_t image = 0; image < images; ++image) {
        for (std::uint64_t pixel = 0; pixel < pixels; ++pixel) {
            for (std::uint64_t c = 0; c < channels; ++c) {
                (*turned)[(image * channels + c) * pixels + pixel] =
                    (*elements)[(image * pixels + pixel) * channels + c];
            }
        }
    }
    elements = std::move(turned);
}

GivenLayer parse(const std::string& bytes) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string::npos) throw ConfigError("cut off");
    const Json header = Json::parse(bytes.substr(0, end));
    if (header.at("format") != kFormat) throw ConfigError("another format");
    GivenLayer layer;
    std::size_t at = end + 1;
    std::map<std::string, GivenLayer::Elements> tensors;
    for (const auto& [name, count] : header.at("elements").items()) {
        const auto elements = count.get<std::uint64_t>();
        if (elements > (bytes.size() - at) / sizeof(HalfBits)) throw ConfigError("cut off");
        auto read = std::make_shared<std::vector<HalfBits>>(elements);
        // An empty vector has no address to copy to.
        if (elements != 0) {
            std::memcpy(read->data(), bytes.data() + at, elements * sizeof(HalfBits));
        }
        at += elements * sizeof(HalfBits);
        tensors[name] = std::move(read);
    }
    layer.activations = tensors["activations"];
    layer.weights = tensors["weights"];
    layer.result = tensors["result"];
    if (header.contains("epilogue")) {
        layer.epilogue = epilogue_of(header.at("epilogue"), tensors);
    }
    if (header.contains("requantization")) {
        layer.requantization = requantization_of(header.at("requantization"));
    }
    if (header.contains("tensor")) layer.operation = operation_of_json(header.at("tensor"));
    const std::size_t operands = layer.operation ? layer.operation->operands.size()
                                                 : header.value("operands", std::size_t{0});
    if (!layer.operation && operands > kOperandsOfAttention) {
        throw ConfigError("too many operands");
    }
    for (std::size_t i = 0; i < operands; ++i) {
        layer.operands.push_back(tensors[fmt::format("operand{}", i)]);
    }
    return layer;
}

}  // namespace

void GivenLayer::put_channels_first(const LayerConfig& layer, LayerPass pass) {
    const bool backward = pass == LayerPass::kBackwardData;
    put_first(activations, layer.batch, backward ? layer.filters : layer.channels);
    put_first(weights, layer.filters, layer.channels / layer.groups);
    put_first(result, layer.batch, backward ? layer.channels : layer.filters);
}

const GivenLayer::Elements& GivenLayer::known(const Elements& elements) {
    if (elements != nullptr) return elements;
    throw ConfigError(
        "workload.given.file: got a layer without the values of its tensors, expected one written "
        "with values, or values off and no sparse mechanism");
}

TensorType given_type(const TensorOperation& operation, std::size_t operand) {
    const TensorType type = operation.operand_type(operand);
    const bool is_fp32 = !operation.types.empty() && type == TensorType::kFp32;
    return is_fp32 || type == TensorType::kBf16 ? type : TensorType::kFp16;
}

std::vector<float> given_values(const std::vector<HalfBits>& entries, TensorType type) {
    if (type != TensorType::kFp32) {
        std::vector<float> values(entries.size());
        std::transform(
            entries.begin(), entries.end(), values.begin(),
            [format = format_of(type)](HalfBits half) { return to_float(half, format); });
        return values;
    }
    std::vector<float> values(entries.size() / 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = float_from_bits(std::uint32_t{entries[2 * i + 1]} << 16U |
                                    std::uint32_t{entries[2 * i]});
    }
    return values;
}

std::string write_given_layer(const std::string& path, const GivenLayer& layer) {
    Json header;
    header["format"] = kFormat;
    if (layer.operation) {
        header["tensor"] = json_of(*layer.operation);
    } else if (!layer.operands.empty()) {
        header["operands"] = layer.operands.size();
    }
    if (layer.epilogue != nullptr) header["epilogue"] = json_of(*layer.epilogue);
    if (layer.requantization != nullptr) {
        header["requantization"] = json_of(*layer.requantization);
    }
    header["elements"] = Json::object();
    for (const auto& [name, elements] : tensors_of(layer)) {
        if (elements != nullptr) header["elements"][name] = elements->size();
    }
    std::string bytes = header.dump() + "\n";
    for (const auto& [name, elements] : tensors_of(layer)) {
        if (elements == nullptr || elements->empty()) continue;
        const std::size_t at = bytes.size();
        bytes.resize(at + elements->size() * sizeof(HalfBits));
        std::memcpy(&bytes[at], elements->data(), elements->size() * sizeof(HalfBits));
    }
    write_file_atomically(path, bytes);
    return fnv1a_hex(bytes);
}

GivenLayer read_given_layer(const std::string& path, const std::string& digest) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    if (!file || !(content << file.rdbuf())) {
        throw FileError("workload.given.file: cannot read '" + path + "'");
    }
    const std::string bytes = content.str();
    const std::string found = fnv1a_hex(bytes);
    if (found != digest) {
        throw FileError("workload.given.digest: got " + digest + ", but " + path + " has " + found +
                        "; it was written anew, or damaged");
    }
    try {
        return parse(bytes);
    } catch (const std::exception& error) {
        throw FileError("workload.given.file: '" + path + "' is no layer of a network (" +
                        error.what() + ")");
    }
}

}  // namespace tessera
