// Student's t distribution, for confidence intervals of means.
#pragma once

#include <cstddef>

namespace tessera {

/// 97.5 % quantile of Student's t distribution with `freedom` degrees of freedom, at least 1;
/// beyond 30 it returns the value of 30, which is larger.
[[nodiscard]] double student_quantile(std::size_t freedom);

}  // namespace tessera
