// Reader of numbered lines from a byte stream, with a buffer of fixed size.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sc_models/common/error.h"
#include "sc_models/trace/byte_source.h"

namespace tessera {

/// Reads lines that end in '\n' or in "\r\n", the last one included. All errors are ConfigErrors of
/// the form "name:line: ...".
class LineReader {
public:
    /// Longest line accepted, without its end.
    static constexpr std::size_t kLongestLine = 65536;
    /// Maximum number of consecutive blank lines; guards against an endless .xz of blank lines.
    static constexpr std::size_t kMostBlankLines = 1000;

    /// `name` stands for the source in errors.
    LineReader(std::unique_ptr<ByteSource> source, std::string name);

    /// Whether everything has been read. Throws if the source failed here.
    [[nodiscard]] bool at_end();
    /// The next line without its end, valid until the next call. Throws at the end, and for a line
    /// that does not end or is too long.
    [[nodiscard]] std::string_view next();
    /// Length of the line end that next() consumed: 1, or 2 for "\r
    /// ".
    [[nodiscard]] std::size_t end_bytes() const { return end_bytes_; }
    /// The next line that is not blank, or an empty view at the end. Throws if there are more than
    /// kMostBlankLines before it.
    [[nodiscard]] std::string_view next_not_blank();
    /// Throws if `count` consecutive blank lines, including the last one read, are too many.
    void check_blank_lines(std::size_t count) const;

    /// The bytes from the next line on: all remaining ones, or at least the longest line.
    [[nodiscard]] std::string_view ahead() {
        if (buffer_end_ - at_ <= kLongestLine && !source_ended_) fill();
        return {buffer_.get() + at_, buffer_end_ - at_};
    }
    /// Consumes the next line, which has `bytes` bytes with its '
    /// '.
    void take_line(std::size_t bytes) {
        at_ += bytes;
        ++line_;
    }

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const ByteSource& source() const { return *source_; }
    /// Number of the last line read, from 1.
    [[nodiscard]] std::uint64_t line() const { return line_; }
    /// An error located at the last line read.
    [[nodiscard]] ConfigError error(std::string_view message) const;

private:
    void fill();

    std::unique_ptr<ByteSource> source_;
    std::string name_;
    std::unique_ptr<char[]> buffer_;  ///< not zeroed: most traces are short
    std::size_t at_ = 0;
    std::size_t buffer_end_ = 0;
    std::uint64_t line_ = 0;
    std::size_t end_bytes_ = 1;
    bool source_ended_ = false;
    std::string source_error_;  ///< read error that ended the source; empty at its regular end
};

}  // namespace tessera
