#include "sc_models/record/transaction_recorder.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <iterator>
#include <regex>
#include <utility>

#include "sc_models/isa/opcode.h"
#include "sc_models/record/payload_row.h"
#include "sc_models/sm/load_filter.h"

namespace tessera {
namespace {

constexpr std::array<std::string_view, 6> kServedByNames = {"-",  "L1",         "L1_pending",
                                                            "L2", "L2_pending", "DRAM"};
constexpr std::array<std::string_view, 4> kFilterAnswers = {"hit", "zero", "miss", "bypass"};
static_assert(static_cast<std::size_t>(ServedBy::kDram) + 1 == kServedByNames.size());
static_assert(static_cast<std::size_t>(AccessKind::kBypass) + 1 == kFilterAnswers.size());

}  // namespace

TransactionRecorder::TransactionRecorder(const Config& config, RecordedSpan span,
                                         std::optional<PlantedPlan> fault,
                                         DramCommandRecorder* dram)
    : values_(config.values),
      clock_(config.gpu.core_clock_mhz),
      from_dram_clock_(config.dram.clock_mhz, config.gpu.core_clock_mhz),
      dram_(dram),
      rows_(span) {
    if (fault) fault_.emplace(*std::move(fault));
}

void TransactionRecorder::bind(tlm::tlm_base_initiator_socket<>& initiator,
                               tlm::tlm_base_target_socket_b<>& target) {
    static const std::regex kOfSm(R"(sm(\d+)\.(?:sub_core(\d+)\.(to_\w+))?.*)");
    const std::string full = initiator.name();
    const std::string name = full.substr(full.find('.') + 1);  // without the machine's
    Link link;
    std::smatch match;
    if (std::regex_match(name, match, kOfSm)) {
        link.sm = static_cast<std::uint32_t>(std::stoul(match[1]));
        if (match[2].matched) {
            link.sub_core = static_cast<std::uint32_t>(std::stoul(match[2]));
            link.kind = match[3] == "to_tensor" ? LinkKind::kToTensor : LinkKind::kToLdst;
        }
    }
    const std::uint32_t number = rows_.links().number(name);
    if (links_.size() <= number) links_.resize(number + 1);
    links_[number] = link;
    PlantedFault* const fault = fault_ && fault_->plan().link == name ? &*fault_ : nullptr;
    TapListener& self = *this;
    taps_.push_back(std::make_unique<TransactionTap>(fmt::format("tap_{}", taps_.size()).c_str(),
                                                     number, self, fault, clock_.span(1)));
    initiator.bind(taps_.back()->target);
    taps_.back()->initiator.bind(target);
}

std::uint32_t TransactionRecorder::add_link(const std::string& name, std::uint32_t sm,
                                            std::uint32_t sub_core) {
    const std::uint32_t number = rows_.links().number(name);
    if (links_.size() <= number) links_.resize(number + 1);
    links_[number].sm = sm;
    links_[number].sub_core = sub_core;
    return number;
}

void TransactionRecorder::look_up(SmId sm, const LookUp& look_up, Cycle at) {
    if (rows_.full()) return;
    Sm& here = sms_[sm.value()];
    if (here.filter_link == kNoNumber) {
        here.filter_link = add_link(fmt::format("sm{}.filter", sm.value()), sm.value(), kNoNumber);
    }
    RecordedTransaction row;
    row.link = here.filter_link;
    rows_.set_instruction(
        row, here.in_service != kNoRow ? here.in_service : instruction_of(look_up.access));
    row.command = rows_.words().number("look_up");
    row.outcome = rows_.words().number(kFilterAnswers[look_up.kind]);
    row.address = look_up.unit;
    row.asked = row.done = at;
    row.order = rows_.next_order();
    row.done_order = rows_.next_order();
    row.value_in = value_hash(&look_up.element, sizeof look_up.element,
                              value_hash(&look_up.batch, sizeof look_up.batch));
    row.value_out = look_up.phys.valid() ? look_up.phys.value() + 1 : 0;
    rows_.add(row);
}

std::uint32_t TransactionRecorder::add_block(std::string_view scope, const std::uint64_t* access) {
    static const std::regex kPlace(R"(sm(\d+)\.(?:tensor(\d+)\.)?.*)");
    const std::string name(scope);
    std::smatch match;
    std::uint32_t sm = kNoNumber;
    std::uint32_t sub_core = kNoNumber;
    if (std::regex_match(name, match, kPlace)) {
        sm = static_cast<std::uint32_t>(std::stoul(match[1]));
        if (match[2].matched) sub_core = static_cast<std::uint32_t>(std::stoul(match[2]));
    }
    blocks_.push_back({add_link(name, sm, sub_core), access});
    return static_cast<std::uint32_t>(blocks_.size() - 1);
}

std::uint64_t TransactionRecorder::instruction_of(const Block& block) {
    const Link& place = links_[block.link];
    if (place.sm == kNoNumber) return kNoRow;
    Sm& here = sms_[place.sm];
    if (place.sub_core != kNoNumber) {
        const auto found = here.in_tensor_cores.find(place.sub_core);
        return found == here.in_tensor_cores.end() ? kNoRow : found->second;
    }
    if (here.in_service != kNoRow) return here.in_service;
    return instruction_of(block.access == nullptr ? 0 : *block.access);
}

/// The clock cycles of a tensor-core block for one instruction are one row; a block of the
/// detection unit has a row for each operation.
void TransactionRecorder::output(std::uint32_t block, std::uint32_t hash, Cycle at) {
    Block& from = blocks_[block];
    const std::uint64_t instruction = instruction_of(from);
    const bool goes_on = from.access == nullptr && rows_.is_caused_by(from.row, instruction);
    if (!goes_on) {
        from.row = kNoRow;
        if (rows_.full()) return;
        RecordedTransaction row;
        row.link = from.link;
        rows_.set_instruction(row, instruction);
        row.command = rows_.words().number("operate");
        row.asked = at;
        row.order = rows_.next_order();
        from.row = rows_.add(row);
    }
    RecordedTransaction& row = rows_.transaction(from.row);
    row.value_out = value_hash(&hash, sizeof hash, row.value_out);
    row.done = at;
    row.done_order = rows_.next_order();
}

DramCommandRecorder::Channel TransactionRecorder::add_channel(
    const std::vector<DramParameter>& parameters, std::function<void()> close) {
    if (dram_ != nullptr) return dram_->add_channel(parameters, std::move(close));
    close_channels_.push_back(std::move(close));
    return static_cast<Channel>(close_channels_.size() - 1);
}

void TransactionRecorder::record(Channel channel, const DramCommand& command) {
    if (dram_ != nullptr) dram_->record(channel, command);
    const bool moves =
        command.kind == DramCommandKind::kRead || command.kind == DramCommandKind::kWrite;
    if (!moves || rows_.full()) return;
    constexpr unsigned kColumnBits = 16;
    RecordedTransaction row;
    row.link = add_link(fmt::format("memory.dram_{}.bank_{}", channel, command.bank), kNoNumber,
                        kNoNumber);
    rows_.set_instruction(row, instruction_of(command.id));
    row.command = rows_.words().number(command.kind == DramCommandKind::kRead ? "RD" : "WR");
    row.address = command.row << kColumnBits | command.column;
    row.asked = from_dram_clock_.convert(command.cycle);
    row.order = rows_.next_order();
    rows_.add(row);
}

void TransactionRecorder::advance(Channel channel, Cycle cycle) {
    if (dram_ != nullptr) dram_->advance(channel, cycle);
}

void TransactionRecorder::start_kernel(std::string_view name, Cycle /*start*/) {
    rows_.recording().kernels.emplace_back(name);
    rows_by_id_.clear();
}

std::uint64_t TransactionRecorder::instruction_of(std::uint64_t id) {
    const auto found = id == 0 ? rows_by_id_.end() : rows_by_id_.find(id);
    if (found == rows_by_id_.end() || !rows_.has_instruction(found->second)) return kNoRow;
    return found->second;
}

RecordedInstruction TransactionRecorder::instruction_at(std::uint32_t sm,
                                                        std::uint32_t sub_core) const {
    const WarpIssues::Issued issued = issues_.last(sm, sub_core);
    RecordedInstruction row;
    row.kernel = static_cast<std::uint32_t>(rows_.recording().kernels.size() - 1);
    row.cta = issued.cta;
    row.warp = issued.warp;
    row.index = issued.index;
    row.sm = sm;
    return row;
}

std::uint64_t TransactionRecorder::on_request(std::uint32_t link, Payload& payload,
                                              const sc_core::sc_time& delay) {
    const Cycle at = clock_.cycle_at(sc_core::sc_time_stamp() + delay);
    const Link& from = links_[link];
    if (rows_.full()) {
        rows_.leave_out();
        return kNoRow;
    }
    if (from.kind == LinkKind::kMemory) return add_transaction(link, payload, at);
    const std::uint64_t row = add_instruction(from, payload, at);
    if (from.kind == LinkKind::kToLdst) {
        sms_[from.sm].in_service = row;
    } else {
        sms_[from.sm].in_tensor_cores[from.sub_core] = row;
    }
    return row | kInstructionRow;
}

std::uint64_t TransactionRecorder::add_instruction(const Link& link, Payload& payload, Cycle at) {
    if (rows_.drop_old()) {
        for (auto known = rows_by_id_.begin(); known != rows_by_id_.end();) {
            known =
                rows_.has_instruction(known->second) ? std::next(known) : rows_by_id_.erase(known);
        }
    }
    RecordedInstruction row = instruction_at(link.sm, link.sub_core);
    const auto opcode = static_cast<Opcode>(issues_.last(link.sm, link.sub_core).opcode);
    row.opcode = rows_.words().number(name_of(opcode));
    if (link.kind == LinkKind::kToLdst) {
        row.address = payload.get_address();
        row.bytes = payload.get_data_length();
    }
    row.asked = at;
    row.order = rows_.next_order();
    row.value_in = values_ ? sent_hash(payload) : 0;
    return rows_.add(row);
}

std::uint64_t TransactionRecorder::add_transaction(std::uint32_t link, const Payload& payload,
                                                   Cycle at) {
    const std::uint64_t id = access_id(payload.get_extension<AccessInfo>());
    std::uint64_t instruction = instruction_of(id);
    const Link& from = links_[link];
    if (instruction == kNoRow && id != 0 && from.sm != kNoNumber) {
        // The first request leaves within the call that brings the instruction.
        const std::uint64_t in_service = sms_[from.sm].in_service;
        if (in_service != kNoRow) rows_by_id_[id] = instruction = in_service;
    }
    RecordedTransaction row;
    row.link = link;
    rows_.set_instruction(row, instruction);
    row.command = rows_.words().number(command_of(payload));
    row.address = payload.get_address();
    row.bytes = payload.get_data_length();
    row.asked = at;
    row.order = rows_.next_order();
    row.value_in = values_ ? sent_hash(payload) : 0;
    return rows_.add(row);
}

void TransactionRecorder::on_response(std::uint32_t /*link*/, std::uint64_t row, Payload& payload,
                                      const sc_core::sc_time& delay) {
    if (row == kNoRow) return;
    const Cycle at = clock_.cycle_at(sc_core::sc_time_stamp() + delay);
    if ((row & kInstructionRow) != 0) {
        const std::uint64_t number = row & ~kInstructionRow;
        if (!rows_.has_instruction(number)) return;
        RecordedInstruction& done = rows_.instruction(number);
        done.done = at;
        done.done_order = rows_.next_order();
        done.value_out = values_ ? returned_hash(payload) : 0;
        return;
    }
    if (!rows_.has_transaction(row)) return;
    RecordedTransaction& done = rows_.transaction(row);
    done.done = at;
    done.done_order = rows_.next_order();
    done.value_out = values_ ? returned_hash(payload) : 0;
    const auto* const info = payload.get_extension<AccessInfo>();
    const auto served =
        static_cast<std::size_t>(info == nullptr ? ServedBy::kNone : info->served_by);
    done.outcome = rows_.words().number(kServedByNames[served]);
}

void TransactionRecorder::on_return(std::uint32_t link, std::uint64_t row, const Payload& payload) {
    if (row == kNoRow || (row & kInstructionRow) == 0) return;
    const auto* const access = payload.get_extension<WarpAccess>();
    if (access != nullptr && access->id != 0) rows_by_id_[access->id] = row & ~kInstructionRow;
    const Link& from = links_[link];
    if (from.kind == LinkKind::kToLdst) {
        sms_[from.sm].in_service = kNoRow;
    } else {
        sms_[from.sm].in_tensor_cores.erase(from.sub_core);
    }
}

void TransactionRecorder::on_planted(std::uint32_t link, std::uint64_t row) {
    if (row == kNoRow) return;
    std::string text = rows_.links().name(link);
    if ((row & kInstructionRow) != 0) {
        const auto& instruction = rows_.instruction(row & ~kInstructionRow);
        text += ": " + rows_.recording().place(instruction);
    } else {
        const auto& transaction = rows_.transaction(row);
        text += transaction.instruction == kNoNumber
                    ? ": no instruction"
                    : ": " + rows_.recording().place(
                                 rows_.recording().instructions[transaction.instruction]);
    }
    rows_.recording().header.emplace_back("planted", text);
}

Recording TransactionRecorder::take(const std::string& end) {
    if (end.empty()) {  // otherwise the channels may be gone
        for (const auto& close : close_channels_) close();
    }
    return rows_.take(end);
}

std::string TransactionRecorder::history(SmId sm, std::optional<SubCoreId> sub_core,
                                         std::uint64_t id) const {
    std::string text;
    const Recording& recording = rows_.recording();
    if (!issues_.has(sm.value())) return text;
    const auto here = sms_.find(sm.value());
    const auto known = id == 0 ? rows_by_id_.end() : rows_by_id_.find(id);
    const std::uint64_t row = known != rows_by_id_.end() ? known->second
                              : here != sms_.end()       ? here->second.in_service
                                                         : kNoRow;
    if (!sub_core && rows_.has_instruction(row)) {
        text = fmt::format("  during   {}, access {:#x}\n", recording.place(rows_.instruction(row)),
                           id);
    } else if (sub_core && issues_.has(sm.value(), sub_core->value())) {
        const WarpIssues::Issued last = issues_.last(sm.value(), sub_core->value());
        const auto opcode = static_cast<Opcode>(last.opcode);
        const std::string warp = last.cta == kNoNumber
                                     ? "assistant warp"
                                     : fmt::format("CTA {}, warp {}", last.cta, last.warp);
        text =
            fmt::format("  during   kernel {} ({}), {}, instruction {} ({}), issued in cycle {}\n",
                        recording.kernels.size() - 1, recording.kernels.back(), warp, last.index,
                        name_of(opcode), last.at);
    }
    return text + rows_.last_lines(sm.value(), [&](std::uint32_t link) {
        return links_[link].sm == sm.value();
    });
}

}  // namespace tessera
