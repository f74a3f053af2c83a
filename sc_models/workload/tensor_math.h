// Transcendental functions that have the same bits on every computer.
#pragma once

namespace tessera {

/// In double precision from additions, multiplications and divisions alone, within 2^-45 of the
/// value, relative (erf: absolute); the nearest float of it is what the machine's functions give.
/// Those of a GPU, which are a special-function instruction and a few others, are within two units
/// of the last place of a float (CUDA C++ Programming Guide, mathematical functions).
[[nodiscard]] double exp_of(double x);
/// Natural; NaN below zero.
[[nodiscard]] double log_of(double x);
[[nodiscard]] double tanh_of(double x);
[[nodiscard]] double erf_of(double x);
/// exp(x) - 1, which is small where x is.
[[nodiscard]] double expm1_of(double x);
/// Within 2^-45, absolute, where |x| is below 2^19 pi / 2; NaN of infinities.
[[nodiscard]] double sin_of(double x);
[[nodiscard]] double cos_of(double x);
/// As IEEE 754 pow, but for the range of floats.
[[nodiscard]] double pow_of(double x, double y);

}  // namespace tessera
