#include "tests/support/jedec_checker.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>

namespace tessera::test {
namespace {

constexpr std::string_view kColumns = "cycle,channel,command,bank_group,bank,row,column_bytes,id";
constexpr std::uint32_t kMaxChannels = 1U << 16U;

const std::set<std::string>& parameter_names() {
    static const std::set<std::string> kNames = {"clock_mhz",
                                                 "channels",
                                                 "bank_groups",
                                                 "banks",
                                                 "row_bytes",
                                                 "request_bytes",
                                                 "burst",
                                                 "tCL",
                                                 "tCWL",
                                                 "tRCD",
                                                 "tRP",
                                                 "tRAS",
                                                 "tRC",
                                                 "tCCD_S",
                                                 "tCCD_L",
                                                 "tRRD_S",
                                                 "tRRD_L",
                                                 "tFAW",
                                                 "tRTP",
                                                 "tWR",
                                                 "tWTR_S",
                                                 "tWTR_L",
                                                 "bus_turn",
                                                 "tREFI",
                                                 "tRFC",
                                                 "postponed_refreshes",
                                                 "refresh_closes_rows"};
    return kNames;
}

const char* name_of(JedecCommandKind kind) {
    switch (kind) {
        case JedecCommandKind::kActivate:
            return "ACT";
        case JedecCommandKind::kRead:
            return "RD";
        case JedecCommandKind::kWrite:
            return "WR";
        case JedecCommandKind::kPrecharge:
            return "PRE";
        case JedecCommandKind::kRefresh:
            break;
    }
    return "REF";
}

std::optional<JedecCommandKind> kind_of(std::string_view name) {
    if (name == "RD") return JedecCommandKind::kRead;
    if (name == "ACT") return JedecCommandKind::kActivate;
    if (name == "PRE") return JedecCommandKind::kPrecharge;
    if (name == "WR") return JedecCommandKind::kWrite;
    if (name == "REF") return JedecCommandKind::kRefresh;
    return std::nullopt;
}

}  // namespace

void JedecParameters::set(const std::string& name, std::optional<std::uint64_t> value) {
    if (parameter_names().count(name) == 0) {
        throw std::runtime_error("unknown parameter '" + name + "'");
    }
    values_[name] = value;
}

std::optional<std::uint64_t> JedecParameters::find(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : found->second;
}

std::uint64_t JedecParameters::need(const std::string& name) const {
    const auto value = find(name);
    if (!value) throw std::runtime_error("the trace has no parameter '" + name + "'");
    return *value;
}

std::string JedecViolation::text() const {
    std::string text = rule + ": channel " + std::to_string(command.channel) + ", cycle " +
                       std::to_string(command.cycle) + ": " + name_of(command.kind);
    if (command.kind != JedecCommandKind::kRefresh) {
        text += " of bank " + std::to_string(command.bank);
    }
    if (earliest != 0) text += ", allowed from cycle " + std::to_string(earliest);
    return text;
}

JedecChecker::JedecChecker(const JedecParameters& parameters)
    : banks_(static_cast<std::uint32_t>(parameters.need("banks"))),
      groups_(static_cast<std::uint32_t>(parameters.need("bank_groups"))),
      burst_(parameters.need("burst")),
      t_cl_(parameters.need("tCL")),
      t_cwl_(parameters.need("tCWL")),
      t_rcd_(parameters.find("tRCD")),
      t_rp_(parameters.find("tRP")),
      t_ras_(parameters.find("tRAS")),
      t_rc_(parameters.find("tRC")),
      t_ccd_s_(parameters.find("tCCD_S")),
      t_ccd_l_(parameters.find("tCCD_L")),
      t_rrd_s_(parameters.find("tRRD_S")),
      t_rrd_l_(parameters.find("tRRD_L")),
      t_faw_(parameters.find("tFAW")),
      t_rtp_(parameters.find("tRTP")),
      t_wr_(parameters.find("tWR")),
      t_wtr_s_(parameters.find("tWTR_S")),
      t_wtr_l_(parameters.find("tWTR_L")),
      bus_turn_(parameters.find("bus_turn")),
      t_refi_(parameters.find("tREFI")),
      t_rfc_(parameters.find("tRFC")),
      refresh_closes_rows_(parameters.find("refresh_closes_rows").value_or(0) != 0) {
    if (t_refi_) {
        refresh_distance_ = *t_refi_ * (1 + parameters.find("postponed_refreshes").value_or(0));
    }
}

void JedecChecker::require(const char* rule, const JedecCommand& command, bool holds,
                           std::uint64_t earliest) {
    ++checks_[rule];
    if (holds) return;
    if (++violations_[rule] <= kKept) first_.push_back({rule, command, earliest});
}

void JedecChecker::after(const char* rule, const JedecCommand& command, Time since, Time distance) {
    if (!since || !distance) return;
    const std::uint64_t earliest = *since + *distance;
    require(rule, command, command.cycle >= earliest, earliest);
}

JedecChecker::Channel& JedecChecker::channel_of(const JedecCommand& command) {
    if (command.channel >= kMaxChannels) throw std::runtime_error("channel out of range");
    if (command.channel >= channels_.size()) channels_.resize(command.channel + 1);
    Channel& channel = channels_[command.channel];
    if (channel.banks.empty()) {
        channel.banks.resize(banks_);
        channel.groups.resize(groups_);
        channel.refresh_due = refresh_distance_;
    }
    return channel;
}

void JedecChecker::check(const JedecCommand& command) {
    ++commands_;
    Channel& channel = channel_of(command);
    if (command.kind != JedecCommandKind::kRefresh &&
        (command.bank >= banks_ || command.bank_group >= groups_)) {
        require("bank", command, false);
        return;
    }
    check_order(channel, command);
    switch (command.kind) {
        case JedecCommandKind::kActivate:
            activate(channel, command);
            break;
        case JedecCommandKind::kRead:
        case JedecCommandKind::kWrite:
            column(channel, command);
            break;
        case JedecCommandKind::kPrecharge:
            precharge(channel, command);
            break;
        case JedecCommandKind::kRefresh:
            refresh(channel, command);
            break;
    }
}

/// Checks the order of the commands, and that refreshes are neither overdue nor interrupted.
void JedecChecker::check_order(Channel& channel, const JedecCommand& command) {
    require("order", command, command.cycle >= channel.last);
    channel.last = std::max(channel.last, command.cycle);
    after("tRFC", command, channel.refreshed, t_rfc_);
    if (!t_refi_) return;
    require("tREFI", command, command.cycle <= channel.refresh_due);
    // A refresh that is overdue is one violation, not one for each command until it comes.
    if (command.cycle > channel.refresh_due) channel.refresh_due = kNever;
}

void JedecChecker::activate(Channel& channel, const JedecCommand& command) {
    Bank& bank = channel.banks[command.bank];
    require("closed_bank", command, !bank.open);
    after("tRP", command, bank.precharged, t_rp_);
    after("tRC", command, bank.activated, t_rc_);
    for (std::uint32_t group = 0; group < groups_; ++group) {
        const bool same = group == command.bank_group;
        after(same ? "tRRD_L" : "tRRD_S", command, channel.groups[group].activated,
              same ? t_rrd_l_ : t_rrd_s_);
    }
    after("tFAW", command, channel.activations[channel.oldest], t_faw_);
    channel.activations[channel.oldest] = command.cycle;
    channel.oldest = (channel.oldest + 1) % channel.activations.size();
    channel.groups[command.bank_group].activated = command.cycle;
    bank.open = true;
    bank.row = command.row;
    bank.activated = command.cycle;
    bank.read = bank.written = std::nullopt;
}

void JedecChecker::column(Channel& channel, const JedecCommand& command) {
    Bank& bank = channel.banks[command.bank];
    const bool write = command.kind == JedecCommandKind::kWrite;
    require("open_row", command, bank.open && bank.row == command.row);
    after("tRCD", command, bank.activated, t_rcd_);
    const Time data_to_read = std::uint64_t{t_cwl_ + burst_};
    for (std::uint32_t group = 0; group < groups_; ++group) {
        const Group& past = channel.groups[group];
        const bool same = group == command.bank_group && t_ccd_l_.has_value();
        after(same ? "tCCD_L" : "tCCD_S", command, past.column, same ? t_ccd_l_ : t_ccd_s_);
        if (write) continue;
        const bool near = group == command.bank_group;
        const Time t_wtr = near ? t_wtr_l_ : t_wtr_s_;
        if (t_wtr) after(near ? "tWTR_L" : "tWTR_S", command, past.written, *data_to_read + *t_wtr);
    }
    if (write && bus_turn_) {
        const std::uint64_t read_data = t_cl_ + burst_ + *bus_turn_;
        after("read_to_write", command, channel.read, read_data - std::min(read_data, t_cwl_));
    }
    check_bus(channel, command);
    Group& group = channel.groups[command.bank_group];
    group.column = command.cycle;
    if (write) {
        bank.written = group.written = command.cycle;
    } else {
        bank.read = channel.read = command.cycle;
    }
}

/// Checks that the data of two requests do not overlap on the bus.
void JedecChecker::check_bus(Channel& channel, const JedecCommand& command) {
    const bool write = command.kind == JedecCommandKind::kWrite;
    const std::uint64_t latency = write ? t_cwl_ : t_cl_;
    const std::uint64_t begin = command.cycle + latency;
    require("data_bus", command, begin >= channel.data_end,
            channel.data_end - std::min(channel.data_end, latency));
    channel.data_end = std::max(channel.data_end, begin + burst_);
}

void JedecChecker::precharge(Channel& channel, const JedecCommand& command) {
    Bank& bank = channel.banks[command.bank];
    after("tRAS", command, bank.activated, t_ras_);
    after("tRTP", command, bank.read, t_rtp_);
    if (t_wr_) after("tWR", command, bank.written, t_cwl_ + burst_ + *t_wr_);
    bank.open = false;
    bank.precharged = command.cycle;
}

void JedecChecker::refresh(Channel& channel, const JedecCommand& command) {
    for (Bank& bank : channel.banks) {
        if (!refresh_closes_rows_) {
            require("refresh_of_open_bank", command, !bank.open);
            after("tRP", command, bank.precharged, t_rp_);
        }
        bank.open = false;
    }
    channel.refreshed = command.cycle;
    if (t_refi_) channel.refresh_due = command.cycle + refresh_distance_;
}

JedecTraceReader::JedecTraceReader(std::istream& in) : in_(in) {
    while (std::getline(in_, line_)) {
        ++line_number_;
        if (line_ == kColumns) return;
        if (line_.rfind("# ", 0) != 0)
            refuse("expected a comment or '" + std::string(kColumns) + "'");
        const std::size_t equals = line_.find('=');
        if (equals == std::string::npos) continue;
        const std::string value = line_.substr(equals + 1);
        std::optional<std::uint64_t> parsed;
        if (value != "none") parsed = number(value);
        try {
            parameters_.set(line_.substr(2, equals - 2), parsed);
        } catch (const std::runtime_error& error) {
            refuse(error.what());
        }
    }
    refuse("the file ends before the line '" + std::string(kColumns) + "'");
}

void JedecTraceReader::refuse(const std::string& reason) const {
    throw std::runtime_error("line " + std::to_string(line_number_) + ": " + reason);
}

std::uint64_t JedecTraceReader::number(std::string_view field) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size()) {
        refuse("got '" + std::string(field) + "', expected a number");
    }
    return value;
}

std::optional<JedecCommand> JedecTraceReader::next() {
    if (!std::getline(in_, line_)) return std::nullopt;
    ++line_number_;
    std::array<std::string_view, 8> fields;
    std::string_view rest = line_;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::size_t comma = rest.find(',');
        if ((comma == std::string_view::npos) != (i + 1 == fields.size())) {
            refuse("expected 8 fields");
        }
        fields[i] = rest.substr(0, comma);
        if (comma != std::string_view::npos) rest.remove_prefix(comma + 1);
    }
    const auto kind = kind_of(fields[2]);
    if (!kind) refuse("got '" + std::string(fields[2]) + "', expected ACT, RD, WR, PRE or REF");
    JedecCommand command;
    command.cycle = number(fields[0]);
    command.channel = static_cast<std::uint32_t>(number(fields[1]));
    command.kind = *kind;
    if (*kind == JedecCommandKind::kRefresh) return command;
    command.bank_group = static_cast<std::uint32_t>(number(fields[3]));
    command.bank = static_cast<std::uint32_t>(number(fields[4]));
    if (*kind != JedecCommandKind::kPrecharge) command.row = number(fields[5]);
    return command;
}

}  // namespace tessera::test
