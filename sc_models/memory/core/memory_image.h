// Contents of the device memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include <tsl/robin_map.h>

#include "sc_models/common/types.h"

namespace tessera {

/// Bytes of the whole 64-bit address space, stored in pages that exist once they are written;
/// whatever was never written reads as zero. Holds the data of a run with `values: on`; all DRAM
/// channels share one.
class MemoryImage {
public:
    MemoryImage() = default;
    MemoryImage(const MemoryImage&) = delete;
    MemoryImage& operator=(const MemoryImage&) = delete;

    /// Copies `bytes` bytes from `address` on to `to`.
    void read(Address address, void* to, std::size_t bytes) const;
    /// Copies `bytes` bytes from `from` to `address` on.
    void write(Address address, const void* from, std::size_t bytes);
    /// Bytes of the pages that exist.
    [[nodiscard]] std::size_t resident_bytes() const { return pages_.size() * kPageBytes; }
    /// Forgets everything.
    void clear();

    static constexpr std::size_t kPageBytes = std::size_t{2} << 20U;

private:
    using Page = std::array<std::uint8_t, kPageBytes>;
    [[nodiscard]] Page* find(std::uint64_t number) const;

    tsl::robin_map<std::uint64_t, std::unique_ptr<Page>> pages_;
    mutable std::uint64_t last_number_ = 0;  ///< page found last; accesses are local
    mutable Page* last_ = nullptr;
};

}  // namespace tessera
