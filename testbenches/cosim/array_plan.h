// Coverage plan of the multiplier array's bench.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "sc_models/common/types.h"
#include "sc_models/tensor_core/feop_array.h"
#include "testbenches/cosim/word_pins.h"

namespace tessera {

/// Input pins of the multiplier array that carry numbers. `meta_width` is less than 32 or a
/// multiple of it.
inline WordPins<FeopArrayInputs> array_pins(std::uint32_t meta_width = kFeopMetaWords * 32) {
    return WordPins<FeopArrayInputs>()
        .add("op_i", 1, &FeopArrayInputs::op)
        .add("a_i", 16, &FeopArrayInputs::a)
        .add("b_i", 16, &FeopArrayInputs::b)
        .add("meta_i", std::min(meta_width, 32U), &FeopArrayInputs::meta, 0,
             ceil_div(meta_width, 32U));
}

/// Situations and pins that the bench must reach. It follows the block by its pins alone.
class ArrayPlan : public CoveragePlan {
public:
    using Inputs = FeopArrayInputs;
    using Outputs = FeopArrayOutputs;

    const Bin ohmma = add("OHMMA"), bohmma = add("BOHMMA"), off = add("operation predicated off"),
              off_in_stall = add("operation predicated off while a result waits"),
              waits = add("operation waits"), result_waits = add("result waits"),
              closes = add("operation taken while a result waits"),
              streak = add("operations in eight cycles running"),
              ohmma_behind = add("OHMMA in the cycle after a BOHMMA"),
              bohmma_behind = add("BOHMMA in the cycle after an OHMMA"),
              product_nan = add("product is not a number"),
              product_infinite = add("product is infinite"), product_zero = add("product is zero"),
              from_subnormals = add("product of two subnormal halves"),
              reset_operands = add("reset with an operation that was taken"),
              reset_result = add("reset with a result that waits");

    explicit ArrayPlan(std::uint32_t meta_width) : pins_(array_pins(meta_width)) {}
    /// Notes a clock cycle. Outputs are those of the model.
    void cycle(const Inputs& in, const Outputs& out);
    /// Notes a reset behind the cycle that was noted last.
    void reset();

    [[nodiscard]] bool holds_operation() const { return taken_; }
    [[nodiscard]] bool holds_result() const { return result_waits_; }

private:
    void note_operation(const Inputs& in, const Outputs& out);
    void note_product(std::uint32_t bits);

    const WordPins<Inputs> pins_;
    const Pin first_ = pins_.plan_in(*this);
    bool taken_ = false;  ///< an operation in the last cycle
    bool result_waits_ = false;
    FeopArrayOp op_ = FeopArrayOp::kOhmma;  ///< of the last operation
    std::uint32_t streak_ = 0;
};

/// Error of the RTL at its inputs, which the bench has to find.
struct ArrayError {
    StuckPin stuck;
    std::string wrong;  ///< situation of the plan; empty: none

    [[nodiscard]] bool is(std::string_view situation) const { return wrong == situation; }
    /// Returns the inputs with the error. Outputs are those of the model.
    [[nodiscard]] FeopArrayInputs seen_by_rtl(const FeopArrayInputs& in,
                                              const FeopArrayOutputs& out) const;
};

}  // namespace tessera
