#include "sc_models/cosim/fp_rtl.h"

#include <Vfp_bench_top.h>
#include <Vfp_bench_top_fp_bench_pkg.h>
#include <cstring>

#include "sc_models/cosim/rtl_model.h"

namespace tessera {

static_assert(Vfp_bench_top_fp_bench_pkg::MulLanes == kFpMulLanes);
static_assert(Vfp_bench_top_fp_bench_pkg::AddLanes == kFpAddLanes);
static_assert(Vfp_bench_top_fp_bench_pkg::StagedLanes == kFpStagedLanes);

struct FpRtl::Model : RtlModel<Vfp_bench_top> {
    explicit Model(std::uint32_t seed) : RtlModel("fp", seed) {}
};

FpRtl::FpRtl(std::uint32_t seed) : model_(std::make_unique<Model>(seed)) {}
FpRtl::~FpRtl() = default;

void FpRtl::trace(WaveRecorder& wave, const std::string& scope) {
    model_->trace(wave, scope);
}

void FpRtl::reset() {
    model_->reset();
}

FpOutputs FpRtl::step(const FpInputs& in) {
    Vfp_bench_top& top = **model_;
    std::memcpy(&top.a_i, in.a.data(), sizeof in.a);
    std::memcpy(&top.b_i, in.b.data(), sizeof in.b);
    std::memcpy(&top.x_i, in.x.data(), sizeof in.x);
    std::memcpy(&top.y_i, in.y.data(), sizeof in.y);
    model_->settle();
    FpOutputs out;
    std::memcpy(out.product.data(), &top.product_o, sizeof out.product);
    std::memcpy(out.sum.data(), &top.sum_o, sizeof out.sum);
    std::memcpy(out.staged.data(), &top.staged_o, sizeof out.staged);
    model_->edge();
    return out;
}

}  // namespace tessera
