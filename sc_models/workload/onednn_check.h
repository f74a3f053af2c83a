// Comparison of a run's output with oneDNN, an independent library.
#pragma once

#include <cstdint>
#include <string>

#include "sc_models/workload/workload.h"

namespace tessera {

/// Result of the comparison.
struct OnednnReport {
    /// Empty if compared. Otherwise one line: "oneDNN check skipped because ...".
    std::string skipped;
    std::uint64_t outputs = 0;
    std::uint64_t violations = 0;  ///< outputs whose error exceeds their bound, or not finite
    double max_error = 0;          ///< largest |D - oneDNN|
    double max_error_over_bound = 0;

    [[nodiscard]] bool checked() const { return skipped.empty(); }
    [[nodiscard]] bool passed() const { return violations == 0; }
};

/// Computes the workload with oneDNN in FP32 from its original tensors (no lowering, no channel
/// padding; convolution, deconvolution for transposed layers and gradients of inputs, matmul for
/// matrix products) and compares D in memory with it. The permitted error of an output is 1.5 x K x
/// 2^-23 x sum |a x b|, K being the number of its products: both sides round every addition of K
/// terms. sum |a x b| comes from a second run on absolute values. The bound is a worst case: with K
/// in the thousands it does not detect a single missing product (compare_with_golden() does); it
/// detects wrong geometry, order and layout. Outputs that a limited launch does not compute are
/// omitted. The check is skipped, with a message, if the run moved no values or the program was
/// built without oneDNN. Memory: the layer's tensors in FP32, each twice, and its output three
/// times.
[[nodiscard]] OnednnReport compare_with_onednn(const Workload& workload, const MemoryReader& read);

}  // namespace tessera
