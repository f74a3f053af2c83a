// A prefetcher with the expectations of a test.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "sc_models/memory/core/prefetcher.h"

namespace tessera::test {

/// Calls a function for each read.
class PrefetchBy : public Prefetcher {
public:
    using Expect =
        std::function<void(std::uint32_t stream, Address address, std::vector<Address>& expected)>;
    explicit PrefetchBy(Expect expect) : expect_(std::move(expect)) {}

    void on_read(std::uint32_t stream, Address address, std::vector<Address>& expected) override {
        expect_(stream, address, expected);
    }

    /// Prefetches the address `distance` behind each read.
    [[nodiscard]] static std::unique_ptr<Prefetcher> distance(Address distance) {
        return std::make_unique<PrefetchBy>(
            [distance](std::uint32_t /*stream*/, Address address, std::vector<Address>& expected) {
                expected.push_back(address + distance);
            });
    }
    /// Up to three addresses below `end`, or one that there is not.
    [[nodiscard]] static std::unique_ptr<Prefetcher> chance(std::uint32_t seed, Address end) {
        return std::make_unique<PrefetchBy>(
            [random = std::mt19937_64(seed), end](std::uint32_t /*stream*/, Address /*address*/,
                                                  std::vector<Address>& expected) mutable {
                for (std::uint64_t left = random() % 4; left > 0; --left) {
                    expected.push_back(random() % 16 == 0 ? ~(random() % 64) : random() % end);
                }
            });
    }

private:
    Expect expect_;
};

}  // namespace tessera::test
