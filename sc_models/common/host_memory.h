// Memory of the host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

/// Requests pages of 2 MiB for the heap: the state of some hundred SMs and slices lies on more 4
/// KiB pages than the host's TLBs hold. Call before large allocations. No effect if the C library
/// is not glibc, the kernel has no such pages, or address space is limited (ulimit -v, -d).
void back_heap_with_huge_pages();

/// Size of the host's cache lines in bytes.
inline constexpr std::size_t kHostLine = 64;

/// Prefetches the line at `address` into the host's nearest cache. GCC treats a function that only
/// prefetches as free of side effects and removes calls of it; the empty asm statement prevents
/// that.
inline void host_prefetch_line(const void* address) {
    __builtin_prefetch(address);
    asm volatile("");
}
/// Prefetches all lines in [begin, end).
inline void host_prefetch_lines(const void* begin, const void* end) {
    const auto last = reinterpret_cast<std::uintptr_t>(end);
    for (auto line = reinterpret_cast<std::uintptr_t>(begin) & -kHostLine; line < last;
         line += kHostLine) {
        host_prefetch_line(reinterpret_cast<const void*>(line));  // NOLINT(*-no-int-to-ptr)
    }
}

}  // namespace tessera
