#include "sc_models/workload/depthwise/depthwise_lanes.h"

namespace tessera {

DepthwiseLanes::DepthwiseLanes(const DepthwiseKernel& kernel, std::uint64_t image, std::int64_t row,
                               std::uint64_t block)
    : kernel_(kernel), pass_(*kernel.task().pass), image_(image), row_(row) {
    const DepthwiseTile& tile = kernel.task().tile;
    const std::uint64_t vectors = pass_.output_pitch() / tile.vector;
    const auto outputs = static_cast<std::uint64_t>(pass_.columns().outputs());
    const std::uint64_t strips = ceil_div(outputs, std::uint64_t{tile.strip});
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
        const std::uint64_t at = block * kWarpLanes + lane;
        if (at >= strips * vectors) break;
        lanes_[lane] = {at % vectors * tile.vector,
                        static_cast<std::int64_t>(at / vectors * tile.strip)};
        active_ = lane + 1;
    }
}

std::int64_t DepthwiseLanes::input_column(std::uint32_t lane, std::size_t column) const {
    const ConvolutionAxis& x = pass_.columns();
    return lanes_[lane].pixel * x.stride - x.pad + kernel_.columns()[column].offset;
}

bool DepthwiseLanes::is_inside(std::uint32_t lane, std::size_t column) const {
    const std::int64_t at = input_column(lane, column);
    return at >= 0 && at < pass_.columns().size;
}

bool DepthwiseLanes::is_any_inside(std::size_t column) const {
    for (std::uint32_t lane = 0; lane < active_; ++lane) {
        if (is_inside(lane, column)) return true;
    }
    return false;
}

std::int64_t DepthwiseLanes::input_offset(std::uint32_t lane, std::int64_t row,
                                          std::size_t column) const {
    const std::int64_t image_row = static_cast<std::int64_t>(image_) * pass_.rows().size + row;
    const std::int64_t pixel = image_row * pass_.columns().size + input_column(lane, column);
    const std::uint64_t channel = lanes_[lane].channel / kernel_.multiplier();
    return (pixel * static_cast<std::int64_t>(pass_.input_pitch()) +
            static_cast<std::int64_t>(channel)) *
           static_cast<std::int64_t>(sizeof(HalfBits));
}

bool DepthwiseLanes::is_made(std::uint32_t lane, std::uint32_t pixel) const {
    return lanes_[lane].pixel + pixel < pass_.columns().outputs();
}

bool DepthwiseLanes::is_any_made(std::uint32_t pixel) const {
    for (std::uint32_t lane = 0; lane < active_; ++lane) {
        if (is_made(lane, pixel)) return true;
    }
    return false;
}

std::int64_t DepthwiseLanes::output_offset(std::uint32_t lane, std::uint32_t pixel) const {
    const std::int64_t row = static_cast<std::int64_t>(image_) * pass_.rows().outputs() + row_;
    const std::int64_t at = row * pass_.columns().outputs() + lanes_[lane].pixel + pixel;
    return (at * static_cast<std::int64_t>(pass_.output_pitch()) +
            static_cast<std::int64_t>(lanes_[lane].channel)) *
           static_cast<std::int64_t>(sizeof(HalfBits));
}

}  // namespace tessera
