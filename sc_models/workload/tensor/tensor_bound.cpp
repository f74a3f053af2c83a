#include <cmath>

#include "sc_models/workload/tensor/tensor_golden.h"

namespace tessera {

double tensor_bound(const TensorOperation& o, const TensorReference& reference) {
    // Roundings of a chain of operations with this magnitude each, including the error of
    // functions.
    constexpr double kRoundings = 16;
    constexpr double kHalfUnit = 0x1p-24;
    double bound = kRoundings * kHalfUnit * reference.magnitude + 0x1p-149;
    if (o.result_type() == TensorType::kFp16) {
        bound += 0x1p-11 * (std::fabs(reference.value) + bound) + 0x1p-25;
    } else if (o.result_type() == TensorType::kBf16) {
        bound += 0x1p-8 * (std::fabs(reference.value) + bound) + 0x1p-134;
    } else {
        bound += kHalfUnit * std::fabs(reference.value);
    }
    return bound;
}

}  // namespace tessera
