#include "sc_models/cosim/rename_table_rtl.h"

#include <Vrename_table.h>
#include <Vrename_table_rename_table.h>
#include <fmt/format.h>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/cosim/rename_table_ports.h"
#include "sc_models/cosim/rtl_model.h"
#include "sc_models/cosim/verilated_block.h"

namespace tessera {

static_assert(RenameTableRtl::kLatency == Vrename_table_rename_table::Latency);
static_assert(RenameTableRtl::kUnitBits == Vrename_table_rename_table::UnitBits);
static_assert(RenameTableRtl::kPhysBits == Vrename_table_rename_table::PhysBits);

const RenameTableRtl::Build& RenameTableRtl::default_build() {
    static const Build kBuild =
        verilated_build<RenameTableRtl, RenameTablePorts, Vrename_table>({});
    return kBuild;
}

RenameTableRtl::RenameTableRtl(std::uint32_t seed, const Build& build) : block_(build.make(seed)) {
    reset();
}

RenameTableRtl::~RenameTableRtl() = default;

void RenameTableRtl::reset() {
    block_->reset();
}

RenameTableRtl::Outputs RenameTableRtl::step(const Inputs& inputs) {
    Outputs outputs = block_->step(inputs);
    fault_.apply(outputs, block_->clock_cycles() - 1);
    return outputs;
}

void RenameTableRtl::break_by(const FaultPlan& fault) {
    fault_ = FaultInjector(FaultInjector::fitting<Outputs>(fault));
}

void RenameTableRtl::trace(WaveRecorder& wave, const std::string& scope) {
    block_->trace(wave, scope);
}

void RenameTableRtl::not_before(Cycle at) {
    block_->not_before(at);
}

std::uint64_t RenameTableRtl::clock_cycles() const {
    return block_->clock_cycles();
}

void RenameTableRtl::program(std::uint32_t units, std::uint32_t registers) {
    if (units > kMaxUnits || registers > kMaxRegisters) {
        throw ConfigError(fmt::format(
            "impl.rename_table: the RTL has at most {} units and {} registers, got {} and {} "
            "(resident warps, their A fragments and duplo.spare_units)",
            kMaxUnits, kMaxRegisters, units, registers));
    }
    Inputs inputs;
    inputs.setup_units = units;
    inputs.setup_registers = registers;
    pass_set_up(*this, inputs, kName);
    map_.assign(units, PhysRegId{});
    counts_.assign(registers, 0);
    registers_ = free_ = registers;
    mapped_ = 0;
}

RenameTableRtl::Ended RenameTableRtl::end(std::uint32_t unit) {
    Inputs inputs;
    inputs.unit = unit;
    const Outputs outputs = answer_of(*this, inputs, kName);
    Ended ended;
    if (outputs.old_valid != 0) ended.old = PhysRegId{outputs.old};
    if (ended.old != map_[unit]) {
        contradiction_.report(fmt::format("unit {} ends a mapping that it did not have", unit));
        return {};
    }
    const Outputs after = step({});
    ended.died = after.died != 0;
    map(Op::kUnmapped, unit, 0);
    if (!ended.old.valid()) return ended;
    map_[unit] = PhysRegId{};
    const std::uint32_t left = --counts_[ended.old.value()];
    if (ended.died != (left == 0) || (ended.died && after.died_phys != ended.old.value())) {
        contradiction_.report(fmt::format("register {} of {} units is reported {}",
                                          ended.old.value(), left, ended.died ? "free" : "in use"));
    }
    return ended;
}

PhysRegId RenameTableRtl::map_new(std::uint32_t unit) {
    const Outputs outputs = map(Op::kNew, unit, 0);
    const std::uint32_t phys = outputs.map_phys;
    if (phys >= registers_ || counts_[phys] != 0) {
        contradiction_.report(
            fmt::format("unit {} gets register {}, which is not free", unit, phys));
        return {};
    }
    counts_[phys] = 1;
    map_[unit] = PhysRegId{phys};
    return PhysRegId{phys};
}

void RenameTableRtl::share(std::uint32_t unit, PhysRegId phys) {
    map(Op::kShare, unit, phys.value());
    ++counts_[phys.value()];
    map_[unit] = phys;
}

RenameTableRtl::Outputs RenameTableRtl::map(Op op, std::uint32_t unit, std::uint32_t phys) {
    Inputs inputs;
    inputs.map_valid = true;
    inputs.map_op = op;
    inputs.map_unit = unit;
    inputs.map_phys = phys;
    AnswerLimit limit(kName);
    Outputs outputs = step(inputs);
    for (; outputs.map_ready == 0; outputs = step(inputs)) limit.spend();
    note(step({}));
    return outputs;
}

/// Notes the counts of a cycle in which nothing happens.
void RenameTableRtl::note(const Outputs& outputs) {
    free_ = outputs.free;
    mapped_ = outputs.mapped;
}

}  // namespace tessera
