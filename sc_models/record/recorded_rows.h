// Rows of a recording as they are added, all or the last ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "sc_models/align/recording.h"

namespace tessera {

/// Recorded rows: all up to `rows`, or the last ones.
struct RecordedSpan {
    std::size_t rows = 0;
    bool keeps_last = false;
};

/// Rows of a recording that is being made. A row has a number, which it keeps when older rows are
/// dropped.
class RecordedRows {
public:
    static constexpr std::uint64_t kNoRow = ~std::uint64_t{0};

    explicit RecordedRows(RecordedSpan span) : span_(span) {}

    [[nodiscard]] Recording& recording() { return recording_; }
    [[nodiscard]] const Recording& recording() const { return recording_; }
    [[nodiscard]] NameTable& links() { return recording_.links; }
    [[nodiscard]] NameTable& words() { return recording_.words; }
    /// Number of rows kept.
    [[nodiscard]] std::uint64_t size() const {
        return recording_.instructions.size() + recording_.transactions.size();
    }
    /// Returns whether further rows are left out.
    [[nodiscard]] bool full() const { return !span_.keeps_last && size() >= span_.rows; }
    /// Reports a row that was left out, which makes the recording incomplete.
    void leave_out() { leaves_out_ = true; }

    /// Returns the place of the next request or response among all.
    [[nodiscard]] std::uint64_t next_order() { return ++order_; }
    /// Append a row; return its number.
    std::uint64_t add(const RecordedInstruction& row) {
        recording_.instructions.push_back(row);
        return first_instruction_ + recording_.instructions.size() - 1;
    }
    std::uint64_t add(const RecordedTransaction& row) {
        recording_.transactions.push_back(row);
        return first_transaction_ + recording_.transactions.size() - 1;
    }
    /// If the last rows are kept: drops the older half once they are twice as many. Returns whether
    /// rows were dropped.
    bool drop_old();

    /// Returns whether `instruction` is the number of a row that was not dropped.
    [[nodiscard]] bool has_instruction(std::uint64_t instruction) const {
        return instruction != kNoRow && instruction >= first_instruction_;
    }
    [[nodiscard]] bool has_transaction(std::uint64_t transaction) const {
        return transaction != kNoRow && transaction >= first_transaction_;
    }
    /// Return a row that was not dropped.
    [[nodiscard]] RecordedInstruction& instruction(std::uint64_t number) {
        return recording_.instructions[number - first_instruction_];
    }
    [[nodiscard]] const RecordedInstruction& instruction(std::uint64_t number) const {
        return recording_.instructions[number - first_instruction_];
    }
    [[nodiscard]] RecordedTransaction& transaction(std::uint64_t number) {
        return recording_.transactions[number - first_transaction_];
    }
    /// Sets the instruction that caused a row; none if it was dropped, or for kNoRow.
    void set_instruction(RecordedTransaction& row, std::uint64_t instruction) const {
        if (!has_instruction(instruction)) return;
        row.instruction = static_cast<std::uint32_t>(instruction - first_instruction_);
    }

    /// Returns whether an instruction caused the row of a transaction that was not dropped.
    [[nodiscard]] bool is_caused_by(std::uint64_t transaction, std::uint64_t instruction) const {
        return has_transaction(transaction) && instruction != kNoRow &&
               recording_.transactions[transaction - first_transaction_].instruction ==
                   instruction - first_instruction_;
    }

    /// Lines of a report with the last rows of an SM; `is_of_sm` tells its links.
    [[nodiscard]] std::string last_lines(
        std::uint32_t sm, const std::function<bool(std::uint32_t link)>& is_of_sm) const;
    /// Ends the recording, which is complete if `end` is empty and no row was left out; once.
    [[nodiscard]] Recording take(const std::string& end);

private:
    [[nodiscard]] std::string line(const RecordedTransaction& row) const;

    const RecordedSpan span_;
    Recording recording_;
    std::uint64_t first_instruction_ = 0, first_transaction_ = 0;  ///< numbers of the kept rows
    std::uint64_t order_ = 0;
    bool leaves_out_ = false;
};

}  // namespace tessera
