#include "sc_models/cosim/feop_array_rtl.h"

#include <Vfeop_array.h>
#include <Vfeop_array_feop_array_pkg.h>
#include <cstring>

#include "sc_models/cosim/rtl_model.h"

namespace tessera {

static_assert(Vfeop_array_feop_array_pkg::Rows == kOhmmaRows);
static_assert(Vfeop_array_feop_array_pkg::Columns == kOhmmaColumns);
static_assert(Vfeop_array_feop_array_pkg::BitRows == kBohmmaSize);
static_assert(Vfeop_array_feop_array_pkg::BitColumns == kBohmmaSize);
static_assert(Vfeop_array_feop_array_pkg::Latency == kFeopArrayLatency);

struct FeopArrayRtl::Model : RtlModel<Vfeop_array> {
    explicit Model(std::uint32_t seed) : RtlModel("feop_array", seed) {}
};

FeopArrayRtl::FeopArrayRtl(std::uint32_t seed) : model_(std::make_unique<Model>(seed)) {}
FeopArrayRtl::~FeopArrayRtl() = default;

void FeopArrayRtl::trace(WaveRecorder& wave, const std::string& scope) {
    model_->trace(wave, scope);
}

void FeopArrayRtl::not_before(Cycle at) {
    model_->not_before(at);
}

std::uint64_t FeopArrayRtl::clock_cycles() const {
    return model_->cycles();
}

void FeopArrayRtl::reset() {
    model_->reset();
}

FeopArrayOutputs FeopArrayRtl::step(const FeopArrayInputs& in) {
    Vfeop_array& top = **model_;
    static_assert(sizeof top.meta_i == sizeof in.meta);
    top.valid_i = in.valid != 0;
    top.op_i = in.op == FeopArrayOp::kBohmma;
    top.predicate_i = in.predicate != 0;
    std::memcpy(&top.a_i, in.a.data(), sizeof in.a);
    std::memcpy(&top.b_i, in.b.data(), sizeof in.b);
    std::memcpy(&top.meta_i, in.meta.data(), sizeof in.meta);
    top.ready_i = in.ready != 0;
    model_->settle();
    FeopArrayOutputs out;
    out.ready = top.ready_o;
    out.valid = top.valid_o;
    out.op = top.op_o != 0 ? FeopArrayOp::kBohmma : FeopArrayOp::kOhmma;
    std::memcpy(out.meta.data(), &top.meta_o, sizeof out.meta);
    std::memcpy(out.product.data(), &top.product_o, sizeof out.product);
    std::memcpy(out.bits.data(), &top.bits_o, sizeof out.bits);
    model_->edge();
    return out;
}

}  // namespace tessera
