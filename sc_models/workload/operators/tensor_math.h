// Transcendental functions with identical bits on every computer.
#pragma once

namespace tessera {

/// Functions in double precision from additions, multiplications and divisions alone, within 2^-45
/// of the value, relative (erf: absolute); the machine's functions return the nearest float. A
/// GPU's functions, one special-function instruction and a few others, are accurate to two units in
/// the last place of a float (CUDA C++ Programming Guide, mathematical functions).
[[nodiscard]] double exp_of(double x);
/// Natural logarithm; NaN below zero.
[[nodiscard]] double log_of(double x);
[[nodiscard]] double tanh_of(double x);
[[nodiscard]] double erf_of(double x);
/// exp(x) - 1, accurate for small x.
[[nodiscard]] double expm1_of(double x);
/// Within 2^-45, absolute, if |x| is below 2^19 pi / 2; NaN for infinities.
[[nodiscard]] double sin_of(double x);
[[nodiscard]] double cos_of(double x);
/// IEEE 754 pow, except for the range of floats.
[[nodiscard]] double pow_of(double x, double y);

}  // namespace tessera
