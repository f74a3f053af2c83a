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
    : span_(span),
      values_(config.values),
      clock_(config.gpu.core_clock_mhz),
      from_dram_clock_(config.dram.clock_mhz, config.gpu.core_clock_mhz),
      dram_(dram) {
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
    const std::uint32_t number = recording_.links.number(name);
    if (links_.size() <= number) links_.resize(number + 1);
    links_[number] = link;
    PlantedFault* const fault = fault_ && fault_->plan().link == name ? &*fault_ : nullptr;
    TapListener& self = *this;
    taps_.push_back(std::make_unique<TransactionTap>(fmt::format("tap_{}", taps_.size()).c_str(),
                                                     number, self, fault, clock_.span(1)));
    initiator.bind(taps_.back()->target);
    taps_.back()->initiator.bind(target);
}

void TransactionRecorder::launch(SmId sm, WarpId slot, CtaId cta, std::uint32_t warp_of_cta) {
    std::vector<Slot>& slots = sms_[sm.value()].slots;
    if (slots.size() <= slot.value()) slots.resize(slot.value() + 1);
    slots[slot.value()] = {cta.value(), warp_of_cta, 0};
}

void TransactionRecorder::issue(SmId sm, SubCoreId sub_core, WarpId slot, std::uint32_t opcode,
                                Cycle at) {
    Sm& here = sms_[sm.value()];
    if (here.slots.size() <= slot.value()) here.slots.resize(slot.value() + 1);  // assistant warp
    if (here.issued.size() <= sub_core.value()) here.issued.resize(sub_core.value() + 1);
    here.issued[sub_core.value()] = {slot, here.slots[slot.value()].issued++, opcode, at};
}

std::uint32_t TransactionRecorder::add_link(const std::string& name, std::uint32_t sm,
                                            std::uint32_t sub_core) {
    const std::uint32_t number = recording_.links.number(name);
    if (links_.size() <= number) links_.resize(number + 1);
    links_[number].sm = sm;
    links_[number].sub_core = sub_core;
    return number;
}

void TransactionRecorder::set_instruction(RecordedTransaction& row,
                                          std::uint64_t instruction) const {
    if (instruction == kNoRow || instruction < first_instruction_) return;
    row.instruction = static_cast<std::uint32_t>(instruction - first_instruction_);
}

void TransactionRecorder::look_up(SmId sm, const LookUp& look_up, Cycle at) {
    if (full()) return;
    Sm& here = sms_[sm.value()];
    if (here.filter_link == kNoNumber) {
        here.filter_link = add_link(fmt::format("sm{}.filter", sm.value()), sm.value(), kNoNumber);
    }
    RecordedTransaction row;
    row.link = here.filter_link;
    set_instruction(row,
                    here.in_service != kNoRow ? here.in_service : instruction_of(look_up.access));
    row.command = recording_.words.number("look_up");
    row.outcome = recording_.words.number(kFilterAnswers[look_up.kind]);
    row.address = look_up.unit;
    row.asked = row.done = at;
    row.order = ++order_;
    row.done_order = ++order_;
    row.value_in = value_hash(&look_up.element, sizeof look_up.element,
                              value_hash(&look_up.batch, sizeof look_up.batch));
    row.value_out = look_up.phys.valid() ? look_up.phys.value() + 1 : 0;
    (void)push(row);
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
    const bool goes_on = from.access == nullptr && from.row != kNoRow &&
                         from.row >= first_transaction_ && instruction != kNoRow &&
                         recording_.transactions[from.row - first_transaction_].instruction ==
                             instruction - first_instruction_;
    if (!goes_on) {
        from.row = kNoRow;
        if (full()) return;
        RecordedTransaction row;
        row.link = from.link;
        set_instruction(row, instruction);
        row.command = recording_.words.number("operate");
        row.asked = at;
        row.order = ++order_;
        from.row = push(row);
    }
    RecordedTransaction& row = recording_.transactions[from.row - first_transaction_];
    row.value_out = value_hash(&hash, sizeof hash, row.value_out);
    row.done = at;
    row.done_order = ++order_;
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
    if (!moves || full()) return;
    constexpr unsigned kColumnBits = 16;
    RecordedTransaction row;
    row.link = add_link(fmt::format("memory.dram_{}.bank_{}", channel, command.bank), kNoNumber,
                        kNoNumber);
    set_instruction(row, instruction_of(command.id));
    row.command = recording_.words.number(command.kind == DramCommandKind::kRead ? "RD" : "WR");
    row.address = command.row << kColumnBits | command.column;
    row.asked = from_dram_clock_.convert(command.cycle);
    row.order = ++order_;
    (void)push(row);
}

void TransactionRecorder::advance(Channel channel, Cycle cycle) {
    if (dram_ != nullptr) dram_->advance(channel, cycle);
}

void TransactionRecorder::start_kernel(std::string_view name, Cycle /*start*/) {
    recording_.kernels.emplace_back(name);
    rows_by_id_.clear();
}

std::uint64_t TransactionRecorder::instruction_of(std::uint64_t id) {
    const auto found = id == 0 ? rows_by_id_.end() : rows_by_id_.find(id);
    if (found == rows_by_id_.end() || found->second < first_instruction_) return kNoRow;
    return found->second;
}

RecordedInstruction TransactionRecorder::instruction_at(std::uint32_t sm,
                                                        std::uint32_t sub_core) const {
    const Sm& here = sms_.at(sm);
    const Issued& issued = here.issued[sub_core];
    const Slot& slot = here.slots[issued.slot.value()];
    RecordedInstruction row;
    row.kernel = static_cast<std::uint32_t>(recording_.kernels.size() - 1);
    row.cta = slot.cta;
    row.warp = slot.warp;
    row.index = issued.index;
    row.sm = sm;
    return row;
}

std::uint64_t TransactionRecorder::on_request(std::uint32_t link, Payload& payload,
                                              const sc_core::sc_time& delay) {
    const Cycle at = clock_.cycle_at(sc_core::sc_time_stamp() + delay);
    const Link& from = links_[link];
    if (full()) {
        was_full_ = true;
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
    if (span_.keeps_last) forget_old();
    RecordedInstruction row = instruction_at(link.sm, link.sub_core);
    const Issued& issued = sms_[link.sm].issued[link.sub_core];
    row.opcode = recording_.words.number(name_of(static_cast<Opcode>(issued.opcode)));
    if (link.kind == LinkKind::kToLdst) {
        row.address = payload.get_address();
        row.bytes = payload.get_data_length();
    }
    row.asked = at;
    row.order = ++order_;
    row.value_in = values_ ? sent_hash(payload) : 0;
    recording_.instructions.push_back(row);
    return first_instruction_ + recording_.instructions.size() - 1;
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
    set_instruction(row, instruction);
    row.command = recording_.words.number(command_of(payload));
    row.address = payload.get_address();
    row.bytes = payload.get_data_length();
    row.asked = at;
    row.order = ++order_;
    row.value_in = values_ ? sent_hash(payload) : 0;
    return push(row);
}

std::uint64_t TransactionRecorder::push(const RecordedTransaction& row) {
    recording_.transactions.push_back(row);
    return first_transaction_ + recording_.transactions.size() - 1;
}

void TransactionRecorder::on_response(std::uint32_t /*link*/, std::uint64_t row, Payload& payload,
                                      const sc_core::sc_time& delay) {
    if (row == kNoRow) return;
    const Cycle at = clock_.cycle_at(sc_core::sc_time_stamp() + delay);
    if ((row & kInstructionRow) != 0) {
        const std::uint64_t number = row & ~kInstructionRow;
        if (number < first_instruction_) return;
        RecordedInstruction& done = recording_.instructions[number - first_instruction_];
        done.done = at;
        done.done_order = ++order_;
        done.value_out = values_ ? returned_hash(payload) : 0;
        return;
    }
    if (row < first_transaction_) return;
    RecordedTransaction& done = recording_.transactions[row - first_transaction_];
    done.done = at;
    done.done_order = ++order_;
    done.value_out = values_ ? returned_hash(payload) : 0;
    const auto* const info = payload.get_extension<AccessInfo>();
    const auto served =
        static_cast<std::size_t>(info == nullptr ? ServedBy::kNone : info->served_by);
    done.outcome = recording_.words.number(kServedByNames[served]);
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
    std::string text = recording_.links.name(link);
    if ((row & kInstructionRow) != 0) {
        const auto& instruction =
            recording_.instructions[(row & ~kInstructionRow) - first_instruction_];
        text += ": " + recording_.place(instruction);
    } else {
        const auto& transaction = recording_.transactions[row - first_transaction_];
        text += transaction.instruction == kNoNumber
                    ? ": no instruction"
                    : ": " + recording_.place(recording_.instructions[transaction.instruction]);
    }
    recording_.header.emplace_back("planted", text);
}

void TransactionRecorder::forget_old() {
    auto& instructions = recording_.instructions;
    auto& transactions = recording_.transactions;
    if (rows() < 2 * span_.rows) return;
    const std::size_t some = instructions.size() / 2;
    const std::uint64_t limit = instructions[some].order;
    instructions.erase(instructions.begin(),
                       instructions.begin() + static_cast<std::ptrdiff_t>(some));
    const auto first =
        std::find_if(transactions.begin(), transactions.end(),
                     [limit](const RecordedTransaction& t) { return t.order >= limit; });
    first_transaction_ += static_cast<std::uint64_t>(first - transactions.begin());
    transactions.erase(transactions.begin(), first);
    first_instruction_ += some;
    for (RecordedTransaction& t : transactions) {
        if (t.instruction == kNoNumber) continue;
        t.instruction =
            t.instruction < some ? kNoNumber : t.instruction - static_cast<std::uint32_t>(some);
    }
    for (auto row = rows_by_id_.begin(); row != rows_by_id_.end();) {
        row = row->second < first_instruction_ ? rows_by_id_.erase(row) : std::next(row);
    }
}

Recording TransactionRecorder::take(const std::string& end) {
    if (end.empty()) {  // otherwise the channels may be gone
        for (const auto& close : close_channels_) close();
    }
    recording_.complete = end.empty() && !was_full_;
    recording_.end = !end.empty() ? end
                     : was_full_  ? fmt::format("limit of {} rows", span_.rows)
                                  : "";
    return std::move(recording_);
}

}  // namespace tessera
