// Student's quantiles: those of the table, and no narrower ones behind its end.
#include "sc_models/common/student_quantile.h"

#include <gtest/gtest.h>
#include <cmath>

#include "sc_models/results/estimate.h"

namespace tessera {
namespace {

TEST(StudentQuantile, OfTheTable) {
    EXPECT_DOUBLE_EQ(student_quantile(1), 12.706);
    EXPECT_DOUBLE_EQ(student_quantile(30), 2.042);
    EXPECT_DOUBLE_EQ(student_quantile(1000), 2.042);
}

TEST(Estimate, OfManySamplesIsNotTooNarrow) {
    std::vector<double> samples;
    for (int i = 0; i < 36; ++i) samples.push_back(i % 2);
    // 35 degrees of freedom: 2.030 (NIST/SEMATECH e-Handbook, 1.3.6.7.2).
    const double deviation = std::sqrt(9.0 / 35);
    EXPECT_GE(*estimate_of(samples)->half_width, 2.030 * deviation / 6);
    EXPECT_LE(*estimate_of(samples)->half_width, 2.045 * deviation / 6);
}

}  // namespace
}  // namespace tessera
