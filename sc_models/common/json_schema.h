// Checks of stored JSON against a schema, and reading of files that have one.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// A format that texts may have to have.
struct JsonFormat {
    std::function<bool(const std::string& text)> fits;
    std::string expected;  ///< as an error names it: "a name of a file"
};

/// A part of JSON Schema (draft 2020-12): type, const, enum, minimum, maximum, format, required,
/// properties, additionalProperties, items, minItems, if and then, and $ref to #/$defs. Members
/// that a schema does not name are allowed. Formats are `hash` (16 hexadecimal digits), `file_name`
/// (a file in a folder), `inner_path` (a relative path that does not leave its folder) and those
/// given.
class JsonSchema {
public:
    using Json = nlohmann::ordered_json;

    /// Throws std::logic_error for a schema that is none, or has other keywords.
    explicit JsonSchema(std::string_view text, std::map<std::string, JsonFormat> formats = {});

    /// The first fault: the path of a value ("kernels[0].cycles"), what it is and what is allowed.
    [[nodiscard]] std::optional<std::string> fault(const Json& value) const;

private:
    using Fault = std::optional<std::string>;

    void check_keywords(const Json& schema) const;
    [[nodiscard]] const Json& resolved(const Json& schema) const;
    [[nodiscard]] std::string expected(const Json& schema) const;
    [[nodiscard]] bool fits_alone(const Json& schema, const Json& value) const;
    [[nodiscard]] Fault fault_of(const Json& schema, const Json& value,
                                 const std::string& path) const;
    [[nodiscard]] Fault fault_of_members(const Json& schema, const Json& value,
                                         const std::string& path) const;

    Json schema_;
    std::map<std::string, JsonFormat> formats_;
};

/// A kind of stored file.
struct StoredFile {
    std::string what;  ///< "a result file"
    int version = 0;   ///< its schema_version; 0: it has none
    JsonSchema schema;
};

/// Reads a stored file whole. Throws ConfigError in one line, with the file: if there is none, if
/// it is no JSON or nested beyond reason, of another version, or has a fault, which is named with
/// its path.
[[nodiscard]] nlohmann::ordered_json read_stored(const std::filesystem::path& file,
                                                 const StoredFile& kind);

}  // namespace tessera
