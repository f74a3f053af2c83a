// Contents of the device memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <shared_mutex>

#include <tsl/robin_map.h>

#include "sc_models/common/types.h"

namespace tessera {

/// Bytes of the whole 64-bit address space, stored in pages that are allocated when first written;
/// bytes never written read as zero. Holds the data of a run with `values: on`; all DRAM channels
/// share one image. Threads may access it concurrently, as long as no byte is written by one and
/// accessed by another.
class MemoryImage {
public:
    MemoryImage() = default;
    MemoryImage(const MemoryImage&) = delete;
    MemoryImage& operator=(const MemoryImage&) = delete;

    /// Copies `bytes` bytes from `address` on to `to`.
    void read(Address address, void* to, std::size_t bytes) const;
    /// Copies `bytes` bytes from `from` to `address` on.
    void write(Address address, const void* from, std::size_t bytes);
    /// Returns the bytes of allocated pages; not thread-safe with writes.
    [[nodiscard]] std::size_t resident_bytes() const { return pages_.size() * kPageBytes; }
    /// Drops all contents; not thread-safe with reads or writes.
    void clear();

    static constexpr std::size_t kPageBytes = std::size_t{2} << 20U;

private:
    using Page = std::array<std::uint8_t, kPageBytes>;
    /// Cache entry of a page found before by a thread; pages never move.
    struct Found {
        std::uint64_t contents = 0;  ///< contents_ of its image
        std::uint64_t number = 0;
        Page* page = nullptr;
    };
    /// Returns this thread's cache entry for the page.
    [[nodiscard]] static Found& found(std::uint64_t number);
    [[nodiscard]] static std::uint64_t new_contents();
    /// Returns null if the page does not exist.
    [[nodiscard]] Page* find(std::uint64_t number) const;
    [[nodiscard]] Page* find_or_make(std::uint64_t number);

    std::uint64_t contents_ = new_contents();  ///< unique identifier, renewed by clear()
    mutable std::shared_mutex mutex_;          ///< guards the map, not the pages
    tsl::robin_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace tessera
