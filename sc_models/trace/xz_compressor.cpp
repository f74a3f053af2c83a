#include "sc_models/trace/xz_compressor.h"

#include <lzma.h>

#include <array>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

/// On traces it is within a fifth of the size of the default, 6, and ten times as fast.
constexpr std::uint32_t kPreset = 2;

}  // namespace

struct XzCompressor::State {
    lzma_stream stream = LZMA_STREAM_INIT;
    std::array<char, 1 << 16> buffer{};
};

XzCompressor::XzCompressor() : state_(std::make_unique<State>()) {
    if (lzma_easy_encoder(&state_->stream, kPreset, LZMA_CHECK_CRC64) != LZMA_OK) {
        throw ConfigError("cannot compress to .xz: no memory left, or liblzma is incomplete");
    }
}

XzCompressor::~XzCompressor() {
    lzma_end(&state_->stream);
}

void XzCompressor::compress(std::string_view text, std::string& out) {
    state_->stream.next_in = reinterpret_cast<const std::uint8_t*>(text.data());
    state_->stream.avail_in = text.size();
    run(false, out);
}

void XzCompressor::finish(std::string& out) {
    run(true, out);
}

void XzCompressor::run(bool last, std::string& out) {
    lzma_stream& stream = state_->stream;
    for (lzma_ret result = LZMA_OK; result != LZMA_STREAM_END;) {
        stream.next_out = reinterpret_cast<std::uint8_t*>(state_->buffer.data());
        stream.avail_out = state_->buffer.size();
        result = lzma_code(&stream, last ? LZMA_FINISH : LZMA_RUN);
        if (result != LZMA_OK && result != LZMA_STREAM_END) {
            throw ConfigError("cannot compress to .xz: no memory left");
        }
        out.append(state_->buffer.data(), state_->buffer.size() - stream.avail_out);
        if (!last && stream.avail_in == 0) break;
    }
}

}  // namespace tessera
