// Validation of stored JSON against a schema, and reading of stored files.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// A format of strings.
struct JsonFormat {
    std::function<bool(const std::string& text)> fits;
    std::string expected;  ///< text for error messages: "a name of a file"
};

/// Supports a part of JSON Schema (draft 2020-12): type, const, enum, minimum, maximum, format,
/// required, properties, additionalProperties, items, minItems, if and then, and $ref to #/$defs.
/// Members that a schema does not name are allowed. Formats are `hash` (16 hexadecimal digits),
/// `file_name` (a file in a folder), `inner_path` (a relative path that does not leave its folder)
/// and those in `formats`.
class JsonSchema {
public:
    using Json = nlohmann::ordered_json;

    /// Throws std::logic_error for an invalid schema, or one with other keywords.
    explicit JsonSchema(std::string_view text, std::map<std::string, JsonFormat> formats = {});

    /// First fault: the path of a value ("kernels[0].cycles"), the value and what is allowed.
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
    int version = 0;   ///< expected schema_version; 0: none
    JsonSchema schema;
};

/// Reads a stored file. Throws ConfigError with a one-line message that names the file if it is
/// missing, not JSON, nested too deeply, of another version, or has a fault; a fault is named with
/// its path.
[[nodiscard]] nlohmann::ordered_json read_stored(const std::filesystem::path& file,
                                                 const StoredFile& kind);

}  // namespace tessera
