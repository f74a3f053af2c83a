#include "sc_models/common/json_schema.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Json = JsonSchema::Json;

constexpr std::array<std::string_view, 17> kKeywords = {
    "$ref",  "$defs",      "type",     "const",      "enum",
    "if",    "then",       "format",   "minimum",    "maximum",
    "items", "minItems",   "required", "properties", "additionalProperties",
    "title", "description"};

bool is_hash(const std::string& text) {
    constexpr std::size_t kDigits = 16;
    return text.size() == kDigits &&
           text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_file_name(const std::string& text) {
    return !text.empty() && text[0] != '.' && text.find('/') == std::string::npos &&
           text.find('\0') == std::string::npos;
}

bool is_inner_path(const std::string& text) {
    const fs::path path = text;
    return !text.empty() && path.is_relative() && text.find('\0') == std::string::npos &&
           std::none_of(path.begin(), path.end(),
                        [](const fs::path& part) { return part == ".."; });
}

bool has_type(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "null") return value.is_null();
    throw std::logic_error("JsonSchema: unknown type " + type);
}

std::string type_text(const std::string& type) {
    const bool vowel = type == "object" || type == "array" || type == "integer";
    return type == "null" ? type : (vowel ? "an " : "a ") + (type == "string" ? "text" : type);
}

std::string short_text(const Json& value) {
    constexpr std::size_t kLongest = 60;
    if (value.is_structured()) return value.is_object() ? "an object" : "an array";
    const std::string text = value.dump(-1, ' ', true);  // ASCII only
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

std::string joined(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
}

std::string fault_text(const std::string& path, const std::string& got,
                       const std::string& expected) {
    return fmt::format("{}: got {}, expected {}", path.empty() ? "(the file)" : path, got,
                       expected);
}

}  // namespace

JsonSchema::JsonSchema(std::string_view text, std::map<std::string, JsonFormat> formats)
    : schema_(Json::parse(text)), formats_(std::move(formats)) {
    formats_.insert({{"hash", {is_hash, "16 hexadecimal digits"}},
                     {"file_name", {is_file_name, "the name of a file"}},
                     {"inner_path", {is_inner_path, "a path below the folder"}}});
    check_keywords(schema_);
}

void JsonSchema::check_keywords(const Json& schema) const {
    if (!schema.is_object()) throw std::logic_error("JsonSchema: a schema is an object");
    for (const auto& [key, value] : schema.items()) {
        if (std::find(kKeywords.begin(), kKeywords.end(), key) == kKeywords.end()) {
            throw std::logic_error("JsonSchema: unknown keyword " + key);
        }
        if (key == "properties" || key == "$defs") {
            for (const auto& [name, inner] : value.items()) check_keywords(inner);
        }
        if (key == "items" || key == "additionalProperties" || key == "if" || key == "then") {
            check_keywords(value);
        }
        if (key == "format") (void)formats_.at(value.get<std::string>());
        if (key == "$ref") (void)resolved(schema);
    }
}

const Json& JsonSchema::resolved(const Json& schema) const {
    const auto reference = schema.find("$ref");
    if (reference == schema.end()) return schema;
    return schema_.at(Json::json_pointer(reference->get<std::string>().substr(1)));
}

std::string JsonSchema::expected(const Json& schema) const {
    if (schema.contains("const")) return schema.at("const").dump();
    if (schema.contains("enum")) {
        std::string text;
        for (const Json& one : schema.at("enum")) text += (text.empty() ? "" : ", ") + one.dump();
        return "one of {" + text + "}";
    }
    if (schema.contains("format")) return formats_.at(schema.at("format")).expected;
    std::string text;
    if (schema.contains("type")) {
        const Json& type = schema.at("type");
        for (const Json& one : type.is_array() ? type : Json::array({type})) {
            text += (text.empty() ? "" : " or ") + type_text(one);
        }
    }
    if (schema.contains("minimum")) text += " from " + schema.at("minimum").dump();
    if (schema.contains("maximum")) text += " to " + schema.at("maximum").dump();
    if (schema.contains("minItems"))
        text += fmt::format(" of at least {}", schema.at("minItems").dump());
    return text.empty() ? "a value" : text;
}

/// Whether the value itself matches, regardless of its members.
bool JsonSchema::fits_alone(const Json& schema, const Json& value) const {
    if (const auto type = schema.find("type"); type != schema.end()) {
        const Json types = type->is_array() ? *type : Json::array({*type});
        if (std::none_of(types.begin(), types.end(),
                         [&](const Json& one) { return has_type(value, one); })) {
            return false;
        }
    }
    if (schema.contains("const") && value != schema.at("const")) return false;
    if (schema.contains("enum")) {
        const Json& all = schema.at("enum");
        if (std::find(all.begin(), all.end(), value) == all.end()) return false;
    }
    if (value.is_number()) {
        if (schema.contains("minimum") && value < schema.at("minimum")) return false;
        if (schema.contains("maximum") && value > schema.at("maximum")) return false;
    }
    if (value.is_string() && schema.contains("format")) {
        if (!formats_.at(schema.at("format")).fits(value)) return false;
    }
    return !value.is_array() || !schema.contains("minItems") ||
           value.size() >= schema.at("minItems").get<std::size_t>();
}

JsonSchema::Fault JsonSchema::fault_of(const Json& given, const Json& value,
                                       const std::string& path) const {
    const Json& schema = resolved(given);
    if (!fits_alone(schema, value)) return fault_text(path, short_text(value), expected(schema));
    if (value.is_object()) {
        if (auto found = fault_of_members(schema, value, path)) return found;
    }
    if (value.is_array() && schema.contains("items")) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            auto found = fault_of(schema.at("items"), value[i], fmt::format("{}[{}]", path, i));
            if (found) return found;
        }
    }
    if (!schema.contains("if") || fault_of(schema.at("if"), value, path)) return std::nullopt;
    return fault_of(schema.at("then"), value, path);
}

JsonSchema::Fault JsonSchema::fault_of_members(const Json& schema, const Json& value,
                                               const std::string& path) const {
    static const Json kNone = Json::object();
    const Json& members = schema.contains("properties") ? schema.at("properties") : kNone;
    if (schema.contains("required")) {
        for (const std::string key : schema.at("required")) {
            if (value.contains(key)) continue;
            const bool known = members.contains(key);
            return fault_text(joined(path, key), "none",
                              known ? expected(resolved(members.at(key))) : "a value");
        }
    }
    for (const auto& [key, member] : value.items()) {
        const auto named = members.find(key);
        if (named == members.end() && !schema.contains("additionalProperties")) continue;
        const Json& of = named == members.end() ? schema.at("additionalProperties") : *named;
        if (auto found = fault_of(of, member, joined(path, key))) return found;
    }
    return std::nullopt;
}

JsonSchema::Fault JsonSchema::fault(const Json& value) const {
    return fault_of(schema_, value, "");
}

namespace {

Json parsed(const fs::path& file, const std::string& what) {
    std::error_code error;
    std::ifstream in;
    if (!fs::is_directory(file, error)) in.open(file);
    if (!in.is_open()) throw ConfigError(fmt::format("{}: no such result", file.string()));
    constexpr int kDeepest = 64;
    const auto check_depth = [&](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
        if (depth > kDeepest) {
            throw ConfigError(fmt::format("{}: not {} (nested more than {} deep)", file.string(),
                                          what, kDeepest));
        }
        return true;
    };
    try {
        return Json::parse(in, check_depth);
    } catch (const Json::parse_error& fault) {
        throw ConfigError(fmt::format("{}: not {} (byte {})", file.string(), what, fault.byte));
    } catch (const Json::exception&) {
        throw ConfigError(fmt::format("{}: not {} (a number is too large)", file.string(), what));
    }
}

}  // namespace

nlohmann::ordered_json read_stored(const fs::path& file, const StoredFile& kind) {
    Json json = parsed(file, kind.what);
    const bool versioned = json.is_object() && json.contains("schema_version") &&
                           json.at("schema_version").is_number_integer();
    if (kind.version != 0 && (!versioned || json.at("schema_version") != kind.version)) {
        throw ConfigError(fmt::format("{}: schema_version: got '{}', expected '{}'", file.string(),
                                      versioned ? json.at("schema_version").dump() : "none",
                                      kind.version));
    }
    if (const auto fault = kind.schema.fault(json)) {
        throw ConfigError(fmt::format("{}: {}", file.string(), *fault));
    }
    return json;
}

}  // namespace tessera
