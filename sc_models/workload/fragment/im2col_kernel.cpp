#include "sc_models/workload/fragment/im2col_kernel.h"

#include <algorithm>
#include <stdexcept>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr std::uint32_t kHalfBytes = 2;
constexpr std::uint32_t kWindowHalves = Im2colKernel::kWindowBytes / kHalfBytes;
constexpr std::uint32_t kRegistersPerThread = 32;
constexpr std::uint8_t kZeroRegisters = 0;  // four registers that stay zero
constexpr std::uint8_t kFirstStream = 4;    // four registers per window in flight; the rest for
                                            // addresses

using Window = Im2colKernel::Window;

/// Divides `halves` into equal parts of at most `limit`, rounded up to `step`; returns the size of
/// a part.
std::uint32_t even_part(std::uint32_t halves, std::uint32_t limit, std::uint32_t step) {
    const std::uint32_t parts = ceil_div(halves, limit);
    return std::min(limit, round_up(ceil_div(halves, parts), step));
}

/// Appends the windows of one filter row from `begin` to `end`, in parts of `part` halves.
void cut(std::vector<Window>& windows, const ConvolutionGeometry& g, std::uint32_t filter_row,
         std::uint32_t begin, std::uint32_t end, std::uint32_t part) {
    for (; begin < end; begin += part) {
        const std::uint32_t stop = std::min(begin + part, end);
        windows.push_back(
            {filter_row * g.filter_row_pitch + begin, stop - begin, filter_row, 1, begin, stop});
    }
}

/// Cuts a filter row with inserted zeros, whose pixels are not contiguous in memory: only windows
/// of whole pixels, or within one, are one affine piece.
void cut_inserted_row(std::vector<Window>& windows, const ConvolutionGeometry& g,
                      std::uint32_t filter_row) {
    const std::uint32_t pixel = g.padded_channels;
    if (pixel <= kWindowHalves) {
        const std::uint32_t pixels = kWindowHalves / pixel;
        cut(windows, g, filter_row, 0, g.filter_row, even_part(g.filter_width, pixels, 1) * pixel);
    } else {
        const std::uint32_t part = even_part(pixel, kWindowHalves, 16);
        for (std::uint32_t x = 0; x < g.filter_width; ++x) {
            cut(windows, g, filter_row, x * pixel, (x + 1) * pixel, part);
        }
    }
    // The padding of the row belongs to one further pixel (kPad8FilterRow).
    cut(windows, g, filter_row, g.filter_row, g.filter_row_pitch, kWindowHalves);
}

std::vector<Window> cut_workspace_row(const ConvolutionGeometry& g) {
    std::vector<Window> windows;
    if (g.up_factor > 1) {
        for (std::uint32_t y = 0; y < g.filter_height; ++y) cut_inserted_row(windows, g, y);
    } else if (g.filter_row_pitch > kWindowHalves) {
        const std::uint32_t part = even_part(g.filter_row_pitch, kWindowHalves, 16);
        for (std::uint32_t y = 0; y < g.filter_height; ++y) {
            cut(windows, g, y, 0, g.filter_row_pitch, part);
        }
    } else {
        const std::uint32_t rows =
            even_part(g.filter_height, kWindowHalves / g.filter_row_pitch, 1);
        for (std::uint32_t y = 0; y < g.filter_height; y += rows) {
            const std::uint32_t count = std::min(rows, g.filter_height - y);
            windows.push_back({y * g.filter_row_pitch, count * g.filter_row_pitch, y, count, 0,
                               g.filter_row_pitch});
        }
    }
    const auto tail = static_cast<std::uint32_t>(g.k_pitch - g.k);
    if (tail > 0 && windows.back().halves + tail <= kWindowHalves) {
        windows.back().halves += tail;
    } else if (tail > 0) {
        windows.push_back({static_cast<std::uint32_t>(g.k), tail, 0, 0, 0, 0});
    }
    return windows;
}

/// The existing pixels of a window as one affine access.
struct Pieces {
    std::uint32_t rows = 0;  ///< 0: the window is all zero
    std::uint32_t row_bytes = 0;
    std::uint64_t row_pitch_bytes = 0;
    std::uint32_t register_offset_bytes = 0;
    std::uint32_t register_pitch_bytes = 0;
    std::uint64_t offset_bytes = 0;  ///< of the first piece, from the input's start
};

/// Top left corner of the filter in the padded input.
struct Corner {
    std::uint64_t image, y, x;
};

/// Computes the pieces without inserted zeros: in every filter row the window's existing pixels are
/// contiguous in memory.
Pieces contiguous_pieces(const ConvolutionGeometry& g, const Window& window, const Corner& corner) {
    // Filter rows inside the image.
    const auto clip = [](std::int64_t v, std::int64_t lo, std::int64_t hi) {
        return std::max(lo, std::min(v, hi));
    };
    const std::int64_t top = std::int64_t{g.pad} - static_cast<std::int64_t>(corner.y);
    const std::int64_t first_row = window.filter_row;
    const std::int64_t last_row = first_row + window.filter_rows;
    const std::int64_t y_begin = clip(top, first_row, last_row);
    const std::int64_t y_end = clip(top + g.height, first_row, last_row);
    // Clip to the halves inside the image's width. Without padding a filter row padded beyond the
    // image's edge continues with the next line, as in memory.
    const std::int64_t left = (std::int64_t{g.pad} - static_cast<std::int64_t>(corner.x)) *
                              std::int64_t{g.padded_channels};
    const std::int64_t begin = clip(left, window.begin, window.end);
    const std::int64_t right = left + std::int64_t{g.width} * g.padded_channels;
    const std::int64_t end =
        g.pad == 0 ? std::int64_t{window.end} : clip(right, window.begin, window.end);
    if (y_begin >= y_end || begin >= end) return {};

    Pieces p;
    p.rows = static_cast<std::uint32_t>(y_end - y_begin);
    p.row_bytes = static_cast<std::uint32_t>(end - begin) * kHalfBytes;
    p.row_pitch_bytes = std::uint64_t{g.width} * g.padded_channels * kHalfBytes;
    p.register_pitch_bytes = g.filter_row_pitch * kHalfBytes;
    p.register_offset_bytes =
        static_cast<std::uint32_t>((y_begin - first_row) * g.filter_row_pitch + begin -
                                   window.begin) *
        kHalfBytes;
    const auto line = static_cast<std::uint64_t>(y_begin - top);
    const auto half = static_cast<std::uint64_t>(begin - left);
    p.offset_bytes =
        ((corner.image * g.height + line) * g.width * g.padded_channels + half) * kHalfBytes;
    return p;
}

/// Computes the pieces with inserted zeros: whole pixels of one filter row, or a part of one pixel,
/// every up_factor-th existing. They may belong to the next line or image if a filter row is
/// padded.
Pieces inserted_pieces(const ConvolutionGeometry& g, const Window& window, const Corner& corner) {
    const std::uint64_t row =
        (corner.image * g.padded_height + corner.y + window.filter_row) * g.padded_width + corner.x;
    Pieces p;
    for (std::uint32_t half = window.begin; half < window.end;) {
        const std::uint32_t pixel_end = (half / g.padded_channels + 1) * g.padded_channels;
        const std::uint32_t end = std::min(pixel_end, window.end);
        if (const auto raw = g.raw_index(row * g.padded_channels + half)) {
            if (p.rows == 0) {
                p.offset_bytes = *raw * kHalfBytes;
                p.register_offset_bytes = (half - window.begin) * kHalfBytes;
                p.row_bytes = (end - half) * kHalfBytes;
            }
            ++p.rows;
        }
        half = end;
    }
    p.row_pitch_bytes = std::uint64_t{g.padded_channels} * kHalfBytes;
    p.register_pitch_bytes = g.up_factor * g.padded_channels * kHalfBytes;
    return p;
}

}  // namespace

class Im2colProgram : public WarpProgram {
public:
    Im2colProgram(const Im2colKernel& kernel, std::uint64_t first, std::uint64_t end)
        : kernel_(kernel), next_(first), end_(end) {}

    std::size_t fill(WarpInstruction* out, std::size_t /*capacity*/) override {
        out_ = out;
        if (!started_) {
            clear_zero_registers();
            started_ = true;
        } else if (next_ < end_) {
            copy_windows();
        } else if (!exited_) {
            emit(Opcode::kExit);
            exited_ = true;
        }
        return static_cast<std::size_t>(out_ - out);
    }

private:
    WarpInstruction& emit(Opcode opcode) { return *out_++ = WarpInstruction(opcode); }

    /// Reads a zero behind the input, because no instruction of the machine writes a constant.
    void clear_zero_registers() {
        WarpInstruction& w = emit(Opcode::kLoadGlobal);
        w.dst = kZeroRegisters;
        w.memory().set_rows(kernel_.input_ + (kernel_.geometry_.input_halves() -
                                              ConvolutionGeometry::kInputSlackHalves) *
                                                 kHalfBytes,
                            1, kHalfBytes, kHalfBytes);
        w.registers().pitch_bytes = kHalfBytes;
        w.registers().zero_fill = kAccessRegisters;
    }

    void copy_windows() {
        const std::uint64_t count =
            std::min<std::uint64_t>(Im2colKernel::kWindowsInFlight, end_ - next_);
        std::uint8_t source[Im2colKernel::kWindowsInFlight];
        emit(Opcode::kAlu).count =
            static_cast<std::uint16_t>(Im2colKernel::kIndexInstructions * count);
        for (std::uint64_t i = 0; i < count; ++i) source[i] = load(next_ + i, stream(i));
        for (std::uint64_t i = 0; i < count; ++i) store(next_ + i, source[i]);
        next_ += count;
    }

    static std::uint8_t stream(std::uint64_t slot) {
        return static_cast<std::uint8_t>(kFirstStream + 4 * slot);
    }

    /// Loads window `index` and returns the registers that hold it.
    std::uint8_t load(std::uint64_t index, std::uint8_t registers) {
        const ConvolutionGeometry& g = kernel_.geometry_;
        const Window& window = kernel_.windows_[index % kernel_.windows_.size()];
        const std::uint64_t row = index / kernel_.windows_.size();
        const std::uint64_t outputs = std::uint64_t{g.output_height} * g.output_width;
        const Corner corner{row / outputs, row % outputs / g.output_width * g.stride,
                            row % g.output_width * g.stride};
        const Pieces p = g.up_factor > 1 ? inserted_pieces(g, window, corner)
                                         : contiguous_pieces(g, window, corner);
        if (p.rows == 0) return kZeroRegisters;
        WarpInstruction& w = emit(Opcode::kLoadGlobal);
        w.dst = registers;
        w.memory().set_rows(kernel_.input_ + p.offset_bytes, p.rows, p.row_bytes,
                            p.row_pitch_bytes);
        RegisterPlace& place = w.registers();
        place.offset_bytes = static_cast<std::uint16_t>(p.register_offset_bytes);
        place.pitch_bytes = static_cast<std::uint16_t>(p.register_pitch_bytes);
        const bool partly = p.rows * p.row_bytes < window.halves * kHalfBytes;
        place.zero_fill = partly ? kAccessRegisters : std::uint8_t{0};
        return registers;
    }

    void store(std::uint64_t index, std::uint8_t registers) {
        const Window& window = kernel_.windows_[index % kernel_.windows_.size()];
        const std::uint64_t row = index / kernel_.windows_.size();
        WarpInstruction& w = emit(Opcode::kStoreGlobal);
        w.src_a = registers;
        const std::uint32_t bytes = window.halves * kHalfBytes;
        w.memory().set_rows(
            kernel_.workspace_ + (row * kernel_.geometry_.k_pitch + window.column) * kHalfBytes, 1,
            bytes, bytes);
        w.registers().pitch_bytes = static_cast<std::uint16_t>(bytes);
    }

    const Im2colKernel& kernel_;
    std::uint64_t next_, end_;
    bool started_ = false, exited_ = false;
    WarpInstruction* out_ = nullptr;
};

Im2colKernel::Im2colKernel(std::string name, const ConvolutionGeometry& geometry, Address input,
                           Address workspace, std::uint64_t rows)
    : geometry_(geometry),
      input_(input),
      workspace_(workspace),
      rows_(rows),
      windows_(cut_workspace_row(geometry)) {
    if (rows == 0 || rows > geometry.m) throw std::logic_error("Im2colKernel: rows out of range");
    constexpr std::uint64_t kWindowsPerCta = std::uint64_t{kWarpsPerCta} * kWindowsPerWarp;
    const std::uint64_t ctas = ceil_div(rows * windows_.size(), kWindowsPerCta);
    if (ctas >= ~std::uint32_t{0}) throw ConfigError("workload.layer.batch: workspace too large");
    info_.name = std::move(name);
    info_.ctas = static_cast<std::uint32_t>(ctas);
    info_.warps_per_cta = kWarpsPerCta;
    info_.registers_per_thread = kRegistersPerThread;
    for (std::uint32_t warp = 0; warp < kWarpsPerCta; ++warp)
        info_.sub_core_of_warp.push_back(warp);
}

std::unique_ptr<WarpProgram> Im2colKernel::program(CtaId cta, std::uint32_t warp) const {
    const std::uint64_t total = rows_ * windows_.size();
    const std::uint64_t first =
        (std::uint64_t{cta.value()} * kWarpsPerCta + warp) * kWindowsPerWarp;
    return std::make_unique<Im2colProgram>(*this, std::min(first, total),
                                           std::min(first + kWindowsPerWarp, total));
}

}  // namespace tessera
