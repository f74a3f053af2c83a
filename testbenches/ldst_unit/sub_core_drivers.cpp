#include "testbenches/ldst_unit/sub_core_drivers.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera::testbench {

SubCoreDrivers::SubCoreDrivers(const sc_core::sc_module_name& name, const ClockDomain& clock,
                               const Config& config, bool approximately_timed,
                               IssueObserver& observer)
    : sc_module(name),
      clock_(clock),
      granularity_{config.l1.line_bytes, config.l1.sector_bytes, config.sm.shared_memory_banks},
      slots_(config.sm.max_warps / config.sm.sub_cores),
      observer_(observer),
      time_(clock_),
      clients_(config.sm.sub_cores),
      registers_(std::size_t{config.sm.sub_cores} * kWarpsPerSubCore,
                 RegisterTimes(kRegistersPerWarp)) {
    for (std::uint32_t i = 0; i < config.sm.sub_cores; ++i) {
        to_ldst.push_back(std::make_unique<UnitSocket>(fmt::format("to_ldst{}", i).c_str(), clock_,
                                                       approximately_timed));
        to_ldst.back()->on_response(
            [this](tlm::tlm_generic_payload& payload) { receive(payload); });
    }
    SC_THREAD(run);
}

void SubCoreDrivers::connect(LdstUnit& unit, LinkBinder& links) {
    unit_ = &unit;
    for (std::uint32_t i = 0; i < clients_.size(); ++i) {
        clients_[i].owner = this;
        clients_[i].sub_core = i;
        unit.to_client(SubCoreId(i)).bind(clients_[i]);
        links.bind(*to_ldst[i], unit.from_sub_core(SubCoreId(i)));
    }
    to_arbiter.bind(unit.arbiter);
}

std::size_t SubCoreDrivers::plan(const WarpOperation& operation) {
    const std::size_t index = planned_.size();
    planned_.push_back(
        {operation, std::make_unique<WarpMemoryInstruction>(operation, granularity_), {}});
    clients_[operation.sub_core].queue.push_back(index);
    wake_.notify(sc_core::SC_ZERO_TIME);
    return index;
}

void SubCoreDrivers::run() {
    schedule();  // of what was planned before the simulation began
    for (;;) {
        wait(wake_);
        const Cycle now = clock_.now();
        time_.set(now);
        if (unit_->arbitration_at() <= now) unit_->arbitrate();
        schedule();
    }
}

/// Renews the requests of all sub-cores, and wakes the arbiter when the unit is free.
void SubCoreDrivers::schedule() {
    const Cycle now = clock_.now();
    time_.set(now);
    for (const Client& client : clients_) {
        to_arbiter->request(SubCoreId(client.sub_core), ready(client));
    }
    const Cycle next = unit_->arbitration_at();
    if (next == kNever) return;
    wake_.notify(clock_.span(std::max(next, now)) - sc_core::sc_time_stamp());
}

Cycle SubCoreDrivers::ready(const Client& client) const {
    if (client.queue.empty()) return kNever;
    const WarpOperation& operation = planned_[client.queue.front()].operation;
    Cycle at = std::max(operation.at, client.next_issue);
    const RegisterTimes& registers =
        registers_[operation.sub_core * kWarpsPerSubCore + operation.warp];
    for (std::uint32_t i = 0; i < operation.registers(); ++i) {
        at = std::max({at, registers[operation.reg + i], registers[operation.target() + i]});
    }
    // Coalesced loads take the values of their lanes from memory at once.
    if (operation.kind == WarpOperationKind::kLanes) {
        at = std::max(at, stores_flying_ > 0 ? kNever : stores_done_);
    }
    return at;
}

bool SubCoreDrivers::continues(const Client& client) const {
    return client.last_warp == planned_[client.queue.front()].operation.warp;
}

std::uint64_t SubCoreDrivers::age(const Client& client) const {
    return std::uint64_t{planned_[client.queue.front()].operation.warp} * clients_.size() +
           client.sub_core;
}

std::vector<ArbiterRequest> SubCoreDrivers::requests(Cycle now) const {
    std::vector<ArbiterRequest> all;
    for (const Client& client : clients_) {
        if (ready(client) <= now) {
            all.push_back({client.sub_core, continues(client), age(client)});
        }
    }
    return all;
}

void SubCoreDrivers::issue(Client& client, Cycle now) {
    Cycle first_ready = kNever;
    for (const Client& other : clients_) first_ready = std::min(first_ready, ready(other));
    const std::size_t index = client.queue.front();
    Planned& planned = planned_[index];
    observer_.on_issue(index, first_ready, requests(now));
    client.queue.pop_front();
    client.next_issue = now + 1;
    client.last_warp = planned.operation.warp;

    const WarpInstruction& instruction = planned.instruction->record();
    const bool store = planned.operation.is_store();
    planned.data.resize(bytes_of(instruction) + 1);
    Pool::Payload& payload =
        pool_.acquire(store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, planned.data.data(),
                      static_cast<std::uint32_t>(planned.data.size()));
    payload.set_address(planned.operation.address);
    WarpAccess& access = payload.extension;
    access.instruction = &instruction;
    access.warp = warp_of(planned.operation);
    access.sub_core = SubCoreId(client.sub_core);
    access.cta_slot = planned.operation.warp % kCtaSlots;
    access.destination = instruction.dst;
    access.stores = !planned.operation.writes_registers();
    const Cycle done = to_ldst[client.sub_core]->send(payload, now, "the LDST unit refused it");
    if (free_at() == kNever) {
        sending_ = index;
    } else {
        observer_.on_sent(index);
    }
    if (done == kNever) {
        flying_.push_back(index);
        if (store) ++stores_flying_;
        if (planned.operation.writes_registers()) {
            RegisterTimes& registers = this->registers(planned.operation);
            std::fill_n(registers.begin() + planned.operation.target(),
                        planned.operation.registers(), kNever);
        }
    } else {
        payload.release();
        end(index, done);
    }
}

/// Records the end of an instruction, which releases its registers.
void SubCoreDrivers::end(std::size_t index, Cycle at) {
    const WarpOperation& operation = planned_[index].operation;
    if (operation.is_store() && !operation.is_shared()) stores_done_ = std::max(stores_done_, at);
    if (operation.writes_registers()) {
        RegisterTimes& registers = this->registers(operation);
        std::fill_n(registers.begin() + operation.target(), operation.registers(), at);
    }
    ++done_;
    observer_.on_done(index, at);
}

/// Takes the response to an instruction that was not complete when it had been sent.
void SubCoreDrivers::receive(tlm::tlm_generic_payload& payload) {
    const WarpAccess& access = static_cast<Pool::Payload&>(payload).extension;
    const auto found = std::find_if(flying_.begin(), flying_.end(), [&](std::size_t index) {
        const WarpOperation& operation = planned_[index].operation;
        return operation.sub_core == access.sub_core.value() && warp_of(operation) == access.warp &&
               operation.writes_registers() == !access.stores &&
               (access.stores || operation.target() == access.destination);
    });
    if (found == flying_.end()) {
        SC_REPORT_FATAL(name(), "the unit reports an instruction that is not in flight");
        return;
    }
    const std::size_t index = *found;
    payload.release();
    flying_.erase(found);
    if (planned_[index].operation.is_store()) --stores_flying_;
    end(index, clock_.now());
    schedule();
}

void SubCoreDrivers::on_ldst_free() {
    if (sending_) observer_.on_sent(*sending_);
    sending_.reset();
    schedule();
}

}  // namespace tessera::testbench
