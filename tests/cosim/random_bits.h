// Random numbers of the stimuli at pins.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

namespace tessera::test {

// A stimulus has next(in, out), which chooses the inputs that follow a cycle with `in` and `out`:
// an offered input stays until it is taken. reset(in) gives the inputs of a cycle in reset.

class RandomBits {
public:
    explicit RandomBits(std::uint32_t seed) : rng_(seed) {}
    [[nodiscard]] std::uint64_t bits() { return rng_(); }
    [[nodiscard]] std::uint32_t below(std::uint32_t end) {
        return static_cast<std::uint32_t>(rng_() % end);
    }
    [[nodiscard]] bool one_in(std::uint32_t n) { return below(n) == 0; }
    template <class Word, std::size_t kCount>
    void fill(std::array<Word, kCount>& words) {
        for (Word& word : words) word = static_cast<Word>(rng_());
    }
    std::mt19937_64& engine() { return rng_; }

private:
    std::mt19937_64 rng_;
};

}  // namespace tessera::test
