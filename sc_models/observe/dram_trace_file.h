// File of DRAM commands.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sc_models/common/dram_command_recorder.h"
#include "sc_models/common/partial_file.h"

namespace tessera {

/// Writes the commands of all DRAM channels as CSV: comment lines "# name=value" with the
/// parameters of a channel ("none" for a rule that is off), a line that names the columns, and a
/// line for each command. The commands of a channel are in the order of their cycles; those of
/// different channels come in blocks. Commands that arrive out of order are sorted when advance()
/// has passed their cycle.
class DramTraceFile final : public DramCommandRecorder {
public:
    /// Throws ConfigError if the file cannot be written.
    explicit DramTraceFile(const std::string& file) : file_(file) {}
    /// Saves the commands so far if finish() was never called (an exception, an interrupted run).
    ~DramTraceFile() override;
    DramTraceFile(const DramTraceFile&) = delete;
    DramTraceFile& operator=(const DramTraceFile&) = delete;

    Channel add_channel(const std::vector<DramParameter>& parameters,
                        std::function<void()> close) override;
    void record(Channel channel, const DramCommand& command) override;
    void advance(Channel channel, Cycle cycle) override;

    /// Call after the run. Throws ConfigError if the run had no DRAM command, or the file could not
    /// be written.
    void finish();
    /// Returns the number of commands recorded.
    [[nodiscard]] std::uint64_t commands() const { return commands_; }

private:
    struct ChannelLog {
        std::function<void()> close;
        std::vector<DramCommand> kept;  ///< not written yet
    };

    void write(Channel channel, Cycle before);
    void append(Channel channel, const DramCommand& command);
    void save();

    PartialFile file_;
    std::vector<ChannelLog> channels_;
    std::vector<DramCommand> due_;  ///< commands being written
    std::string text_;
    std::uint64_t commands_ = 0;
    bool saved_ = false;
};

}  // namespace tessera
