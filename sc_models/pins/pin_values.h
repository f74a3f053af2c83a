// Conversion between the values of pins and plain integers and arrays.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <systemc>
#include <type_traits>

namespace tessera::pins {

/// Reference to `width` bits of a word, from bit `lsb` on.
template <class Word>
struct BitField {
    Word& word;
    std::uint32_t lsb, width;

    [[nodiscard]] std::uint64_t get() const { return word >> lsb & mask(); }
    void set(std::uint64_t value) { word = (word & ~(mask() << lsb)) | (value & mask()) << lsb; }

private:
    [[nodiscard]] std::uint64_t mask() const {
        return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    }
};

/// Reference to a 64-bit value in two words of 32 bits.
template <class Word>
struct WordPair {
    Word& low;
    Word& high;

    [[nodiscard]] std::uint64_t get() const { return low | std::uint64_t{high} << 32U; }
    void set(std::uint64_t value) {
        low = static_cast<std::uint32_t>(value);
        high = static_cast<std::uint32_t>(value >> 32U);
    }
};

// A pin is a bool, an sc_uint up to 64 bits, or an sc_bv.

inline std::uint64_t integer_of(bool pin) {
    return pin ? 1 : 0;
}
template <int kWidth>
std::uint64_t integer_of(const sc_dt::sc_uint<kWidth>& pin) {
    return pin.to_uint64();
}
inline void assign(bool& pin, std::uint64_t value) {
    pin = value != 0;
}
template <int kWidth>
void assign(sc_dt::sc_uint<kWidth>& pin, std::uint64_t value) {
    pin = value;
}

inline constexpr std::uint32_t kPinWordBits = 32;

/// A pin's bits in words of 32 bits, with a word of zeros behind them.
template <int kWidth>
using PinWords = std::array<std::uint32_t, (kWidth + kPinWordBits - 1) / kPinWordBits + 1>;

template <int kWidth>
void read_words(const sc_dt::sc_uint<kWidth>& pin, PinWords<kWidth>& words) {
    const std::uint64_t value = pin.to_uint64();
    words[0] = static_cast<std::uint32_t>(value);
    if constexpr (kWidth > kPinWordBits) words[1] = static_cast<std::uint32_t>(value >> 32U);
}
template <int kWidth>
void read_words(const sc_dt::sc_bv<kWidth>& pin, PinWords<kWidth>& words) {
    for (int i = 0; i + 1 < static_cast<int>(words.size()); ++i) words[i] = pin.get_word(i);
}
template <int kWidth>
void write_words(sc_dt::sc_uint<kWidth>& pin, const PinWords<kWidth>& words) {
    pin = words[0] | std::uint64_t{kWidth > kPinWordBits ? words[1] : 0} << 32U;
}
template <int kWidth>
void write_words(sc_dt::sc_bv<kWidth>& pin, const PinWords<kWidth>& words) {
    for (int i = 0; i + 1 < static_cast<int>(words.size()); ++i) pin.set_word(i, words[i]);
}

template <class Pin>
struct PinWidth;
template <int kWidth>
struct PinWidth<sc_dt::sc_uint<kWidth>> : std::integral_constant<int, kWidth> {};
template <int kWidth>
struct PinWidth<sc_dt::sc_bv<kWidth>> : std::integral_constant<int, kWidth> {};

/// Returns the hexadecimal digits of a pin, for reports.
inline std::string text_of(bool pin) {
    return pin ? "1" : "0";
}
template <class Pin>
std::string text_of(const Pin& pin) {
    return pin.to_string(sc_dt::SC_HEX);
}

/// Reads a pin of one value.
template <class Pin, class Value>
void read_pin(const Pin& pin, Value& value) {
    value = static_cast<Value>(integer_of(pin));
}
template <class Pin, class Word>
void read_pin(const Pin& pin, BitField<Word>& value) {
    value.set(integer_of(pin));
}
template <class Pin, class Word>
void read_pin(const Pin& pin, WordPair<Word>& value) {
    value.set(integer_of(pin));
}
/// Reads a pin of `kCount` fields of equal width, field 0 in the lowest bits.
template <class Pin, class Value, std::size_t kCount>
void read_pin(const Pin& pin, std::array<Value, kCount>& values) {
    constexpr int kWidth = PinWidth<Pin>::value;
    constexpr std::uint32_t kField = kWidth / kCount;
    static_assert(kField * kCount == kWidth && kField <= kPinWordBits);
    PinWords<kWidth> words{};
    read_words(pin, words);
    for (std::uint32_t n = 0; n < kCount; ++n) {
        const std::uint32_t bit = n * kField;
        const std::uint64_t two = words[bit / kPinWordBits] |
                                  std::uint64_t{words[bit / kPinWordBits + 1]} << kPinWordBits;
        values[n] =
            static_cast<Value>(two >> bit % kPinWordBits & ((std::uint64_t{1} << kField) - 1));
    }
}

/// Writes a pin of one value.
template <class Pin, class Value>
void write_pin(Pin& pin, const Value& value) {
    assign(pin, static_cast<std::uint64_t>(value));
}
template <class Pin, class Word>
void write_pin(Pin& pin, const BitField<Word>& value) {
    assign(pin, value.get());
}
template <class Pin, class Word>
void write_pin(Pin& pin, const WordPair<Word>& value) {
    assign(pin, value.get());
}
/// Writes a pin of `kCount` fields of equal width, field 0 in the lowest bits.
template <class Pin, class Value, std::size_t kCount>
void write_pin(Pin& pin, const std::array<Value, kCount>& values) {
    constexpr int kWidth = PinWidth<Pin>::value;
    constexpr std::uint32_t kField = kWidth / kCount;
    static_assert(kField * kCount == kWidth && kField <= kPinWordBits);
    PinWords<kWidth> words{};
    for (std::uint32_t n = 0; n < kCount; ++n) {
        const std::uint32_t bit = n * kField;
        const std::uint64_t placed =
            (static_cast<std::uint64_t>(values[n]) & ((std::uint64_t{1} << kField) - 1))
            << bit % kPinWordBits;
        words[bit / kPinWordBits] |= static_cast<std::uint32_t>(placed);
        words[bit / kPinWordBits + 1] |= static_cast<std::uint32_t>(placed >> kPinWordBits);
    }
    write_words(pin, words);
}

}  // namespace tessera::pins
