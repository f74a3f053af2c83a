#include "sc_models/trace/tracez_packer.h"

#include <zstd.h>

#include <algorithm>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

/// Accel-Sim's level.
constexpr int kLevel = 3;

void append(std::string& out, std::uint64_t value, std::uint32_t bytes) {
    for (std::uint32_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}
void append32(std::string& out, std::uint32_t value) {
    append(out, value, 4);
}

/// Takes the first `count` lines off `lines` and returns them without their last LF.
std::string_view take_lines(std::string_view& lines, std::uint32_t count) {
    std::size_t end = 0;
    for (std::uint32_t i = 0; i < count; ++i) end = lines.find('\n', end) + 1;
    const std::string_view taken = lines.substr(0, end - 1);
    lines.remove_prefix(end);
    return taken;
}

}  // namespace

struct TracezPacker::Zstd {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    std::string buffer;

    Zstd() = default;
    ~Zstd() { ZSTD_freeCCtx(context); }
    Zstd(const Zstd&) = delete;
    Zstd& operator=(const Zstd&) = delete;

    /// Compresses `text` to one frame, valid until the next call.
    std::string_view compress(std::string_view text) {
        buffer.resize(std::max(buffer.size(), ZSTD_compressBound(text.size())));
        const std::size_t size = ZSTD_compressCCtx(context, buffer.data(), buffer.size(),
                                                   text.data(), text.size(), kLevel);
        if (ZSTD_isError(size) != 0) {
            throw ConfigError(std::string("cannot compress to .tracez: ") +
                              ZSTD_getErrorName(size));
        }
        return {buffer.data(), size};
    }
};

TracezPacker::TracezPacker(const TraceHeader& header, std::string& out)
    : zstd_(std::make_unique<Zstd>()) {
    const std::size_t before = out.size();
    out += to_text(header);
    out += '\0';
    append32(out, 0);  // no dictionary
    append32(out, kFrameInstructions);
    offset_ = out.size() - before;
}

TracezPacker::~TracezPacker() = default;

void TracezPacker::begin_thread_block(const Dim3& index, std::uint32_t warps) {
    ++blocks_;
    for (const std::uint32_t number : {index.x, index.y, index.z}) append32(index_, number);
    // Each block is a cluster of its own.
    for (const std::uint32_t number : {index.x, index.y, index.z, 0U, 0U, 0U, 0U}) {
        append32(index_, number);
    }
    append32(index_, warps);
}

void TracezPacker::add_warp(std::string_view lines, std::uint32_t instructions, std::string& out) {
    const std::size_t before = out.size();
    const std::uint32_t frames = ceil_div(instructions, kFrameInstructions);
    for (std::string* part : {&index_, &out}) {
        append32(*part, instructions);
        append32(*part, frames);
    }
    append(index_, offset_, 8);
    for (std::uint32_t left = instructions; left > 0;) {
        const std::uint32_t count = std::min(left, kFrameInstructions);
        const std::string_view frame = zstd_->compress(take_lines(lines, count));
        append32(index_, count);
        append32(out, static_cast<std::uint32_t>(frame.size()));
        out += frame;
        left -= count;
    }
    offset_ += out.size() - before;
}

void TracezPacker::finish(std::string& out) {
    append32(out, blocks_);
    out += index_;
    append(out, offset_, 8);
}

}  // namespace tessera
