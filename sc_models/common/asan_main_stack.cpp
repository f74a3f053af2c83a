// Of the sanitizer build alone. SystemC tells AddressSanitizer of every switch between the stacks
// of its processes, but says nothing true of the stack that sc_start() was called on: "at 0, of 0
// bytes" when it returns there, and the bounds of a process that has thrown when it is left for
// good. From then on an exception through that stack is a false report. This function stands before
// the sanitizer's own one and switches once more, with the true bounds.

#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>

namespace {

using StartSwitch = void (*)(void** fake_stack, const void* bottom, std::size_t bytes);
using FinishSwitch = void (*)(void* fake_stack, const void** old_bottom, std::size_t* old_bytes);

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

}  // namespace

extern "C" void __sanitizer_finish_switch_fiber(void* fake_stack, const void** old_bottom,
                                                std::size_t* old_bytes) {
    static const auto start =
        reinterpret_cast<StartSwitch>(dlsym(RTLD_NEXT, "__sanitizer_start_switch_fiber"));
    static const auto finish =
        reinterpret_cast<FinishSwitch>(dlsym(RTLD_NEXT, "__sanitizer_finish_switch_fiber"));
    static const Stack main_stack = stack_of_this_thread();
    finish(fake_stack, old_bottom, old_bytes);
    const char* here = static_cast<const char*>(__builtin_frame_address(0));
    if (here < main_stack.bottom || here >= main_stack.bottom + main_stack.bytes) return;
    void* same_fake_stack = nullptr;
    start(&same_fake_stack, main_stack.bottom, main_stack.bytes);
    finish(same_fake_stack, nullptr, nullptr);
}
