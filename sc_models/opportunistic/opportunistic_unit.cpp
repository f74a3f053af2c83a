#include "sc_models/opportunistic/opportunistic_unit.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/opportunistic/assistant_program.h"
#include "sc_models/opportunistic/operation_blocks.h"
#include "sc_models/opportunistic/predictor.h"

namespace tessera {
namespace {

using Operand = LaneLayout::Operand;

PrecomputeKey key_of(const VectorOperation& operation) {
    return {operation.input, operation.weights, operation.layout->id()};
}

/// The operation of one lane, addressed by the lane's own vectors.
VectorOperation lane_of(const VectorOperation& operation, std::uint32_t lane,
                        const LaneLayout& single) {
    const auto move = [&](Address base, Operand operand) {
        return base + static_cast<Address>(std::int64_t{operation.layout->offset(operand, lane)});
    };
    VectorOperation one = operation;
    one.input = move(operation.input, Operand::kInput);
    one.weights = move(operation.weights, Operand::kWeights);
    one.layout = &single;
    return one;
}

}  // namespace

OpportunisticUnit::OpportunisticUnit(sc_core::sc_module_name name,
                                     const OpportunisticConfig& config, const UnitPlace& place,
                                     OpportunisticContext context, StatGroup& statistics,
                                     Observers observers)
    : sc_module(name),
      config_(config),
      place_(place),
      context_(std::move(context)),
      observers_(observers),
      precompute_("precompute_table", config, std::move(context_.precompute)),
      table_(precompute_.port()),
      work_(config, context_.cache),
      values_(context_.read),
      warps_(place.warps) {
    BlockWatcher& watcher = *this;
    if (has_assistant() || context_.sharing != nullptr) context_.cache.watch(&watcher);
    if (context_.cluster != nullptr) context_.cluster->join(place.sm, *this);
    add_statistics(statistics);
    add_traces();
}

void OpportunisticUnit::start_kernel(Cycle now) {
    for (WarpSums& warp : warps_) warp = {};
    resident_ = false;
    precompute_.start_kernel(now);
    single_lanes_.clear();
}

void OpportunisticUnit::end_kernel() {
    precompute_.end_kernel();
    if (context_.cluster != nullptr) context_.cluster->end_kernel();
    busy_ = false;
}

VectorUnit::Decision OpportunisticUnit::decode(WarpId warp, const VectorOperation& operation,
                                               Cycle now) {
    WarpSums& mine = warps_[warp.value()];
    mine.layout = operation.layout;
    mine.output = operation.output;
    mine.promised.clear();
    Decision decision;
    decision.known = now;
    table_.at(now);
    precompute_.eliminate(now);
    if (config_.intra()) {
        decision.known += config_.pt_lookup_cycles;
        if (take_precomputed(operation)) decision.outcome = VectorOutcome::kPredicted;
    }
    if (decision.outcome == VectorOutcome::kNormal && config_.inter() &&
        waits_for_operands(operation, now)) {
        ++missing_;
        begin_lookup(warp, operation, decision.known);
        if (mine.lookup.awaited > 0) {
            mine.lookup.deferred = true;
            decision.pending = true;
            return decision;
        }
        decision.known = mine.lookup.answered;
        if (try_assign(mine, operation, decision.known)) {
            decision.outcome = VectorOutcome::kAssigned;
        }
    }
    conclude(warp, operation, decision, now);
    return decision;
}

bool OpportunisticUnit::waits_for_operands(const VectorOperation& operation, Cycle now) const {
    const Cycle ready = operands_ready(operation, context_.cache);
    return config_.assign_when == AssignWhen::kMissing ? ready == kNever : ready > now;
}

void OpportunisticUnit::conclude(WarpId warp, const VectorOperation& operation, Decision& decision,
                                 Cycle now) {
    WarpSums& mine = warps_[warp.value()];
    count(decision.outcome, operation, warp, now);
    if (decision.outcome == VectorOutcome::kPredicted) {
        ++mine.operations;
        for (std::size_t lane = 0; lane < lanes_.size(); ++lane) mine.sums[lane] += lanes_[lane];
        if (config_.fault == OpportunisticFault::kCommitAndExecute) {
            decision.outcome = VectorOutcome::kNormal;
        }
    }
    if (decision.outcome == VectorOutcome::kNormal) execute(mine, operation);
    if (decision.outcome != VectorOutcome::kAssigned && config_.intra()) predict(operation);
    if (observers_.wave != nullptr) precompute_.trace(now);
}

void OpportunisticUnit::execute(WarpSums& warp, const VectorOperation& operation) {
    ++warp.operations;
    if (!place_.values) return;
    values_.compute(operation, lanes_);
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) warp.sums[lane] += lanes_[lane];
}

bool OpportunisticUnit::take_precomputed(const VectorOperation& operation) {
    if (!scalar()) {
        return table_.take(key_of(operation), lanes_.data()) == PrecomputeHit::kComplete;
    }
    // Each lane looks up its own entry; all must be complete.
    if (single_lanes_.empty()) return false;
    bool complete = true;
    lanes_.fill(0);
    for (std::uint32_t lane = 0; lane < operation.layout->lanes(); ++lane) {
        const PrecomputeKey key = key_of(lane_of(operation, lane, *single_lanes_.front()));
        complete = table_.take(key, &lanes_[lane]) == PrecomputeHit::kComplete && complete;
    }
    return complete;
}

void OpportunisticUnit::predict(const VectorOperation& operation) {
    predict_operations(operation, [this](const VectorOperation& later) {
        if (!scalar()) return insert(key_of(later), later);
        if (single_lanes_.empty()) {
            single_lanes_.push_back(
                std::make_unique<LaneLayout>(0, 1, later.layout->granularity()));
        }
        for (std::uint32_t lane = 0; lane < later.layout->lanes(); ++lane) {
            const VectorOperation one = lane_of(later, lane, *single_lanes_.front());
            insert(key_of(one), one);
        }
    });
}

void OpportunisticUnit::insert(const PrecomputeKey& key, const VectorOperation& operation) {
    if (table_.insert_if_absent(key, operation) != PrecomputeTable::kNone) work_.recheck();
}

const float* OpportunisticUnit::take_sums(WarpId warp, Cycle /*now*/) {
    WarpSums& mine = warps_[warp.value()];
    mine.promised.clear();
    context_.ledger.add(mine.output, *mine.layout, mine.operations);
    mine.operations = 0;
    if (!place_.values) return nullptr;
    lanes_ = mine.sums;
    mine.sums.fill(0);
    return lanes_.data();
}

const float* OpportunisticUnit::take_assistant_sums(Cycle /*now*/) {
    context_.ledger.add(job_.operation.output, *job_.operation.layout, 1);
    if (!place_.values) return nullptr;
    if (!job_.computed) values_.compute(job_.operation, job_.results);
    return job_.results.data();
}

std::unique_ptr<WarpProgram> OpportunisticUnit::assistant_program() {
    return std::make_unique<AssistantProgram>(config_, job_);
}

std::uint32_t OpportunisticUnit::assistant_registers() const {
    return AssistantProgram::registers(config_);
}

Cycle OpportunisticUnit::assistant_needed(Cycle now) {
    return work_.wanted(table_, resident_, now);
}

bool OpportunisticUnit::start_assistant(Cycle now) {
    table_.at(now);
    if (!work_.choose(table_, resident_, now, job_)) return false;
    busy_ = true;
    job_began_ = now;
    ++assistant_operations_;
    if (job_.assigned && config_.precomputes() && take_precomputed(job_.operation)) {
        job_.computed = true;
        job_.results = lanes_;
        ++precomputed_assignments_;
    }
    if (job_.assigned && config_.assign_predicts) predict(VectorOperation(job_.operation));
    if (observers_.wave != nullptr) {
        observers_.wave->set(traces_.assistant, now, job_.assigned ? 2 : 1);
    }
    return true;
}

void OpportunisticUnit::finish_assistant(Cycle now) {
    busy_ = false;
    table_.at(now);
    if (observers_.wave != nullptr) observers_.wave->set(traces_.assistant, now + 1, 0);
    if (observers_.timeline != nullptr) {
        const std::string whose =
            job_.assigned ? fmt::format(R"(,"of_sm":{},"id":{})", job_.assignment.source.value(),
                                        job_.assignment.id)
                          : "";
        observers_.timeline->span(traces_.track, job_.assigned ? "assigned" : "predicted",
                                  job_began_, now + 1,
                                  fmt::format(R"({{"input":"{:#x}","weights":"{:#x}"{}}})",
                                              job_.operation.input, job_.operation.weights, whose));
    }
    if (job_.assigned) {
        const Assignment& assignment = job_.assignment;
        if (assignment.source == place_.sm) {
            return end_assignment(assignment.id, now + 1);
        }
        ++totals_.executed;
        if (config_.credits) give_credits(place_.sm, 1, now + 1);
        MeshMessage message;
        message.id = assignment.id;
        send(MeshMessageKind::kAcknowledge, assignment.source, message, now + 1);
        return;
    }
    if (place_.values) values_.compute(job_.operation, lanes_);
    for (std::size_t i = 0; i < job_.targets.size(); ++i) {
        table_.finish(job_.targets[i].entry, job_.targets[i].generation,
                      place_.values ? lanes_.data() + (scalar() ? i : 0) : nullptr);
    }
}

void OpportunisticUnit::begin_work() {
    resident_ = true;
    if (context_.cluster != nullptr) context_.cluster->begin_work(place_.sm);
}

bool OpportunisticUnit::end_work(Cycle at) {
    resident_ = false;
    const bool predicting = busy_ && !job_.assigned;
    if (predicting) abandon(at);
    if (context_.cluster != nullptr) report_drain(at + 1);
    return predicting;
}

void OpportunisticUnit::abandon(Cycle now) {
    busy_ = false;
    ++abandoned_;
    if (observers_.wave != nullptr) observers_.wave->set(traces_.assistant, now, 0);
}

void OpportunisticUnit::on_assistant_issue(Cycle now, std::uint32_t cycles) {
    ++assistant_instructions_;
    assistant_cycles_ += cycles;
    if (observers_.wave != nullptr) observers_.wave->pulse(traces_.assistant_issue, now, cycles);
}

}  // namespace tessera
