#include "sc_models/trace/tracez_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr std::size_t kMostHeaderBytes = 1 << 20;
constexpr std::uint32_t kMostDictionaryBytes = 16 << 20;
constexpr std::size_t kWindowBytes = 1 << 16;
constexpr std::uint64_t kTrailerBytes = 8;
constexpr std::uint64_t kBlockEntryBytes = 44;
constexpr std::uint64_t kWarpEntryBytes = 16;

class FileBytes final : public RandomBytes {
public:
    explicit FileBytes(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        struct stat status {};
        const char* reason = nullptr;
        if (file_ < 0 || fstat(file_, &status) != 0) {
            reason = std::strerror(errno);
        } else if (!S_ISREG(status.st_mode)) {
            reason = "not a regular file, which a .tracez has to be";
        }
        if (reason != nullptr) {
            if (file_ >= 0) close(file_);
            throw ConfigError(fmt::format("cannot read {}: {}", path, reason));
        }
        size_ = static_cast<std::uint64_t>(status.st_size);
    }
    ~FileBytes() override { close(file_); }
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;

    [[nodiscard]] std::uint64_t size() const override { return size_; }
    std::size_t read_at(std::uint64_t offset, char* out, std::size_t capacity) override {
        for (;;) {
            const ssize_t got = pread(file_, out, capacity, static_cast<off_t>(offset));
            if (got >= 0) return static_cast<std::size_t>(got);
            if (errno != EINTR) {
                throw ConfigError(fmt::format("cannot read on: {}", std::strerror(errno)));
            }
        }
    }

private:
    int file_;
    std::uint64_t size_ = 0;
};

class MemoryBytes final : public RandomBytes {
public:
    explicit MemoryBytes(std::string bytes) : bytes_(std::move(bytes)) {}
    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
    std::size_t read_at(std::uint64_t offset, char* out, std::size_t capacity) override {
        return offset >= bytes_.size() ? 0 : bytes_.copy(out, capacity, offset);
    }

private:
    std::string bytes_;
};

/// Reads from one position on, through a buffer, up to an end.
class PackedReader {
public:
    PackedReader(RandomBytes& bytes, std::string_view part) : bytes_(bytes), part_(part) {}

    void seek(std::uint64_t offset, std::uint64_t end) {
        offset_ = offset;
        end_ = end;
        begin_ = filled_ = 0;
    }
    [[nodiscard]] std::uint64_t offset() const { return offset_; }
    [[nodiscard]] std::uint64_t left() const { return end_ - offset_; }

    /// Bytes from the position on, at most `most` and at least one. Throws if none is left.
    [[nodiscard]] std::string_view peek(std::uint64_t most) {
        if (begin_ == filled_) fill();
        return {buffer_.data() + begin_,
                static_cast<std::size_t>(std::min<std::uint64_t>(most, filled_ - begin_))};
    }
    void take(std::size_t bytes) {
        begin_ += bytes;
        offset_ += bytes;
    }
    std::uint32_t number() { return static_cast<std::uint32_t>(little_endian(4)); }
    std::uint64_t long_number() { return little_endian(8); }

private:
    void fill() {
        const std::uint64_t want = std::min<std::uint64_t>(left(), buffer_.size());
        begin_ = 0;
        filled_ = want == 0 ? 0 : bytes_.read_at(offset_, buffer_.data(), want);
        if (filled_ == 0) throw ConfigError(fmt::format("the {} ends too early", part_));
    }
    std::uint64_t little_endian(std::uint32_t bytes) {
        std::uint64_t value = 0;
        for (std::uint32_t i = 0; i < bytes; ++i) {
            value |= std::uint64_t{static_cast<std::uint8_t>(peek(1)[0])} << (8 * i);
            take(1);
        }
        return value;
    }

    RandomBytes& bytes_;
    std::string_view part_;
    std::vector<char> buffer_ = std::vector<char>(kWindowBytes);
    std::size_t begin_ = 0, filled_ = 0;
    std::uint64_t offset_ = 0, end_ = 0;
};

struct FreeZstd {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    void operator()(ZSTD_DDict* dictionary) const { ZSTD_freeDDict(dictionary); }
};

class TracezSource final : public ByteSource {
public:
    explicit TracezSource(std::unique_ptr<RandomBytes> packed)
        : packed_(std::move(packed)),
          data_(*packed_, "instructions' part of the file"),
          index_(*packed_, "index at the end of the file"),
          context_(ZSTD_createDCtx()) {
        if (!context_) throw ConfigError("no memory left for zstd");
        read_header();
        find_index();
    }

    [[nodiscard]] std::optional<std::uint64_t> thread_blocks() const override { return blocks_; }

    std::size_t read(char* out, std::size_t capacity) override {
        for (;;) {
            if (text_at_ < text_.size()) {
                const std::size_t count = text_.copy(out, capacity, text_at_);
                text_at_ += count;
                return count;
            }
            text_.clear();
            text_at_ = 0;
            if (in_frame_) {
                const std::size_t count = decompress(out, capacity);
                if (count > 0) return count;
            } else if (!step()) {
                return 0;
            }
        }
    }

private:
    void read_header() {
        if (packed_->size() < kTrailerBytes) throw ConfigError("the file is too short");
        data_.seek(0, packed_->size() - kTrailerBytes);
        bool comment = false;
        for (char c = 0;;) {
            c = data_.peek(1)[0];
            data_.take(1);
            if (c == '\0') break;
            const bool begins_line = text_.empty() || text_.back() == '\n';
            comment = comment || (begins_line && c == '#');
            if (!comment) text_ += c;
            if (data_.offset() > kMostHeaderBytes) {
                throw ConfigError(fmt::format(
                    "more than {} bytes of header, expected a NUL behind it", kMostHeaderBytes));
            }
        }
        text_ += "#traces format\n";
        const std::uint32_t dictionary = data_.number();
        (void)data_.number();  // the usual number of instructions of a frame
        if (dictionary > std::min<std::uint64_t>(kMostDictionaryBytes, data_.left())) {
            throw ConfigError(fmt::format(
                "got a dictionary of {} bytes, expected one within the file of at most {}",
                dictionary, kMostDictionaryBytes));
        }
        std::string bytes;
        while (bytes.size() < dictionary) {
            const std::string_view part = data_.peek(dictionary - bytes.size());
            bytes += part;
            data_.take(part.size());
        }
        first_data_ = data_.offset();
        if (dictionary == 0) return;
        dictionary_.reset(ZSTD_createDDict(bytes.data(), bytes.size()));
        if (!dictionary_) throw ConfigError("the dictionary is not one of zstd");
    }

    void find_index() {
        const std::uint64_t end = packed_->size() - kTrailerBytes;
        index_.seek(end, packed_->size());
        index_offset_ = index_.long_number();
        if (index_offset_ < first_data_ || index_offset_ > end) {
            throw ConfigError(fmt::format("got an index at byte {}, expected one from {} to {}",
                                          index_offset_, first_data_, end));
        }
        index_.seek(index_offset_, end);
        blocks_ = index_.number();
        if (blocks_ == 0 || blocks_ > index_.left() / kBlockEntryBytes) {
            throw ConfigError(fmt::format(
                "got {} thread blocks, expected as many as the index has entries, at least one",
                blocks_));
        }
    }

    /// Makes the next piece of text, or begins a frame. Returns false at the end.
    bool step() {
        if (frames_left_ > 0) {
            begin_frame();
        } else if (in_warp_) {
            end_warp();
        } else if (warps_left_ > 0) {
            begin_warp();
        } else if (in_block_) {
            text_ = "#END_TB\n";
            in_block_ = false;
        } else if (blocks_read_ < blocks_) {
            begin_block();
        } else {
            if (index_.left() != 0) {
                throw ConfigError(fmt::format("{} bytes behind the index", index_.left()));
            }
            return false;
        }
        return true;
    }

    void begin_block() {
        std::array<std::uint32_t, 10> entry{};
        for (std::uint32_t& number : entry) number = index_.number();
        warps_left_ = index_.number();
        if (warps_left_ > index_.left() / kWarpEntryBytes) {
            throw ConfigError(fmt::format(
                "got {} warps of a thread block, expected as many as the index has entries",
                warps_left_));
        }
        ++blocks_read_;
        in_block_ = true;
        warp_ = 0;
        text_ = fmt::format(
            "#BEGIN_TB\nthread block = {},{},{}\ncluster id = {},{},{}\ncluster cta = {},{},{}\n"
            "cluster rank = {}\n",
            entry[0], entry[1], entry[2], entry[3], entry[4], entry[5], entry[6], entry[7],
            entry[8], entry[9]);
    }

    void begin_warp() {
        --warps_left_;
        in_warp_ = true;
        instructions_left_ = index_.number();
        frames_left_ = index_.number();
        const std::uint64_t offset = index_.long_number();
        if (offset < first_data_ || offset > index_offset_) {
            throw warp_error(fmt::format("got instructions at byte {}, expected them from {} to {}",
                                         offset, first_data_, index_offset_));
        }
        data_.seek(offset, index_offset_);
        const std::uint32_t instructions = data_.number();
        const std::uint32_t frames = data_.number();
        if (instructions != instructions_left_ || frames != frames_left_) {
            throw warp_error(
                fmt::format("got {} instructions in {} frames, expected the {} in {} of the index",
                            instructions, frames, instructions_left_, frames_left_));
        }
        text_ = fmt::format("warp = {}\ninsts = {}\n", warp_, instructions_left_);
    }

    void end_warp() {
        if (instructions_left_ != 0) {
            throw warp_error(fmt::format("its frames lack {} instructions", instructions_left_));
        }
        in_warp_ = false;
        ++warp_;
    }

    void begin_frame() {
        --frames_left_;
        lines_left_ = index_.number();
        if (lines_left_ == 0 || lines_left_ > instructions_left_) {
            throw warp_error(fmt::format(
                "got a frame of {} instructions, expected 1 to {}, those of the warp that are left",
                lines_left_, instructions_left_));
        }
        instructions_left_ -= lines_left_;
        frame_bytes_ = data_.number();
        if (frame_bytes_ > data_.left()) {
            throw warp_error(fmt::format("got a frame of {} bytes, expected at most the {} left",
                                         frame_bytes_, data_.left()));
        }
        check(ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only));
        check(ZSTD_DCtx_refDDict(context_.get(), dictionary_.get()));
        in_frame_ = true;
        begins_line_ = true;
        zstd_wants_ = 1;
    }

    /// Decompresses a part of the current frame; returns 0 when it has ended.
    std::size_t decompress(char* out, std::size_t capacity) {
        ZSTD_outBuffer output{out, capacity, 0};
        while (output.pos == 0 && zstd_wants_ != 0) {
            std::string_view bytes;
            if (frame_bytes_ > 0) bytes = data_.peek(frame_bytes_);
            ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
            zstd_wants_ = check(ZSTD_decompressStream(context_.get(), &output, &input));
            data_.take(input.pos);
            frame_bytes_ -= static_cast<std::uint32_t>(input.pos);
            if (output.pos == 0 && input.pos == 0 && zstd_wants_ != 0) {
                throw warp_error("a zstd frame ends too early");
            }
        }
        if (output.pos == 0) {
            end_frame();
            return 0;
        }
        count_lines({out, output.pos});
        return output.pos;
    }

    /// Counts the lines that begin in `text`.
    void count_lines(std::string_view text) {
        std::uint64_t begun = begins_line_ ? 1 : 0;
        begun += static_cast<std::uint64_t>(std::count(text.begin(), text.end() - 1, '\n'));
        begins_line_ = text.back() == '\n';
        if (begun > lines_left_) {
            throw warp_error("a frame has more lines than the index says");
        }
        lines_left_ -= static_cast<std::uint32_t>(begun);
    }

    void end_frame() {
        if (frame_bytes_ != 0) throw warp_error("bytes behind a zstd frame");
        if (lines_left_ != 0 || begins_line_) {
            throw warp_error(
                fmt::format("a frame lacks {} lines, expected lines joined by LF, none behind the "
                            "last",
                            lines_left_));
        }
        in_frame_ = false;
        text_ = "\n";
    }

    std::size_t check(std::size_t result) const {
        if (ZSTD_isError(result) != 0) {
            throw warp_error(fmt::format("bad zstd data: {}", ZSTD_getErrorName(result)));
        }
        return result;
    }
    [[nodiscard]] ConfigError warp_error(std::string_view message) const {
        return ConfigError(fmt::format("warp {} of the thread block: {}", warp_, message));
    }

    std::unique_ptr<RandomBytes> packed_;
    PackedReader data_, index_;
    std::unique_ptr<ZSTD_DCtx, FreeZstd> context_;
    std::unique_ptr<ZSTD_DDict, FreeZstd> dictionary_;
    std::uint64_t first_data_ = 0, index_offset_ = 0;
    std::string text_;  ///< made and not yet read
    std::size_t text_at_ = 0;
    std::uint32_t blocks_ = 0, blocks_read_ = 0;
    std::uint32_t warps_left_ = 0, warp_ = 0;
    std::uint32_t frames_left_ = 0, instructions_left_ = 0, lines_left_ = 0;
    std::uint32_t frame_bytes_ = 0;  ///< of the current frame, not yet decompressed
    std::size_t zstd_wants_ = 0;     ///< 0: the frame has ended
    bool in_block_ = false, in_warp_ = false, in_frame_ = false, begins_line_ = false;
};

}  // namespace

std::unique_ptr<RandomBytes> open_random_bytes(const std::string& path) {
    return std::make_unique<FileBytes>(path);
}

std::unique_ptr<RandomBytes> memory_random_bytes(std::string bytes) {
    return std::make_unique<MemoryBytes>(std::move(bytes));
}

std::unique_ptr<ByteSource> tracez_byte_source(std::unique_ptr<RandomBytes> packed) {
    return std::make_unique<TracezSource>(std::move(packed));
}

}  // namespace tessera
