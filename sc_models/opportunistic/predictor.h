// Predictor of vector operations: Algorithm 1 of opportunistic computing.
#pragma once

#include "sc_models/isa/vector_operation.h"

namespace tessera {

/// Predicts from one vector operation the later ones that use the same input vector, as the window
/// moves down over it (opportunistic computing, III-A and Algorithm 1): when the window is j steps
/// lower, the input row meets the filter row j steps further up, until that leaves the filter or
/// the thread has no more windows. Calls `predict(operation)` for each, nearest first; the
/// operation has the vectors and lanes, and no output yet.
template <class Predict>
void predict_operations(const VectorOperation& now, Predict&& predict) {
    for (std::uint32_t j = 1; j <= now.windows_below && j * now.row_step <= now.window_row; ++j) {
        VectorOperation later = now;
        later.window_row = now.window_row - j * now.row_step;
        later.weights = now.weights - Address{j} * now.row_step * now.weight_row_bytes;
        later.windows_below = now.windows_below - j;
        later.output = 0;
        predict(later);
    }
}

}  // namespace tessera
