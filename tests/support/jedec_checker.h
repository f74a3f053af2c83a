// Checker of JEDEC's timing and state rules of DRAM commands, independent of the model.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::test {

enum class JedecCommandKind : std::uint8_t { kActivate, kRead, kWrite, kPrecharge, kRefresh };

/// Command of one channel. A refresh is for all banks.
struct JedecCommand {
    std::uint64_t cycle = 0;
    std::uint32_t channel = 0;
    JedecCommandKind kind = JedecCommandKind::kRefresh;
    std::uint32_t bank_group = 0;
    std::uint32_t bank = 0;  ///< within the channel
    std::uint64_t row = 0;
};

/// Geometry and timing of a channel, from the comment lines of a trace, in cycles of the DRAM
/// clock. A rule without a value is not checked.
class JedecParameters {
public:
    /// Throws std::runtime_error unless `name` is a parameter of the checker or of kOtherNames.
    void set(const std::string& name, std::optional<std::uint64_t> value);
    [[nodiscard]] std::optional<std::uint64_t> find(const std::string& name) const;
    /// Returns a parameter that every trace must give; throws std::runtime_error without it.
    [[nodiscard]] std::uint64_t need(const std::string& name) const;

private:
    std::map<std::string, std::optional<std::uint64_t>> values_;
};

/// Command that breaks a rule.
struct JedecViolation {
    std::string rule;
    JedecCommand command;
    std::uint64_t earliest = 0;  ///< cycle at which the command is allowed; 0: a rule of state
    [[nodiscard]] std::string text() const;
};

/// Checks the commands of any number of channels (JESD235 for HBM, JESD212 for GDDR5). Write
/// recovery and tWTR count from the end of the write's data, which is tCWL + burst after its
/// command.
class JedecChecker {
public:
    /// Throws std::runtime_error if the geometry, tCL, tCWL or the burst is missing.
    explicit JedecChecker(const JedecParameters& parameters);

    /// Checks the channel's next command.
    void check(const JedecCommand& command);

    [[nodiscard]] std::uint64_t commands() const { return commands_; }
    /// Returns whether there was a command, and no violation.
    [[nodiscard]] bool passed() const { return commands_ != 0 && violations_.empty(); }
    /// Violations by rule.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& violations() const {
        return violations_;
    }
    /// Comparisons by rule; a rule that never had two commands to compare is missing.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& checks() const { return checks_; }
    /// The first violations, at most kKept of each rule.
    [[nodiscard]] const std::vector<JedecViolation>& first() const { return first_; }
    static constexpr std::uint64_t kKept = 5;

private:
    static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
    using Time = std::optional<std::uint64_t>;
    struct Bank {
        bool open = false;
        std::uint64_t row = 0;
        Time activated, precharged, read, written;
    };
    struct Group {
        Time activated, column, written;
    };
    struct Channel {
        std::vector<Bank> banks;
        std::vector<Group> groups;
        std::array<Time, 4> activations;  ///< the last four; a ring
        std::size_t oldest = 0;
        Time read, refreshed;
        std::uint64_t data_end = 0;          ///< end of the latest data on the bus
        std::uint64_t refresh_due = kNever;  ///< last cycle without a refresh
        std::uint64_t last = 0;              ///< cycle of the last command
    };

    void check_order(Channel& channel, const JedecCommand& command);
    void activate(Channel& channel, const JedecCommand& command);
    void column(Channel& channel, const JedecCommand& command);
    void precharge(Channel& channel, const JedecCommand& command);
    void refresh(Channel& channel, const JedecCommand& command);
    void check_bus(Channel& channel, const JedecCommand& command);
    /// Checks that the command is at least `distance` after `since`, if both are given.
    void after(const char* rule, const JedecCommand& command, Time since, Time distance);
    void require(const char* rule, const JedecCommand& command, bool holds,
                 std::uint64_t earliest = 0);
    Channel& channel_of(const JedecCommand& command);

    // Geometry, and rules with values.
    std::uint32_t banks_, groups_;
    std::uint64_t burst_, t_cl_, t_cwl_;
    Time t_rcd_, t_rp_, t_ras_, t_rc_, t_ccd_s_, t_ccd_l_, t_rrd_s_, t_rrd_l_, t_faw_, t_rtp_,
        t_wr_, t_wtr_s_, t_wtr_l_, bus_turn_, t_refi_, t_rfc_;
    std::uint64_t refresh_distance_ = kNever;  ///< tREFI with the refreshes that may be postponed
    bool refresh_closes_rows_;

    std::vector<Channel> channels_;
    std::uint64_t commands_ = 0;
    std::map<std::string, std::uint64_t> violations_, checks_;
    std::vector<JedecViolation> first_;
};

/// Reader of a trace: comment lines "# name=value", a line of column names, and commands.
class JedecTraceReader {
public:
    /// Reads up to the first command. Throws std::runtime_error, with the line, if the text is no
    /// trace.
    explicit JedecTraceReader(std::istream& in);
    [[nodiscard]] const JedecParameters& parameters() const { return parameters_; }
    /// Returns the next command, or nothing at the end. Throws std::runtime_error, with the line.
    std::optional<JedecCommand> next();

private:
    [[noreturn]] void refuse(const std::string& reason) const;
    std::uint64_t number(std::string_view field) const;

    std::istream& in_;
    JedecParameters parameters_;
    std::string line_;
    std::uint64_t line_number_ = 0;
};

}  // namespace tessera::test
