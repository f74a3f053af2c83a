// Of the sanitizer build alone. SystemC tells AddressSanitizer of every switch between the stacks
// of its processes, but says nothing true of the stack that sc_start() was called on: "at 0, of 0
// bytes" when it returns there, and nothing at all when a process that has thrown is left for good.
// From then on an exception through that stack is a false report. Two functions stand before the
// sanitizer's own ones, and tell it the true bounds where they find themselves on that stack.

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

/// The stack of the calling thread, as the threads library knows it.
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

/// Tells the bounds of the stack if `here` lies on that of sc_start().
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
