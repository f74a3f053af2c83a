#include "sc_models/trace/trace_command_list.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <utility>

#include "sc_models/config/engine/config_node.h"
#include "sc_models/trace/line_fields.h"
#include "sc_models/trace/line_reader.h"

namespace tessera {
namespace {

constexpr std::string_view kCopy = "MemcpyHtoD";
constexpr std::string_view kKernel = "kernel";
constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

TraceCommand parse_copy(std::string_view text) {
    constexpr std::string_view kWhat = "'MemcpyHtoD,0xADDRESS,BYTES'";
    const std::size_t first = text.find(',');
    const std::size_t second = first == std::string_view::npos ? first : text.find(',', first + 1);
    if (text.substr(0, first) != kCopy || second == std::string_view::npos ||
        text.find(',', second + 1) != std::string_view::npos) {
        throw unexpected(text, kWhat);
    }
    TraceCommand command;
    command.kind = TraceCommand::Kind::kCopyToDevice;
    command.address =
        parse_hex_0x(trimmed(text.substr(first + 1, second - first - 1)), kAny, kWhat);
    command.bytes = parse_decimal(trimmed(text.substr(second + 1)), kAny, kWhat);
    if (command.bytes > kAny - command.address) {
        throw ConfigError(
            fmt::format("address overflow: {} bytes at 0x{:x}", command.bytes, command.address));
    }
    return command;
}

TraceCommand parse_kernel(std::string_view text) {
    if (!ends_with(text, ".traceg") && !ends_with(text, ".xz") && !ends_with(text, ".tracez")) {
        throw unexpected(text, "a kernel's trace that ends in .traceg, .xz or .tracez");
    }
    if (text.find('\0') != std::string_view::npos) throw unexpected(text, "a file name");
    TraceCommand command;
    command.path = text;
    return command;
}

}  // namespace

TraceCommandList::TraceCommandList(std::unique_ptr<ByteSource> source, const std::string& name)
    : name_(name) {
    LineReader lines(std::move(source), name);
    bool kernels = false;
    while (!lines.at_end()) {
        const std::string_view text = trimmed(lines.next_not_blank());
        const bool copy = text.substr(0, kCopy.size()) == kCopy;
        if (!copy && text.substr(0, kKernel.size()) != kKernel) continue;
        try {
            commands_.push_back(copy ? parse_copy(text) : parse_kernel(text));
        } catch (const ConfigError& error) {
            throw lines.error(error.what());
        }
        commands_.back().line = lines.line();
        kernels = kernels || !copy;
    }
    if (!kernels) {
        throw lines.error("the list names no kernel, expected lines such as 'kernel-1.traceg'");
    }
}

TraceCommandList::TraceCommandList(const std::string& path)
    : TraceCommandList(open_byte_source(path), path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    for (TraceCommand& command : commands_) {
        if (command.kind != TraceCommand::Kind::kKernel) continue;
        const std::filesystem::path file = folder / command.path;
        std::error_code ignored;
        if (!std::filesystem::exists(file, ignored)) {
            throw trace_error(name_, command.line,
                              fmt::format("{} does not exist", in_quotes(file.string())));
        }
        command.path = file.string();
    }
}

}  // namespace tessera
