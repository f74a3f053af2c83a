#include "sc_models/sm/ldst_unit_at.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera {

LdstUnitAt::LdstUnitAt(sc_core::sc_module_name name, SmId sm, const SmPlan& plan,
                       const LdstContext& context, const AtContext& at, LdstListener& listener)
    : LdstUnit(name, sm, plan, context),
      alarm_(at.clock, *this),
      pool_(at.pool),
      listener_(listener) {
    flights_.attach(observers_.timeline, sm);
}

std::uint32_t LdstUnitAt::new_job() {
    if (free_jobs_.empty()) {
        free_jobs_.push_back(static_cast<std::uint32_t>(jobs_.size()));
        jobs_.push_back(std::make_unique<Job>());
    }
    const std::uint32_t index = free_jobs_.back();
    free_jobs_.pop_back();
    Job& job = *jobs_[index];
    job.live = true;
    job.issued = job.program = job.filtered = false;
    job.outstanding = 0;
    job.done = job.written = 0;
    return index;
}

Cycle LdstUnitAt::fetch_program(const LoadFilter::Program& program) {
    current_ = new_job();
    jobs_[current_]->program = true;
    plan_.assign(1, {program.address, program.bytes, nullptr});
    start_ = std::max(free_at_, alarm_.now());
    slots_ = BankScheduler(start_, sectors_per_cycle_);
    next_ = 0;
    slot_ = kNever;
    stalled_ = 0;
    free_at_ = kNever;
    alarm_.at(start_);
    return kNever;
}

LdstUnit::Service LdstUnitAt::serve_global(const WarpAccess& access, Cycle start) {
    current_ = new_job();
    Job& job = *jobs_[current_];
    job.instruction = *access.instruction;
    job.warp = access.warp;
    job.sub_core = access.sub_core;
    job.payload = &payload_in_service();
    job.payload->acquire();
    const WarpInstruction& instruction = job.instruction;
    start_ = start;
    job.written = start + copy_wavefronts(instruction);
    slots_ = BankScheduler(start, sectors_per_cycle_);
    stalled_ = 0;
    next_ = 0;
    slot_ = kNever;
    plan_.clear();
    if (is_filtered(instruction)) {
        begin_units(access, job);
    } else if (instruction.has_lanes()) {
        plan_lanes(access);
    } else if (instruction.opcode() != Opcode::kLoadFragment) {
        plan_rows(access);
    } else {
        plan_fragment(access, job);
    }
    if (registers_.holds_values() && !job.filtered) {
        job.targets.clear();
        const bool placed = !instruction.has_lanes() || instruction.lanes().has_places;
        for (const Planned& request : plan_) {
            job.targets.push_back(placed ? request.data : nullptr);
        }
        if (atomic_kind_of(instruction) == AtomicKind::kFetchAdd) redirect_fetched(job);
    }
    if (!advance(start)) return {kNever, kNever, 0};
    const Service service{kNever, std::max(slots_.end(), job.written), stalled_};
    const std::uint32_t issued = current_;
    current_ = kNoJob;
    jobs_[issued]->issued = true;
    try_to_complete(issued);
    return service;
}

void LdstUnitAt::plan_fragment(const WarpAccess& access, Job& job) {
    const WarpInstruction& instruction = job.instruction;
    const MemoryAccess& memory = instruction.memory();
    const FragmentRole role = instruction.registers().role;
    std::byte* const target =
        registers_.holds_values() ? registers_.at(access.warp, instruction.dst) : nullptr;
    for (std::uint32_t copy = 0; copy < octet_accesses_; ++copy) {
        for (std::uint32_t row = 0; row < kFragmentRows; ++row) {
            const std::uint32_t place = (copy * kFragmentRows + row) * kFragmentRowBytes;
            plan_.push_back({memory.address + Address{row} * memory.row_pitch_bytes,
                             kFragmentRowBytes, target == nullptr ? nullptr : target + place});
            ++rows_requested(role);
        }
    }
    if (role == FragmentRole::kA) note_a_load();
}

void LdstUnitAt::plan_rows(const WarpAccess& access) {
    const WarpInstruction& instruction = *access.instruction;
    const MemoryAccess& memory = instruction.memory();
    const bool store = is_store(instruction.opcode());
    const RowPlace target = row_place(access);
    // The register may be written again before the last request leaves.
    if (store && target.begin != nullptr) {
        stored_.resize(std::size_t{memory.rows} * memory.row_bytes);
    }
    for (std::uint32_t row = 0; row < memory.rows; ++row) {
        const Address begin = memory.address + Address{row} * memory.row_pitch_bytes;
        if (store && filter_) filter_->note_store(begin, memory.row_bytes);
        std::byte* data = nullptr;
        if (target.begin != nullptr) {
            data = target.begin + target.offset_bytes + row * target.pitch_bytes;
            if (store) {
                std::byte* const kept = stored_.data() + std::size_t{row} * memory.row_bytes;
                std::copy_n(data, memory.row_bytes, kept);
                data = kept;
            }
        }
        plan_line_pieces(begin, memory.row_bytes, data);
    }
}

/// Redirects the results of a fetching atomic from its source to its destination registers.
void LdstUnitAt::redirect_fetched(Job& job) {
    const WarpInstruction& instruction = job.instruction;
    if (instruction.has_lanes()) return;
    const std::uint32_t row_bytes = instruction.memory().row_bytes;
    const RegisterPlace& rows = instruction.registers();
    std::byte* const dst = registers_.at(job.warp, instruction.dst) + rows.offset_bytes;
    for (std::byte*& target : job.targets) {
        const auto place = static_cast<std::size_t>(target - stored_.data());
        target = dst + place / row_bytes * rows.pitch_bytes + place % row_bytes;
    }
}

void LdstUnitAt::plan_lanes(const WarpAccess& access) {
    const WarpInstruction& instruction = *access.instruction;
    const bool store = is_store(instruction.opcode());
    std::byte* data = nullptr;
    if (access.lane_values != nullptr) {
        stored_.resize(instruction.lanes().bytes);
        std::memcpy(stored_.data(), access.lane_values, stored_.size());
        data = stored_.data();
    }
    std::byte* const registers = placed_registers(access);
    if (registers != nullptr && store) {
        // The register may be written again before the last request leaves.
        stored_.clear();
        for (const LaneAccess::Piece& piece : instruction.lanes().pieces) {
            stored_.insert(stored_.end(), registers + piece.place,
                           registers + piece.place + piece.bytes);
        }
        data = stored_.data();
    }
    for (const LaneAccess::Piece& piece : instruction.lanes().pieces) {
        const Address address = instruction.memory().address + static_cast<Address>(piece.offset);
        if (store && filter_) filter_->note_store(address, piece.bytes);
        const bool loads_values = registers != nullptr && !store;
        plan_line_pieces(address, piece.bytes, loads_values ? registers + piece.place : data);
        if (data != nullptr) data += piece.bytes;
    }
}

void LdstUnitAt::plan_line_pieces(Address begin, std::uint32_t bytes, std::byte* data) {
    const Address line = config_.l1.line_bytes;
    const Address end = begin + bytes;
    for (Address a = begin; a < end;) {
        const auto piece =
            static_cast<std::uint32_t>(std::min<Address>(end, (a | (line - 1)) + 1) - a);
        plan_.push_back({a, piece, data == nullptr ? nullptr : data + (a - begin)});
        a += piece;
    }
}

void LdstUnitAt::evaluate() {
    const Cycle now = alarm_.now();
    completions_.drain(now, [this](std::uint32_t job) { complete(job); });
    if (current_ != kNoJob && link_.open(now) && advance(now)) finish_issue();
    if (completions_.next() != kNever) alarm_.at(completions_.next());
}

bool LdstUnitAt::advance(Cycle now) {
    return jobs_[current_]->filtered ? advance_units(now) : advance_plan(now);
}

bool LdstUnitAt::advance_plan(Cycle now) {
    for (; next_ < plan_.size(); ++next_) {
        if (!send(plan_[next_], static_cast<std::uint32_t>(next_), now)) return false;
    }
    return !link_.waiting();
}

bool LdstUnitAt::send(const Planned& request, std::uint32_t part, Cycle now) {
    // Resumed by END_REQ, which moves the slots of this request, too.
    if (link_.waiting() != nullptr) return false;
    if (slot_ == kNever) {
        // Every touched sector takes a slot; the request goes with the last of them.
        const Address sector = sector_bytes_;
        for (Address a = request.address & ~(sector - 1); a < request.address + request.bytes;
             a += sector) {
            slot_ = slots_.take(banks_.bank(a));
        }
    }
    const Cycle may = std::max(slot_, link_.free_at());
    if (may > now) {
        alarm_.at(may);
        return false;
    }
    Job& job = *jobs_[current_];
    const bool store = !job.program && is_store(job.instruction.opcode());
    // The payload has a buffer of its own: a load's registers must not change before its response.
    PooledPayload& payload = pool_.acquire(store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                                           request.address, request.bytes);
    if (store && request.data != nullptr) {
        std::copy_n(reinterpret_cast<const unsigned char*>(request.data), request.bytes,
                    payload.get_data_ptr());
    }
    payload.tag = RequestTag{current_, part}.packed();
    payload.info().bypass_l1 = !job.program && job.instruction.bypasses_l1();
    payload.info().multicast = !job.program && comes_with_partner(job.instruction);
    payload.info().id = access_id_;
    if (store) payload.info().atomic = atomic_kind_of(job.instruction);
    if (!job.program) payload.info().stream = stream_of(job.warp, job.instruction.dst, part);
    ++job.outstanding;
    ++requests_;
    request_bytes_ += request.bytes;
    sent_at_ = now;
    slot_ = kNever;
    const Cycle early = link_.send(to_l1, payload, alarm_);
    if (early != kNever) arrive(payload, early);
    return true;
}

tlm::tlm_sync_enum LdstUnitAt::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                               tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const Cycle at = alarm_.cycle_after(delay);
    if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP) {
        SC_REPORT_FATAL(name(), "unknown phase on the backward path");
    }
    if (link_.waiting() == &payload) {
        link_.ended(payload, at);
        if (at > sent_at_) {
            (payload.is_read() ? mshr_stall_cycles_ : store_stall_cycles_) += at - sent_at_;
            if (payload.is_read()) stalled_ += at - sent_at_;
            slots_.stall_until(at);
        }
        alarm_.at(at);
    }
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    arrive(PooledPayload::of(payload), at);
    return tlm::TLM_COMPLETED;
}

void LdstUnitAt::finish_issue() {
    const std::uint32_t issued = current_;
    current_ = kNoJob;
    Job& job = *jobs_[issued];
    const Service service{kNever, std::max(slots_.end(), job.written), stalled_};
    job.issued = true;
    free_at_ = job.served = service.end;
    if (!job.program) {
        WarpAccess access;
        access.instruction = &job.instruction;
        access.warp = job.warp;
        account(access, start_, service);
    }
    try_to_complete(issued);
    schedule_arbitration();
    listener_.on_ldst_free();
}

/// Handles the response of one request.
void LdstUnitAt::arrive(PooledPayload& payload, Cycle at) {
    if (!payload.is_response_ok()) report_refused(*this, payload);
    const RequestTag tag = RequestTag::of(payload.tag);
    Job& job = *jobs_[tag.job];
    const bool values = registers_.holds_values() && !job.program &&
                        (payload.is_read() || payload.info().atomic == AtomicKind::kFetchAdd);
    if (job.filtered) {
        if (values) {
            std::copy_n(
                reinterpret_cast<const std::byte*>(payload.get_data_ptr()), kFragmentRowBytes,
                job.of_filter->row_bytes.data() + std::size_t{tag.part} * kFragmentRowBytes);
        }
        row_arrived(tag.job, tag.part, at);
    } else if (values && job.targets[tag.part] != nullptr) {
        keep_loaded(job, tag.part, payload);
    }
    const Cycle there = at + return_cycles(payload.info(), payload.get_address());
    payload.release();
    end_wait(tag.job, there);
}

/// Copies the data of a response to the load's registers.
void LdstUnitAt::keep_loaded(const Job& job, std::uint32_t part, const PooledPayload& payload) {
    const auto* const data = reinterpret_cast<const std::byte*>(payload.get_data_ptr());
    std::copy_n(data, payload.get_data_length(), job.targets[part]);
    // A and B fragments hold a second copy of all rows.
    constexpr std::uint32_t kCopyBytes = kFragmentRows * kFragmentRowBytes;
    if (job.instruction.opcode() == Opcode::kLoadFragment && octet_accesses_ == 1) {
        std::copy_n(data, payload.get_data_length(), job.targets[part] + kCopyBytes);
    }
}

void LdstUnitAt::end_wait(std::uint32_t index, Cycle at) {
    Job& job = *jobs_[index];
    --job.outstanding;
    job.done = std::max(job.done, at);
    try_to_complete(index);
}

void LdstUnitAt::try_to_complete(std::uint32_t index) {
    Job& job = *jobs_[index];
    if (!job.issued || job.outstanding != 0) return;
    const Cycle done = std::max(job.done, alarm_.now());
    completions_.push(done, index);
    alarm_.at(done);
}

void LdstUnitAt::complete(std::uint32_t index) {
    Job& job = *jobs_[index];
    job.live = false;
    free_jobs_.push_back(index);
    if (job.program) {
        filter_->on_program(job.done);
        return;
    }
    if (job.filtered) {
        for (const Hit& hit : job.of_filter->to_check) check_hit(job.of_filter->from, hit);
        job.of_filter->to_check.clear();
    }
    flights_.over(job.instruction, job.warp, job.served, alarm_.now());
    respond(job);
}

/// Sends the response of an instruction to its sub-core.
void LdstUnitAt::respond(Job& job) {
    tlm::tlm_generic_payload& payload = *std::exchange(job.payload, nullptr);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    if (from_sub_core(job.sub_core)->nb_transport_bw(payload, phase, delay) != tlm::TLM_COMPLETED) {
        SC_REPORT_FATAL(name(), "a sub-core withheld END_RESP");
    }
    payload.release();
}

void LdstUnitAt::describe_waiting(std::vector<std::string>& lines) const {
    for (const auto& each : jobs_) {
        const Job& job = *each;
        if (!job.live) continue;
        lines.push_back(fmt::format("{}: an instruction of warp {} at {:#x} {} ({} responses)",
                                    name(), job.warp.value(), job.instruction.address(),
                                    job.issued ? "waits for data" : "is being sent",
                                    job.outstanding));
    }
    if (link_.waiting() != nullptr) {
        lines.push_back(fmt::format("{}: the L1 withholds END_REQ of {:#x}", name(),
                                    link_.waiting()->get_address()));
    }
}

}  // namespace tessera
