// Helpers of the tests of the golden library: handles, comparison with a model, random values.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#include "sc_models/golden/tessera_golden.h"

namespace tessera {

inline constexpr std::uint32_t kSeed = 20261128;
inline constexpr int kCycles = 20000;

/// A block behind its handle; frees it in the end.
template <class Handle>
class Block {
public:
    using Create = int (*)(Handle**);
    using Destroy = void (*)(Handle*);
    Block(Create create, Destroy destroy) : handle_(nullptr, destroy) {
        Handle* handle = nullptr;
        EXPECT_EQ(create(&handle), TESSERA_GOLDEN_OK);
        handle_.reset(handle);
    }
    [[nodiscard]] Handle* get() const { return handle_.get(); }

private:
    std::unique_ptr<Handle, Destroy> handle_;
};

template <class C, class Model>
::testing::AssertionResult same(const C& c, const Model& model) {
    static_assert(sizeof c == sizeof model);
    if (std::memcmp(&c, &model, sizeof c) == 0) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "the arrays differ";
}

template <class Array, class Random>
void fill(Array& array, Random&& random) {
    for (auto& element : array) {
        element = static_cast<std::remove_reference_t<decltype(element)>>(random());
    }
}

}  // namespace tessera
