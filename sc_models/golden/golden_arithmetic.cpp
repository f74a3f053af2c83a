// C interface of the arithmetic units.
#include <array>
#include <cstring>

#include "sc_models/golden/golden_call.h"
#include "sc_models/tensor_core/fedp.h"
#include "sc_models/tensor_core/feop.h"
#include "sc_models/tensor_core/half.h"

namespace tessera {
namespace {

constexpr std::size_t kDotElements = 4;

using Halves = std::array<HalfBits, kFeopLanes>;
using Floats = std::array<float, kFeopLanes>;

/// Copies FP16 elements byte by byte, because DPI-C passes them as words.
Halves halves(const uint16_t* from) {
    Halves to;
    std::memcpy(to.data(), from, sizeof to);
    return to;
}

}  // namespace
}  // namespace tessera

int tessera_golden_fp16_product(uint16_t a, uint16_t b, uint32_t* product) {
    return tessera::golden_call(__func__, [=] {
        tessera::need_pointer(product, "product");
        *product = tessera::fp16_product(a, b);
    });
}

int tessera_golden_fp32_add(uint32_t x, uint32_t y, uint32_t* sum) {
    return tessera::golden_call(__func__, [=] {
        tessera::need_pointer(sum, "sum");
        *sum = tessera::fp32_add(x, y);
    });
}

int tessera_golden_feop(uint16_t a, const uint16_t b[4], const uint32_t c[4], uint32_t d[4]) {
    return tessera::golden_call(__func__, [=] {
        tessera::need_pointer(b, "b");
        tessera::need_pointer(c, "c");
        tessera::need_pointer(d, "d");
        tessera::Floats sums;
        std::memcpy(sums.data(), c, sizeof sums);
        tessera::feop(a, tessera::halves(b).data(), sums.data(), sums.data());
        std::memcpy(d, sums.data(), sizeof sums);
    });
}

int tessera_golden_fedp(const uint16_t a[4], const uint16_t b[4], uint32_t c, uint32_t* d) {
    return tessera::golden_call(__func__, [=] {
        static_assert(tessera::kDotElements == tessera::kFeopLanes);
        tessera::need_pointer(a, "a");
        tessera::need_pointer(b, "b");
        tessera::need_pointer(d, "d");
        *d = tessera::float_bits(tessera::fedp4(
            tessera::halves(a).data(), tessera::halves(b).data(), tessera::float_from_bits(c)));
    });
}
