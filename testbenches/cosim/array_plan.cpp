#include "testbenches/cosim/array_plan.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::uint32_t kExponent = 0x7f800000, kFraction = 0x007fffff;
constexpr std::uint32_t kStreak = 8;

bool is_subnormal(HalfBits bits) {
    return (bits & 0x7c00U) == 0 && (bits & 0x03ffU) != 0;
}

}  // namespace

void ArrayPlan::cycle(const Inputs& in, const Outputs& out) {
    const bool stalls = out.valid != 0 && in.ready == 0;
    const bool taken = in.valid != 0 && out.ready != 0;
    hit_if(waits, in.valid != 0 && out.ready == 0);
    hit_if(result_waits, stalls);
    hit_if(closes, taken && in.predicate != 0 && stalls);
    hit_if(off, taken && in.predicate == 0);
    hit_if(off_in_stall, taken && in.predicate == 0 && stalls);
    const bool operation = taken && in.predicate != 0;
    streak_ = operation ? streak_ + 1 : 0;
    hit_if(streak, streak_ == kStreak);
    if (operation) note_operation(in, out);
    if (out.valid != 0 && in.ready != 0 && out.op == FeopArrayOp::kOhmma) {
        for (const std::uint32_t bits : out.product) note_product(bits);
    }
    taken_ = operation;
    result_waits_ = stalls;
}

void ArrayPlan::note_operation(const Inputs& in, const Outputs& /*out*/) {
    pins_.sample(*this, first_, in);
    const bool is_ohmma = in.op == FeopArrayOp::kOhmma;
    hit(is_ohmma ? ohmma : bohmma);
    if (taken_ && op_ != in.op) hit(is_ohmma ? ohmma_behind : bohmma_behind);
    op_ = in.op;
    hit_if(from_subnormals, is_ohmma && std::any_of(in.a.begin(), in.a.end(), is_subnormal) &&
                                std::any_of(in.b.begin(), in.b.end(), is_subnormal));
}

void ArrayPlan::note_product(std::uint32_t bits) {
    const bool largest = (bits & kExponent) == kExponent;
    hit_if(product_nan, largest && (bits & kFraction) != 0);
    hit_if(product_infinite, largest && (bits & kFraction) == 0);
    hit_if(product_zero, (bits & ~0x80000000U) == 0);
}

void ArrayPlan::reset() {
    hit_if(reset_operands, taken_);
    hit_if(reset_result, result_waits_);
    forget_transactions();
    taken_ = result_waits_ = false;
    streak_ = 0;
}

FeopArrayInputs ArrayError::seen_by_rtl(const FeopArrayInputs& in,
                                        const FeopArrayOutputs& out) const {
    if (stuck.pin.empty() && wrong.empty()) return in;
    FeopArrayInputs seen = in;
    array_pins().stick(seen, stuck);
    const bool stalls = out.valid != 0 && in.ready == 0;
    if (is("BOHMMA")) seen.op = FeopArrayOp::kOhmma;
    if (is("operation predicated off")) seen.predicate = 1;
    if (is("operation predicated off while a result waits") && stalls) seen.predicate = 1;
    if (is("operation taken while a result waits") && stalls && out.ready != 0) seen.valid = 0;
    if (is("result waits")) seen.ready = 1;
    return seen;
}

}  // namespace tessera
