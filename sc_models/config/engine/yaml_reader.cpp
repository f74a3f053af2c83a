#include "sc_models/config/engine/yaml_reader.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sc_models/common/input_file.h"
#include "sc_models/common/utf8.h"

namespace tessera {

namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxNodes = 20'000;
constexpr std::size_t kMaxFileBytes = 1 << 20;

/// Builds nodes from the parser's events.
class NodeBuilder final : public YAML::EventHandler {
public:
    explicit NodeBuilder(std::shared_ptr<const std::string> source) : source_(std::move(source)) {}

    [[nodiscard]] ConfigNode take_root() { return std::move(root_); }

    /// The list or mapping being read, if any.
    [[nodiscard]] const ConfigNode* innermost_open() const {
        return stack_.empty() ? nullptr : &stack_.back().node;
    }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        finish(leaf(mark, ConfigNode::Kind::kNothing), anchor);
    }
    void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  const std::string& value) override {
        ConfigNode node = leaf(mark, ConfigNode::Kind::kScalar);
        if (utf8_prefix_bytes(value) != value.size()) {  // from escape sequences; the file's bytes
                                                         // were checked before
            node.fail("", "malformed YAML: text that is not UTF-8");
        }
        node.scalar = value;
        finish(std::move(node), anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) {
            throw located_error(place(mark), "", "malformed YAML: an alias inside its own anchor");
        }
        count(found->second.second, mark);
        finish(ConfigNode(found->second.first), YAML::NullAnchor);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(leaf(mark, ConfigNode::Kind::kList), anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(leaf(mark, ConfigNode::Kind::kMapping), anchor);
    }
    void OnMapEnd() override { close(); }

private:
    /// A list or mapping that has not ended.
    struct Open {
        ConfigNode node;
        YAML::anchor_t anchor = YAML::NullAnchor;
        std::size_t nodes_before = 0;
        bool has_key = false;
        std::string key;
        SourceLocation key_location;
        std::vector<ConfigNode> merged;  ///< values of `<<`
    };

    [[nodiscard]] SourceLocation place(const YAML::Mark& mark) const {
        return {source_, static_cast<std::uint32_t>(mark.line + 1),
                static_cast<std::uint32_t>(mark.column + 1)};
    }
    ConfigNode leaf(const YAML::Mark& mark, ConfigNode::Kind kind) {
        count(1, mark);
        ConfigNode node;
        node.kind = kind;
        node.location = place(mark);
        return node;
    }
    /// Limits the number of nodes: aliases of aliases grow exponentially.
    void count(std::size_t nodes, const YAML::Mark& mark) {
        nodes_ += nodes;
        if (nodes_ > kMaxNodes) {
            throw located_error(
                place(mark), "",
                "malformed YAML: more than " + std::to_string(kMaxNodes) + " values");
        }
    }
    void open(ConfigNode node, YAML::anchor_t anchor) {
        if (stack_.size() >= kMaxDepth) {
            node.fail("", "malformed YAML: nested more than " + std::to_string(kMaxDepth) +
                              " levels deep");
        }
        Open next;
        next.node = std::move(node);
        next.anchor = anchor;
        next.nodes_before = nodes_ - 1;
        stack_.push_back(std::move(next));
    }
    void close() {
        Open done = std::move(stack_.back());
        stack_.pop_back();
        for (const ConfigNode& merged : done.merged) merge_into(done.node, merged);
        if (done.anchor != YAML::NullAnchor) {
            anchors_[done.anchor] = {done.node, nodes_ - done.nodes_before};
        }
        attach(std::move(done.node));
    }
    void finish(ConfigNode node, YAML::anchor_t anchor) {
        if (anchor != YAML::NullAnchor) anchors_[anchor] = {node, 1};
        attach(std::move(node));
    }
    void attach(ConfigNode node) {
        if (stack_.empty()) {
            root_ = std::move(node);
            return;
        }
        Open& parent = stack_.back();
        if (parent.node.kind == ConfigNode::Kind::kList) {
            parent.node.items.push_back(std::move(node));
        } else if (!parent.has_key) {
            take_key(parent, std::move(node));
        } else {
            parent.has_key = false;
            // The parser locates a missing value where it detects it, lines later.
            if (node.kind == ConfigNode::Kind::kNothing) node.location = parent.key_location;
            if (parent.key == "<<") {
                parent.merged.push_back(std::move(node));
            } else {
                parent.node.add(std::move(parent.key), parent.key_location, std::move(node));
            }
        }
    }
    static void take_key(Open& parent, ConfigNode key) {
        if (key.kind != ConfigNode::Kind::kScalar) {
            key.fail("", "malformed YAML: a key must be plain text");
        }
        if (parent.node.find(key.scalar) != nullptr ||
            (key.scalar == "<<" && !parent.merged.empty())) {
            key.fail("", "key " + in_quotes(key.scalar) + " occurs twice in one mapping");
        }
        parent.has_key = true;
        parent.key = std::move(key.scalar);
        parent.key_location = key.location;
    }
    /// Applies a YAML merge key: keys of the mapping override those of `merged`; in a list, earlier
    /// mappings override later ones.
    static void merge_into(ConfigNode& node, const ConfigNode& merged) {
        if (merged.kind == ConfigNode::Kind::kList) {
            for (const ConfigNode& item : merged.items) merge_into(node, item);
            return;
        }
        if (merged.kind != ConfigNode::Kind::kMapping) merged.fail_expected("<<", "a mapping");
        for (const ConfigNode::Member& member : merged.members) {
            if (node.find(member.key) == nullptr) node.members.push_back(member);
        }
    }

    std::shared_ptr<const std::string> source_;
    ConfigNode root_;
    std::vector<Open> stack_;
    /// Completed nodes by anchor, with their number of nodes.
    std::unordered_map<YAML::anchor_t, std::pair<ConfigNode, std::size_t>> anchors_;
    std::size_t nodes_ = 0;
};

/// Refuses other encodings: the parser would also accept UTF-16 and UTF-32, and interprets NUL
/// bytes.
void check_characters(const std::string& text, const SourceLocation& whole, bool has_lines) {
    const std::size_t bad = std::min(utf8_prefix_bytes(text), text.find('\0'));
    if (bad >= text.size()) return;
    SourceLocation place = whole;
    if (has_lines) {
        const std::string_view before = std::string_view(text).substr(0, bad);
        const std::size_t line_start = before.rfind('\n') + 1;
        place.line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
        place.column = static_cast<std::uint32_t>(bad - line_start + 1);
    }
    const bool nul = text[bad] == '\0';
    throw located_error(place, "",
                        nul ? "malformed YAML: a NUL byte, expected text in UTF-8"
                            : "malformed YAML: text that is not UTF-8");
}

ConfigNode parse(const std::string& text, const std::shared_ptr<const std::string>& source,
                 bool has_lines) {
    NodeBuilder builder(source);
    SourceLocation whole{source, 0, 0};
    check_characters(text, whole, has_lines);
    try {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        parser.HandleNextDocument(builder);
        ConfigNode root = builder.take_root();
        if (root.location.source == nullptr) root.location = whole;
        NodeBuilder second(source);
        if (parser.HandleNextDocument(second)) {
            throw located_error(whole, "", "malformed YAML: more than one document");
        }
        return root;
    } catch (const YAML::Exception& error) {
        SourceLocation place = whole;
        const bool has_mark = error.mark.line > 0 || error.mark.column > 0;
        if (has_lines && has_mark) {
            place.line = static_cast<std::uint32_t>(error.mark.line + 1);
            place.column = static_cast<std::uint32_t>(error.mark.column + 1);
        } else if (has_lines && builder.innermost_open() != nullptr) {
            // An unexpected end of text has no mark; use the start of the innermost open node
            // instead.
            place = builder.innermost_open()->location;
        }
        throw located_error(place, "", "malformed YAML: " + error.msg);
    }
}

/// Removes the lines of command-line values, which have no useful lines.
void forget_lines(ConfigNode& node) {
    node.location.line = 0;
    for (ConfigNode& item : node.items) forget_lines(item);
    for (ConfigNode::Member& member : node.members) {
        member.key_location.line = 0;
        forget_lines(member.value);
    }
}

}  // namespace

ConfigNode parse_yaml(const std::string& text, const std::string& source) {
    return parse(text, std::make_shared<const std::string>(source), true);
}

ConfigNode parse_yaml_file(const std::string& path) {
    const SourceLocation whole{std::make_shared<const std::string>(path), 0, 0};
    std::string text(kMaxFileBytes + 1, '\0');
    try {
        InputFile file(path);
        std::size_t size = 0;
        while (const std::size_t got = file.read(text.data() + size, text.size() - size)) {
            size += got;
        }
        text.resize(size);
    } catch (const ConfigError& error) {
        throw located_error(whole, "", std::string("cannot read: ") + error.what());
    }
    if (text.size() > kMaxFileBytes) {
        throw located_error(whole, "", "cannot read: larger than 1 MiB, which no configuration is");
    }
    return parse(text, whole.source, true);
}

ConfigNode parse_assignment(const std::string& assignment) {
    const auto source = std::make_shared<const std::string>("--set " + assignment);
    const std::size_t equals = assignment.find('=');
    const std::string key = assignment.substr(0, equals);
    const SourceLocation whole{source, 0, 0};
    if (equals == std::string::npos) {
        throw located_error(whole, "", "got no '=', expected key.path=value");
    }
    const bool empty_part = key.empty() || key.front() == '.' || key.back() == '.' ||
                            key.find("..") != std::string::npos;
    const auto dots = static_cast<std::size_t>(std::count(key.begin(), key.end(), '.'));
    if (empty_part || dots >= kMaxDepth) {
        throw located_error(whole, "", "got key " + in_quotes(key) + ", expected key.path=value");
    }
    ConfigNode value = parse(assignment.substr(equals + 1), source, false);
    forget_lines(value);
    return nested_under(key, std::move(value));
}

}  // namespace tessera
