// Interruptible reading of gzip files.
#pragma once

#include <memory>
#include <streambuf>
#include <string>
#include <vector>

#include "sc_models/common/input_file.h"

namespace tessera {

/// A file in gzip's format (RFC 1952), of one or several members, for std::istream. The stream
/// converts exceptions of a read to badbit unless std::ios::exceptions is set: ConfigError for a
/// damaged or truncated file, Interrupted for a signal.
class GzipBuffer final : public std::streambuf {
public:
    /// Throws ConfigError as InputFile does.
    explicit GzipBuffer(const std::string& path);
    ~GzipBuffer() override;

private:
    struct State;

    int_type underflow() override;

    InputFile file_;
    std::vector<char> compressed_, text_;
    std::unique_ptr<State> state_;
};

}  // namespace tessera
