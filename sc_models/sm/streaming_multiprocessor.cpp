#include "sc_models/sm/streaming_multiprocessor.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/common/interrupt.h"
#include "sc_models/common/transaction_observer.h"
#include "sc_models/memory/at/l1_cache_at.h"
#include "sc_models/sm/earliest.h"
#include "sc_models/sm/ldst_unit_lt.h"
#include "sc_models/sm/warp_placement.h"

namespace tessera {

StreamingMultiprocessor::StreamingMultiprocessor(sc_core::sc_module_name name, SmId id,
                                                 const SmPlan& plan, const SmContext& context)
    : sc_module(name),
      id_(id),
      config_(plan),
      clock_(context.pool == nullptr ? context.clock : context.clock.seen_at(quantum_time_)),
      listener_(context.listener),
      partition_(context.ticker == nullptr
                     ? nullptr
                     : std::make_unique<PartitionContext>(*context.ticker, context.observers)),
      observers_(partition_ ? partition_->blocks().observers : context.observers),
      time_(clock_),
      quantum_(context.ticker == nullptr ? plan.quantum_cycles : 1),
      shared_memory_(plan.sm.shared_memory_banks) {
    const ClockDomain& clock = clock_;
    StatGroup& statistics = context.statistics;
    LinkBinder* const binder = context.binder;
    StatGroup& l1_statistics = statistics.child("l1");
    StatGroup& ldst_statistics = statistics.child("ldst");
    const LdstUnit::LdstContext ldst_context{
        clock, time_, registers_, shared_memory_, context.parts, ldst_statistics, observers_};
    const L1Context l1_context{plan.l1, plan.sm.l1_cache_bytes(), plan.l2_line_bytes, plan.values,
                               l1_statistics};
    if (context.ticker == nullptr) {
        auto l1 = std::make_unique<L1Cache>("l1", l1_context, clock, observers_);
        l1_lt_ = l1.get();
        l1_ = std::move(l1);
        auto ldst = std::make_unique<LdstUnitLt>("ldst", id, plan, ldst_context);
        ldst_lt_ = ldst.get();
        ldst_ = std::move(ldst);
    } else {
        LdstListener& ldst_listener = *this;
        Clocked& self = *this;
        const AtContext at = partition_->blocks();
        l1_ = std::make_unique<L1CacheAt>("l1", l1_context, at);
        ldst_ = std::make_unique<LdstUnitAt>("ldst", id, plan, ldst_context, at, ldst_listener);
        alarm_ = std::make_unique<CycleAlarm>(at.clock, self);
    }
    if (auto prefetcher = context.parts.make_prefetcher()) {
        l1_->attach(std::move(prefetcher), l1_statistics);
    }
    if (plan.tlb.entries != 0) l1_->attach(std::make_unique<Tlb>(plan.tlb, l1_statistics));
    bind_link(binder, ldst_->to_l1, l1_->from_ldst());
    if (context.pool != nullptr && l1_lt_ != nullptr) {
        ahead_.emplace(*this, *context.pool);
        l1_lt_->attach(*ahead_, context.least_below_cycles);
        ldst_lt_->attach(*ahead_);
    }
    LookAhead* const look_ahead = ahead_ ? &*ahead_ : nullptr;
    WarpListener& self = *this;
    const std::uint32_t slots = plan.sm.max_warps / plan.sm.sub_cores;
    wakes_.assign(plan.sm.sub_cores, kNever);
    for (std::uint32_t i = 0; i < plan.sm.sub_cores; ++i) {
        StatGroup& group = statistics.instance("sub_core", i);
        const DevicePlace place{fmt::format("sm{}.tensor{}", id.value(), i),
                                id.value() * plan.sm.sub_cores + i, observers_.wave,
                                observers_.transactions};
        tensor_cores_.push_back(std::make_unique<TensorCorePair>(
            fmt::format("tensor{}", i).c_str(),
            [&] { return context.parts.make_tensor_cores(place); }, clock, group.child("tensor")));
        const ProductOperands product{context.parts.product_reads(),
                                      tensor_cores_.back()->timing().initiation};
        if (observers_.wave != nullptr) tensor_cores_.back()->watch(*observers_.wave, place.scope);
        const SubCoreContext connections{
            clock,     time_,     product, registers_, shared_memory_,
            self,      wakes_[i], group,   observers_, context.ticker != nullptr,
            look_ahead};
        sub_cores_.push_back(std::make_unique<SubCore>(
            fmt::format("sub_core{}", i).c_str(), plan.sm,
            SubCorePosition{id, SubCoreId(i), i * slots, slots}, connections));
        connect(SubCoreId(i), binder);
    }
    if (plan.sm.bulk_copy_latency_cycles > 0) {
        const SubCoreId client(plan.sm.sub_cores);
        bulk_copies_ = std::make_unique<BulkCopyUnit>(
            "bulk_copies", LdstConnection{client, clock, context.ticker != nullptr},
            plan.sm.bulk_copy_latency_cycles, self, statistics.child("bulk_copies"));
        bind_link(binder, bulk_copies_->to_ldst, ldst_->from_sub_core(client));
        bulk_copies_->to_arbiter.bind(ldst_->arbiter);
        ldst_->to_client(client).bind(bulk_copies_->grants);
    }
    VectorUnitHost& host = *this;
    const auto read = [this](Address address, void* data, std::size_t bytes) {
        ldst_->peek(address, data, bytes);
    };
    vector_unit_ = context.parts.make_vector_unit(
        {id, host, *l1_, read, context.mesh_port, statistics, observers_});
    if (vector_unit_) {
        for (const auto& sub_core : sub_cores_) {
            sub_core->attach(*vector_unit_, sub_core == sub_cores_.front());
        }
    }
    if (context.ticker == nullptr) {
        if (context.workers == nullptr) own_workers_ = std::make_unique<SmWorkers>("sm_workers");
        workers_ = context.workers == nullptr ? own_workers_.get() : context.workers;
        SC_HAS_PROCESS(StreamingMultiprocessor);
        SC_METHOD(run);
        sensitive << wake.event();
        dont_initialize();
    }
    statistics.counter("activations", activations_, "count", "quanta of the SM");
    statistics.counter("ctas", ctas_done_, "count", "CTAs finished");
}

/// Binds the links of a sub-core.
void StreamingMultiprocessor::connect(SubCoreId id, LinkBinder* binder) {
    SubCore& sub_core = *sub_cores_[id.value()];
    bind_link(binder, sub_core.to_ldst, ldst_->from_sub_core(id));
    bind_link(binder, sub_core.to_tensor, tensor_cores_[id.value()]->from_sub_core);
    sub_core.to_arbiter.bind(ldst_->arbiter);
    ldst_->to_client(id).bind(sub_core.grants);
}

void StreamingMultiprocessor::start_kernel(const Kernel& kernel, std::uint32_t ctas, Cycle now) {
    const KernelInfo& info = kernel.info();
    kernel_ = &kernel;
    quantum_time_ = sc_core::sc_time_stamp();
    time_.set(now);
    cta_slots_.assign(ctas, CtaSlot{});
    free_ctas_.clear();
    for (std::uint32_t slot = ctas; slot-- > 0;) free_ctas_.push_back(slot);
    if (config_.values) {
        registers_.configure(config_.sm.max_warps,
                             std::max(info.registers_per_thread, info.scoreboard_registers));
        shared_memory_.configure_values(ctas, info.shared_memory_bytes);
    } else if (config_.sm.register_file.banks != 0) {
        registers_.follow_renaming(config_.sm.max_warps, info.registers_per_thread);
    }
    const std::uint32_t l1_bytes = config_.sm.l1_cache_bytes(ctas * info.shared_memory_bytes);
    l1_->resize(l1_bytes);
    program_due_ = ldst_->start_kernel(info, ctas, now);
    if (program_due_ && workers_ == nullptr) {  // programming takes no time here
        program_due_ = false;
        ldst_->load_program();
    }
    arrivals_.assign(ctas * info.arrivals.size(), ArrivalBarrier());
    if (bulk_copies_) {
        bulk_copies_->start_kernel(ctas, static_cast<std::uint32_t>(info.arrivals.size()));
    }
    if (vector_unit_) vector_unit_->start_kernel(now);
    for (const auto& sub_core : sub_cores_) sub_core->start_kernel(info, now);
    if (observers_.timeline != nullptr) {
        for (auto slot = static_cast<std::uint32_t>(cta_tracks_.size()); slot < ctas; ++slot) {
            cta_tracks_.push_back(observers_.timeline->add_track(fmt::format("SM {}", id_.value()),
                                                                 fmt::format("CTA slot {}", slot)));
        }
    }
}

void StreamingMultiprocessor::launch(CtaId cta, Cycle at) {
    const KernelInfo& info = kernel_->info();
    const std::uint32_t slot = free_ctas_.back();
    free_ctas_.pop_back();
    ++resident_ctas_;
    if (vector_unit_) vector_unit_->begin_work();
    cta_slots_[slot] = {cta, info.warps_per_cta, {}, at};
    for (std::size_t i = 0; i < info.arrivals.size(); ++i) {
        arrivals_[slot * info.arrivals.size() + i] = ArrivalBarrier(info.arrivals[i]);
    }
    for (std::uint32_t w = 0; w < info.warps_per_cta; ++w) {
        SubCore& sub_core = *sub_cores_[sub_core_of(info, slot, w, config_.sm.sub_cores)];
        if (sub_core.free_slots() == 0) {
            SC_REPORT_FATAL(name(), "a CTA was launched into a sub-core without a free warp slot");
        }
        std::unique_ptr<WarpProgram> program = kernel_->program(cta, w);
        program->place(place_of(slot));
        const WarpId warp = sub_core.launch(std::move(program), slot, next_age_++, at);
        if (observers_.transactions != nullptr) {
            observers_.transactions->launch(id_, warp, cta, w);
        }
    }
}

CtaPlace StreamingMultiprocessor::place_of(std::uint32_t slot) const {
    const auto slots = static_cast<std::uint32_t>(cta_slots_.size()) * config_.sms;
    return {slot * config_.sms + id_.value(), std::min(slots, kernel_->info().ctas)};
}

Cycle StreamingMultiprocessor::next_activity() const {
    return std::min(ldst_->arbitration_at(), earliest_of(wakes_));
}

Cycle StreamingMultiprocessor::last_activity() const {
    Cycle last = last_activity_;
    for (const auto& sub_core : sub_cores_) last = std::max(last, sub_core->port_free());
    return last;
}

void StreamingMultiprocessor::schedule() {
    if (program_due_) {
        workers_->order().notify(wake);
        return;
    }
    const Cycle next = next_activity();
    if (next == kNever) return;
    if (alarm_) {
        alarm_->at(next);
        return;
    }
    const sc_core::sc_time delay = time_.delay_to(next);
    workers_->order().notify(wake, delay);
    if (!ahead_) return;
    quantum_time_ += delay;
    ahead_->post(l1_lt_->least_answer(clock_.now()));
}

void StreamingMultiprocessor::run() {
    workers_->order().woken(wake);
    if (interrupt_requested()) {
        sc_core::sc_stop();
    } else if (!in_quantum_) {  // otherwise a target below blocks the quantum, which reschedules
                                // afterwards
        in_quantum_ = true;
        workers_->start(*this);
    }
}

bool StreamingMultiprocessor::LookAheadQuantum::finish() {
    const WorkerPool::Progress progress = pool_.collect(*this);
    if (progress != WorkerPool::Progress::kNotBegun) sm_.resolve_futures();
    end();
    if (progress == WorkerPool::Progress::kWaiting) pool_.resume(*this);
    return progress != WorkerPool::Progress::kNotBegun;
}

/// Resolves the futures of a quantum that ran ahead.
void StreamingMultiprocessor::resolve_futures() {
    l1_lt_->resolve();
    ldst_lt_->resolve();
    for (const auto& sub_core : sub_cores_) sub_core->resume_after_look_ahead();
}

void StreamingMultiprocessor::stop_look_ahead() {
    if (ahead_ && ahead_->posted()) static_cast<void>(ahead_->finish());
}

/// Runs the quantum, or ends it if it ran ahead of its time.
void StreamingMultiprocessor::run_quantum() {
    const bool ran_ahead = ahead_ && ahead_->posted() && ahead_->finish();
    if (!ran_ahead) {
        if (ahead_) quantum_time_ = sc_core::sc_time_stamp();
        if (program_due_) {
            program_due_ = false;
            ldst_->load_program();
        } else {
            issue_until_end();
        }
    }
    in_quantum_ = false;
    schedule();
}

/// Issues everything that can issue in the quantum.
void StreamingMultiprocessor::issue_until_end() {
    ++activations_;
    const sc_core::sc_time begin = clock_.present();
    const Cycle present = clock_.now();
    const Cycle end = present + quantum_;
    if (l1_lt_ != nullptr) l1_lt_->host_prefetch_fills(end);
    for (Cycle next = next_activity(); next < end; next = next_activity()) {
        // A target below has waited: the SM continues from the new time in another quantum.
        if (clock_.present() != begin) break;
        time_.set(std::max(next, present));
        for (std::size_t i = 0; i < wakes_.size(); ++i) {
            if (wakes_[i] <= time_.now()) sub_cores_[i]->evaluate();
        }
        if (ldst_->arbitration_at() <= time_.now()) ldst_->arbitrate();
    }
}

void StreamingMultiprocessor::account_until(Cycle end) {
    for (const auto& sub_core : sub_cores_) sub_core->account_until(end);
}

void StreamingMultiprocessor::on_barrier(std::uint32_t cta, std::uint32_t barrier, Cycle at) {
    ++cta_slots_[cta].waiting.at(barrier);
    release_full_barriers(cta, at);
}

void StreamingMultiprocessor::release_full_barriers(std::uint32_t cta, Cycle at) {
    CtaSlot& slot = cta_slots_[cta];
    for (std::uint32_t barrier = 0; barrier < kBarriers; ++barrier) {
        std::uint32_t& waiting = slot.waiting[barrier];
        if (waiting == 0 || waiting < slot.running) continue;
        waiting = 0;
        for (const auto& sub_core : sub_cores_) {
            sub_core->release_barrier(cta, barrier, at + config_.sm.barrier_latency_cycles);
        }
    }
}

const ArrivalBarrier& StreamingMultiprocessor::arrival_barrier(std::uint32_t cta,
                                                               std::uint32_t barrier) const {
    const std::size_t barriers = kernel_->info().arrivals.size();
    if (barrier >= barriers) {
        SC_REPORT_FATAL(name(), "an arrival barrier of a kernel that announced none");
    }
    return arrivals_[cta * barriers + barrier];
}

void StreamingMultiprocessor::end_phase(std::uint32_t cta) {
    for (const auto& sub_core : sub_cores_) sub_core->end_phase(cta);
}

void StreamingMultiprocessor::on_arrival(std::uint32_t cta, std::uint32_t barrier,
                                         std::uint32_t bytes, Cycle at) {
    if (arrival_barrier(cta, barrier).arrive(bytes, at)) end_phase(cta);
}

void StreamingMultiprocessor::on_bulk_copy(std::uint32_t cta, const WarpInstruction& instruction,
                                           Cycle at) {
    if (!bulk_copies_) {
        SC_REPORT_FATAL(name(), "a bulk copy on a machine without (sm.bulk_copy_latency_cycles)");
    }
    bulk_copies_->copy(instruction, cta, at);
}

void StreamingMultiprocessor::on_bytes(std::uint32_t cta, std::uint32_t barrier,
                                       std::uint32_t bytes, Cycle at, bool resolves) {
    if (!arrival_barrier(cta, barrier).complete(bytes, at)) return;
    if (!resolves) return end_phase(cta);
    for (const auto& sub_core : sub_cores_) sub_core->note_phase();
}

void StreamingMultiprocessor::on_bulk_response(std::uint32_t cta, std::uint32_t barrier,
                                               std::uint32_t bytes) {
    time_.set(clock_.now());
    on_bytes(cta, barrier, bytes, time_.now(), false);
    schedule();
}

Cycle StreamingMultiprocessor::phase_end(std::uint32_t cta, std::uint32_t barrier,
                                         std::uint32_t phase) const {
    const Cycle end = arrival_barrier(cta, barrier).phase_end(phase);
    return end == kNever ? kNever : end + config_.sm.barrier_latency_cycles;
}

void StreamingMultiprocessor::on_memory_response(SubCoreId sub_core, WarpId warp, std::uint8_t reg,
                                                 bool store) {
    time_.set(clock_.now());
    if (store) {
        on_store_accepted(time_.now());
    } else if (reg != kNoRegister) {  // otherwise no warp waits; the warp may even have exited
        sub_cores_[sub_core.value()]->ldst_done(warp, reg);
    }
    schedule();
}

void StreamingMultiprocessor::on_exit(std::uint32_t cta, WarpId warp, Cycle at) {
    ldst_->exit_warp(warp, at);
    CtaSlot& slot = cta_slots_[cta];
    if (--slot.running > 0) {
        release_full_barriers(cta, at);  // its exit may complete a barrier
        return;
    }
    // The CTA dispatcher is shared: synchronise first.
    if (ahead_) ahead_->synchronise();
    if (partition_) partition_->partition.in_order();
    ++ctas_done_;
    --resident_ctas_;
    free_ctas_.push_back(cta);
    if (observers_.timeline != nullptr && cta_tracks_[cta] != TimelineRecorder::kNoTrack) {
        observers_.timeline->span(cta_tracks_[cta], fmt::format("CTA {}", slot.cta.value()),
                                  slot.launched, at, "");
    }
    listener_.on_cta_done(id_, at);
    if (vector_unit_ && resident_ctas_ == 0) {
        if (vector_unit_->end_work(at)) sub_cores_.front()->stop_assistant();
    }
}

void StreamingMultiprocessor::on_vector_decided(WarpId warp, const VectorDecision& decision) {
    time_.set(present());
    const std::uint32_t slots = config_.sm.max_warps / config_.sm.sub_cores;
    sub_cores_[warp.value() / slots]->decide_vector_op(warp, decision);
    schedule();
}

void StreamingMultiprocessor::wake_assistant() {
    time_.set(present());
    sub_cores_.front()->wake_assistant();
    schedule();
}

void StreamingMultiprocessor::end_kernel() {
    ldst_->end_kernel();
    if (vector_unit_) vector_unit_->end_kernel();
}

void StreamingMultiprocessor::describe_waiting(std::vector<std::string>& lines) const {
    for (const auto& sub_core : sub_cores_) sub_core->describe_waiting(lines);
    ldst_->describe_waiting(lines);
    if (bulk_copies_) bulk_copies_->describe_waiting(lines);
    l1_->describe_waiting(lines);
    if (vector_unit_) vector_unit_->describe_waiting(lines);
}

void StreamingMultiprocessor::check(Cycle cycles, std::vector<std::string>& violations) const {
    for (const auto& sub_core : sub_cores_) {
        std::uint64_t sum = 0;
        for (const std::uint64_t of_a_kind : sub_core->slots()) sum += of_a_kind;
        if (sum != cycles) {
            violations.push_back(fmt::format("{}: issue slots sum to {} of {} cycles",
                                             sub_core->name(), sum, cycles));
        }
    }
    ldst_->check(violations);
    l1_->check(violations);
    if (partition_) partition_->payloads.check(name(), violations);
}

}  // namespace tessera
