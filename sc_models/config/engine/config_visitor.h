// Visitor of configuration keys: one description of a struct serves to read, check, print, list and
// hash it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sc_models/config/engine/key_condition.h"
#include "sc_models/config/engine/recorded_parameter.h"

namespace tessera {

/// Visits every key of a configuration struct in order. Each struct has `void
/// bind(ConfigVisitor&)`, its only description: key, reference to the value, allowed values, and
/// one sentence of help. The unit is part of the key (`_cycles`, `_bytes`, `_mhz`, `_entries`,
/// ...). Defaults are the struct's values at the start of the visit.
class ConfigVisitor {
public:
    virtual ~ConfigVisitor() = default;

    /// Visits a nested mapping; keys visited by `body` are under `key`.
    template <class Body>
    void section(std::string_view key, std::string_view help, Body&& body) {
        begin_section(key, help);
        std::forward<Body>(body)();
        end_section();
    }

    /// Declares that the next key, or every key of the next section, acts only if `condition`
    /// holds. Several conditions before a key must all hold.
    ConfigVisitor& acts_if(const KeyCondition& condition) {
        visit_condition(condition);
        return *this;
    }

    /// Visits an unsigned number within [min, max].
    template <class Integer>
    void integer(std::string_view key, Integer& value, std::uint64_t min, std::uint64_t max,
                 std::string_view help) {
        std::uint64_t wide = value;
        visit_integer(key, wide, min, max, help);
        value = static_cast<Integer>(wide);
    }

    // Overloads for recorded parameters, which call visit_recorded() first.
    template <class Integer>
    void integer(std::string_view key, RecordedParameter<Integer>& parameter, std::uint64_t min,
                 std::uint64_t max, std::string_view help) {
        visit(key, parameter, [&](Integer& value) { integer(key, value, min, max, help); });
    }
    void real(std::string_view key, RecordedParameter<double>& parameter, double min, double max,
              std::string_view help) {
        visit(key, parameter, [&](double& value) { real(key, value, min, max, help); });
    }
    void real_or(std::string_view key, RecordedParameter<double>& parameter, double min, double max,
                 std::string_view word, double stand_for, std::string_view help) {
        visit(key, parameter,
              [&](double& value) { visit_real_or(key, value, min, max, word, stand_for, help); });
    }

    /// Visits a real number within [min, max].
    void real(std::string_view key, double& value, double min, double max, std::string_view help) {
        visit_real(key, value, min, max, help);
    }

    /// Visits a boolean: on/off (also true/false).
    void boolean(std::string_view key, bool& value, std::string_view help) {
        visit_boolean(key, value, help);
    }

    /// Visits a value of a set of names.
    template <class Enum, class = std::enable_if_t<std::is_enum_v<Enum>>>
    void choice(std::string_view key, Enum& value,
                std::initializer_list<std::pair<std::string_view, Enum>> names,
                std::string_view help) {
        std::vector<std::string_view> labels;
        std::size_t index = 0;
        for (const auto& [name, option] : names) {
            if (option == value) index = labels.size();
            labels.push_back(name);
        }
        visit_choice(key, index, labels, help);
        value = std::next(names.begin(), static_cast<std::ptrdiff_t>(index))->second;
    }

    /// Visits an unsigned number within [min, max], or `word` (read and printed for `stand_for`).
    template <class Integer>
    void integer_or(std::string_view key, Integer& value, std::uint64_t min, std::uint64_t max,
                    std::string_view word, std::uint64_t stand_for, std::string_view help) {
        std::uint64_t wide = value;
        visit_integer_or(key, wide, min, max, word, stand_for, help);
        value = static_cast<Integer>(wide);
    }

    /// Visits free text.
    void text(std::string_view key, std::string& value, std::string_view help) {
        visit_text(key, value, help);
    }

    /// Visits a mapping from free names to free text (log levels by module, for instance).
    void text_map(std::string_view key, std::vector<std::pair<std::string, std::string>>& value,
                  std::string_view help) {
        visit_text_map(key, value, help);
    }

protected:
    /// Called before each key that is a recorded parameter.
    virtual void visit_recorded(std::string_view /*key*/, RecordedParameterBase& /*parameter*/) {}
    virtual void begin_section(std::string_view key, std::string_view help) = 0;
    virtual void end_section() = 0;
    virtual void visit_condition(const KeyCondition& /*condition*/) {}
    virtual void visit_integer(std::string_view key, std::uint64_t& value, std::uint64_t min,
                               std::uint64_t max, std::string_view help) = 0;
    virtual void visit_integer_or(std::string_view key, std::uint64_t& value, std::uint64_t min,
                                  std::uint64_t max, std::string_view word, std::uint64_t stand_for,
                                  std::string_view help) = 0;
    virtual void visit_real(std::string_view key, double& value, double min, double max,
                            std::string_view help) = 0;
    /// A real number within [min, max], or `word` (read and printed for `stand_for`).
    virtual void visit_real_or(std::string_view key, double& value, double min, double max,
                               std::string_view word, double stand_for, std::string_view help) = 0;
    virtual void visit_boolean(std::string_view key, bool& value, std::string_view help) = 0;
    virtual void visit_choice(std::string_view key, std::size_t& index,
                              const std::vector<std::string_view>& labels,
                              std::string_view help) = 0;
    virtual void visit_text(std::string_view key, std::string& value, std::string_view help) = 0;
    virtual void visit_text_map(std::string_view key,
                                std::vector<std::pair<std::string, std::string>>& value,
                                std::string_view help) = 0;

private:
    template <class T, class Visit>
    void visit(std::string_view key, RecordedParameter<T>& parameter, const Visit& visit_value) {
        visit_recorded(key, parameter);
        T value = parameter.unrecorded();
        visit_value(value);
        parameter = std::move(value);
    }
};

}  // namespace tessera
