// Contents of the device memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <shared_mutex>

#include <tsl/robin_map.h>

#include "sc_models/common/types.h"

namespace tessera {

/// Bytes of the whole 64-bit address space, stored in pages that exist once they are written;
/// whatever was never written reads as zero. Holds the data of a run with `values: on`; all DRAM
/// channels share one. Threads may read and write at once, as long as no byte is written by one and
/// touched by another.
class MemoryImage {
public:
    MemoryImage() = default;
    MemoryImage(const MemoryImage&) = delete;
    MemoryImage& operator=(const MemoryImage&) = delete;

    /// Copies `bytes` bytes from `address` on to `to`.
    void read(Address address, void* to, std::size_t bytes) const;
    /// Copies `bytes` bytes from `from` to `address` on.
    void write(Address address, const void* from, std::size_t bytes);
    /// Bytes of the pages that exist; not while others write.
    [[nodiscard]] std::size_t resident_bytes() const { return pages_.size() * kPageBytes; }
    /// Forgets everything; not while others read or write.
    void clear();

    static constexpr std::size_t kPageBytes = std::size_t{2} << 20U;

private:
    using Page = std::array<std::uint8_t, kPageBytes>;
    /// A page that a thread found before: pages stay where they are.
    struct Found {
        std::uint64_t contents = 0;  ///< whose it is
        std::uint64_t number = 0;
        Page* page = nullptr;
    };
    /// Where this thread keeps the page, if it has found it.
    [[nodiscard]] static Found& found(std::uint64_t number);
    [[nodiscard]] static std::uint64_t new_contents();
    /// Null: it does not exist.
    [[nodiscard]] Page* find(std::uint64_t number) const;
    [[nodiscard]] Page* find_or_make(std::uint64_t number);

    std::uint64_t contents_ = new_contents();  ///< unlike those of all others, and before clear()
    mutable std::shared_mutex mutex_;          ///< of the map, not of the pages
    tsl::robin_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace tessera
