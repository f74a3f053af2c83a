#include "sc_models/cosim/load_history_buffer_rtl.h"

#include <Vload_history_buffer.h>
#include <Vload_history_buffer_load_history_buffer.h>
#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/log2.h"
#include "sc_models/cosim/rtl_model.h"

namespace tessera {

using Top = Vload_history_buffer_load_history_buffer;
static_assert(LoadHistoryBufferRtl::kLatency == Top::Latency);
static_assert(LoadHistoryBufferRtl::kMaxEntries == Top::MaxEntries);
static_assert(LoadHistoryBufferRtl::kMaxWays == Top::MaxWays);
static_assert(LoadHistoryBufferRtl::kPhysBits == Top::PhysBits);

namespace {

constexpr const char* kName = "load_history_buffer";

[[noreturn]] void unsupported(const std::string& what) {
    throw ConfigError("impl.load_history_buffer: " + what);
}

}  // namespace

struct LoadHistoryBufferRtl::Block : RtlModel<Vload_history_buffer> {
    using RtlModel::RtlModel;
    FaultInjector fault{FaultPlan{}};
};

LoadHistoryBufferRtl::LoadHistoryBufferRtl(std::uint32_t entries, std::uint32_t ways, bool fold,
                                           std::uint32_t seed)
    : fold_(fold) {
    const LoadHistoryBuffer model(entries, ways, fold);  // throws for parameters that no buffer can
                                                         // have
    if (entries == 0) {
        unsupported("the RTL has a limit, got duplo.lhb.entries infinite");
    }
    if (entries > kMaxEntries) {
        unsupported("the RTL has at most " + std::to_string(kMaxEntries) +
                    " entries, got duplo.lhb.entries " + std::to_string(entries));
    }
    if (ways > kMaxWays || !is_power_of_two(ways)) {
        unsupported("the RTL has 1, 2, 4 or 8 ways, got duplo.lhb.ways " + std::to_string(ways));
    }
    if (!is_power_of_two(entries / ways)) {
        unsupported("the RTL needs a power of two of sets, got duplo.lhb.entries " +
                    std::to_string(entries) + " and duplo.lhb.ways " + std::to_string(ways));
    }
    log_sets_ = log2_of_power(entries / ways);
    log_ways_ = log2_of_power(ways);
    block_ = std::make_unique<Block>(kName, seed);
    reset();
}

LoadHistoryBufferRtl::~LoadHistoryBufferRtl() = default;

void LoadHistoryBufferRtl::reset() {
    (*block_)->setup_valid_i = 0;
    (*block_)->in_valid_i = 0;
    (*block_)->out_ready_i = 1;
    block_->reset();
}

LoadHistoryBufferRtl::Outputs LoadHistoryBufferRtl::step(const Inputs& inputs) {
    Vload_history_buffer& top = **block_;
    top.setup_valid_i = inputs.setup_valid ? 1 : 0;
    top.setup_keep_i = inputs.setup_keep ? 1 : 0;
    top.setup_log_sets_i = inputs.setup_log_sets;
    top.setup_log_ways_i = inputs.setup_log_ways;
    top.setup_shift_i = inputs.setup_shift;
    top.setup_fold_i = inputs.setup_fold ? 1 : 0;
    top.in_valid_i = inputs.in_valid ? 1 : 0;
    top.op_i = static_cast<std::uint8_t>(inputs.op);
    top.element_i = inputs.key.element();
    top.batch_i = static_cast<std::uint16_t>(inputs.key.batch());
    top.owner_i = inputs.key.high;
    top.phys_i = static_cast<std::uint16_t>(inputs.phys);
    top.out_ready_i = inputs.out_ready ? 1 : 0;
    block_->settle();
    Outputs outputs;
    outputs.setup_ready = top.setup_ready_o;
    outputs.setup_error = top.setup_error_o;
    outputs.in_ready = top.in_ready_o;
    outputs.out_valid = top.out_valid_o;
    outputs.found = top.found_o;
    outputs.same_key = top.same_key_o;
    outputs.phys = top.phys_o;
    block_->fault.apply(outputs, block_->cycles());
    block_->edge();
    return outputs;
}

void LoadHistoryBufferRtl::break_by(const FaultPlan& fault) {
    block_->fault = FaultInjector(FaultInjector::fitting<Outputs>(fault));
}

void LoadHistoryBufferRtl::trace(WaveRecorder& wave, const std::string& scope) {
    block_->trace(wave, scope);
}

void LoadHistoryBufferRtl::not_before(Cycle at) {
    block_->not_before(at);
}

std::uint64_t LoadHistoryBufferRtl::clock_cycles() const {
    return block_->cycles();
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
    if (registers > 1u << kPhysBits) {
        unsupported("the RTL names at most " + std::to_string(1u << kPhysBits) +
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
