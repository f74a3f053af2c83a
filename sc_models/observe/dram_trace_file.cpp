#include "sc_models/observe/dram_trace_file.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/logging.h"

namespace tessera {
namespace {

/// Commands kept for a channel before those that are due are written.
constexpr std::size_t kBlock = 4096;

std::string_view name_of(DramCommandKind kind) {
    constexpr std::array<std::string_view, 5> kNames = {"PRE", "REF", "ACT", "RD", "WR"};
    return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

DramTraceFile::~DramTraceFile() {
    if (saved_ || commands_ == 0) return;
    try {
        save();
    } catch (const std::exception& error) {
        logger("run").error(error.what());
    }
}

DramCommandRecorder::Channel DramTraceFile::add_channel(
    const std::vector<DramParameter>& parameters, std::function<void()> close) {
    if (channels_.empty()) {
        std::string header = "# DRAM commands; times and distances in cycles of the DRAM clock\n";
        for (const auto& [name, value] : parameters) {
            header += value == DramParameter::kNoRule ? fmt::format("# {}=none\n", name)
                                                      : fmt::format("# {}={}\n", name, value);
        }
        file_.write(header + "cycle,channel,command,bank_group,bank,row,column_bytes,id\n");
    }
    channels_.push_back({std::move(close), {}});
    return static_cast<Channel>(channels_.size() - 1);
}

void DramTraceFile::record(Channel channel, const DramCommand& command) {
    ++commands_;
    channels_[channel].kept.push_back(command);
}

void DramTraceFile::advance(Channel channel, Cycle cycle) {
    if (channels_[channel].kept.size() >= kBlock) write(channel, cycle);
}

/// Writes the channel's commands before cycle `before`.
void DramTraceFile::write(Channel channel, Cycle before) {
    std::vector<DramCommand>& kept = channels_[channel].kept;
    const auto later = std::stable_partition(
        kept.begin(), kept.end(),
        [before](const DramCommand& command) { return command.cycle >= before; });
    due_.assign(later, kept.end());
    kept.erase(later, kept.end());
    std::stable_sort(due_.begin(), due_.end(), [](const DramCommand& a, const DramCommand& b) {
        return std::tie(a.cycle, a.kind) < std::tie(b.cycle, b.kind);
    });
    text_.clear();
    for (const DramCommand& command : due_) append(channel, command);
    file_.write(text_);
}

void DramTraceFile::append(Channel channel, const DramCommand& command) {
    const auto out = std::back_inserter(text_);
    fmt::format_to(out, "{},{},{}", command.cycle, channel, name_of(command.kind));
    switch (command.kind) {
        case DramCommandKind::kRefresh:
            text_ += ",,,,,\n";
            return;
        case DramCommandKind::kPrecharge:
            fmt::format_to(out, ",{},{},,,\n", command.bank_group, command.bank);
            return;
        case DramCommandKind::kActivate:
            fmt::format_to(out, ",{},{},{},,\n", command.bank_group, command.bank, command.row);
            return;
        case DramCommandKind::kRead:
        case DramCommandKind::kWrite:
            break;
    }
    fmt::format_to(out, ",{},{},{},{},", command.bank_group, command.bank, command.row,
                   command.column);
    if (command.id != 0) fmt::format_to(out, "{}", command.id);
    text_ += '\n';
}

void DramTraceFile::save() {
    saved_ = true;
    for (Channel channel = 0; channel < channels_.size(); ++channel) write(channel, kNever);
    file_.commit();
}

void DramTraceFile::finish() {
    for (const ChannelLog& channel : channels_) channel.close();
    if (commands_ == 0) {
        saved_ = true;
        throw ConfigError("--dram-trace: the run had no DRAM command: no file was written");
    }
    save();
}

}  // namespace tessera
