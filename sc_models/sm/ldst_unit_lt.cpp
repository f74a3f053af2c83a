#include "sc_models/sm/ldst_unit_lt.h"

#include <algorithm>
#include <cstring>

namespace tessera {

LdstUnitLt::LdstUnitLt(sc_core::sc_module_name name, SmId sm, const SmPlan& plan,
                       const LdstContext& context)
    : LdstUnit(name, sm, plan, context), lt_time_(context.clock), info_(new AccessInfo) {
    payload_.set_extension(info_);
}

Cycle LdstUnitLt::fetch_program(const LoadFilter::Program& program) {
    std::vector<std::byte> bytes(program.bytes);
    BankScheduler slots(free_at_, sectors_per_cycle_);
    atomic_ = AtomicKind::kNone;
    const Reply reply =
        request(tlm::TLM_READ_COMMAND, program.address, program.bytes, bytes.data(), slots);
    free_at_ = slots.end();
    return reply.done;
}

LdstUnit::Service LdstUnitLt::serve_global(const WarpAccess& access, Cycle start) {
    const WarpInstruction& instruction = *access.instruction;
    const std::uint64_t stalled_before = mshr_stall_cycles_;
    BankScheduler slots(start, sectors_per_cycle_);
    if (!awaited_.empty()) forget_resolved();
    const std::size_t first_awaited = awaited_.size();
    Service service;
    atomic_ = atomic_kind_of(instruction);
    stream_ = stream_of(access.warp, instruction.dst, 0);
    if (is_filtered(instruction)) {
        service.done = load_filtered(access, slots);
    } else if (instruction.has_lanes()) {
        service.done = lane_access(access, slots);
    } else if (instruction.opcode() != Opcode::kLoadFragment) {
        service.done = global_access(access, slots);
    } else {
        service.done = load_fragment(access, slots);
    }
    if (awaited_.size() > first_awaited) service.done = close(access, service.done, first_awaited);
    service.end = std::max(slots.end(), start + copy_wavefronts(instruction));
    service.stalled = mshr_stall_cycles_ - stalled_before;
    return service;
}

LdstUnitLt::Reply LdstUnitLt::request(tlm::tlm_command command, Address address,
                                      std::uint32_t bytes, std::byte* data, BankScheduler& slots) {
    // Every touched sector takes a slot; the request goes with the last of them.
    const Address sector = sector_bytes_;
    const Address end = address + bytes;
    Address next = address & ~(sector - 1);
    Cycle at = 0;
    do {
        at = slots.take(banks_.bank(next));
        next += sector;
    } while (next < end);
    if (ahead_ != nullptr) ahead_->synchronise_beyond(atomic_ == AtomicKind::kNone ? at : kNever);
    payload_.set_command(command);
    payload_.set_address(address);
    payload_.set_data_ptr(reinterpret_cast<unsigned char*>(data));
    payload_.set_data_length(bytes);
    payload_.set_streaming_width(bytes);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    info_->accepted = 0;
    info_->served_by = ServedBy::kNone;
    info_->bypass_l1 = bypass_l1_;
    info_->multicast = multicast_;
    info_->atomic = atomic_;
    info_->added = false;
    info_->future = AccessInfo::kNoFuture;
    info_->return_cycles = 0;
    info_->stream = stream_++;
    info_->id = access_id_;
    lt_time_.sample();
    const Cycle answered = to_l1.transport(payload_, at, lt_time_);
    if (!payload_.is_response_ok()) report_refused(*this, payload_);
    if (info_->accepted > at) {
        (command == tlm::TLM_READ_COMMAND ? mshr_stall_cycles_ : store_stall_cycles_) +=
            info_->accepted - at;
        slots.stall_until(info_->accepted);
    }
    ++requests_;
    request_bytes_ += bytes;
    const Cycle accepted = std::max(at, info_->accepted);
    if (info_->future != AccessInfo::kNoFuture) {
        awaited_.push_back({info_->future, false});
        return {accepted, 0};
    }
    return {accepted, answered + return_cycles(*info_, address)};
}

Cycle LdstUnitLt::load_fragment(const WarpAccess& access, BankScheduler& slots) {
    const WarpInstruction& instruction = *access.instruction;
    const MemoryAccess& memory = instruction.memory();
    const FragmentRole role = instruction.registers().role;
    const bool values = registers_.holds_values();
    std::byte* target = values ? registers_.at(access.warp, instruction.dst) : nullptr;
    Cycle done = 0;
    for (std::uint32_t copy = 0; copy < octet_accesses_; ++copy) {
        for (std::uint32_t row = 0; row < kFragmentRows; ++row) {
            std::byte* data = values ? target + (copy * kFragmentRows + row) * kFragmentRowBytes
                                     : scratch_.data();
            const Address address = memory.address + Address{row} * memory.row_pitch_bytes;
            const Reply reply =
                request(tlm::TLM_READ_COMMAND, address, kFragmentRowBytes, data, slots);
            done = std::max(done, reply.done);
            ++rows_requested(role);
        }
    }
    if (role == FragmentRole::kA) note_a_load();
    if (values && octet_accesses_ == 1) {
        constexpr std::uint32_t kCopyBytes = kFragmentRows * kFragmentRowBytes;
        std::copy_n(target, kCopyBytes, target + kCopyBytes);
    }
    return done;
}

Cycle LdstUnitLt::global_access(const WarpAccess& access, BankScheduler& slots) {
    const WarpInstruction& instruction = *access.instruction;
    const bool store = is_store(instruction.opcode());
    const tlm::tlm_command command = store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND;
    const MemoryAccess& memory = instruction.memory();
    const RowPlace target = row_place(access);
    if (copies_to_shared(instruction.opcode())) {
        bypass_l1_ = instruction.shared().bypass_l1;
        multicast_ = comes_with_partner(instruction);
    }
    const Address line = config_.l1.line_bytes;
    Cycle done = slots.peek(0);
    for (std::uint32_t row = 0; row < memory.rows; ++row) {
        const Address begin = memory.address + Address{row} * memory.row_pitch_bytes;
        const Address end = begin + memory.row_bytes;
        if (store && filter_) filter_->note_store(begin, memory.row_bytes);
        for (Address a = begin; a < end;) {
            const auto bytes =
                static_cast<std::uint32_t>(std::min<Address>(end, (a | (line - 1)) + 1) - a);
            const std::size_t place = target.offset_bytes + row * target.pitch_bytes + (a - begin);
            std::byte* data = target.begin == nullptr ? scratch_.data() : target.begin + place;
            const bool fetches = target.begin != nullptr && atomic_ == AtomicKind::kFetchAdd;
            if (fetches) {
                std::copy_n(data, bytes, scratch_.data());
                data = scratch_.data();
            }
            done = std::max(done, request(command, a, bytes, data, slots).done);
            if (fetches) {
                std::copy_n(data, bytes, registers_.at(access.warp, instruction.dst) + place);
            }
            a += bytes;
        }
    }
    bypass_l1_ = multicast_ = false;
    return done;
}

/// Accesses global memory with an address for each lane, coalesced already.
Cycle LdstUnitLt::lane_access(const WarpAccess& access, BankScheduler& slots) {
    const WarpInstruction& instruction = *access.instruction;
    const float* values = access.lane_values;
    const bool store = is_store(instruction.opcode());
    const tlm::tlm_command command = store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND;
    std::byte* const registers = placed_registers(access);
    const Address line = config_.l1.line_bytes;
    bypass_l1_ = instruction.bypasses_l1();
    Cycle done = slots.peek(0);
    for (const LaneAccess::Piece& piece : instruction.lanes().pieces) {
        const Address address = instruction.memory().address + static_cast<Address>(piece.offset);
        if (store && filter_) filter_->note_store(address, piece.bytes);
        std::byte* data = registers == nullptr ? scratch_.data() : registers + piece.place;
        if (values != nullptr) {
            std::memcpy(scratch_.data(), values, piece.bytes);
            values += piece.bytes / sizeof(float);
        }
        const Address end = address + piece.bytes;
        for (Address a = address; a < end;) {
            const auto bytes =
                static_cast<std::uint32_t>(std::min<Address>(end, (a | (line - 1)) + 1) - a);
            done = std::max(done, request(command, a, bytes, data, slots).done);
            data += bytes;
            a += bytes;
        }
    }
    bypass_l1_ = false;
    return done;
}

Cycle LdstUnitLt::load_filtered(const WarpAccess& access, BankScheduler& slots) {
    const WarpInstruction& instruction = *access.instruction;
    const FragmentUnits& units = traits_.units;
    const bool values = registers_.holds_values();
    filtered_rows_ = rows_of(instruction);
    for (std::uint32_t row = 0; row < kFragmentRows; ++row) {
        row_bank_[row] = banks_.bank(filtered_rows_.address[row]);
    }
    const Cycle begin = slots.peek(row_bank_[0]);
    begin_filtered(access, filtered_rows_, begin);
    row_done_.fill(0);
    row_slotted_.fill(false);

    Cycle done = begin;
    for (std::uint32_t unit = 0; unit < units.count(); ++unit) {
        const std::uint32_t first_row = units.first_row(unit);
        if (octet_accesses_ == 2 && first_row == 0) {
            row_done_.fill(0);
            row_slotted_.fill(false);
        }
        const Cycle slot = slots.peek(row_bank_[first_row]);
        if (!filtered_rows_.has(first_row)) {
            filter_->skip(slot, unit);
            if (registers_.follows_renaming()) {
                registers_.rename(access.warp, instruction.dst, unit, {});
            }
            continue;
        }
        const Cycle now = look_up_at(slot);
        if (now > slot) wait_for_filter(slot, now, slots);
        if (ahead_ != nullptr) ahead_->synchronise_beyond(now);
        const FilterAnswer answer = look_up(now, unit);
        if (registers_.follows_renaming()) {
            registers_.rename(access.warp, instruction.dst, unit, answer.phys);
        }
        Cycle ready = answer_at(now);
        switch (answer.kind) {
            case AccessKind::kHit:
            case AccessKind::kZero:
                if (answer.kind == AccessKind::kHit && answer.ready == kNever) {
                    await_unit(answer.phys);
                } else if (answer.kind == AccessKind::kHit) {
                    ready = std::max(ready, answer.ready);
                }
                if (!traits_.hit_frees_slot) take_slots(unit, slots);
                if (values) check_hit(filtered_rows_, {unit, answer.phys, filter_->value_id(unit)});
                break;
            case AccessKind::kMiss:
            case AccessKind::kBypass: {
                const std::size_t first_future = unit_futures_.size();
                ready = load_unit(access, unit, slots);
                if (unit_futures_.size() == first_future) {
                    filter_->set_ready(answer.phys, ready);
                } else {
                    expect_unit(answer.phys, ready, first_future);
                }
                if (values) {
                    std::copy_n(rows_.data() + first_row * kFragmentRowBytes, units.bytes(),
                                registers_.unit(answer.phys));
                }
                break;
            }
        }
        done = std::max(done, ready);
    }
    return done;
}

Cycle LdstUnitLt::load_unit(const WarpAccess& access, std::uint32_t unit, BankScheduler& slots) {
    const WarpInstruction& instruction = *access.instruction;
    const std::uint32_t first = traits_.units.first_row(unit);
    const std::uint32_t end = first + traits_.units.rows();
    Cycle done = 0;
    for (std::uint32_t row = first; row < end; ++row) {
        if (row_done_[row] == 0) {
            stream_ = stream_of(access.warp, instruction.dst,
                                row);  // rows before it may have been skipped
            const Reply reply =
                request(tlm::TLM_READ_COMMAND, filtered_rows_.address[row], kFragmentRowBytes,
                        rows_.data() + row * kFragmentRowBytes, slots);
            row_done_[row] = reply.done == 0 ? kNever : reply.done;
            if (reply.done == 0) row_future_[row] = info_->future;
            row_slotted_[row] = true;
            ++rows_requested(instruction.registers().role);
        }
        if (row_done_[row] == kNever) {
            unit_futures_.push_back(row_future_[row]);
        } else {
            done = std::max(done, row_done_[row]);
        }
    }
    return done;
}

void LdstUnitLt::take_slots(std::uint32_t unit, BankScheduler& slots) {
    const std::uint32_t first = traits_.units.first_row(unit);
    for (std::uint32_t row = first; row < first + traits_.units.rows(); ++row) {
        if (row_slotted_[row]) continue;
        slots.take(row_bank_[row]);
        row_slotted_[row] = true;
    }
}

}  // namespace tessera
