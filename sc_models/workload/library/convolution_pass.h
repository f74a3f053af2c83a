// A pass of a convolution layer as matrix products over NHWC tensors: implicit GEMM.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/divisor.h"
#include "sc_models/config/workload_config.h"
#include "sc_models/workload/library/dense_kernels.h"
#include "sc_models/workload/staged/gathered_operand.h"
#include "sc_models/workload/staged/staged_registers.h"

namespace tessera {

/// An axis of a layer.
struct ConvolutionAxis {
    std::int64_t size = 0, filter = 0, pad = 0, stride = 1, dilation = 1;

    [[nodiscard]] std::int64_t outputs() const {
        return (size + 2 * pad - (filter - 1) * dilation - 1) / stride + 1;
    }
};

/// The products of a pass. Each group has its own products.
/// - Forward: rows are output pixels, columns filters, k are taps and, within a tap, channels.
/// - Gradient of the input: rows are input pixels, columns channels, k are taps and filters. With a
///   stride, input pixels fall into stride x stride classes, each with its own taps. One table of
///   offsets serves all classes: each takes the steps of the class with the most taps, with zeros
///   behind its own (a class without taps takes no steps and has only zeros).
/// - Gradient of the filters: rows are filters, columns taps and channels, k are output pixels.
///
/// Taps are processed one by one: the channels (filters) of a tap are rounded up to 32, as k or as
/// columns, like cuDNN 7's kernels, which have one offset per 32. Hence 8 channels take as long as
/// 32. The other order, which no library here uses, takes the same steps: a step has the same 32
/// channels of all taps.
///
/// Tensors are stored in NHWC and KRSC order, pixels and filters rounded up to a multiple of 8
/// halves; without groups, the rounded channels and filters count as real ones whose values are
/// zero, as cuDNN's kernels require. Gradients of filters are stored like their columns, with 32
/// channels per tap or a multiple.
class ConvolutionPass : public ResultPlaces {
public:
    /// Throws ConfigError if the layer is impossible.
    ConvolutionPass(const LayerConfig& layer, LayerPass pass,
                    SumOrder order = SumOrder::kTapsOuter);

    [[nodiscard]] LayerPass pass() const { return pass_; }
    [[nodiscard]] const ConvolutionAxis& rows() const { return y_; }
    [[nodiscard]] const ConvolutionAxis& columns() const { return x_; }
    [[nodiscard]] std::uint64_t batch() const { return batch_; }
    [[nodiscard]] std::uint32_t groups() const { return groups_; }
    /// Channels and filters of a group, including those added by rounding up.
    [[nodiscard]] std::uint64_t channels() const { return channels_; }
    [[nodiscard]] std::uint64_t filters() const { return filters_; }
    /// k per tap: channels, or filters for the gradient of the input.
    [[nodiscard]] std::uint64_t k_of_tap() const { return k_of_tap_.value(); }
    /// Columns per tap for the gradient of the filters.
    [[nodiscard]] std::uint64_t columns_of_tap() const { return columns_of_tap_.value(); }

    /// Contiguous k within one of `taps` taps: `count` of them, from element `inner` of `tap` on.
    struct PartOfTap {
        std::uint64_t tap = 0, inner = 0, count = 0;
    };
    [[nodiscard]] PartOfTap part_of_tap(std::uint64_t taps, std::uint64_t k) const;
    /// The same for columns, for the gradient of the filters.
    [[nodiscard]] PartOfTap part_of_columns(std::uint64_t column) const {
        return part_of(columns_of_tap_, column);
    }

    /// Elements between pixels and between filters, and of whole tensors.
    [[nodiscard]] std::uint64_t input_pitch() const { return input_pitch_; }
    [[nodiscard]] std::uint64_t output_pitch() const { return output_pitch_; }
    [[nodiscard]] std::uint64_t filter_pitch() const { return taps() * channels_; }
    [[nodiscard]] std::uint64_t input_elements() const;
    [[nodiscard]] std::uint64_t output_elements() const;
    [[nodiscard]] std::uint64_t filter_elements() const;
    [[nodiscard]] std::uint64_t result_elements() const;
    [[nodiscard]] std::uint64_t taps() const {
        return static_cast<std::uint64_t>(y_.filter * x_.filter);
    }
    /// First element of filter `filter` of a group.
    [[nodiscard]] std::uint64_t filter_element(std::uint32_t group, std::uint64_t filter) const {
        return (group * filters_ + filter) * filter_pitch();
    }

    /// One product. Members are ordered by class, then group.
    struct Member {
        std::uint32_t group = 0;
        std::int64_t class_y = 0, class_x = 0;
        std::int64_t height = 0, width = 0;  ///< per image, of pixels that are rows
        std::vector<std::int64_t> taps_y, taps_x;
        std::uint64_t taps = 0;  ///< taps of k; more than taps_y x taps_x if another class has more
                                 ///< taps and sets the steps
        std::uint64_t m = 0, k = 0;
        /// Offsets from a row's pixel (times the stride, except for the gradient of the input) to
        /// the pixel under each tap.
        std::vector<std::int64_t> offsets_y, offsets_x;
        /// Pixels per image and per image row, taps per filter row (1 if there is none).
        Divisor image_pixels{1}, row_pixels{1}, row_taps{1};
    };
    [[nodiscard]] const std::vector<Member>& members() const { return members_; }
    [[nodiscard]] std::uint64_t columns_of_d() const;
    /// Whether the tensors serve as operands unchanged, groups side by side: filters of one tap, no
    /// padding, and a stride of 1.
    [[nodiscard]] bool is_plain_product() const;
    /// Number of halves guaranteed to be contiguous and aligned, at most 8.
    [[nodiscard]] std::uint32_t lane_halves() const;

    [[nodiscard]] std::uint64_t element(std::uint32_t member, std::uint64_t row) const override;

private:
    [[nodiscard]] static PartOfTap part_of(const Divisor& tap, std::uint64_t at) {
        const auto [number, inner] = tap.split(at);
        return {number, inner, tap.value() - inner};
    }
    void add_classes();
    /// Derives the remaining fields of a member.
    void finish(Member& member) const;

    LayerPass pass_;
    SumOrder order_;
    ConvolutionAxis y_, x_;
    std::uint64_t batch_;
    std::uint32_t groups_;
    std::uint64_t channels_, filters_;
    std::uint64_t input_pitch_, output_pitch_;
    Divisor k_of_tap_{1}, columns_of_tap_{1};
    std::vector<Member> members_;
};

/// A tensor of a pass at an address.
class TensorSource : public ElementSource {
public:
    /// `pass` must outlive this.
    TensorSource(const ConvolutionPass& pass, Address base) : pass_(pass), base_(base) {}

    [[nodiscard]] std::uint64_t depth(std::uint32_t member) const override {
        return pass_.members()[member].k;
    }

protected:
    const ConvolutionPass& pass_;
    const Address base_;
};

/// Pixels of a tensor under taps, the gathered operand of a pass. Rows of the array are the pixels
/// of a product (or its k), elements are taps and, within a tap, channels.
class PixelSource : public TensorSource {
public:
    /// For the gradient of the filters: the output's gradient itself, without taps.
    enum class Of { kInput, kOutput };
    PixelSource(const ConvolutionPass& pass, Of of, Address base)
        : TensorSource(pass, base), of_(of) {}

    void runs(const ElementBlock& block, std::vector<ElementRun>& out) const override;

private:
    /// Elements of a block's rows that belong to one tap.
    struct Part {
        std::uint64_t begin = 0, end = 0;
        std::uint64_t inner = 0;
        std::int64_t offset_y = 0, offset_x = 0;
    };
    void add_parts(const ElementBlock& block, std::vector<Part>& parts) const;
    void runs_of_gradient(const ElementBlock& block, std::vector<ElementRun>& out) const;
    [[nodiscard]] bool is_gathered_gradient() const {
        return of_ == Of::kOutput && pass_.pass() == LayerPass::kBackwardData;
    }

    Of of_;
};

/// Filters as B: forward, a filter's taps and channels; gradient of the input, the channels of a
/// tap and filter.
class FilterSource : public TensorSource {
public:
    using TensorSource::TensorSource;
    void runs(const ElementBlock& block, std::vector<ElementRun>& out) const override;

private:
    void runs_of_row(const ElementBlock& block, std::uint32_t row,
                     std::vector<ElementRun>& out) const;
};

}  // namespace tessera
