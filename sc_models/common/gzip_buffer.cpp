#include "sc_models/common/gzip_buffer.h"

#include <zlib.h>
#include <cstddef>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr std::size_t kGzipBufferBytes = 1 << 16;
constexpr int kGzipOnly = 16;  ///< added to the size of the window: no zlib header

}  // namespace

struct GzipBuffer::State {
    z_stream stream{};
    bool in_member = false;
};

GzipBuffer::GzipBuffer(const std::string& path)
    : file_(path),
      compressed_(kGzipBufferBytes),
      text_(kGzipBufferBytes),
      state_(std::make_unique<State>()) {
    if (inflateInit2(&state_->stream, MAX_WBITS + kGzipOnly) != Z_OK) {
        throw ConfigError("no memory left to decompress");
    }
}

GzipBuffer::~GzipBuffer() {
    inflateEnd(&state_->stream);
}

GzipBuffer::int_type GzipBuffer::underflow() {
    z_stream& stream = state_->stream;
    stream.next_out = reinterpret_cast<Bytef*>(text_.data());
    stream.avail_out = static_cast<uInt>(text_.size());
    while (stream.avail_out == text_.size()) {
        if (stream.avail_in == 0) {
            const std::size_t got = file_.read(compressed_.data(), compressed_.size());
            if (got == 0 && state_->in_member) throw ConfigError("the gzip file is truncated");
            if (got == 0) return traits_type::eof();
            stream.next_in = reinterpret_cast<Bytef*>(compressed_.data());
            stream.avail_in = static_cast<uInt>(got);
        }
        state_->in_member = true;
        const int result = inflate(&stream, Z_NO_FLUSH);
        if (result == Z_STREAM_END) {  // another member may follow
            inflateReset(&stream);
            state_->in_member = false;
        } else if (result != Z_OK) {
            throw ConfigError("no gzip file, or a damaged one");
        }
    }
    setg(text_.data(), text_.data(), text_.data() + text_.size() - stream.avail_out);
    return traits_type::to_int_type(text_.front());
}

}  // namespace tessera
