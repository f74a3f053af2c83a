// Naive reference of the ID generator.
#pragma once

#include <cstdint>
#include <vector>

#include "testbenches/id_generator/workspace.h"

namespace tessera::testbench {

/// Row group of a fragment as the reference sees it.
struct NaiveId {
    BypassReason bypass = BypassReason::kNone;
    std::uint64_t image = 0;
    std::uint64_t element = 0;  ///< of the first half
    bool zero = false;
    /// Image and element of each row of the group: groups hold the same data exactly if these are
    /// equal.
    std::vector<std::uint64_t> rows = {};
};

/// Ids by integer arithmetic from the layer's geometry, half by half. A row of the workspace is one
/// position of the filter; "batch_id = worksp_row_idx / (output_width * output_height)", and "the
/// method assigns the identical IDs to the workspace elements containing the duplicates of the same
/// data" (Duplo III-C). The id of a half is its place in the padded image (NHWC), zeros inserted.
class NaiveIds {
public:
    explicit NaiveIds(const Workspace& workspace) : base_(workspace.base) {
        const LayerConfig& l = workspace.layer;
        const std::uint64_t rule = workspace.rule == ChannelRule::kPad16           ? 16
                                   : workspace.rule == ChannelRule::kPad8FilterRow ? 8
                                                                                   : 1;
        up_ = l.transposed ? l.stride : 1;
        stride_ = l.transposed ? 1 : l.stride;
        pad_ = l.transposed ? l.filter_height - 1 - l.pad : l.pad;
        channels_ = (l.channels / l.groups + rule - 1) / rule * rule;
        height_ = l.height * up_ + 2 * pad_;
        width_ = l.width * up_ + 2 * pad_;
        filter_height_ = l.filter_height;
        output_height_ = (height_ - l.filter_height) / stride_ + 1;
        output_width_ = (width_ - l.filter_width) / stride_ + 1;
        filter_row_ = l.filter_width * channels_;
        if (workspace.rule == ChannelRule::kPad8FilterRow) filter_row_ = whole_chunks(filter_row_);
        pitch_ = whole_chunks(filter_row_ * filter_height_) + workspace.row_padding_chunks * kChunk;
        batch_rows_ = std::uint64_t{l.batch} * l.groups * output_height_ * output_width_;
        rows_ = batch_rows_ + workspace.tail_rows;
        zero_rule_ = workspace.zero_rule;
    }

    /// Bytes from one workspace row to the next, and of the workspace.
    [[nodiscard]] std::uint64_t pitch_bytes() const { return 2 * pitch_; }
    [[nodiscard]] std::uint64_t bytes() const { return 2 * pitch_ * rows_; }
    /// Bytes of the filter rows in a workspace row.
    [[nodiscard]] std::uint64_t filter_bytes() const { return 2 * filter_row_ * filter_height_; }
    [[nodiscard]] std::uint64_t filter_row_bytes() const { return 2 * filter_row_; }
    [[nodiscard]] std::uint64_t image_rows() const { return output_height_ * output_width_; }
    [[nodiscard]] std::uint64_t rows() const { return rows_; }

    /// Id of `rows` chunks, the first at `address`, `row_pitch` bytes apart.
    [[nodiscard]] NaiveId id(Address address, std::uint64_t row_pitch, std::uint32_t rows) const {
        NaiveId id;
        id.bypass = bypass_of(address);
        if (id.bypass != BypassReason::kNone) return id;
        if (rows > 1 && row_pitch != pitch_bytes()) {
            id.bypass = BypassReason::kPitch;
            return id;
        }
        const std::uint64_t last_row = (address - base_) / 2 / pitch_ + rows - 1;
        if (last_row >= rows_) id.bypass = BypassReason::kOutsideWorkspace;
        if (last_row >= batch_rows_ && last_row < rows_) id.bypass = BypassReason::kBatchTail;
        if (last_row >= batch_rows_) return id;
        id.bypass = bypass_of_column((address - base_) / 2 % pitch_);
        if (id.bypass != BypassReason::kNone) return id;
        id.zero = zero_rule_;
        for (std::uint32_t i = 0; i < rows; ++i) {
            const std::uint64_t half = (address - base_) / 2 + i * pitch_;
            id.rows.push_back(image_of(half));
            id.rows.push_back(element_of(half));
            id.zero = id.zero && is_zero(element_of(half));
        }
        id.image = id.rows[0];
        id.element = id.rows[1];
        return id;
    }

private:
    static constexpr std::uint64_t kChunk = 16;  ///< halves
    [[nodiscard]] static std::uint64_t whole_chunks(std::uint64_t halves) {
        return (halves + kChunk - 1) / kChunk * kChunk;
    }
    [[nodiscard]] BypassReason bypass_of(Address address) const {
        if (address < base_ || address >= base_ + bytes()) return BypassReason::kOutsideWorkspace;
        return (address - base_) % 32 == 0 ? BypassReason::kNone : BypassReason::kUnaligned;
    }
    /// Chunks without an id: those with halves of two filter rows, and those that begin behind the
    /// last filter row or reach beyond it from there.
    [[nodiscard]] BypassReason bypass_of_column(std::uint64_t column) const {
        const std::uint64_t filter_row = column / filter_row_;
        if (filter_row >= filter_height_) return BypassReason::kRowTail;
        if ((column + kChunk - 1) / filter_row_ == filter_row) return BypassReason::kNone;
        return filter_row + 1 == filter_height_ ? BypassReason::kRowTail : BypassReason::kCrossing;
    }
    [[nodiscard]] std::uint64_t image_of(std::uint64_t half) const {
        return half / pitch_ / image_rows();
    }
    /// Place in the padded image of a half of the workspace.
    [[nodiscard]] std::uint64_t element_of(std::uint64_t half) const {
        const std::uint64_t position = half / pitch_ % image_rows();
        const std::uint64_t column = half % pitch_;
        const std::uint64_t y = position / output_width_ * stride_ + column / filter_row_;
        const std::uint64_t x = position % output_width_ * stride_;
        return (y * width_ + x) * channels_ + column % filter_row_;
    }
    /// Whether the 16 halves of the padded image from `element` on are padding or inserted zeros.
    [[nodiscard]] bool is_zero(std::uint64_t element) const {
        for (std::uint64_t half = element; half < element + kChunk; ++half) {
            const std::uint64_t x = half / channels_ % width_;
            const std::uint64_t y = half / channels_ / width_;
            if (y >= height_) return false;  // behind the image
            const bool inside = y >= pad_ && y < height_ - pad_ && x >= pad_ && x < width_ - pad_;
            if (inside && (y - pad_) % up_ == 0 && (x - pad_) % up_ == 0) return false;
        }
        return true;
    }

    Address base_;
    std::uint64_t up_, stride_, pad_, channels_, height_, width_, filter_height_;
    std::uint64_t output_height_, output_width_;
    std::uint64_t filter_row_ = 0;  ///< halves from one filter row to the next
    std::uint64_t pitch_ = 0;       ///< halves from one workspace row to the next
    std::uint64_t batch_rows_ = 0, rows_ = 0;
    bool zero_rule_ = false;
};

}  // namespace tessera::testbench
