#include "sc_models/common/host_memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>

namespace tessera {
namespace {

/// Whether a limit on address space forbids reserving unused addresses.
bool addresses_are_limited() {
    for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
        rlimit limit{};
        if (getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return true;
    }
    return false;
}

}  // namespace

void back_heap_with_huge_pages() {
#ifdef __GLIBC__
    if (addresses_are_limited()) return;
    constexpr std::size_t kPage = std::size_t{2} << 20U;
    constexpr int kMiB = 1 << 20;
    // The C library moves large arrays to the heap as well, once some have been freed.
    mallopt(M_MMAP_THRESHOLD, 32 * kMiB);
    mallopt(M_TRIM_THRESHOLD, 512 * kMiB);
    // madvise() applies to addresses, so extend the heap far at once; later allocations there get
    // huge pages, with unchanged placement otherwise.
    mallopt(M_TOP_PAD, 256 * kMiB);
    auto* const begin = static_cast<char*>(sbrk(0));
    ::operator delete(::operator new(kMiB, std::nothrow));
    mallopt(M_TOP_PAD, kMiB);
    auto* const end = static_cast<char*>(sbrk(0));
    char* const first = begin + (kPage - reinterpret_cast<std::uintptr_t>(begin) % kPage) % kPage;
    // A failure is harmless: the heap keeps its small pages.
    if (end > first) (void)madvise(first, static_cast<std::size_t>(end - first), MADV_HUGEPAGE);
#endif
}

}  // namespace tessera
