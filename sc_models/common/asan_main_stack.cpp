// Fix-up of stack bounds for AddressSanitizer, only in the sanitizer build. SystemC notifies
// AddressSanitizer of every switch between the stacks of its processes, but not correctly for the
// stack that called sc_start(): when a switch returns there it reports "at 0, of 0 bytes", and when
// a process that has thrown is abandoned it reports nothing. Afterwards an exception through that
// stack causes a false report, and the search for leaks at exit reads the stack of a process, part
// of which may be unmapped by then. The two functions below wrap the sanitizer's own ones and pass
// the true bounds when they run on that stack; a third passes them at exit.

#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>

namespace {

using StartSwitch = void (*)(void** fake_stack, const void* bottom, std::size_t bytes);
using FinishSwitch = void (*)(void* fake_stack, const void** old_bottom, std::size_t* old_bytes);
using HandleNoReturn = void (*)();

template <class Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

struct Stack {
    char* bottom = nullptr;
    std::size_t bytes = 0;
};

/// Stack of the calling thread according to the threads library.
Stack stack_of_this_thread() {
    Stack stack;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack;
    void* bottom = nullptr;
    pthread_attr_getstack(&attributes, &bottom, &stack.bytes);
    stack.bottom = static_cast<char*>(bottom);
    pthread_attr_destroy(&attributes);
    return stack;
}

/// Passes the bounds of sc_start()'s stack to the sanitizer if `here` lies on it.
void tell_bounds(const void* here) {
    static const auto start = next<StartSwitch>("__sanitizer_start_switch_fiber");
    static const auto finish = next<FinishSwitch>("__sanitizer_finish_switch_fiber");
    static const Stack main_stack = stack_of_this_thread();
    const char* const place = static_cast<const char*>(here);
    if (place < main_stack.bottom || place >= main_stack.bottom + main_stack.bytes) return;
    void* same_fake_stack = nullptr;
    start(&same_fake_stack, main_stack.bottom, main_stack.bytes);
    finish(same_fake_stack, nullptr, nullptr);
}

/// Runs before the search for leaks, which the sanitizer registered earlier.
[[gnu::destructor]] void tell_bounds_at_exit() {
    tell_bounds(__builtin_frame_address(0));
}

}  // namespace

extern "C" void __sanitizer_finish_switch_fiber(void* fake_stack, const void** old_bottom,
                                                std::size_t* old_bytes) {
    static const auto finish = next<FinishSwitch>("__sanitizer_finish_switch_fiber");
    finish(fake_stack, old_bottom, old_bytes);
    tell_bounds(__builtin_frame_address(0));
}

extern "C" void __asan_handle_no_return() {
    static const auto handle = next<HandleNoReturn>("__asan_handle_no_return");
    tell_bounds(__builtin_frame_address(0));
    handle();
}
