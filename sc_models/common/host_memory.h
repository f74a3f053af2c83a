// The memory of the computer that simulates.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

/// Asks the kernel to back the heap with pages of 2 MiB: the state of some hundred SMs and slices
/// lies on more pages of 4 KiB than the host's TLBs hold. To be called before much is allocated.
/// Nothing happens where the C library is not glibc, the kernel has no such pages, or addresses are
/// limited (ulimit -v, -d).
void back_heap_with_huge_pages();

/// Bytes that the computer's caches load at once.
inline constexpr std::size_t kHostLine = 64;

/// Has the computer load what lies at `address` into its nearest cache while something else is
/// done. GCC takes a function that only prefetches for one without effect, and leaves out calls of
/// it; the empty statement is an effect.
inline void warm_host_line(const void* address) {
    __builtin_prefetch(address);
    asm volatile("");
}
/// The same for all that lies from `begin` to before `end`.
inline void warm_host_lines(const void* begin, const void* end) {
    const auto last = reinterpret_cast<std::uintptr_t>(end);
    for (auto line = reinterpret_cast<std::uintptr_t>(begin) & -kHostLine; line < last;
         line += kHostLine) {
        warm_host_line(reinterpret_cast<const void*>(line));  // NOLINT(*-no-int-to-ptr)
    }
}

}  // namespace tessera
