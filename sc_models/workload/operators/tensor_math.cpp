#include "sc_models/workload/operators/tensor_math.h"

#include <cmath>
#include <limits>

namespace tessera {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// ln 2 in two parts; multiples of the first are exact.
constexpr double kLn2High = 0x1.62e42fefa0000p-1;
constexpr double kLn2Low = 0x1.cf79abc9e3b39p-40;
constexpr double kLn2 = kLn2High + kLn2Low;
// pi / 2 in three parts: two of 33 bits, the rest in the last.
constexpr double kQuarterHigh = 0x1.921fb544p+0;
constexpr double kQuarterMiddle = 0x1.0b4611a6p-34;
constexpr double kQuarterLow = 0x1.3198a2e037073p-69;

/// sin of x plus `quarters` quarter turns.
double sine(double x, int quarters) {
    if (x != x || std::fabs(x) == kInfinity) return kNan;
    const double n = std::floor(x / (kQuarterHigh + kQuarterMiddle) + 0.5);
    const double r = ((x - n * kQuarterHigh) - n * kQuarterMiddle) - n * kQuarterLow;
    const int quarter = (static_cast<int>(n - 4 * std::floor(n / 4)) + quarters) % 4;
    const double r2 = r * r;
    // The series starts with r, or, a quarter turn further, with 1.
    const bool even = quarter % 2 == 1;
    constexpr int kTerms = 10;
    double sum = 1;
    for (int i = kTerms; i > 0; --i) {
        const int last = even ? 2 * i : 2 * i + 1;
        sum = 1 - sum * r2 / (last * (last - 1));
    }
    const double value = even ? sum : r * sum;
    return quarter < 2 ? value : -value;
}

}  // namespace

double exp_of(double x) {
    constexpr double kMost = 709;
    if (x != x) return x;
    if (x > kMost) return kInfinity;
    if (x < -kMost) return 0;
    const double n = std::floor(x / kLn2 + 0.5);
    const double r = (x - n * kLn2High) - n * kLn2Low;
    constexpr int kTerms = 16;
    double sum = 1;
    for (int i = kTerms; i > 0; --i) sum = 1 + sum * r / i;
    return std::ldexp(sum, static_cast<int>(n));
}

double expm1_of(double x) {
    constexpr double kSmall = 0.25;
    if (!(std::fabs(x) < kSmall)) return exp_of(x) - 1;
    constexpr int kTerms = 16;
    double sum = 1;
    for (int i = kTerms; i > 1; --i) sum = 1 + sum * x / i;
    return x * sum;
}

double sin_of(double x) {
    return sine(x, 0);
}

double cos_of(double x) {
    return sine(x, 1);
}

double log_of(double x) {
    constexpr double kSqrtHalf = 0.70710678118654752;
    if (x != x || x < 0) return kNan;
    if (x == 0) return -kInfinity;
    if (x == kInfinity) return x;
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    if (m < kSqrtHalf) {
        m *= 2;
        --exponent;
    }
    // log m = 2 artanh((m - 1) / (m + 1)), whose argument is below 0.172.
    const double z = (m - 1) / (m + 1);
    const double z2 = z * z;
    constexpr int kTerms = 14;
    double sum = 0;
    for (int i = kTerms; i >= 0; --i) sum = sum * z2 + 1.0 / (2 * i + 1);
    return exponent * kLn2High + (exponent * kLn2Low + 2 * z * sum);
}

double tanh_of(double x) {
    constexpr double kSmall = 1e-3;
    constexpr double kOne = 40;
    const double magnitude = std::fabs(x);
    if (magnitude < kSmall) {
        const double x2 = x * x;
        return x * (1 - x2 * (1.0 / 3 - x2 * (2.0 / 15 - x2 * (17.0 / 315))));
    }
    if (magnitude > kOne) return x > 0 ? 1 : -1;
    const double e = exp_of(-2 * magnitude);
    const double t = (1 - e) / (1 + e);
    return x < 0 ? -t : (x != x ? x : t);
}

double erf_of(double x) {
    constexpr double kTwoOverSqrtPi = 1.1283791670955126;
    constexpr double kOne = 4;  // 1 - erf(4) is 1.5e-8, less than half a unit of the last place
    if (x != x) return x;
    if (std::fabs(x) >= kOne) return x > 0 ? 1 : -1;
    // erf x = 2/sqrt(pi) exp(-x^2) sum of 2^n x^(2n+1) / (2n+1)!!, all terms of one sign.
    const double x2 = x * x;
    constexpr int kTerms = 90;
    double sum = 0;
    for (int i = kTerms; i > 0; --i) sum = (1 + sum) * 2 * x2 / (2 * i + 1);
    return kTwoOverSqrtPi * exp_of(-x2) * x * (1 + sum);
}

double pow_of(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return kNan;
    const bool whole = std::floor(y) == y;
    const bool odd = whole && std::fabs(y) < 0x1p53 && std::fmod(y, 2) != 0;
    const double sign = odd && std::signbit(x) ? -1 : 1;
    if (x == 0) return y > 0 ? sign * 0.0 : sign * kInfinity;
    const double magnitude = std::fabs(x);
    if (std::fabs(y) == kInfinity) {
        if (magnitude == 1) return 1;
        return (magnitude > 1) == (y > 0) ? kInfinity : 0;
    }
    if (x < 0 && !whole) return magnitude == kInfinity ? (y > 0 ? kInfinity : 0) : kNan;
    if (magnitude == kInfinity) return sign * (y > 0 ? kInfinity : 0);
    return sign * exp_of(y * log_of(magnitude));
}

}  // namespace tessera
