#include "sc_models/tensor_core/integer_product.h"

namespace tessera {

void imma_16x16x32(const std::uint8_t a[2 * kMmaElements], bool is_unsigned,
                   const std::int8_t b[2 * kMmaElements], const std::int32_t c[kMmaElements],
                   std::int32_t d[kMmaElements]) {
    constexpr std::uint32_t kDepth = 2 * kMmaSize;
    std::int32_t whole[kMmaSize * kDepth];
    for (std::uint32_t i = 0; i < kMmaSize * kDepth; ++i) {
        whole[i] = is_unsigned ? std::int32_t{a[i]} : static_cast<std::int8_t>(a[i]);
    }
    for (std::uint32_t i = 0; i < kMmaSize; ++i) {
        for (std::uint32_t j = 0; j < kMmaSize; ++j) {
            std::int32_t sum = 0;  // at most 32 x 2^15: it cannot overflow
            for (std::uint32_t k = 0; k < kDepth; ++k) {
                sum += whole[i * kDepth + k] * b[j * kDepth + k];
            }
            const std::uint32_t at = i * kMmaSize + j;
            d[at] = static_cast<std::int32_t>(static_cast<std::uint32_t>(c[at]) +
                                              static_cast<std::uint32_t>(sum));
        }
    }
}

}  // namespace tessera
