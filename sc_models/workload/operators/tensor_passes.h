// Passes over rows and windows: reductions, softmax and normalizations.
#pragma once

#include "sc_models/workload/operators/tensor_operators.h"

namespace tessera {

/// Returns the pass of a reduction or pool with a single pass.
[[nodiscard]] TensorPass reduction_pass(TensorOperator op);
/// These functions set the passes of a formula, its ends, its result and the result's cost.
void set_softmax(TensorFormula& f, bool logarithm, PassCount passes);
void set_log_sum_exp(TensorFormula& f, PassCount passes);
void set_lrn(TensorFormula& f, const TensorOperation& o);
void set_normalization(TensorFormula& f, const TensorOperation& o);

}  // namespace tessera
