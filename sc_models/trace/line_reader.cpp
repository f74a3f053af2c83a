#include "sc_models/trace/line_reader.h"

#include <fmt/format.h>
#include <cstring>
#include <utility>

#include "sc_models/common/interrupt.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/trace/line_fields.h"

namespace tessera {
namespace {

constexpr std::size_t kBufferBytes = 1 << 19;
static_assert(kBufferBytes > 4 * LineReader::kLongestLine, "most of the buffer is not moved");

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)), buffer_(new char[kBufferBytes]) {}

void LineReader::fill() {
    std::memmove(buffer_.get(), buffer_.get() + at_, buffer_end_ - at_);
    buffer_end_ -= at_;
    at_ = 0;
    while (buffer_end_ < kBufferBytes && !source_ended_) {
        stop_if_interrupted();
        std::size_t got = 0;
        try {
            got = source_->read(buffer_.get() + buffer_end_, kBufferBytes - buffer_end_);
        } catch (const ConfigError& error) {
            source_error_ = error.what();
        }
        source_ended_ = got == 0;
        buffer_end_ += got;
    }
}

bool LineReader::at_end() {
    if (!ahead().empty()) return false;
    if (!source_error_.empty()) throw trace_error(name_, line_ + 1, source_error_);
    return true;
}

std::string_view LineReader::next() {
    const std::string_view text = ahead();
    const std::size_t length = text.substr(0, kLongestLine + 1).find('\n');
    if (length == std::string_view::npos) {
        if (text.size() > kLongestLine) {
            throw trace_error(name_, line_ + 1,
                              fmt::format("line longer than {} bytes", kLongestLine));
        }
        if (!source_error_.empty()) throw trace_error(name_, line_ + 1, source_error_);
        throw trace_error(name_, line_ + 1,
                          text.empty() ? std::string("the file ends here")
                                       : fmt::format("the file ends in {}, expected a newline at "
                                                     "the end of every line",
                                                     in_quotes(text)));
    }
    take_line(length + 1);
    end_bytes_ = length > 0 && text[length - 1] == '\r' ? 2 : 1;
    return text.substr(0, length + 1 - end_bytes_);
}

std::string_view LineReader::next_not_blank() {
    for (std::size_t blank = 0; !at_end(); ++blank) {
        const std::string_view line = next();
        if (!trimmed(line).empty()) return line;
        check_blank_lines(blank + 1);
    }
    return {};
}

void LineReader::check_blank_lines(std::size_t count) const {
    if (count <= kMostBlankLines) return;
    throw error(fmt::format("more than {} blank lines in a row", kMostBlankLines));
}

ConfigError LineReader::error(std::string_view message) const {
    return trace_error(name_, line_, message);
}

}  // namespace tessera
