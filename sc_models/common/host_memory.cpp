#include "sc_models/common/host_memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace tessera {

void back_heap_with_huge_pages() {
#ifdef __GLIBC__
    constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20U;
    constexpr int kMiB = 1 << 20;
    // The heap as the C library would have it after some large arrays; then all at once the
    // addresses that follow it, as it is addresses that are advised.
    mallopt(M_MMAP_THRESHOLD, 32 * kMiB);
    mallopt(M_TRIM_THRESHOLD, 512 * kMiB);
    mallopt(M_TOP_PAD, 256 * kMiB);
    const auto begin = reinterpret_cast<std::uintptr_t>(sbrk(0));
    // Volatile, or the compiler leaves both out.
    void* volatile const pushes_end = std::malloc(kMiB);
    std::free(pushes_end);
    mallopt(M_TOP_PAD, kMiB);
    const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0)) / kPage * kPage;
    const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage;
    // What it returns is of no interest: without such pages all is as before.
    if (end > first) (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

}  // namespace tessera
