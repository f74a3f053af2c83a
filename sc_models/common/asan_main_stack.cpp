// Of the sanitizer build alone. SystemC tells AddressSanitizer of every switch between the stacks of its
// processes, but knows no bounds of the stack that sc_start() was called on and says "at 0, of 0 bytes" when it
// returns there. From then on an exception through that stack is a false report. This function stands before
// the sanitizer's own one and puts the true bounds in.

#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>

namespace {

using StartSwitch = void (*)(void** fake_stack, const void* bottom, std::size_t bytes);

struct Stack {
    void* bottom = nullptr;
    std::size_t bytes = 0;
};

/// The stack of the calling thread, as the threads library knows it.
Stack stack_of_this_thread() {
    Stack stack;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack;
    pthread_attr_getstack(&attributes, &stack.bottom, &stack.bytes);
    pthread_attr_destroy(&attributes);
    return stack;
}

}  // namespace

extern "C" void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t bytes) {
    static const auto real = reinterpret_cast<StartSwitch>(dlsym(RTLD_NEXT, "__sanitizer_start_switch_fiber"));
    if (bottom == nullptr) {
        static const Stack main_stack = stack_of_this_thread();
        bottom = main_stack.bottom;
        bytes = main_stack.bytes;
    }
    real(fake_stack, bottom, bytes);
}
