// Does the memory give back what was written, and zero elsewhere?
#include "sc_models/memory/core/memory_image.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

using namespace tessera;

namespace {

TEST(MemoryImage, UnwrittenBytesAreZeroAndTakeNoRoom) {
    MemoryImage image;
    std::vector<std::uint8_t> bytes(100, 0xAA);
    image.read(0xFFFF'FFFF'0000, bytes.data(), bytes.size());
    EXPECT_EQ(bytes, std::vector<std::uint8_t>(100, 0));
    EXPECT_EQ(image.resident_bytes(), 0U);
}

TEST(MemoryImage, SpansCrossPages) {
    MemoryImage image;
    const Address edge = 5 * MemoryImage::kPageBytes;
    const std::vector<std::uint8_t> written{1, 2, 3, 4, 5, 6};
    image.write(edge - 3, written.data(), written.size());
    std::vector<std::uint8_t> read(8);
    image.read(edge - 4, read.data(), read.size());
    EXPECT_EQ(read, (std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 6, 0}));
    EXPECT_EQ(image.resident_bytes(), 2 * MemoryImage::kPageBytes);
    image.clear();
    image.read(edge - 4, read.data(), read.size());
    EXPECT_EQ(read, std::vector<std::uint8_t>(8, 0));
}

TEST(MemoryImage, AgreesWithAMapOfBytes) {
    constexpr std::uint32_t kSeed = 77;
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    std::mt19937_64 random(kSeed);
    MemoryImage image;
    std::map<Address, std::uint8_t> naive;
    for (int i = 0; i < 20'000; ++i) {
        const Address page = random() % 6 * MemoryImage::kPageBytes;
        const Address address = page + MemoryImage::kPageBytes - 64 + random() % 96;
        std::vector<std::uint8_t> bytes(1 + random() % 48);
        if (random() % 2 == 0) {
            for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
            image.write(address, bytes.data(), bytes.size());
            for (std::size_t k = 0; k < bytes.size(); ++k) naive[address + k] = bytes[k];
        } else {
            image.read(address, bytes.data(), bytes.size());
            for (std::size_t k = 0; k < bytes.size(); ++k) {
                const auto it = naive.find(address + k);
                ASSERT_EQ(bytes[k], it == naive.end() ? 0 : it->second) << "operation " << i;
            }
        }
    }
}

}  // namespace
