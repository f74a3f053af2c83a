// libFuzzer harness: packed traces (.tracez).
#include <algorithm>
#include <cstdint>

#include "sc_models/trace/tracez_packer.h"
#include "sc_models/trace/tracez_source.h"
#include "tests/fuzz/line_mutator.h"
#include "tests/fuzz/trace_checks.h"

namespace tessera {
namespace {

/// The text of a packed trace; empty if it cannot be unpacked.
std::string text_of(std::string bytes) {
    constexpr std::size_t kMostText = 1 << 16;
    std::string text;
    try {
        const auto source = tracez_byte_source(memory_random_bytes(std::move(bytes)));
        std::string part(kMostText, '\0');
        while (const std::size_t got = source->read(part.data(), part.size())) {
            text.append(part, 0, got);
            if (text.size() > kMostText) return {};
        }
    } catch (const ConfigError&) {
        return {};
    }
    return text;
}

/// Packs lines as the warps of one block, each of which ends with an EXIT.
std::string packed(const std::string& lines) {
    TraceHeader header;
    header.name = "k";
    header.tracer_version = 6;
    header.binary_version = 80;
    std::vector<std::string> warps(1);
    std::size_t at = 0;
    while (at < lines.size()) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        const std::string line = lines.substr(at, end - at);
        at = end + 1;
        if (line.empty()) continue;
        warps.back() += line + "\n";
        if (line.find(" EXIT ") != std::string::npos && warps.size() < 32) warps.emplace_back();
    }
    if (warps.back().empty() && warps.size() > 1) warps.pop_back();
    header.block = {static_cast<std::uint32_t>(warps.size()) * kThreadsPerWarp, 1, 1};
    std::string out;
    TracezPacker packer(header, out);
    packer.begin_thread_block({0, 0, 0}, static_cast<std::uint32_t>(warps.size()));
    for (const std::string& warp : warps) {
        packer.add_warp(
            warp, static_cast<std::uint32_t>(std::count(warp.begin(), warp.end(), '\n')), out);
    }
    packer.finish(out);
    return out;
}

/// The instruction lines of a trace's text.
std::string instructions_of(const std::string& text) {
    std::string lines;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (text[at] >= '0' && text[at] <= '9') lines += text.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return lines;
}

}  // namespace
}  // namespace tessera

// The name is libFuzzer's. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    std::unique_ptr<ByteSource> source;
    try {
        source = tracez_byte_source(
            memory_random_bytes(std::string(reinterpret_cast<const char*>(data), size)));
    } catch (const ConfigError&) {
        return 0;  // open_byte_source adds the file's name
    }
    try {
        fuzz::read_kernel(std::move(source));
    } catch (const ConfigError& error) {
        fuzz::require_located(error.what(), {"f.traceg:"});
    }
    return 0;
}

// libFuzzer defines it. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

/// Half of the inputs have other bytes, which hardly get past the checksums of lengths and frames;
/// half have other lines, packed again.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
    using namespace tessera;
    const std::string lines =
        instructions_of(text_of(std::string(reinterpret_cast<const char*>(data), size)));
    if (seed % 2 == 0 || lines.empty()) return LLVMFuzzerMutate(data, size, max_size);
    const std::string bytes = packed(fuzz::LineMutator(lines, seed).mutated());
    if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
    bytes.copy(reinterpret_cast<char*>(data), bytes.size());
    return bytes.size();
}
