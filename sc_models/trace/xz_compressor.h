// Compression to .xz with liblzma; xz_source.cpp decompresses.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tessera {

/// One .xz stream.
class XzCompressor {
public:
    XzCompressor();
    ~XzCompressor();
    XzCompressor(const XzCompressor&) = delete;
    XzCompressor& operator=(const XzCompressor&) = delete;

    /// Compresses `text` and appends to `out` what is ready.
    void compress(std::string_view text, std::string& out);
    /// Appends the rest; nothing can be compressed afterwards.
    void finish(std::string& out);

private:
    struct State;
    void run(bool last, std::string& out);

    std::unique_ptr<State> state_;
};

}  // namespace tessera
