#include "sc_models/cosim/fedp_rtl.h"

#include <Vfedp.h>
#include <Vfedp_fedp_pkg.h>
#include <cstring>

#include "sc_models/cosim/rtl_model.h"

namespace tessera {

static_assert(Vfedp_fedp_pkg::Elements == std::tuple_size_v<decltype(FedpOperands::a)>);
static_assert(Vfedp_fedp_pkg::Latency == FedpRtl::kStages);

struct FedpRtl::Model : RtlModel<Vfedp> {
    explicit Model(std::uint32_t seed) : RtlModel("fedp", seed) {}
};

FedpRtl::FedpRtl(std::uint32_t seed) : model_(std::make_unique<Model>(seed)) {}
FedpRtl::~FedpRtl() = default;

void FedpRtl::trace(WaveRecorder& wave, const std::string& scope) {
    model_->trace(wave, scope);
}

void FedpRtl::reset() {
    (*model_)->en_i = 0;
    model_->reset();
}

FedpResults FedpRtl::step(std::uint32_t enable, const FedpOperands& in) {
    Vfedp& top = **model_;
    top.en_i = static_cast<CData>(enable);
    std::memcpy(&top.a_i, in.a.data(), sizeof in.a);
    std::memcpy(&top.b_i, in.b.data(), sizeof in.b);
    top.c_i = in.c;
    model_->settle();
    const FedpResults out{top.d_o};
    model_->edge();
    return out;
}

}  // namespace tessera
