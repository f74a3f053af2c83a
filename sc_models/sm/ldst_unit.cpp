#include "sc_models/sm/ldst_unit.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>

#include "sc_models/common/transaction_observer.h"
#include "sc_models/sm/earliest.h"
#include "sc_models/sm/flight_timeline.h"
#include "sc_models/sm/shared_memory_path.h"
#include "sc_models/sm/warp_placement.h"

namespace tessera {
namespace {

bool is_shared(Opcode op) {
    return op == Opcode::kLoadShared || op == Opcode::kStoreShared || op == Opcode::kLoadPieces ||
           op == Opcode::kLoadGathered || op == Opcode::kLoadMatrix;
}

/// Clients of the unit: the sub-cores, and a unit for bulk copies if there is one.
std::uint32_t clients_of(const SmConfig& sm) {
    return sm.sub_cores + (sm.bulk_copy_latency_cycles > 0 ? 1 : 0);
}

}  // namespace

LdstUnit::LdstUnit(sc_core::sc_module_name name, SmId sm, const SmPlan& plan,
                   const LdstContext& context)
    : sc_module(name),
      sm_(sm),
      config_(plan),
      clock_(context.clock),
      time_(context.time),
      registers_(context.registers),
      shared_memory_(context.shared_memory),
      observers_(context.observers),
      follows_accesses_(context.observers.follow_accesses()),
      ready_(clients_of(plan.sm), kNever),
      call_time_(context.clock),
      banks_(plan.l1),
      sector_bytes_(plan.l1.sector_bytes),
      sectors_per_cycle_(plan.ldst.sectors_per_cycle),
      octet_accesses_(plan.ldst.octet_l1_accesses),
      filter_(
          context.parts.make_load_filter({fmt::format("sm{}", sm.value()), sm.value(),
                                          observers_.wave, observers_.transactions, &access_id_})),
      traits_(filter_ ? filter_->traits() : FilterTraits{}),
      slots_per_sub_core_(plan.sm.max_warps / plan.sm.sub_cores) {
    inputs_.round_robin = plan.ldst.arbitration == LdstArbitration::kRoundRobin ? 1 : 0;
    for (std::uint32_t i = 0; i < clients_of(plan.sm); ++i) {
        sockets_.push_back(
            std::make_unique<FromSubCore>(fmt::format("from_sub_core{}", i).c_str()));
        sockets_[i]->serve_with(*this, static_cast<int>(i));
        clients_.push_back(std::make_unique<ToClient>(fmt::format("client{}", i).c_str()));
    }
    arbiter.bind(*this);
    if (filter_) registers_.rename_in(traits_.units);
    to_l1.register_nb_transport_bw(this, &LdstUnit::nb_transport_bw);
    register_statistics(context.statistics);

    const std::string sm_scope = fmt::format("sm{}", sm.value());
    if (WaveRecorder* wave = observers_.wave) {
        const std::string ldst = sm_scope + ".ldst";
        traces_.busy = wave->add(ldst, "busy", 1);
        traces_.opcode = wave->add(ldst, "opcode", 5);
        traces_.fragment = wave->add(ldst, "fragment", 2);
        traces_.warp = wave->add(ldst, "warp", warp_signal_bits(plan.sm.max_warps));
        traces_.address = wave->add(ldst, "address", 48);
        traces_.stall = wave->add(ldst, "mshr_stall", 1);
        traces_.id = wave->add(ldst, "id", kAccessIdBits);
        if (filter_) {
            traces_.filter_id = wave->add(ldst, "filter_id", kAccessIdBits);
            filter_->watch(*wave, sm_scope);
        }
    }
    if (observers_.timeline != nullptr) {
        traces_.track =
            observers_.timeline->add_track(fmt::format("SM {}", sm.value()), "LDST unit");
        if (traces_.track == TimelineRecorder::kNoTrack) observers_.timeline = nullptr;
        if (filter_) filter_timeline_.attach(observers_.timeline, sm);
    }
}

tlm::tlm_sync_enum LdstUnit::nb_transport_bw(tlm::tlm_generic_payload& /*payload*/,
                                             tlm::tlm_phase& /*phase*/,
                                             sc_core::sc_time& /*delay*/) {
    SC_REPORT_FATAL(name(), "a loosely-timed unit was sent a phase");
    return tlm::TLM_COMPLETED;
}

Cycle LdstUnit::atomic_return_cycles(const AccessInfo& info, Address address) const {
    if (!info.added) {
        SC_REPORT_FATAL(name(), fmt::format("the memory has not carried out the atomic add at "
                                            "{:#x}; our L2 does, above a foreign memory too",
                                            address)
                                    .c_str());
    }
    return info.atomic == AtomicKind::kFetchAdd ? info.return_cycles : 0;
}

void LdstUnit::register_statistics(StatGroup& statistics) {
    statistics.counter("instructions", instructions_, "count", "warp memory instructions");
    statistics.counter("busy_cycles", busy_cycles_, "cycles",
                       "cycles with an instruction in service");
    statistics.counter("mshr_stall_cycles", mshr_stall_cycles_, "cycles",
                       "cycles held up by an L1 without a free MSHR");
    statistics.counter("store_stall_cycles", store_stall_cycles_, "cycles",
                       "cycles held up by the way of stores to L2");
    statistics.counter("lookup_stall_cycles", lookup_stall_cycles_, "cycles",
                       "cycles held up by a load filter that takes no more units");
    statistics.counter("requests", requests_, "count", "requests to the L1");
    statistics.counter("request_bytes", request_bytes_, "bytes", "bytes they asked for");
    statistics.counter("a_rows", a_rows_, "rows",
                       "rows of A fragments wanted, octet copies counted");
    statistics.counter("a_row_accesses", a_row_accesses_, "rows",
                       "rows of A fragments that the L1 would be asked for without a load filter");
    statistics.counter("a_rows_requested", a_rows_requested_, "rows",
                       "rows of A fragments requested from the L1");
    statistics.counter("b_rows_requested", b_rows_requested_, "rows",
                       "rows of B fragments requested from the L1");
    statistics.counter("shared_wavefronts", shared_wavefronts_, "cycles",
                       "cycles the shared-memory banks were busy");
    statistics.counter("shared_store_wavefronts", shared_store_wavefronts_, "cycles",
                       "of them, for stores");
    statistics.counter("checked_hits", checked_hits_, "units",
                       "LHB hits compared with memory (values on)");
    statistics.counter("value_mismatches", value_mismatches_, "units", "of them, different");
    if (filter_) filter_->add_statistics(statistics);
}

bool LdstUnit::start_kernel(const KernelInfo& info, std::uint32_t ctas, Cycle now) {
    free_at_ = std::max(free_at_, now);
    used_slots_ = fullest_sub_core(info, ctas, config_.sm.sub_cores);
    if (!filter_) return false;
    program_ = filter_->start_kernel(info, used_slots_ * config_.sm.sub_cores);
    return program_.bytes != 0;
}

void LdstUnit::load_program() {
    std::vector<std::byte> bytes(program_.bytes);
    read_memory(program_.address, bytes.data(), program_.bytes);
    number_access();
    filter_->program(bytes, fetch_program(program_));
    schedule_arbitration();  // The filter's program fetch occupies the unit.
}

void LdstUnit::end_kernel() {
    filter_timeline_.end();
    if (filter_) filter_->end_kernel();
}

void LdstUnit::exit_warp(WarpId warp, Cycle now) {
    if (!filter_) return;
    filter_->release_warp(compact_warp(warp), now);
    if (registers_.follows_renaming()) registers_.forget_renaming(warp);
}

void LdstUnit::request(SubCoreId id, Cycle ready) {
    Cycle& known = ready_[id.value()];
    if (known == ready) return;
    known = ready;
    schedule_arbitration();
}

void LdstUnit::schedule_arbitration() {
    const Cycle earliest = earliest_of(ready_);
    arbitration_at_ = earliest == kNever ? kNever : std::max({earliest, free_at_, time_.now()});
}

void LdstUnit::poll(Cycle now, std::uint32_t polled) {
    inputs_.request = 0;
    inputs_.new_warp = 0;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        if ((polled >> i & 1U) != 0 || ready_[i] > now) continue;
        const std::optional<LdstRequest> request = (*clients_[i])->ldst_request(now);
        if (!request) continue;
        inputs_.request |= 1U << i;
        if (request->new_warp) inputs_.new_warp |= 1U << i;
        inputs_.age[i] = request->age;
    }
}

void LdstUnit::arbitrate() {
    const Cycle now = time_.now();
    // A granted sub-core may issue another instruction instead; the next request is then granted.
    std::uint32_t polled = 0;
    while (free_at_ <= now) {
        poll(now, polled);
        const std::uint32_t grant = arbiter_.step(inputs_).grant;
        inputs_.served = 0;
        if (grant == 0) break;
        polled |= grant;
        (*clients_[static_cast<std::size_t>(__builtin_ctz(grant))])->on_ldst_grant(now);
        if (free_at_ > now) inputs_.served = grant;
    }
    schedule_arbitration();
}

void LdstUnit::b_transport(int /*sub_core*/, tlm::tlm_generic_payload& payload,
                           sc_core::sc_time& delay) {
    auto* access = payload.get_extension<WarpAccess>();
    if (access == nullptr) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    in_service_ = &payload;
    const Cycle done = serve(*access, call_time_.arrive(delay));
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (access->deferred) return;
    call_time_.sample();  // the memory below may have waited
    delay = call_time_.delay_to(done);
}

tlm::tlm_sync_enum LdstUnit::FromSubCore::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                          tlm::tlm_phase& phase,
                                                          sc_core::sc_time& delay) {
    LtTargetSocket<LdstUnit>::nb_transport_fw(payload, phase, delay);
    const auto* const access = payload.get_extension<WarpAccess>();
    if (access == nullptr || !access->deferred) return tlm::TLM_COMPLETED;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

Cycle LdstUnit::serve(WarpAccess& access, Cycle arrival) {
    const Cycle start = std::max(arrival, free_at_);
    Service service;
    ++instructions_;
    number_access();
    access.id = access_id_;
    if (is_shared(access.instruction->opcode())) {
        service = shared_access(access, start);
    } else {
        move_needed(access);
        service = serve_global(access, start);
    }
    free_at_ = service.end;
    if (service.end != kNever) account(access, start, service);
    access.deferred = service.done == kNever;
    return service.done;
}

void LdstUnit::report_look_up(Cycle now, std::uint32_t unit, const FilterAnswer& answer) {
    const FilterValueId value = filter_->value_id(unit);
    observers_.transactions->look_up(sm_,
                                     {access_id_, unit, static_cast<std::uint32_t>(answer.kind),
                                      answer.phys, value.element, value.batch},
                                     now);
}

/// Counts and traces the cycles of an instruction that has left the unit.
void LdstUnit::account(const WarpAccess& access, Cycle start, const Service& service) {
    const WarpInstruction& instruction = *access.instruction;
    const Cycle end = service.end;
    busy_cycles_ += end - start;
    if (WaveRecorder* wave = observers_.wave) {
        wave->pulse(traces_.busy, start, end - start);
        wave->set(traces_.opcode, start, static_cast<std::uint64_t>(instruction.opcode()));
        wave->set(traces_.fragment, start, static_cast<std::uint64_t>(instruction.role()));
        wave->set(traces_.warp, start, access.warp.value());
        wave->set(traces_.address, start, instruction.address());
        wave->set(traces_.id, start, access_id_);
        if (service.stalled > 0) {
            const Cycle stalled = std::min(end - start, service.stalled);
            wave->pulse(traces_.stall, end - stalled, service.stalled);
        }
    }
    if (observers_.timeline != nullptr) {
        const std::string data_at =
            service.done == kNever ? "" : fmt::format(R"(,"data at":{})", service.done);
        observers_.timeline->span(traces_.track, access_name(instruction), start, end,
                                  fmt::format(R"({{"warp":{},"address":"{:#x}"{}}})",
                                              access.warp.value(), instruction.address(), data_at));
    }
}

LdstUnit::Service LdstUnit::shared_access(const WarpAccess& access, Cycle start) {
    const WarpInstruction& instruction = *access.instruction;
    const std::uint32_t wavefronts = instruction.has_lanes()
                                         ? instruction.lanes().wavefronts
                                         : shared_memory_.wavefronts(instruction);
    shared_wavefronts_ += wavefronts;
    if (is_store(instruction.opcode())) shared_store_wavefronts_ += wavefronts;
    if (registers_.holds_values()) move_shared(access, shared_memory_, registers_);
    return {start + wavefronts - 1 + config_.sm.shared_memory_latency_cycles, start + wavefronts};
}

std::byte* LdstUnit::copy_target(const WarpAccess& access) {
    if (!registers_.holds_values()) return nullptr;
    return shared_memory_.at(access.cta_slot, access.instruction->shared().address);
}

LdstUnit::RowPlace LdstUnit::row_place(const WarpAccess& access) {
    const WarpInstruction& instruction = *access.instruction;
    if (copies_to_shared(instruction.opcode())) {
        return {copy_target(access), 0, instruction.shared().pitch_bytes};
    }
    if (!registers_.holds_values()) return {};
    const RegisterPlace& place = instruction.registers();
    std::byte* const begin = registers_.at(
        access.warp, is_store(instruction.opcode()) ? instruction.src_a : instruction.dst);
    std::fill_n(begin, place.zero_fill * kWarpRegisterBytes, std::byte{0});
    return {begin, place.offset_bytes, place.pitch_bytes};
}

Cycle LdstUnit::copy_wavefronts(const WarpInstruction& instruction) {
    if (!copies_to_shared(instruction.opcode())) return 0;
    const std::uint32_t wavefronts = instruction.has_lanes()
                                         ? instruction.lanes().wavefronts
                                         : shared_memory_.wavefronts(instruction);
    shared_wavefronts_ += wavefronts;
    shared_store_wavefronts_ += wavefronts;
    return wavefronts;
}

std::byte* LdstUnit::placed_registers(const WarpAccess& access) {
    const WarpInstruction& instruction = *access.instruction;
    if (!registers_.holds_values() || !instruction.lanes().has_places) return nullptr;
    if (copies_to_shared(instruction.opcode())) {
        std::byte* const target = copy_target(access);
        for (const LaneAccess::Piece& zeros : instruction.lanes().zeros) {
            std::fill_n(target + zeros.place, zeros.bytes, std::byte{0});
        }
        return target;
    }
    if (is_store(instruction.opcode())) return registers_.at(access.warp, instruction.src_a);
    std::byte* const registers = registers_.at(access.warp, instruction.dst);
    std::fill_n(registers, instruction.registers().zero_fill * kWarpRegisterBytes, std::byte{0});
    return registers;
}

/// Copies the bytes that lanes need to registers; requests fetch whole sectors and place no data.
void LdstUnit::move_needed(const WarpAccess& access) {
    const WarpInstruction& instruction = *access.instruction;
    if (!registers_.holds_values() || !instruction.has_lanes()) return;
    if (instruction.lanes().wanted.empty()) return;
    std::byte* const registers = registers_.at(access.warp, instruction.dst);
    for (const LaneAccess::Piece& piece : instruction.lanes().wanted) {
        read_memory(instruction.memory().address + static_cast<Address>(piece.offset),
                    registers + piece.place, piece.bytes);
    }
}

LdstUnit::Rows LdstUnit::rows_of(const WarpInstruction& instruction) {
    Rows rows;
    const MemoryAccess& memory = instruction.memory();
    if (instruction.opcode() == Opcode::kLoadFragment) {
        for (std::uint32_t row = 0; row < kFragmentRows; ++row) {
            rows.address[row] = memory.address + Address{row} * memory.row_pitch_bytes;
        }
        return rows;
    }
    rows.anywhere = true;
    rows.present = 0;
    const auto add = [&rows](Address address, std::uint32_t bytes, std::uint32_t place) {
        for (std::uint32_t at = 0; at < bytes; at += kFragmentRowBytes) {
            const std::uint32_t row = (place + at) / kFragmentRowBytes;
            rows.address[row] = address + at;
            rows.present |= 1U << row;
        }
    };
    if (memory.lanes != nullptr) {
        for (const LaneAccess::Piece& piece : memory.lanes->pieces) {
            add(memory.address + static_cast<Address>(piece.offset), piece.bytes, piece.place);
        }
        return rows;
    }
    const RegisterPlace& place = instruction.registers();
    for (std::uint32_t row = 0; row < memory.rows; ++row) {
        add(memory.address + Address{row} * memory.row_pitch_bytes, memory.row_bytes,
            place.offset_bytes + row * std::uint32_t{place.pitch_bytes});
    }
    return rows;
}

void LdstUnit::begin_filtered(const WarpAccess& access, const Rows& rows, Cycle now) {
    const WarpInstruction& instruction = *access.instruction;
    filter_timeline_.begin(access.warp);
    if (observers_.wave != nullptr) observers_.wave->set(traces_.filter_id, now, access_id_);
    const MemoryAccess& memory = instruction.memory();
    const FragmentRole role = instruction.registers().role;
    filter_->begin(now, {role, compact_warp(access.warp), access.sub_core.value(), instruction.dst,
                         memory.address, memory.row_pitch_bytes,
                         rows.anywhere ? rows.address.data() : nullptr});
    if (role != FragmentRole::kA) return;
    if (rows.anywhere) {
        note_a_copy(rows.present);
    } else {
        note_a_load();
    }
}

void LdstUnit::check_hit(const Rows& rows, const Hit& hit) {
    const std::uint32_t first = traits_.units.first_row(hit.unit);
    ++checked_hits_;
    for (std::uint32_t i = 0; i < traits_.units.rows(); ++i) {
        std::array<std::byte, kFragmentRowBytes> memory{};
        std::array<std::byte, kFragmentRowBytes>
            held{};  // stays zero if the unit is known to be zero
        const Address address = rows.address[first + i];
        read_memory(address, memory.data(), kFragmentRowBytes);
        if (hit.phys.valid()) {
            std::copy_n(registers_.unit(hit.phys) + i * kFragmentRowBytes, kFragmentRowBytes,
                        held.data());
        }
        if (memory == held) continue;
        if (value_mismatches_++ == 0) {
            first_mismatch_ = fmt::format(
                "address {:#x} ({}), physical unit {}, cycle {}", address,
                filter_->describe(hit.value),
                hit.phys.valid() ? fmt::to_string(hit.phys.value()) : "none (zero rule)",
                time_.now());
        }
        return;
    }
}

void LdstUnit::read_memory(Address address, std::byte* data, std::uint32_t bytes) {
    debug_payload_.set_command(tlm::TLM_READ_COMMAND);
    debug_payload_.set_address(address);
    debug_payload_.set_data_ptr(reinterpret_cast<unsigned char*>(data));
    debug_payload_.set_data_length(bytes);
    debug_payload_.set_streaming_width(bytes);
    debug_payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    if (to_l1->transport_dbg(debug_payload_) != bytes) {
        SC_REPORT_FATAL(name(),
                        fmt::format("cannot read {} bytes at {:#x}", bytes, address).c_str());
    }
}

void LdstUnit::check(std::vector<std::string>& violations) const {
    if (filter_) filter_->check(name(), violations);
}

}  // namespace tessera
