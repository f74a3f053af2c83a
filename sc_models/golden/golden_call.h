// Frame of every function of the golden library: exceptions become status codes.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/golden/tessera_golden.h"

namespace tessera {

/// A call that the library refuses, with the status that it returns.
class GoldenRefusal : public std::runtime_error {
public:
    GoldenRefusal(tessera_golden_status status, const std::string& text)
        : std::runtime_error(text), status_(status) {}
    [[nodiscard]] tessera_golden_status status() const { return status_; }

private:
    tessera_golden_status status_;
};

/// Returns the number of 64 bits that two words of a pin hold.
inline std::uint64_t wide(std::uint32_t low, std::uint32_t high) {
    return low | std::uint64_t{high} << 32U;
}

/// Stores the message of this thread's last failure, cut off where the buffer ends.
void set_golden_message(const char* function, const char* text) noexcept;
[[nodiscard]] const char* golden_message() noexcept;

/// Runs the body of the function of that name and returns its status; stores the message of a
/// failure.
template <class Body>
int golden_call(const char* function, Body&& body) noexcept {
    try {
        std::forward<Body>(body)();
        return TESSERA_GOLDEN_OK;
    } catch (const GoldenRefusal& refusal) {
        set_golden_message(function, refusal.what());
        return refusal.status();
    } catch (const ConfigError& error) {
        set_golden_message(function, error.what());
        return TESSERA_GOLDEN_BAD_ARGUMENT;
    } catch (const std::bad_alloc&) {
        set_golden_message(function, "the memory is exhausted");
        return TESSERA_GOLDEN_NO_MEMORY;
    } catch (const std::exception& error) {
        set_golden_message(function, error.what());
        return TESSERA_GOLDEN_INTERNAL;
    } catch (...) {
        set_golden_message(function, "unknown exception");
        return TESSERA_GOLDEN_INTERNAL;
    }
}

/// Refuses a null pointer.
inline void need_pointer(const void* pointer, const char* name) {
    if (pointer == nullptr) {
        throw GoldenRefusal(TESSERA_GOLDEN_BAD_ARGUMENT, std::string(name) + " is null");
    }
}

/// Refuses a number above `most`.
inline void need_at_most(std::uint64_t value, std::uint64_t most, const char* name) {
    if (value > most) {
        throw GoldenRefusal(TESSERA_GOLDEN_BAD_ARGUMENT,
                            std::string(name) + " is " + std::to_string(value) +
                                ", expected at most " + std::to_string(most));
    }
}

/// Makes the block of a handle.
template <class Handle>
int golden_create(const char* function, Handle** handle) noexcept {
    return golden_call(function, [handle] {
        need_pointer(handle, "handle");
        *handle = std::make_unique<Handle>().release();
    });
}

/// Resets the block of a handle.
template <class Handle>
int golden_reset(const char* function, Handle* handle) noexcept {
    return golden_call(function, [handle] {
        need_pointer(handle, "handle");
        handle->model.reset();
    });
}

/// Runs `step` with a block and its inputs and outputs, none of which may be null.
template <class Handle, class Inputs, class Outputs, class Step>
int golden_step(const char* function, Handle* handle, const Inputs* in, Outputs* out,
                Step&& step) noexcept {
    return golden_call(function, [&] {
        need_pointer(handle, "handle");
        need_pointer(in, "in");
        need_pointer(out, "out");
        *out = step(handle->model, *in);
    });
}

}  // namespace tessera
