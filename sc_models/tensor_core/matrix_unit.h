// Interface of the multiplier of 16x16x16 fragments in a sub-core: numerics and cycles.
#pragma once

#include "sc_models/common/types.h"
#include "sc_models/isa/mma_shape.h"
#include "sc_models/tensor_core/half.h"

namespace tessera {

inline constexpr std::uint32_t kMatrixSize = 16;
inline constexpr std::uint32_t kMatrixElements = kMatrixSize * kMatrixSize;

/// Cycles of one multiply-accumulate.
struct MatrixTiming {
    Cycle latency = 0;     ///< start to D written
    Cycle initiation = 0;  ///< start to start of the next
};

/// The tensor cores of a sub-core for dense products of 16x16x16, FEDP or outer product, model or
/// RTL.
class MatrixUnit {
public:
    virtual ~MatrixUnit() = default;
    /// Returns the timing without computing values.
    [[nodiscard]] virtual MatrixTiming timing() const = 0;
    /// Returns the timing of a product of fragments; initiation 0: the unit has none.
    [[nodiscard]] virtual MatrixTiming timing_of(FragmentProduct product) const {
        return product == FragmentProduct::kHalf ? timing() : MatrixTiming{};
    }
    /// Returns the timing of a warp's share of a warpgroup's product with `columns` columns, a
    /// multiple of eight; its latency goes from its last cycle on. Initiation 0: the unit has none.
    [[nodiscard]] virtual MatrixTiming warpgroup_timing(MmaShape /*shape*/,
                                                        std::uint32_t /*columns*/) const {
        return {};
    }
    /// Computes D = A x B + C from core cycle `start` on. A and C are row-major, `b` holds the 16
    /// columns of B; `d` may be `c`.
    virtual MatrixTiming multiply(Cycle start, const HalfBits a[kMatrixElements],
                                  const HalfBits b[kMatrixElements], const float c[kMatrixElements],
                                  float d[kMatrixElements]) = 0;
    /// Clock cycles that RTL in this unit has run.
    [[nodiscard]] virtual std::uint64_t rtl_cycles() const { return 0; }
};

}  // namespace tessera
