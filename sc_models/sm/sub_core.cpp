#include "sc_models/sm/sub_core.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

namespace tessera {

SubCore::SubCore(sc_core::sc_module_name name, const SmConfig& config, const SubCorePlace& place,
                 const ClockDomain& clock, const LocalTime& time, LdstUnit& ldst,
                 RegisterFile& registers, WarpListener& listener, StatGroup& statistics,
                 Observers observers)
    : sc_module(name),
      next_(place.warp_slots),
      warps_(place.warp_slots),
      place_(place),
      time_(time),
      ldst_(ldst),
      registers_(registers),
      observers_(observers),
      greedy_(config.scheduler == SchedulerPolicy::kGreedyThenOldest),
      ports_(config.register_file, statistics),
      call_time_(clock),
      config_(config),
      listener_(listener),
      rooms_(place.warp_slots),
      from_(place.warp_slots),
      access_(new WarpAccess),
      operands_(new MmaOperands),
      sparse_(new SpwmmaOperands) {
    for (const KnobBase* knob :
         std::initializer_list<const KnobBase*>{&config.scheduler, &config.issue_cycles}) {
        knob->note_read();
    }
    config.alu_latency_cycles.note_possible();
    config.alu_initiation_cycles.note_possible();
    for (const OperationConfig& operation : config.operations) {
        operation.latency_cycles.note_possible();
        operation.initiation_cycles.note_possible();
    }
    oldest_.reserve(place.warp_slots);
    ldst_.attach(place.sub_core, *this);
    access_payload_.set_extension(access_);
    mma_payload_.set_extension(operands_);
    mma_payload_.set_command(tlm::TLM_IGNORE_COMMAND);
    mma_payload_.set_data_ptr(reinterpret_cast<unsigned char*>(gathered_a_.data()));
    mma_payload_.set_data_length(kFragmentBytes);
    mma_payload_.set_streaming_width(kFragmentBytes);
    sparse_payload_.set_extension(sparse_);
    sparse_payload_.set_command(tlm::TLM_IGNORE_COMMAND);
    sparse_payload_.set_data_ptr(reinterpret_cast<unsigned char*>(gathered_a_.data()));
    sparse_payload_.set_data_length(kFragmentBytes);
    sparse_payload_.set_streaming_width(kFragmentBytes);

    for (std::size_t kind = 0; kind < kStallReasons; ++kind) {
        statistics.counter(kStallReasonText[kind].name, slots_[kind], "cycles",
                           kStallReasonText[kind].description);
    }
    statistics.counter("cycles", settled_cycles_, "cycles", "cycles of all kernels");
    statistics.counter("instructions", instructions_, "count", "warp instructions issued");
    statistics.counter("loads", loads_, "count", "load instructions issued");
    statistics.counter("stores", stores_, "count", "store instructions issued");
    statistics.counter("hmma_cycles", hmma_cycles_, "cycles",
                       "cycles the tensor cores were busy with single HMMA steps (traces)");
    statistics.counter("hmmas", hmmas_, "count", "single HMMA instructions issued (traces)");
    statistics.counter("hmma_steps", hmma_steps_, "count",
                       "multiply-adds of single HMMAs, in steps of 256");
    statistics.counter("mmas", mmas_, "count", "16x16x16 matrix multiply-accumulates issued");

    const std::string scope =
        fmt::format("sm{}.sub_core{}", place.sm.value(), place.sub_core.value());
    if (WaveRecorder* wave = observers_.wave) {
        const std::uint32_t warp_bits = warp_signal_bits(config.max_warps);
        traces_.issue = wave->add(scope, "issue", 1);
        traces_.opcode = wave->add(scope, "opcode", 5);
        traces_.warp = wave->add(scope, "warp", warp_bits);
        traces_.stall = wave->add(scope, "stall_reason", 4);
        traces_.resident = wave->add(scope, "resident_warps", warp_bits);
        wave->set(traces_.stall, 0, static_cast<std::uint64_t>(StallReason::kNoWarp));
        const std::string tensor =
            fmt::format("sm{}.tensor{}", place.sm.value(), place.sub_core.value());
        traces_.mma = wave->add(tensor, "busy", 1);
        traces_.mma_warp = wave->add(tensor, "warp", warp_bits);
    }
    if (TimelineRecorder* timeline = observers_.timeline) {
        const std::string process = fmt::format("SM {}", place.sm.value());
        traces_.issue_track =
            timeline->add_track(process, fmt::format("sub-core {} issue", place.sub_core.value()));
        traces_.tensor_track =
            timeline->add_track(process, fmt::format("sub-core {} tensor", place.sub_core.value()));
        if (traces_.issue_track == TimelineRecorder::kNoTrack) observers_.timeline = nullptr;
    }
}

void SubCore::start_kernel(const KernelInfo& info, Cycle now) {
    accounted_until_ = now;
    // Lowest slot first: a kernel with few warps uses few slots.
    free_.clear();
    for (std::uint32_t slot = place_.warp_slots; slot-- > 0;) free_.push_back(slot);
    const std::uint32_t registers =
        info.scoreboard_registers != 0 ? info.scoreboard_registers : info.registers_per_thread;
    for (Warp& warp : warps_) warp.scoreboard.reset(registers, now);
    if (has_assistant_) {
        warps_.back().scoreboard.reset(vector_unit_->assistant_registers(), now);
    }
}

void SubCore::launch(std::unique_ptr<WarpProgram> program, std::uint32_t cta, std::uint64_t age,
                     Cycle at) {
    const Cycle now = time_.now();
    settle(now);
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    Warp& warp = warps_[slot];
    warp.program = std::move(program);
    warp.head = warp.end = nullptr;
    warp.cta = cta;
    warp.age = age;
    warp.scoreboard.clear(now);
    ports_.forget();
    oldest_.push_back(slot);
    ++resident_;
    if (observers_.wave != nullptr) observers_.wave->set(traces_.resident, now, resident_);
    advance(slot, at);
    next_[slot].wait = StallReason::kLaunch;
    schedule(std::max(now, port_free_));
}

void SubCore::release_barrier(std::uint32_t cta, std::uint32_t barrier, Cycle at) {
    // The cycles up to now are accounted below under the current stall reason.
    if (ahead_ != nullptr && ahead_->active() && reason_hangs_on_promises()) ahead_->catch_up();
    for (const std::uint32_t slot : oldest_) {
        const Warp& warp = warps_[slot];
        const bool waits = warp.cta == cta && at_barrier(slot);
        if (waits && warp.head->count == barrier) advance(slot, at);
    }
    settle(time_.now());
    schedule(std::max(time_.now(), port_free_));
}

void SubCore::settle(Cycle now) {
    if (now > accounted_until_) account(now);
}

void SubCore::account(Cycle until) {
    const Cycle from = accounted_until_;
    slots_[static_cast<std::size_t>(pending_reason_)] += until - from;
    settled_cycles_ += until - from;
    accounted_until_ = until;
    if (observers_.timeline != nullptr && pending_reason_ != StallReason::kNoWarp &&
        pending_reason_ != StallReason::kIssued) {
        observers_.timeline->span(traces_.issue_track,
                                  kStallReasonText[static_cast<std::size_t>(pending_reason_)].name,
                                  from, until, "");
    }
}

void SubCore::evaluate() {
    const Cycle now = time_.now();
    settle(now);
    if (port_free_ <= now) {
        const int slot = select_ungranted(now);
        if (slot >= 0) issue(static_cast<std::uint32_t>(slot), now);
    }
    schedule(std::max(now, port_free_));
}

void SubCore::issue(std::uint32_t slot, Cycle now) {
    Warp& warp = warps_[slot];
    const WarpInstruction instruction = *warp.head;
    if (!is_assistant(slot)) last_issued_ = static_cast<int>(slot);
    std::uint32_t port_cycles = 1;
    Cycle next_issue = now + 1;
    bool moves_on = true;
    // Cycle at which the operands are there.
    const Cycle start = ports_.modelled() ? collect_operands(slot, instruction, now) : now;
    switch (instruction.opcode) {
        case Opcode::kAlu:
            port_cycles = instruction.count;
            next_issue = now + Cycle{instruction.count} * config_.alu_initiation_cycles;
            free_at(Unit::kAlu) = next_issue + (start - now);
            if (instruction.dst != kNoRegister) {  // written by the last instruction
                write(warp, instruction.dst,
                      free_at(Unit::kAlu) - config_.alu_initiation_cycles +
                          config_.alu_latency_cycles,
                      Producer::kAlu);
            }
            move_registers(slot, instruction);
            break;
        case Opcode::kOperation:
            port_cycles = instruction.count;
            next_issue += issue_operation(slot, instruction, start);
            break;
        case Opcode::kFloats:
            port_cycles = instruction.count;
            next_issue = issue_floats(slot, instruction, start);
            break;
        case Opcode::kVectorOp:
            port_cycles = instruction.count;
            next_issue = now + Cycle{instruction.count} * config_.alu_initiation_cycles;
            free_at(Unit::kAlu) = next_issue;
            moves_on = issue_vector_op(slot, next_issue);
            break;
        case Opcode::kFence:
            break;
        case Opcode::kMma:
            issue_mma(slot, instruction, start);
            break;
        case Opcode::kSparseMma:
        case Opcode::kSparseFlush:
            issue_sparse(slot, instruction, start);
            break;
        case Opcode::kBarrier:
            moves_on = false;
            next_[slot].ready = kNever;
            next_[slot].wait = StallReason::kBarrier;
            break;
        case Opcode::kExit:
            moves_on = false;
            break;
        default:
            issue_memory(slot, instruction, now);
            break;
    }
    instructions_ += port_cycles;
    port_cycles *= config_.issue_cycles;
    port_free_ = now + port_cycles;
    slots_[static_cast<std::size_t>(StallReason::kIssued)] += port_cycles;
    settled_cycles_ += port_cycles;
    accounted_until_ = port_free_;
    if (observers_.wave != nullptr) {
        observers_.wave->pulse(traces_.issue, now, port_cycles);
        observers_.wave->set(traces_.stall, now, static_cast<std::uint64_t>(StallReason::kIssued));
        observers_.wave->set(traces_.opcode, now, static_cast<std::uint64_t>(instruction.opcode));
        observers_.wave->set(traces_.warp, now, warp_id(slot).value());
    }
    if (observers_.timeline != nullptr) {
        observers_.timeline->span(traces_.issue_track, name_of(instruction.opcode), now, port_free_,
                                  fmt::format(R"({{"warp":{}}})", warp_id(slot).value()));
    }
    if (ports_.modelled()) wait_for_collector();
    if (is_assistant(slot)) {
        vector_unit_->on_assistant_issue(now, port_cycles);
        if (moves_on) return advance(slot, next_issue);
        assistant_busy_ = false;
        next_[slot].ready = kNever;
        vector_unit_->finish_assistant(now);
    } else if (moves_on) {
        advance(slot, next_issue);
    } else if (instruction.opcode == Opcode::kVectorOp) {
        return;
    } else if (instruction.opcode == Opcode::kBarrier) {
        listener_.on_barrier(warp.cta, instruction.count, now);
    } else {
        exit_warp(slot, now);
    }
}

void SubCore::exit_warp(std::uint32_t slot, Cycle now) {
    Warp& warp = warps_[slot];
    warp.program.reset();
    oldest_.erase(std::find(oldest_.begin(), oldest_.end(), slot));
    free_.push_back(slot);
    --resident_;
    if (observers_.wave != nullptr) observers_.wave->set(traces_.resident, now + 1, resident_);
    if (last_issued_ == static_cast<int>(slot)) last_issued_ = -1;
    if (last_memory_ == static_cast<int>(slot)) last_memory_ = -1;
    listener_.on_exit(warp.cta, warp_id(slot), now);
}

void SubCore::advance(std::uint32_t slot, Cycle from) {
    Warp& warp = warps_[slot];
    if (warp.head != warp.end) ++warp.head;
    if (warp.head == warp.end) {
        const InstructionBatch batch = warp.program->next(rooms_[slot].data());
        if (batch.count == 0) SC_REPORT_FATAL(name(), "a warp program ended without an exit");
        warp.head = batch.begin;
        warp.end = batch.begin + batch.count;
    }
    find_ready(slot, from);
}

void SubCore::describe_waiting(std::vector<std::string>& lines) const {
    for (const std::uint32_t slot : oldest_) {
        const Next& next = next_[slot];
        const std::string_view op = name_of(warps_[slot].head->opcode);
        const std::string who = fmt::format("{}: warp {} of CTA slot {}", name(),
                                            warp_id(slot).value(), warps_[slot].cta);
        if (at_barrier(slot)) {
            lines.push_back(fmt::format("{} waits at barrier {}", who, warps_[slot].head->count));
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
