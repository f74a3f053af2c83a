// Macros that compile plain loops for several instruction sets; the program selects one at
// start-up.
#pragma once

// GCC only, and not under the address or thread sanitizer, which run before the selection.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TESSERA_VECTOR_CLONES \
    __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#define TESSERA_INLINE inline __attribute__((always_inline))
#else
#define TESSERA_VECTOR_CLONES
#define TESSERA_INLINE inline
#endif
