#include "testbenches/sm/product_stimulus.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/common/types.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera::testbench {
namespace {

constexpr std::uint32_t kMostElements = 1024;
enum : std::size_t { kKernel, kM, kN, kK, kParts };

}  // namespace

std::string Product::describe() const {
    return fmt::format("{} product of {} x {} x {}, k in {} parts",
                       library ? "library" : "fragment", m, n, k, parts);
}

std::vector<Column> product_columns() {
    return {{"kernel", Column::Kind::kChoice, "", {"fragments", "library"}},
            {"m", Column::Kind::kNumber, "rows of D, 1 to 1024; fragments: a multiple of 16"},
            {"n", Column::Kind::kNumber, "columns of D, likewise"},
            {"k", Column::Kind::kNumber, "length of the sums, likewise"},
            {"parts",
             Column::Kind::kNumber,
             "parts of k that a second kernel adds, 0 and 1: none; library only",
             {},
             true}};
}

Product product_of(const Stimulus& stimulus, const StimulusRow& row) {
    for (const std::size_t size : {kM, kN, kK}) {
        if (row[size] == 0 || row[size] > kMostElements) {
            stimulus.fail(row, size,
                          fmt::format("got {}, expected 1 to {}", row[size], kMostElements));
        }
        if (row[kKernel] == 0 && row[size] % kFragmentRows != 0) {
            stimulus.fail(row, size, "expected a multiple of 16 for a product of fragments");
        }
    }
    const auto steps = ceil_div<std::uint64_t>(row[kK], 32);
    if (row[kParts] > (row[kKernel] == 0 ? 1 : steps)) {
        stimulus.fail(
            row, kParts,
            fmt::format("got {}, expected up to {}", row[kParts], row[kKernel] == 0 ? 1 : steps));
    }
    const auto small = [&row](std::size_t column) {
        return static_cast<std::uint32_t>(row[column]);
    };
    return {row[kKernel] == 1, small(kM), small(kN), small(kK), std::max(1U, small(kParts))};
}

Product draw_product(Session& session) {
    const auto up_to = [&session](std::uint64_t most) {
        return static_cast<std::uint32_t>(1 + session.below(most));
    };
    Product product;
    product.library = session.below(2) == 0;
    if (product.library) {
        product.m = up_to(150);
        product.n = up_to(150);
        product.k = up_to(150);
        const std::uint32_t steps = ceil_div(product.k, 32U);
        product.parts = ceil_div(steps, ceil_div(steps, up_to(steps)));
    } else {
        product.m = 16 * up_to(8);
        product.n = 16 * up_to(8);
        product.k = 16 * up_to(8);
    }
    return product;
}

}  // namespace tessera::testbench
