// Stimulus of an SM: matrix products.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// A matrix product. Sizes of fragment kernels are multiples of 16.
struct Product {
    bool library = false;
    std::uint32_t m = 16, n = 16, k = 16;
    std::uint32_t parts = 1;  ///< of k, summed by a second kernel

    [[nodiscard]] std::string describe() const;
};

/// Columns of a stimulus file.
[[nodiscard]] std::vector<Column> product_columns();
/// Product of a row. Throws ConfigError for a size that the kernel lacks.
[[nodiscard]] Product product_of(const Stimulus& stimulus, const StimulusRow& row);
/// Draws a product of up to 150 elements a side.
[[nodiscard]] Product draw_product(Session& session);

}  // namespace tessera::testbench
