// libFuzzer harness: lists of kernels and kernels' traces, plain and .xz.
#include <cstdint>

#include "sc_models/trace/trace_command_list.h"
#include "tests/fuzz/trace_checks.h"

namespace tessera {
namespace {

bool starts_with(const std::string& text, std::string_view start) {
    return text.compare(0, start.size(), start) == 0;
}

}  // namespace
}  // namespace tessera

// The name is libFuzzer's. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        std::unique_ptr<ByteSource> source = memory_byte_source(text);
        if (starts_with(text, "Memcpy") || starts_with(text, "kernel")) {
            const TraceCommandList list(std::move(source), "f.g");
            fuzz::require(!list.commands().empty(), "an empty list");
        } else if (starts_with(text,
                               "\xfd"
                               "7zXZ")) {
            fuzz::read_kernel(xz_byte_source(std::move(source)));
        } else {
            fuzz::read_kernel(std::move(source));
        }
    } catch (const ConfigError& error) {
        fuzz::require_located(error.what(), {"f.traceg:", "f.g:"});
    }
    return 0;
}
