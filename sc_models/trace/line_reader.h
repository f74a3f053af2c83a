// Lines of a byte stream, with their numbers, from a buffer that does not grow with the stream.
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
    /// Most blank lines accepted in a row, beside an .xz of nothing else that grows without end.
    static constexpr std::size_t kMostBlankLines = 1000;

    /// `name` is what errors call the source.
    LineReader(std::unique_ptr<ByteSource> source, std::string name);

    /// Whether everything has been read. Throws if the source broke off here.
    [[nodiscard]] bool at_end();
    /// The next line without its end, valid until the next call. Throws at the end, and for a line
    /// that does not end or is too long.
    [[nodiscard]] std::string_view next();
    /// Bytes of the end of the line that next() took: 1, or 2 for "\r\n".
    [[nodiscard]] std::size_t end_bytes() const { return end_bytes_; }
    /// The next line that is not blank, or an empty view at the end. Throws if there are more than
    /// kMostBlankLines before it.
    [[nodiscard]] std::string_view next_not_blank();
    /// Throws if `count` blank lines in a row, of which the line taken last is one, are too many.
    void check_blank_lines(std::size_t count) const;

    /// The bytes from the next line on: all that are left, or at least the longest line.
    [[nodiscard]] std::string_view ahead() {
        if (buffer_end_ - at_ <= kLongestLine && !source_ended_) fill();
        return {buffer_.get() + at_, buffer_end_ - at_};
    }
    /// Takes the next line, which is known to have `bytes` bytes with its '\n'.
    void take_line(std::size_t bytes) {
        at_ += bytes;
        ++line_;
    }

    [[nodiscard]] const std::string& name() const { return name_; }
    /// Number of the line taken last, from 1.
    [[nodiscard]] std::uint64_t line() const { return line_; }
    /// An error of the line taken last.
    [[nodiscard]] ConfigError error(std::string_view message) const;

private:
    void fill();

    std::unique_ptr<ByteSource> source_;
    std::string name_;
    std::unique_ptr<char[]> buffer_;  ///< not filled with zeros: most traces are short
    std::size_t at_ = 0;
    std::size_t buffer_end_ = 0;
    std::uint64_t line_ = 0;
    std::size_t end_bytes_ = 1;
    bool source_ended_ = false;
    std::string source_error_;  ///< why the source ended, if it was not its end
};

}  // namespace tessera
