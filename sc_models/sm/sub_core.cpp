#include "sc_models/sm/sub_core.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "sc_models/common/transaction_observer.h"
#include "sc_models/sm/dependence_check.h"

namespace tessera {
namespace {

TraceScope trace_scope(const SmConfig& config, const SubCorePosition& position,
                       const Observers& observers) {
    return {position.sm, position.sub_core, warp_signal_bits(config.max_warps), observers};
}

}  // namespace

SubCore::SubCore(sc_core::sc_module_name name, const SmConfig& config,
                 const SubCorePosition& position, const SubCoreContext& context)
    : sc_module(name),
      to_ldst("to_ldst", context.clock, context.approximately_timed),
      to_tensor("to_tensor", context.clock, context.approximately_timed),
      config_(config),
      position_(position),
      time_(context.time),
      listener_(context.listener),
      wake_at_(context.wake_at),
      transactions_(context.observers.transactions),
      look_ahead_(context.look_ahead),
      scheduler_(config.scheduler, position.warp_slots),
      warps_(position.warp_slots),
      buffers_(position.warp_slots),
      collector_(config, context.product, context.registers, context.statistics),
      port_(config.issue_cycles, trace_scope(config, position, context.observers),
            context.statistics),
      cuda_cores_(config, context.registers),
      memory_(position.sub_core, to_ldst, context.listener, context.statistics),
      tensor_(to_tensor, context.registers, context.shared_memory,
              trace_scope(config, position, context.observers), context.statistics) {
    grants.bind(*this);
}

void SubCore::start_kernel(const KernelInfo& info, Cycle now) {
    port_.start(now);
    // Lowest slot first: a kernel with few warps uses few slots.
    free_slots_.clear();
    for (std::uint32_t slot = position_.warp_slots; slot-- > 0;) free_slots_.push_back(slot);
    const std::uint32_t registers =
        info.scoreboard_registers != 0 ? info.scoreboard_registers : info.registers_per_thread;
    for (Warp& warp : warps_) {
        warp.scoreboard.reset(registers + info.copies_in_flight, now);
        warp.copies.reset(registers, info.copies_in_flight);
        warp.products.reset();
    }
    first_copy_entry_ = registers;
    copy_entries_ = info.copies_in_flight;
    if (has_assistant_) {
        warps_.back().scoreboard.reset(vector_unit_->assistant_registers(), now);
    }
}

WarpId SubCore::launch(std::unique_ptr<WarpProgram> program, std::uint32_t cta, std::uint64_t age,
                       Cycle at) {
    const Cycle now = time_.now();
    port_.account_until(now);
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    Warp& warp = warps_[slot];
    warp.program = std::move(program);
    warp.head = warp.end = nullptr;
    warp.cta = cta;
    warp.scoreboard.clear(now);
    warp.copies.reset(first_copy_entry_, copy_entries_);
    warp.products.reset();
    collector_.forget();
    scheduler_.add(slot, age);
    port_.show_resident(scheduler_.resident().size(), now);
    advance(slot, at);
    scheduler_.set_wait(slot, StallReason::kLaunch);
    schedule_from_now();
    return warp_id(slot);
}

void SubCore::release_barrier(std::uint32_t cta, std::uint32_t barrier, Cycle at) {
    // The cycles up to now are accounted below under the current stall reason.
    if (look_ahead_ != nullptr && look_ahead_->active() && reason_depends_on_look_ahead()) {
        look_ahead_->synchronise();
    }
    for (const std::uint32_t slot : scheduler_.resident()) {
        const Warp& warp = warps_[slot];
        const bool waits = warp.cta == cta && scheduler_.at_barrier(slot);
        if (waits && warp.head->barrier() == barrier) advance(slot, at);
    }
    port_.account_until(time_.now());
    schedule_from_now();
}

void SubCore::end_phase(std::uint32_t cta) {
    const auto waits = [&](std::uint32_t slot) {
        const Warp& warp = warps_[slot];
        return warp.cta == cta && scheduler_.awaits_result(slot) &&
               warp.head->opcode() == Opcode::kAwaitPhase;
    };
    const std::vector<std::uint32_t>& resident = scheduler_.resident();
    if (std::none_of(resident.begin(), resident.end(), waits)) return;
    // The cycles up to now are accounted below under the current stall reason.
    if (look_ahead_ != nullptr && look_ahead_->active() && reason_depends_on_look_ahead()) {
        look_ahead_->synchronise();
    }
    for (const std::uint32_t slot : resident) {
        if (waits(slot)) find_ready(slot, warps_[slot].issue_from);
    }
    port_.account_until(time_.now());
    schedule_from_now();
}

bool SubCore::reason_depends_on_look_ahead() const {
    const std::vector<std::uint32_t>& resident = scheduler_.resident();
    return scheduler_.scheduled().earliest >= look_ahead_->bound() &&
           std::any_of(resident.begin(), resident.end(),
                       [this](std::uint32_t slot) { return scheduler_.awaits_result(slot); });
}

void SubCore::evaluate() {
    const Cycle now = time_.now();
    port_.account_until(now);
    if (port_.free_at() <= now) {
        const int slot = select_ungranted(now);
        if (slot >= 0) issue(static_cast<std::uint32_t>(slot), now);
    }
    schedule(std::max(now, port_.free_at()));
}

std::optional<LdstRequest> SubCore::ldst_request(Cycle now) const {
    if (port_.free_at() > now) return std::nullopt;
    if (!assistant_holds_port()) {
        if (const auto candidate = scheduler_.memory_candidate(now)) {
            return LdstRequest{candidate->new_warp, candidate->age};
        }
    }
    if (has_assistant_ && scheduler_.memory_ready(position_.warp_slots, now)) {
        return LdstRequest{true, LdstRequest::kYoungest};
    }
    return std::nullopt;
}

void SubCore::on_ldst_grant(Cycle now) {
    port_.account_until(now);
    const int slot = select(now, true);
    if (slot >= 0) issue(static_cast<std::uint32_t>(slot), now);
    schedule(std::max(now, port_.free_at()));
}

void SubCore::on_ldst_completed(const LdstCompletion& completion) {
    if (completion.is_store) {
        listener_.on_store_accepted(completion.done);
    } else if (completion.reg != kNoRegister) {
        Warp& warp = warps_[completion.warp.value() - position_.first_warp];
        warp.scoreboard.arrive(completion.reg, completion.done);
        completed_ = true;
    }
}

void SubCore::resume_after_look_ahead() {
    if (!completed_) return;
    completed_ = false;
    for (const std::uint32_t slot : scheduler_.resident()) {
        if (scheduler_.awaits_result(slot)) find_ready(slot, warps_[slot].issue_from);
    }
    reschedule(scheduler_.scheduled().from);
}

void SubCore::ldst_done(WarpId warp, std::uint8_t reg) {
    const Cycle now = time_.now();
    const bool of_assistant = warp.value() == config_.max_warps;
    const std::uint32_t slot =
        of_assistant ? position_.warp_slots : warp.value() - position_.first_warp;
    if (reg != kNoRegister) warps_[slot].scoreboard.arrive(reg, now);
    const bool idle = (of_assistant && !assistant_busy_) || warps_[slot].undecided != 0;
    if (scheduler_.awaits_result(slot) && !idle) {
        find_ready(slot, std::max(now, warps_[slot].issue_from));
    }
    port_.account_until(now);
    schedule_from_now();
}

int SubCore::select(Cycle now, bool ldst_granted) {
    scheduler_.set_free_at(ExecutionUnit::kLdst, ldst_granted ? to_arbiter->free_at() : kNever);
    const auto assistant = static_cast<int>(position_.warp_slots);
    if (assistant_holds_port()) return assistant_ready(now, ldst_granted) ? assistant : -1;
    const int slot = scheduler_.select(now);
    if (slot >= 0 || !has_assistant_ || !assistant_ready(now, ldst_granted)) return slot;
    return assistant;
}

void SubCore::reschedule(Cycle from) {
    const WarpScheduler::Schedule& next = scheduler_.schedule(from);
    Cycle wake = next.issue;
    Cycle memory = next.memory;
    if (has_assistant_) schedule_assistant(from, next.earliest, wake, memory);
    port_.set_stall_reason(next.reason);
    to_arbiter->request(position_.sub_core, memory == kNever ? kNever : std::max(memory, from));
    wake_at_ = wake == kNever ? kNever : std::max(wake, from);
}

void SubCore::issue(std::uint32_t slot, Cycle now) {
    Warp& warp = warps_[slot];
    WarpInstruction instruction = *warp.head;
    if (instruction.opcode() == Opcode::kCopyAsync) add_copy(warp, instruction);
    if (!is_assistant(slot)) scheduler_.set_last_issued(slot);
    IssuedInstruction issued{instruction, warp_id(slot), warp.scoreboard, now, now};
    if (transactions_ != nullptr) {
        transactions_->issue(position_.sm, position_.sub_core, issued.warp,
                             static_cast<std::uint32_t>(instruction.opcode()), now);
    }
    if (collector_.modelled()) issued.start = collector_.collect(issued);
    const Execution done = execute(slot, issued);
    const std::uint32_t port_cycles =
        port_.issue(instruction.opcode(), issued.warp, done.instructions, now);
    if (collector_.modelled()) port_.wait_for_collector(collector_.free_at());
    if (is_assistant(slot)) {
        retire_assistant(slot, done, now, port_cycles);
    } else if (done.continues) {
        advance(slot, done.next_issue);
    } else {
        retire(slot, instruction, now);
    }
}

/// Gives an asynchronous copy its scoreboard entry.
void SubCore::add_copy(Warp& warp, WarpInstruction& instruction) const {
    if (!warp.copies.available()) {
        SC_REPORT_FATAL(name(), "an asynchronous copy of a kernel that announced none");
    }
    instruction.dst = warp.copies.next_entry();
    warp.copies.add();
}

SubCore::Execution SubCore::execute(std::uint32_t slot, const IssuedInstruction& issued) {
    const WarpInstruction& instruction = issued.instruction;
    const Cycle next = issued.issued + 1;
    switch (instruction.opcode()) {
        case Opcode::kAlu:
            return {instruction.count, occupy(ExecutionUnit::kAlu, cuda_cores_.issue_alu(issued))};
        case Opcode::kOperation:
            return {instruction.count, issue_operation(issued)};
        case Opcode::kFloats:
            return {instruction.count,
                    occupy(ExecutionUnit::kFp32, cuda_cores_.issue_floats(issued))};
        case Opcode::kVectorOp: {
            const Cycle end = issued.issued + cuda_cores_.alu_cycles(instruction);
            scheduler_.set_free_at(ExecutionUnit::kAlu, end);
            return issue_vector_op(slot, instruction.count, end);
        }
        case Opcode::kFence:
            return {1, next};
        case Opcode::kCommitCopies:
            warps_[slot].copies.commit();
            return {1, next};
        case Opcode::kWaitCopies:
            warps_[slot].copies.waited(instruction.groups_left());
            return {1, next};
        case Opcode::kWarpgroupMma: {
            const TensorIssue::WarpgroupTiming timing =
                tensor_.issue_warpgroup(issued, warps_[slot].cta);
            scheduler_.set_free_at(ExecutionUnit::kTensor, timing.unit_free);
            warps_[slot].products.add(timing.end);
            return {1, next};
        }
        case Opcode::kCommitProducts:
            warps_[slot].products.commit();
            return {1, next};
        case Opcode::kWaitProducts:
            warps_[slot].products.waited(instruction.groups_left());
            return {1, next};
        case Opcode::kBulkCopy:
            listener_.on_bulk_copy(warps_[slot].cta, instruction, issued.issued);
            return {1, next};
        case Opcode::kArrive:
            listener_.on_arrival(warps_[slot].cta, instruction.arrival().barrier,
                                 instruction.arrival().expected_bytes, issued.issued);
            return {1, next};
        case Opcode::kAwaitPhase:
            return {1, next};
        case Opcode::kMma:
            scheduler_.set_free_at(ExecutionUnit::kTensor, tensor_.issue_mma(issued));
            return {1, next};
        case Opcode::kSparseMma:
        case Opcode::kSparseFlush:
            issue_sparse(issued);
            return {1, next};
        case Opcode::kBarrier:
            scheduler_.block(slot, StallReason::kBarrier);
            return {1, next, false};
        case Opcode::kExit:
            return {1, next, false};
        default:
            issue_memory(slot, issued);
            return {1, next};
    }
}

Cycle SubCore::issue_operation(const IssuedInstruction& issued) {
    using Producer = RegisterScoreboard::Producer;
    const ExecutionUnit unit = unit_of(issued.instruction);
    const bool on_tensor_cores = unit == ExecutionUnit::kTensor;
    const CudaCores::Timing timing =
        cuda_cores_.issue_operation(issued, on_tensor_cores ? Producer::kTensor : Producer::kAlu);
    if (on_tensor_cores) tensor_.count_hmmas(issued.instruction, timing.unit_free - issued.start);
    return occupy(unit, timing);
}

void SubCore::issue_sparse(const IssuedInstruction& issued) {
    const TensorIssue::SparseTiming timing = tensor_.issue_sparse(issued);
    scheduler_.set_free_at(ExecutionUnit::kTensor, timing.unit_free);
    if (timing.swapped > 0 && collector_.modelled()) collector_.read_swapped_sums(issued.start);
}

void SubCore::issue_memory(std::uint32_t slot, const IssuedInstruction& issued) {
    if (!is_assistant(slot)) scheduler_.set_last_memory(slot);
    const float* sums = nullptr;
    if (vector_unit_ != nullptr && issued.instruction.opcode() == Opcode::kAtomicGlobal) {
        sums = is_assistant(slot) ? vector_unit_->take_assistant_sums(issued.issued)
                                  : vector_unit_->take_sums(issued.warp, issued.issued);
    }
    memory_.issue(issued, warps_[slot].cta, sums);
}

void SubCore::retire(std::uint32_t slot, const WarpInstruction& instruction, Cycle now) {
    if (instruction.opcode() == Opcode::kBarrier) {
        listener_.on_barrier(warps_[slot].cta, instruction.barrier(), now);
    } else if (instruction.opcode() == Opcode::kExit) {
        exit_warp(slot, now);
    }
}

void SubCore::exit_warp(std::uint32_t slot, Cycle now) {
    warps_[slot].program.reset();
    scheduler_.remove(slot);
    free_slots_.push_back(slot);
    port_.show_resident(scheduler_.resident().size(), now + 1);
    listener_.on_exit(warps_[slot].cta, warp_id(slot), now);
}

void SubCore::advance(std::uint32_t slot, Cycle from) {
    Warp& warp = warps_[slot];
    if (warp.head != warp.end) ++warp.head;
    if (warp.head == warp.end) {
        const InstructionBatch batch = warp.program->next(buffers_[slot].data());
        if (batch.count == 0) SC_REPORT_FATAL(name(), "a warp program ended without an exit");
        warp.head = batch.begin;
        warp.end = batch.begin + batch.count;
    }
    find_ready(slot, from);
}

void SubCore::find_ready(std::uint32_t slot, Cycle from) {
    Warp& warp = warps_[slot];
    warp.issue_from = from;
    if (warp.head->opcode() == Opcode::kAwaitPhase) {
        const PhaseWait& wait = warp.head->wait();
        const Cycle end = listener_.phase_end(warp.cta, wait.barrier, wait.phase);
        scheduler_.set_readiness(slot,
                                 {std::max(end, from), StallReason::kMemory, ExecutionUnit::kNone});
        return;
    }
    scheduler_.set_readiness(
        slot, check_dependences(*warp.head, warp.scoreboard, warp.copies, warp.products, from));
}

void SubCore::describe_waiting(std::vector<std::string>& lines) const {
    for (const std::uint32_t slot : scheduler_.resident()) {
        const WarpReadiness& next = scheduler_.readiness(slot);
        const std::string_view op = name_of(warps_[slot].head->opcode());
        const std::string who = fmt::format("{}: warp {} of CTA slot {}", name(),
                                            warp_id(slot).value(), warps_[slot].cta);
        if (scheduler_.at_barrier(slot)) {
            lines.push_back(
                fmt::format("{} waits at barrier {}", who, warps_[slot].head->barrier()));
            continue;
        }
        const std::string until =
            next.ready == kNever ? "without end" : fmt::format("until cycle {}", next.ready);
        lines.push_back(fmt::format("{} waits {} ({}, next: {})", who, until,
                                    kStallReasonText[static_cast<std::size_t>(next.wait)].name,
                                    op));
    }
}

}  // namespace tessera
