// Configuration value that records whether a run used it.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

namespace tessera {

/// Atomic record of a use, because threads of one run read the same parameters.
using UseRecord = std::atomic<bool>;

/// Base of all recorded parameters: the optional record of their use.
class RecordedParameterBase {
public:
    /// Records uses, also those of later copies, in `*use`, which must outlive them. Null: no
    /// record.
    void record_in(UseRecord* use) { use_ = use; }

protected:
    constexpr void mark_used() const {
        if (use_ != nullptr) use_->store(true, std::memory_order_relaxed);
    }

private:
    UseRecord* use_ = nullptr;
};

/// A timing that acts only if a warp issues such an instruction, usable like a plain T: each read
/// of the value is recorded, so that a run can refuse a timing that the user set and no instruction
/// took. Assignment keeps the record.
template <class T>
class RecordedParameter : public RecordedParameterBase {
    template <class Value>
    using IfOfT = std::enable_if_t<std::is_convertible_v<Value&&, T> &&
                                   !std::is_base_of_v<RecordedParameterBase, std::decay_t<Value>>>;

public:
    constexpr RecordedParameter() = default;
    /// Implicit conversion from any value that converts to T.
    template <class Value, class = IfOfT<Value>>
    constexpr RecordedParameter(Value&& value)
        : value_(static_cast<T>(std::forward<Value>(value))) {}
    template <class Value, class = IfOfT<Value>>
    RecordedParameter& operator=(Value&& value) {
        value_ = static_cast<T>(std::forward<Value>(value));
        return *this;
    }

    constexpr operator const T&() const {  // NOLINT(google-explicit-constructor)
        mark_used();
        return value_;
    }

    /// The value without a record, for code that prints or sets it.
    [[nodiscard]] const T& unrecorded() const { return value_; }

private:
    T value_{};
};

/// Uses of the recorded parameters of a configuration by key.
class UseLog {
public:
    /// Record of `key`, initially false.
    [[nodiscard]] UseRecord* record(const std::string& key) {
        return &uses_.try_emplace(key, false).first->second;
    }
    /// Returns true for keys without a record.
    [[nodiscard]] bool used(const std::string& key) const {
        const auto found = uses_.find(key);
        return found == uses_.end() || found->second.load();
    }

private:
    std::map<std::string, UseRecord> uses_;  // map nodes have stable addresses
};

}  // namespace tessera
