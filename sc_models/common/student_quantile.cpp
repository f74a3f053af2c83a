#include "sc_models/common/student_quantile.h"

#include <algorithm>
#include <array>

namespace tessera {

double student_quantile(std::size_t freedom) {
    // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, 0.975.
    constexpr std::array<double, 30> kTable = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
        2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    return kTable[std::min(freedom, kTable.size()) - 1];
}

}  // namespace tessera
