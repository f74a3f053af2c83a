// Configuration value with optional tracking of reads.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tessera {

/// Use of a key in a run.
enum class ParameterUse : std::uint8_t {
    kNone,      ///< never read
    kPossible,  ///< kept by a block that reads it on certain events only
    kRead
};

/// Atomic record of a use, because threads of one run read the same parameters.
using ParameterUseRecord = std::atomic<ParameterUse>;

/// Base of all parameters: the optional record of their use.
class ParameterBase {
public:
    /// Records uses, also those of later copies, in `*use`, which must outlive them. Null disables
    /// tracking.
    void track(ParameterUseRecord* use) { use_ = use; }
    /// Marks the parameter as read, for a block that keeps it and reads it during simulation.
    constexpr void mark_used() const {
        if (use_ != nullptr) use_->store(ParameterUse::kRead, std::memory_order_relaxed);
    }
    /// Marks the parameter as possibly read, for a block that keeps it and may read it: a rate of
    /// one kind of instruction.
    void mark_possibly_used() const {
        ParameterUse none = ParameterUse::kNone;
        if (use_ != nullptr) use_->compare_exchange_strong(none, ParameterUse::kPossible);
    }

private:
    ParameterUseRecord* use_ = nullptr;
};

/// A value of a configuration struct, usable like a plain T. Tracked reads let a run refuse keys
/// that a user set and nothing reads. Assignment does not affect tracking.
template <class T>
class Parameter : public ParameterBase {
    template <class Value>
    using IfOfT = std::enable_if_t<std::is_convertible_v<Value&&, T> &&
                                   !std::is_base_of_v<ParameterBase, std::decay_t<Value>>>;

public:
    constexpr Parameter() = default;
    /// Implicit conversion from any value that converts to T.
    template <class Value, class = IfOfT<Value>>
    constexpr Parameter(Value&& value) : value_(static_cast<T>(std::forward<Value>(value))) {}
    template <class Value, class = IfOfT<Value>>
    Parameter& operator=(Value&& value) {
        value_ = static_cast<T>(std::forward<Value>(value));
        return *this;
    }

    constexpr operator const T&() const { return get(); }  // NOLINT(google-explicit-constructor)
    [[nodiscard]] constexpr const T& get() const {
        mark_used();
        return value_;
    }
    Parameter& operator++() { return *this += 1; }
    Parameter& operator--() { return *this -= 1; }
    Parameter& operator+=(const T& more) {
        value_ += more;
        return *this;
    }
    Parameter& operator-=(const T& less) {
        value_ -= less;
        return *this;
    }

    constexpr const T* operator->() const { return &get(); }

    /// The value without marking it as read, for code that prints or sets it.
    [[nodiscard]] const T& untracked_value() const { return value_; }

private:
    T value_{};
};

/// For strings only; other types compare as their values.
template <class Text, class = std::enable_if_t<std::is_same_v<Text, std::string>>>
bool operator==(const Parameter<Text>& a, std::string_view b) {
    return a.get() == b;
}
template <class Text, class = std::enable_if_t<std::is_same_v<Text, std::string>>>
std::ostream& operator<<(std::ostream& out, const Parameter<Text>& text) {
    return out << text.get();
}

/// Uses of a tracked configuration by key.
class ReadLog {
public:
    /// Record of `key`, initially kNone.
    [[nodiscard]] ParameterUseRecord* record(const std::string& key) {
        return &uses_.try_emplace(key, ParameterUse::kNone).first->second;
    }
    /// Returns kRead for untracked keys.
    [[nodiscard]] ParameterUse use(const std::string& key) const {
        const auto found = uses_.find(key);
        return found == uses_.end() ? ParameterUse::kRead : found->second.load();
    }

private:
    std::map<std::string, ParameterUseRecord> uses_;  // map nodes have stable addresses
};

}  // namespace tessera
