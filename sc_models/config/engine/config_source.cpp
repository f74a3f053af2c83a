#include "sc_models/config/engine/config_source.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "sc_models/common/edit_distance.h"
#include "sc_models/config/engine/yaml_reader.h"

namespace tessera {

namespace {

constexpr std::string_view kWorkload = "workload.";

/// Writes the values of one piece into the visited struct.
class PieceReader final : public ConfigVisitor {
public:
    /// Calls `found` with path and node of every key the piece sets. `everywhere` holds all keys of
    /// the struct, for suggestions.
    PieceReader(const ConfigNode& body, const std::vector<ConfigEntry>& everywhere,
                std::function<void(const std::string&, const ConfigNode&)> found)
        : everywhere_(everywhere), found_(std::move(found)) {
        body.expect_mapping("");
        open_.push_back({&body, "", {}});
    }

    /// Checks the top level for unknown keys.
    void finish() const { refuse_unknown(open_.front()); }

private:
    struct Section {
        const ConfigNode* node;  ///< null if the piece does not set this section
        std::string path;
        std::vector<std::string_view> known;
    };

    /// Node of `key` in the current section, or null.
    const ConfigNode* look_up(std::string_view key) {
        Section& section = open_.back();
        section.known.push_back(key);
        path_ = join_path(section.path, key);
        const ConfigNode* node = section.node == nullptr ? nullptr : section.node->find(key);
        return node;
    }
    const ConfigNode* look_up_value(std::string_view key) {
        const ConfigNode* node = look_up(key);
        if (node != nullptr) found_(path_, *node);
        return node;
    }

    void begin_section(std::string_view key, std::string_view) override {
        const ConfigNode* node = look_up(key);
        if (node != nullptr) node->expect_mapping(path_);
        open_.push_back({node, path_, {}});
    }
    void end_section() override {
        refuse_unknown(open_.back());
        open_.pop_back();
    }
    void visit_integer(std::string_view key, std::uint64_t& value, std::uint64_t min,
                       std::uint64_t max, std::string_view) override {
        const ConfigNode* node = look_up_value(key);
        if (node != nullptr) value = node->as_integer(path_, min, max);
    }
    void visit_integer_or(std::string_view key, std::uint64_t& value, std::uint64_t min,
                          std::uint64_t max, std::string_view word, std::uint64_t stand_for,
                          std::string_view) override {
        const ConfigNode* node = look_up_value(key);
        if (node != nullptr) value = node->as_integer_or(path_, min, max, word, stand_for);
    }
    void visit_real(std::string_view key, double& value, double min, double max,
                    std::string_view) override {
        const ConfigNode* node = look_up_value(key);
        if (node != nullptr) value = node->as_real(path_, min, max);
    }
    void visit_real_or(std::string_view key, double& value, double min, double max,
                       std::string_view word, double stand_for, std::string_view) override {
        const ConfigNode* node = look_up_value(key);
        if (node != nullptr) value = node->as_real_or(path_, min, max, word, stand_for);
    }
    void visit_boolean(std::string_view key, bool& value, std::string_view) override {
        const ConfigNode* node = look_up_value(key);
        if (node != nullptr) value = node->as_boolean(path_);
    }
    void visit_choice(std::string_view key, std::size_t& index,
                      const std::vector<std::string_view>& labels, std::string_view) override {
        const ConfigNode* node = look_up_value(key);
        if (node != nullptr) index = node->as_choice(path_, labels);
    }
    void visit_text(std::string_view key, std::string& value, std::string_view) override {
        const ConfigNode* node = look_up_value(key);
        if (node != nullptr) value = node->as_text(path_);
    }
    void visit_text_map(std::string_view key,
                        std::vector<std::pair<std::string, std::string>>& value,
                        std::string_view) override {
        const ConfigNode* node = look_up_value(key);
        if (node == nullptr) return;
        node->expect_mapping(path_);
        for (const ConfigNode::Member& member : node->members) {
            const std::string path = join_path(path_, member.key);
            const std::string& text = member.value.as_text(path);
            found_(path, member.value);
            const auto same = std::find_if(value.begin(), value.end(), [&](const auto& pair) {
                return pair.first == member.key;
            });
            if (same == value.end()) {
                value.emplace_back(member.key, text);
            } else {
                same->second = text;
            }
        }
    }

    void refuse_unknown(const Section& section) const {
        if (section.node == nullptr) return;
        for (const ConfigNode::Member& member : section.node->members) {
            const auto& known = section.known;
            if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
            std::string hint = did_you_mean(member.key, known);
            // Suggest the same key in another section only if no similar key is in this one.
            for (const ConfigEntry& entry : everywhere_) {
                if (hint.empty() && entry.key == member.key)
                    hint = " (did you mean '" + entry.path + "'?)";
            }
            throw located_error(member.key_location, join_path(section.path, member.key),
                                "unknown key, expected one of " + braced_list(known) + hint);
        }
    }

    const std::vector<ConfigEntry>& everywhere_;
    std::function<void(const std::string&, const ConfigNode&)> found_;
    std::vector<Section> open_;
    std::string path_;  ///< of the visited key
};

}  // namespace

void ConfigSource::add_file(const std::string& path) {
    add_parsed(parse_yaml_file(path), path, true);
}

void ConfigSource::add_text(const std::string& text, const std::string& name) {
    add_parsed(parse_yaml(text, name), name, true);
}

void ConfigSource::add_set(const std::string& assignment) {
    ConfigPiece piece;
    piece.name = "--set " + assignment;
    piece.body = parse_assignment(assignment);
    add_piece(std::move(piece));
}

void ConfigSource::add_node(ConfigNode node) {
    ConfigPiece piece;
    piece.name = node.location.str();
    piece.body = std::move(node);
    add_piece(std::move(piece));
}

void ConfigSource::add_parsed(ConfigNode body, std::string name, bool from_user) {
    ConfigPiece piece;
    piece.name = std::move(name);
    body.expect_mapping("");
    if (const std::optional<ConfigNode> part = body.take("part")) {
        const auto& names = kConfigPartNames;
        piece.part = static_cast<ConfigPart>(part->as_choice("part", {names.begin(), names.end()}));
    }
    const std::optional<ConfigNode> mechanism = body.take("mechanism");
    if (piece.part == ConfigPart::kMechanism) {
        if (!mechanism) body.fail("mechanism", "missing, expected the name of the mechanism");
        piece.mechanism = mechanism->as_text("mechanism");
    } else if (mechanism) {
        mechanism->fail("mechanism", "goes with 'part: mechanism' only");
    }
    // Machine descriptions serve many runs, and run files list every key; their keys may be unread.
    piece.from_user = from_user && piece.part != ConfigPart::kGpu && piece.part != ConfigPart::kRun;
    piece.body = std::move(body);
    add_piece(std::move(piece));
}

void ConfigSource::add_piece(ConfigPiece piece) {
    // Pieces of one part stay in the order given; mechanisms do not depend on it.
    const auto after = std::upper_bound(
        pieces_.begin(), pieces_.end(), piece, [](const ConfigPiece& a, const ConfigPiece& b) {
            return std::tie(a.part, a.mechanism) < std::tie(b.part, b.mechanism);
        });
    pieces_.insert(after, std::move(piece));
}

const ConfigPiece* ConfigSource::only(ConfigPart part) const {
    const ConfigPiece* found = nullptr;
    for (const ConfigPiece& piece : pieces_) {
        if (piece.part != part) continue;
        if (found != nullptr) {
            throw ConfigError("got " + in_quotes(found->name) + " and " + in_quotes(piece.name) +
                              ", expected one " +
                              std::string(kConfigPartNames.at(static_cast<std::size_t>(part))) +
                              " for a run");
        }
        found = &piece;
    }
    return found;
}

void ConfigSource::read_into(const ConfigBinder& bind) {
    settings_.clear();
    values_.clear();
    const std::vector<ConfigEntry> keys = config_entries(bind);
    std::size_t number = 0;
    for (const ConfigPiece& piece : pieces_) {
        PieceReader reader(piece.body, keys, [&](const std::string& path, const ConfigNode& node) {
            // Within a piece, the later line counts as set later.
            const std::size_t order = number << 40 |
                                      static_cast<std::size_t>(node.location.line) << 16 |
                                      (node.location.column & 0xffff);
            settings_[path] = {order, node.location, piece.part, piece.from_user};
        });
        bind(reader);
        reader.finish();
        ++number;
    }
    for (const ConfigEntry& entry : config_entries(bind)) {
        if (!entry.is_section) values_[entry.path] = entry.value;
    }
}

bool ConfigSource::is_set(std::string_view path) const {
    return settings_.find(path) != settings_.end();
}

std::vector<std::string> ConfigSource::user_keys() const {
    std::vector<std::string> keys;
    for (const auto& [key, setting] : settings_) {
        if (setting.from_user) keys.push_back(key);
    }
    return keys;
}

SourceLocation ConfigSource::where(std::string_view path) const {
    const auto found = settings_.find(path);
    return found == settings_.end() ? SourceLocation{} : found->second.location;
}

void ConfigSource::fail(std::initializer_list<std::string_view> keys,
                        std::string_view expected) const {
    std::string_view blamed = *keys.begin();
    const Setting* last = nullptr;
    for (const std::string_view key : keys) {
        const auto found = settings_.find(key);
        if (found == settings_.end()) continue;
        if (last == nullptr || found->second.order > last->order) {
            last = &found->second;
            blamed = key;
        }
    }
    SourceLocation place = where(blamed);
    const bool of_workload = std::any_of(keys.begin(), keys.end(), [](std::string_view key) {
        return key.substr(0, kWorkload.size()) == kWorkload;
    });
    if (last == nullptr || (last->part == ConfigPart::kGpu && of_workload)) {
        const std::string names = what_runs();
        if (names != place.str()) place = {std::make_shared<const std::string>(names), 0, 0};
    }
    const auto value = values_.find(blamed);
    throw located_error(
        place, blamed,
        with_layer(place, "got " + (value == values_.end() ? "nothing" : in_quotes(value->second)) +
                              ", expected " + std::string(expected)));
}

void ConfigSource::fail_unused(const std::string& key, const std::string& remedy) const {
    const auto value = values_.find(key);
    const SourceLocation place = where(key);
    throw located_error(
        place, key,
        with_layer(place, "got " + (value == values_.end() ? "a value" : in_quotes(value->second)) +
                              ", which has no effect in this run: " + remedy));
}

std::string ConfigSource::what_runs() const {
    std::string names;
    ConfigPart seen = ConfigPart::kRun;
    for (const ConfigPart part : {ConfigPart::kWorkload, ConfigPart::kMechanism}) {
        for (const ConfigPiece& piece : pieces_) {
            if (piece.part != part) continue;
            if (!names.empty()) names += seen == part ? " and " : " with ";
            names += piece.name;
            seen = part;
        }
    }
    return names.empty() ? "default" : names;
}

std::string ConfigSource::with_layer(const SourceLocation& place, std::string message) const {
    for (const ConfigPiece& piece : pieces_) {
        if (piece.part != ConfigPart::kWorkload) continue;
        if (place.str().find(piece.name) != std::string::npos) continue;
        message += " (" + piece.name + ")";
    }
    return message;
}

ConfigError ConfigSource::located(const ConfigError& error) const {
    const std::string_view text = error.what();
    const std::size_t colon = text.find(": ");
    const std::string_view key = text.substr(0, colon);
    if (colon == std::string_view::npos) return error;
    if (values_.find(key) == values_.end() && !is_set(key)) return error;
    return located_error(where(key), key,
                         with_layer(where(key), std::string(text.substr(colon + 2))));
}

}  // namespace tessera
