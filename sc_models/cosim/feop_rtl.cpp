#include "sc_models/cosim/feop_rtl.h"

#include <Vfeop.h>
#include <Vfeop_feop_pkg.h>
#include <cstring>

#include "sc_models/cosim/rtl_model.h"

namespace tessera {

static_assert(Vfeop_feop_pkg::Lanes == kFeopLanes);
static_assert(Vfeop_feop_pkg::SumLatency == FeopRtl::kStages);

struct FeopRtl::Model : RtlModel<Vfeop> {
    explicit Model(std::uint32_t seed) : RtlModel("feop", seed) {}
};

FeopRtl::FeopRtl(std::uint32_t seed) : model_(std::make_unique<Model>(seed)) {}
FeopRtl::~FeopRtl() = default;

void FeopRtl::trace(WaveRecorder& wave, const std::string& scope) {
    model_->trace(wave, scope);
}

void FeopRtl::reset() {
    (*model_)->en_i = 0;
    model_->reset();
}

FeopResults FeopRtl::step(std::uint32_t enable, const FeopOperands& in) {
    Vfeop& top = **model_;
    top.en_i = static_cast<CData>(enable);
    top.a_i = static_cast<SData>(in.a);
    std::memcpy(&top.b_i, in.b.data(), sizeof in.b);
    std::memcpy(&top.c_i, in.c.data(), sizeof in.c);
    model_->settle();
    FeopResults out;
    std::memcpy(out.d.data(), &top.d_o, sizeof out.d);
    model_->edge();
    return out;
}

}  // namespace tessera
