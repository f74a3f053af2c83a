#include "sc_models/gpu/hierarchy.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <systemc>
#include <tlm>
#include <typeinfo>
#include <vector>

namespace tessera {
namespace {

using sc_core::sc_object;
using Objects = std::vector<const sc_object*>;

std::string class_of(const sc_object& object) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(typeid(object).name(), nullptr, nullptr, &status), &std::free);
    std::string text = status == 0 ? name.get() : object.kind();
    const std::string own = "tessera::";
    if (text.compare(0, own.size(), own) == 0) text.erase(0, own.size());
    return text;
}

bool is_socket(const sc_object& object) {
    return dynamic_cast<const tlm::tlm_base_socket_if*>(&object) != nullptr;
}
bool is_module(const sc_object& object) {
    return dynamic_cast<const sc_core::sc_module*>(&object) != nullptr;
}

/// What an object is: the class of a module, or the role of another object.
std::string kind_of(const sc_object& object) {
    if (is_module(object)) return class_of(object);
    const bool is_port = dynamic_cast<const sc_core::sc_port_base*>(&object) != nullptr;
    const bool is_export = dynamic_cast<const sc_core::sc_export_base*>(&object) != nullptr;
    if (is_socket(object)) return is_port ? "initiator socket" : "target socket";
    if (is_port) return "port";
    if (is_export) return "export";
    const std::string kind = object.kind();
    return kind.find("process") != std::string::npos ? "process" : kind;
}

/// Name without the number at its end.
std::string stem_of(const sc_object& object) {
    const std::string name = object.basename();
    return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

/// The tree and its bindings.
class Tree {
public:
    explicit Tree(HierarchyExtent extent) : extent_(extent) {
        visit(top_level(), [this](const sc_object& object) { note_interface(object); });
        visit(top_level(), [this](const sc_object& object) { note_binding(object); });
    }

    std::string text() {
        add(top_level(), 0);
        return std::move(text_);
    }

private:
    static Objects top_level() {
        const auto& objects = sc_core::sc_get_top_level_objects();
        return {objects.begin(), objects.end()};
    }
    /// The children of `object`, without the port or export that is part of a socket.
    static Objects children_of(const sc_object& object) {
        const auto& all = object.get_child_objects();
        Objects shown;
        for (const sc_object* child : all) {
            if (!is_part_of_socket(*child, all)) shown.push_back(child);
        }
        return shown;
    }
    static bool is_part_of_socket(const sc_object& object,
                                  const std::vector<sc_object*>& siblings) {
        const std::string kind = kind_of(object);
        if (kind != "port" && kind != "export") return false;
        return std::any_of(siblings.begin(), siblings.end(), [&](const sc_object* sibling) {
            const std::string part = std::string(sibling->basename()) + "_" + kind + "_";
            return is_socket(*sibling) &&
                   part.compare(0, part.size(), object.basename(), 0, part.size()) == 0;
        });
    }
    template <class Action>
    static void visit(const Objects& objects, const Action& action) {
        for (const sc_object* object : objects) {
            action(*object);
            visit(children_of(*object), action);
        }
    }

    void note_interface(const sc_object& object) {
        const auto* const exported = dynamic_cast<const sc_core::sc_export_base*>(&object);
        if (exported != nullptr) owners_[exported->get_interface()] = &object;
    }
    void note_binding(const sc_object& object) {
        const auto* const port = dynamic_cast<const sc_core::sc_port_base*>(&object);
        if (port == nullptr) return;
        const auto owner = owners_.find(port->get_interface());
        if (owner == owners_.end()) return;
        bound_[&object] = owner->second;
        callers_[owner->second].push_back(&object);
    }

    /// What the object is bound to.
    std::string binding_of(const sc_object& object) const {
        if (const auto* port = dynamic_cast<const sc_core::sc_port_base*>(&object)) {
            const auto bound = bound_.find(&object);
            if (bound != bound_.end()) return fmt::format(" -> {}", bound->second->name());
            return port->get_interface() == nullptr ? " -> not bound" : " -> no object";
        }
        const auto callers = callers_.find(&object);
        if (callers != callers_.end()) {
            const std::size_t more = callers->second.size() - 1;
            return fmt::format(" <- {}{}", callers->second.front()->name(),
                               more == 0 ? "" : fmt::format(" and {} more", more));
        }
        const bool is_export = dynamic_cast<const sc_core::sc_export_base*>(&object) != nullptr;
        return is_export ? " <- not bound" : "";
    }

    /// Text that siblings share if they differ only in their number.
    static std::string structure_of(const sc_object& object) {
        std::string text = stem_of(object) + ":" + kind_of(object);
        for (const sc_object* child : children_of(object)) {
            text += fmt::format("({}={})", child->basename(), structure_of(*child));
        }
        return text;
    }

    /// The siblings in groups, in order of the first of each.
    std::vector<Objects> groups_of(const Objects& siblings) const {
        std::vector<Objects> groups;
        std::map<std::string, std::size_t> places;
        for (const sc_object* object : siblings) {
            const std::string key = extent_ == HierarchyExtent::kAll ? std::string(object->name())
                                                                     : structure_of(*object);
            const auto [place, is_new] = places.try_emplace(key, groups.size());
            if (is_new) groups.emplace_back();
            groups[place->second].push_back(object);
        }
        return groups;
    }

    void add(const Objects& siblings, std::size_t depth) {
        for (const Objects& group : groups_of(siblings)) {
            const sc_object& first = *group.front();
            std::string name = first.basename();
            if (group.size() > 1) {
                name += fmt::format("..{} ({} of these)", group.back()->basename(), group.size());
            }
            text_ += fmt::format("{:{}}{}  {}{}\n", "", 2 * depth, name, kind_of(first),
                                 binding_of(first));
            add(children_of(first), depth + 1);
        }
    }

    const HierarchyExtent extent_;
    std::map<const sc_core::sc_interface*, const sc_object*> owners_;  ///< exports and sockets
    std::map<const sc_object*, const sc_object*> bound_;  ///< by port or initiator socket
    std::map<const sc_object*, Objects> callers_;         ///< by export or target socket
    std::string text_;
};

}  // namespace

std::string hierarchy_text(HierarchyExtent extent) {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    return Tree(extent).text();
}

}  // namespace tessera
