#include "sc_models/cosim/load_history_buffer_rtl.h"

#include <Vload_history_buffer.h>
#include <Vload_history_buffer_load_history_buffer.h>
#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/log2.h"
#include "sc_models/cosim/load_history_buffer_ports.h"
#include "sc_models/cosim/rtl_model.h"
#include "sc_models/cosim/verilated_block.h"

namespace tessera {

using Top = Vload_history_buffer_load_history_buffer;
static_assert(LoadHistoryBufferRtl::kLatency == Top::Latency);
static_assert(LoadHistoryBufferRtl::kMaxEntries == Top::MaxEntries);
static_assert(LoadHistoryBufferRtl::kMaxWays == Top::MaxWays);
static_assert(LoadHistoryBufferRtl::kPhysBits == Top::PhysBits);

namespace {

[[noreturn]] void unsupported(const std::string& what) {
    throw ConfigError("impl.load_history_buffer: " + what);
}

}  // namespace

const LoadHistoryBufferRtl::Build& LoadHistoryBufferRtl::default_build() {
    static const Build kBuild =
        verilated_build<LoadHistoryBufferRtl, LoadHistoryBufferPorts, Vload_history_buffer>({});
    return kBuild;
}

LoadHistoryBufferRtl::LoadHistoryBufferRtl(std::uint32_t entries, std::uint32_t ways, bool fold,
                                           std::uint32_t seed, const Build& build)
    : parameters_(build.parameters), fold_(fold) {
    const LoadHistoryBuffer model(entries, ways, fold);  // throws for parameters that no buffer can
                                                         // have
    if (entries == 0) {
        unsupported("the RTL has a limit, got duplo.lhb.entries infinite");
    }
    if (entries > parameters_.max_entries) {
        unsupported("the RTL has at most " + std::to_string(parameters_.max_entries) +
                    " entries, got duplo.lhb.entries " + std::to_string(entries));
    }
    if (ways > parameters_.max_ways || !is_power_of_two(ways)) {
        unsupported("the RTL has 1, 2, 4 or 8 ways, got duplo.lhb.ways " + std::to_string(ways));
    }
    if (!is_power_of_two(entries / ways)) {
        unsupported("the RTL needs a power of two of sets, got duplo.lhb.entries " +
                    std::to_string(entries) + " and duplo.lhb.ways " + std::to_string(ways));
    }
    log_sets_ = log2_of_power(entries / ways);
    log_ways_ = log2_of_power(ways);
    block_ = build.make(seed);
    reset();
}

LoadHistoryBufferRtl::~LoadHistoryBufferRtl() = default;

void LoadHistoryBufferRtl::reset() {
    block_->reset();
}

LoadHistoryBufferRtl::Outputs LoadHistoryBufferRtl::step(const Inputs& inputs) {
    Outputs outputs = block_->step(inputs);
    fault_.apply(outputs, block_->clock_cycles() - 1);
    return outputs;
}

void LoadHistoryBufferRtl::break_by(const FaultPlan& fault) {
    fault_ = FaultInjector(FaultInjector::fitting<Outputs>(fault));
}

void LoadHistoryBufferRtl::trace(WaveRecorder& wave, const std::string& scope) {
    block_->trace(wave, scope);
}

void LoadHistoryBufferRtl::not_before(Cycle at) {
    block_->not_before(at);
}

std::uint64_t LoadHistoryBufferRtl::clock_cycles() const {
    return block_->clock_cycles();
}

void LoadHistoryBufferRtl::program(std::uint32_t shift, std::uint32_t registers) {
    if (shift > kMaxShift) {
        unsupported("the RTL shifts an index by at most " + std::to_string(kMaxShift) +
                    " bits, got duplo.lhb.shift_bits " + std::to_string(shift));
    }
    shift_ = shift;
    named_.clear();
    grow(registers);
    set_up(false);
}

void LoadHistoryBufferRtl::grow(std::uint32_t registers) {
    if (registers > parameters_.max_registers()) {
        unsupported("the RTL names at most " + std::to_string(parameters_.max_registers()) +
                    " registers, got " + std::to_string(registers) +
                    " (resident warps, their A fragments and duplo.spare_units)");
    }
    named_.resize(registers, 0);
}

PhysRegId LoadHistoryBufferRtl::find(const LhbKey& key) {
    const Outputs result = operate(Op::kLookup, key, 0);
    if (result.found != 0) expect_held("look-up finds", result.phys);
    return result.found != 0 ? PhysRegId{result.phys} : PhysRegId{};
}

LoadHistoryBuffer::Replaced LoadHistoryBufferRtl::insert(const LhbKey& key, PhysRegId phys) {
    const Outputs result = operate(Op::kInsert, key, phys.value());
    if (result.found == 0) {
        named_[phys.value()] = 1;
        ++size_;
        return {};
    }
    expect_held("insertion replaces", result.phys);
    if (result.phys < named_.size()) named_[result.phys] = 0;
    named_[phys.value()] = 1;
    return {PhysRegId{result.phys}, result.same_key != 0};
}

bool LoadHistoryBufferRtl::release(PhysRegId phys) {
    const bool found = operate(Op::kRelease, {}, phys.value()).found != 0;
    if (found != holds(phys.value())) {
        contradiction_.report(fmt::format("a release finds {} that names register {}",
                                          found ? "an entry" : "none", phys.value()));
    } else if (found) {
        named_[phys.value()] = 0;
        --size_;
    }
    return found;
}

void LoadHistoryBufferRtl::expect_held(std::string_view operation, std::uint32_t phys) {
    if (!holds(phys)) contradiction_.report(fmt::format("a {} register {}", operation, phys));
}

void LoadHistoryBufferRtl::clear() {
    set_up(true);
}

void LoadHistoryBufferRtl::set_up(bool keep) {
    Inputs inputs;
    inputs.setup_keep = keep;
    inputs.setup_log_sets = static_cast<std::uint8_t>(log_sets_);
    inputs.setup_log_ways = static_cast<std::uint8_t>(log_ways_);
    inputs.setup_shift = static_cast<std::uint8_t>(shift_);
    inputs.setup_fold = fold_;
    pass_set_up(*this, inputs, kName);
    std::fill(named_.begin(), named_.end(), std::uint8_t{0});
    size_ = 0;
}

LoadHistoryBufferRtl::Outputs LoadHistoryBufferRtl::operate(Op op, const LhbKey& key,
                                                            std::uint32_t phys) {
    Inputs inputs;
    inputs.op = op;
    inputs.key = key;
    inputs.phys = phys;
    return answer_of(*this, inputs, kName);
}

}  // namespace tessera
