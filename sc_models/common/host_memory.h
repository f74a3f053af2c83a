// The memory of the computer that simulates.
#pragma once

namespace tessera {

/// Asks the kernel to back the heap with pages of 2 MiB: the state of some hundred SMs and slices
/// lies on more pages of 4 KiB than the host's TLBs hold. To be called before much is allocated.
/// Nothing happens where the C library is not glibc, the kernel has no such pages, or addresses are
/// limited (ulimit -v, -d).
void back_heap_with_huge_pages();

}  // namespace tessera
