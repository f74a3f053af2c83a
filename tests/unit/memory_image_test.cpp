// Does the memory give back what was written, and zero elsewhere?
#include "sc_models/memory/core/memory_image.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <thread>
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

TEST(MemoryImage, ForgottenBytesAndThoseOfAnotherImageAreNotFoundAgain) {
    constexpr std::uint8_t kWritten = 7;
    MemoryImage image;
    image.write(100, &kWritten, 1);
    MemoryImage other;
    std::uint8_t read = 1;
    other.read(100, &read, 1);
    EXPECT_EQ(read, 0);
    image.clear();
    image.write(200, &kWritten, 1);
    image.read(100, &read, 1);
    EXPECT_EQ(read, 0);
    image.read(200, &read, 1);
    EXPECT_EQ(read, kWritten);
}

/// Bytes side by side, on pages that all threads come to first.
TEST(MemoryImage, ThreadsWriteAtOnce) {
    constexpr std::uint32_t kThreads = 4, kPages = 40;
    constexpr Address kBegin = 3 * MemoryImage::kPageBytes + 17;
    const auto address_of = [](std::uint32_t page, std::uint32_t thread) {
        return kBegin + page * MemoryImage::kPageBytes + thread;
    };
    MemoryImage image;
    std::vector<std::thread> threads;
    std::vector<std::uint32_t> lost(kThreads);
    for (std::uint32_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (std::uint32_t page = 0; page < kPages; ++page) {
                const auto written = static_cast<std::uint8_t>(page + t + 1);
                image.write(address_of(page, t), &written, 1);
                std::uint8_t read = 0;
                image.read(address_of(page, t), &read, 1);
                lost[t] += read == written ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(lost, std::vector<std::uint32_t>(kThreads, 0));
    for (std::uint32_t page = 0; page < kPages; ++page) {
        for (std::uint32_t t = 0; t < kThreads; ++t) {
            std::uint8_t read = 0;
            image.read(address_of(page, t), &read, 1);
            ASSERT_EQ(read, page + t + 1) << "page " << page << ", thread " << t;
        }
    }
    EXPECT_EQ(image.resident_bytes(), kPages * MemoryImage::kPageBytes);
}

}  // namespace
