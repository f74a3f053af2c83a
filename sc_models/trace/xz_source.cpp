// Decompression of .xz with liblzma; xz_compressor.h compresses.
#include <lzma.h>

#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/trace/byte_source.h"

namespace tessera {
namespace {

constexpr std::size_t kInputBytes = 1 << 16;
constexpr std::uint64_t kMemoryLimit = 512ULL << 20;

const char* describe(lzma_ret result) {
    switch (result) {
        case LZMA_FORMAT_ERROR:
            return "not in .xz format";
        case LZMA_MEMLIMIT_ERROR:
            return "the .xz data need more than 512 MiB of memory";
        case LZMA_OPTIONS_ERROR:
            return "the .xz data need options that liblzma does not know";
        case LZMA_BUF_ERROR:
            return "the .xz data end too early (truncated file)";
        case LZMA_MEM_ERROR:
            return "no memory left for the .xz data";
        default:
            return "corrupt .xz data";
    }
}

class XzSource final : public ByteSource {
public:
    explicit XzSource(std::unique_ptr<ByteSource> compressed)
        : compressed_(std::move(compressed)), input_(kInputBytes) {
        const lzma_ret result = lzma_stream_decoder(&stream_, kMemoryLimit, LZMA_CONCATENATED);
        if (result != LZMA_OK) throw ConfigError(describe(result));
    }
    ~XzSource() override { lzma_end(&stream_); }
    XzSource(const XzSource&) = delete;
    XzSource& operator=(const XzSource&) = delete;

    std::size_t read(char* out, std::size_t capacity) override {
        stream_.next_out = reinterpret_cast<std::uint8_t*>(out);
        stream_.avail_out = capacity;
        while (stream_.avail_out == capacity && !finished_) {
            if (stream_.avail_in == 0 && !input_ended_) {
                stream_.next_in = input_.data();
                stream_.avail_in =
                    compressed_->read(reinterpret_cast<char*>(input_.data()), input_.size());
                input_ended_ = stream_.avail_in == 0;
            }
            const lzma_ret result = lzma_code(&stream_, input_ended_ ? LZMA_FINISH : LZMA_RUN);
            finished_ = result == LZMA_STREAM_END;
            if (result != LZMA_OK && !finished_ && stream_.avail_out == capacity) {
                throw ConfigError(describe(result));
            }
        }
        return capacity - stream_.avail_out;
    }

private:
    std::unique_ptr<ByteSource> compressed_;
    std::vector<std::uint8_t> input_;
    lzma_stream stream_ = LZMA_STREAM_INIT;
    bool input_ended_ = false;
    bool finished_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> xz_byte_source(std::unique_ptr<ByteSource> compressed) {
    return std::make_unique<XzSource>(std::move(compressed));
}

}  // namespace tessera
