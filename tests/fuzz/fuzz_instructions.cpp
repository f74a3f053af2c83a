// libFuzzer harness: the instruction lines of one warp, in a trace that is good apart from them.
#include <algorithm>
#include <cstdint>

#include "tests/fuzz/line_mutator.h"
#include "tests/fuzz/trace_checks.h"

namespace tessera {
namespace {

/// The columns of tracer versions differ; the first byte of the input chooses.
std::string trace_around(const std::string& lines, char version) {
    TraceHeader header;
    header.name = "k";
    header.block = {kThreadsPerWarp, 1, 1};
    header.tracer_version = version == '2' ? 2 : version == '6' ? 6 : 5;
    header.line_info = version == '1';
    const auto count = std::count(lines.begin(), lines.end(), '\n') + 1;
    const std::string exit = header.cta_columns()  ? "0 0 0 0 0 1 0 EXIT 0 0 0\n"
                             : header.line_info    ? "1 0 1 0 EXIT 0 0 0\n"
                             : header.is_tracer6() ? "0 1 0 EXIT 0 0 0 NoVal\n"
                                                   : "0 1 0 EXIT 0 0 0\n";
    return to_text(header) +
           "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = " + std::to_string(count) + "\n" +
           lines + exit + "#END_TB\n";
}

}  // namespace
}  // namespace tessera

// The name is libFuzzer's. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    if (size < 2) return 0;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::size_t first_line = text.find('\n') + 1;
    try {
        fuzz::read_kernel(memory_byte_source(trace_around(text.substr(first_line), text[0])));
    } catch (const ConfigError& error) {
        fuzz::require_located(error.what(), {"f.traceg:"});
    }
    return 0;
}

// libFuzzer defines it. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

/// Every fourth input is left to libFuzzer's own mutations.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (seed % 4 == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    return tessera::fuzz::LineMutator(text, seed)
        .mutated()
        .copy(reinterpret_cast<char*>(data), max_size);
}
