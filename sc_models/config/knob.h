// A configuration value that knows whether anything asked for it.
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

/// What became of a key in a run.
enum class KnobUse : std::uint8_t {
    kNone,      ///< nothing looked at it
    kPossible,  ///< a block that stands in the machine reads it when something happens
    kRead
};

/// The note of a use. Threads that simulate one run read the same knobs.
using KnobNote = std::atomic<KnobUse>;

/// What all knobs have in common: the note of their use, if somebody wants to know.
class KnobBase {
public:
    /// From now on uses, also of copies made later, are written to `*use`, which must outlive them.
    /// Null: nobody wants to know.
    void track(KnobNote* use) { use_ = use; }
    /// By a block that keeps the knob and reads it while the machine runs.
    constexpr void note_read() const {
        if (use_ != nullptr) use_->store(KnobUse::kRead, std::memory_order_relaxed);
    }
    /// By a block that keeps the knob and may come to read it: a rate of one kind of instruction.
    void note_possible() const {
        KnobUse none = KnobUse::kNone;
        if (use_ != nullptr) use_->compare_exchange_strong(none, KnobUse::kPossible);
    }

private:
    KnobNote* use_ = nullptr;
};

/// A value of a configuration struct: used like a plain T. Reads are noted once it is tracked, so
/// that a run can refuse keys that a user set and nothing reads. Setting it does not change that.
template <class T>
class Knob : public KnobBase {
    template <class Value>
    using IfOfT = std::enable_if_t<std::is_convertible_v<Value&&, T> &&
                                   !std::is_base_of_v<KnobBase, std::decay_t<Value>>>;

public:
    constexpr Knob() = default;
    /// From whatever a T is made of, implicitly.
    template <class Value, class = IfOfT<Value>>
    constexpr Knob(Value&& value) : value_(static_cast<T>(std::forward<Value>(value))) {}
    template <class Value, class = IfOfT<Value>>
    Knob& operator=(Value&& value) {
        value_ = static_cast<T>(std::forward<Value>(value));
        return *this;
    }

    constexpr operator const T&() const { return get(); }  // NOLINT(google-explicit-constructor)
    [[nodiscard]] constexpr const T& get() const {
        note_read();
        return value_;
    }
    Knob& operator++() { return *this += 1; }
    Knob& operator--() { return *this -= 1; }
    Knob& operator+=(const T& more) {
        value_ += more;
        return *this;
    }
    Knob& operator-=(const T& less) {
        value_ -= less;
        return *this;
    }

    constexpr const T* operator->() const { return &get(); }

    /// The value for those who print or set it, which is no use of it.
    [[nodiscard]] const T& peek() const { return value_; }

private:
    T value_{};
};

/// Of text only; numbers and names compare as the values they are.
template <class Text, class = std::enable_if_t<std::is_same_v<Text, std::string>>>
bool operator==(const Knob<Text>& a, std::string_view b) {
    return a.get() == b;
}
template <class Text, class = std::enable_if_t<std::is_same_v<Text, std::string>>>
std::ostream& operator<<(std::ostream& out, const Knob<Text>& text) {
    return out << text.get();
}

/// Uses of a configuration by key, while it is watched.
class ReadLog {
public:
    /// The note of `key`, which begins with kNone.
    [[nodiscard]] KnobNote* note(const std::string& key) {
        return &uses_.try_emplace(key, KnobUse::kNone).first->second;
    }
    /// kRead for keys that are not watched.
    [[nodiscard]] KnobUse use(const std::string& key) const {
        const auto found = uses_.find(key);
        return found == uses_.end() ? KnobUse::kRead : found->second.load();
    }

private:
    std::map<std::string, KnobNote> uses_;  // whose places stay
};

}  // namespace tessera
