#include "sc_models/cosim/feop_array_rtl.h"

#include <Vfeop_array.h>
#include <Vfeop_array_feop_array_pkg.h>
#include "sc_models/cosim/feop_array_ports.h"
#include "sc_models/cosim/rtl_model.h"
#include "sc_models/cosim/verilated_block.h"

namespace tessera {

static_assert(Vfeop_array_feop_array_pkg::Rows == kOhmmaRows);
static_assert(Vfeop_array_feop_array_pkg::Columns == kOhmmaColumns);
static_assert(Vfeop_array_feop_array_pkg::BitRows == kBohmmaSize);
static_assert(Vfeop_array_feop_array_pkg::BitColumns == kBohmmaSize);
static_assert(Vfeop_array_feop_array_pkg::Latency == kFeopArrayLatency);

const FeopArrayRtl::Build& FeopArrayRtl::default_build() {
    static const Build kBuild = verilated_build<FeopArrayRtl, FeopArrayPorts, Vfeop_array>({});
    return kBuild;
}

FeopArrayRtl::FeopArrayRtl(std::uint32_t seed, const Build& build) : block_(build.make(seed)) {}
FeopArrayRtl::~FeopArrayRtl() = default;

void FeopArrayRtl::trace(WaveRecorder& wave, const std::string& scope) {
    block_->trace(wave, scope);
}

void FeopArrayRtl::not_before(Cycle at) {
    block_->not_before(at);
}

std::uint64_t FeopArrayRtl::clock_cycles() const {
    return block_->clock_cycles();
}

void FeopArrayRtl::reset() {
    block_->reset();
}

FeopArrayOutputs FeopArrayRtl::step(const FeopArrayInputs& in) {
    return block_->step(in);
}

}  // namespace tessera
