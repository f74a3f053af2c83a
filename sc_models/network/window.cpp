#include "sc_models/network/window.h"

#include <algorithm>
#include <string>

#include "sc_models/common/types.h"

namespace tessera::network {
namespace {

/// Limit that keeps products of sides, steps and padding representable.
constexpr std::int64_t kMostSide = std::int64_t{1} << 31;

/// Values of an attribute, one per side; missing leading sides are `otherwise`.
ImageSides sides_of(const OperatorCall& call, const char* attribute, std::size_t sides,
                    std::size_t first, std::int64_t otherwise, std::int64_t min) {
    ImageSides all{};
    all.fill(otherwise);
    const std::vector<std::int64_t> given = call.attributes().integers(attribute);
    if (given.empty()) return all;
    if (given.size() < first + sides) {
        call.fail(std::string(attribute) + ": got " + std::to_string(given.size()) +
                  " values, expected " + std::to_string(first + sides));
    }
    for (std::size_t i = 0; i < sides; ++i) {
        const std::int64_t value = given[first + i];
        if (value < min || value > kMostSide) {
            call.fail(std::string(attribute) + ": got " + std::to_string(value) +
                      ", expected integers from " + std::to_string(min) + " to " +
                      std::to_string(kMostSide));
        }
        all[kImageSides - sides + i] = value;
    }
    return all;
}

void check_count(const OperatorCall& call, const char* attribute, std::size_t expected) {
    const std::size_t got = call.attributes().integers(attribute).size();
    if (got == 0 || got == expected) return;
    call.fail(std::string(attribute) + ": got " + std::to_string(got) + " values, expected " +
              std::to_string(expected));
}

std::string auto_pad(const OperatorCall& call) {
    const std::string given = call.attributes().text("auto_pad", "NOTSET");
    for (const char* known : {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}) {
        if (given == known) return given;
    }
    call.fail("auto_pad: got '" + given +
              "', expected one of {NOTSET, SAME_UPPER, SAME_LOWER, VALID}");
}

}  // namespace

Window::Window(const OperatorCall& call, const Shape& taps_given) {
    const Shape& input = call.shape(0);
    if (input.size() < 3 || input.size() > 2 + kImageSides) {
        call.fail_input(0, "got shape " + shape_text(input) +
                               ", expected images, channels and one to three sides");
    }
    sides = input.size() - 2;
    for (const char* attribute : {"kernel_shape", "strides", "dilations"}) {
        check_count(call, attribute, sides);
    }
    check_count(call, "pads", 2 * sides);
    if (taps_given.size() != sides) {
        call.fail("got " + std::to_string(taps_given.size()) + " sides of a window, expected " +
                  std::to_string(sides));
    }
    for (std::size_t i = 0; i < sides; ++i) {
        const std::size_t side = kImageSides - sides + i;
        image[side] = input[2 + i];
        taps[side] = taps_given[i];
        if (taps[side] < 1 || taps[side] > kMostSide || image[side] > kMostSide) {
            call.fail("got a window of " + shape_text(taps_given) + " on " + shape_text(input) +
                      ", expected sides of at most 2^31 and at least 1");
        }
    }
    stride = sides_of(call, "strides", sides, 0, 1, 1);
    dilation = sides_of(call, "dilations", sides, 0, 1, 1);
}

void Window::place(const OperatorCall& call) {
    const std::string padding = auto_pad(call);
    if (padding == "NOTSET") {
        pad_begin = sides_of(call, "pads", sides, 0, 0, 0);
        pad_end = sides_of(call, "pads", sides, sides, 0, 0);
    }
    const bool ceiling = call.attributes().integer("ceil_mode") != 0;
    for (std::size_t side = kImageSides - sides; side < kImageSides; ++side) {
        if (padding == "SAME_UPPER" || padding == "SAME_LOWER") {
            output[side] = ceil_div(image[side], stride[side]);
            const std::int64_t total = std::max<std::int64_t>(
                0, (output[side] - 1) * stride[side] + reach(side) - image[side]);
            pad_begin[side] = padding == "SAME_LOWER" ? total - total / 2 : total / 2;
            pad_end[side] = total - pad_begin[side];
            continue;
        }
        const std::int64_t room = image[side] + pad_begin[side] + pad_end[side] - reach(side);
        if (room < 0) {
            call.fail("got a window of " + std::to_string(reach(side)) + " on a side of " +
                      std::to_string(image[side] + pad_begin[side] + pad_end[side]) +
                      " with its padding, expected one that fits");
        }
        output[side] = (ceiling ? ceil_div(room, stride[side]) : room / stride[side]) + 1;
        // A window that would begin in the padding at the end is dropped.
        if (ceiling && (output[side] - 1) * stride[side] >= image[side] + pad_begin[side]) {
            --output[side];
        }
    }
}

Window Window::of_convolution(const OperatorCall& call) {
    const Shape& filters = call.shape(1);
    if (filters.size() != call.shape(0).size()) {
        call.fail_input(1, "got shape " + shape_text(filters) + ", expected " +
                               std::to_string(call.shape(0).size()) + " dimensions");
    }
    const Shape taps(filters.begin() + std::min<std::ptrdiff_t>(2, filters.end() - filters.begin()),
                     filters.end());
    const std::vector<std::int64_t> said = call.attributes().integers("kernel_shape");
    if (!said.empty() && said != taps) {
        call.fail("kernel_shape: got " + shape_text(said) + ", expected " + shape_text(taps) +
                  " as the filters have it");
    }
    Window window(call, taps);
    window.place(call);
    return window;
}

Window Window::of_pooling(const OperatorCall& call) {
    Window window(call, call.attributes().integers("kernel_shape"));
    window.place(call);
    return window;
}

Window Window::of_transposed_convolution(const OperatorCall& call) {
    const Shape& filters = call.shape(1);
    if (filters.size() != call.shape(0).size() || filters.size() < 3) {
        call.fail_input(1, "got shape " + shape_text(filters) +
                               ", expected as many dimensions as input 0, at least 3");
    }
    Window window(call, {filters.begin() + 2, filters.end()});
    window.output = window.image;
    const std::string padding = auto_pad(call);
    const std::size_t sides = window.sides;
    if (padding == "NOTSET") {
        window.pad_begin = sides_of(call, "pads", sides, 0, 0, 0);
        window.pad_end = sides_of(call, "pads", sides, sides, 0, 0);
    }
    const ImageSides added = sides_of(call, "output_padding", sides, 0, 0, 0);
    check_count(call, "output_shape", sides);
    const ImageSides wanted = sides_of(call, "output_shape", sides, 0, 0, 1);
    for (std::size_t side = kImageSides - sides; side < kImageSides; ++side) {
        const std::int64_t full =
            (window.output[side] - 1) * window.stride[side] + added[side] + window.reach(side);
        std::int64_t& image = window.image[side];
        const bool same = padding == "SAME_UPPER" || padding == "SAME_LOWER";
        if (wanted[side] == 0 && !same) {
            image = full - window.pad_begin[side] - window.pad_end[side];
        } else {
            image = wanted[side] != 0 ? wanted[side] : window.output[side] * window.stride[side];
            const std::int64_t total = full - image;
            // ONNX puts the larger half at the beginning unless the mode is SAME_UPPER.
            const std::int64_t half = (total - (total < 0 ? 1 : 0)) / 2;  // rounded down
            window.pad_begin[side] = padding == "SAME_UPPER" ? half : total - half;
            window.pad_end[side] = total - window.pad_begin[side];
        }
        if (image < 0 || image > kMostSide) {
            call.fail("got an output side of " + std::to_string(image) + ", expected 0 to " +
                      std::to_string(kMostSide));
        }
    }
    return window;
}

}  // namespace tessera::network
