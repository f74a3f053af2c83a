// Student's t distribution, for intervals of means.
#pragma once

#include <cstddef>

namespace tessera {

/// The 97.5 % quantile of Student's t distribution with `freedom` degrees of freedom, at least 1;
/// beyond 30 that of 30, which is larger.
[[nodiscard]] double student_quantile(std::size_t freedom);

}  // namespace tessera
