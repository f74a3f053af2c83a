// Register scoreboard of a warp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Scoreboard of a warp. For the first register of each operand it holds the cycle at which it is
/// written (read-after-write), the producer kind, and the cycle until which it is read
/// (write-after-read).
///
/// There are some hundred registers a warp and thousands of warps, and every instruction reads a
/// few entries. To fit the host's caches, an entry has eight bytes, with cycles counted from a
/// base, and registers eight apart lie side by side: the sums or fragments of 16x16x16 products
/// take eight registers each. No read or write may be scheduled kMostAhead cycles ahead or more.
class RegisterScoreboard {
public:
    static constexpr Cycle kMostAhead = Cycle{1} << 29U;
    /// Producer kind, for stall attribution.
    enum class Producer : std::uint8_t { kNone, kMemory, kTensor, kAlu };

    /// Resets to `registers` registers, all written and read by cycle `now`.
    void reset(std::uint32_t registers, Cycle now) {
        registers_ = registers;
        rows_ = (registers + kColumns - 1) / kColumns;
        entries_.assign(std::size_t{rows_} * kColumns, Entry{});
        base_ = now;
    }
    /// Marks all registers as written and read by cycle `now`.
    void clear(Cycle now) {
        std::fill(entries_.begin(), entries_.end(), Entry{});
        base_ = now;
    }
    [[nodiscard]] std::uint32_t registers() const { return registers_; }

    /// Returns the cycle at which the value of `reg` is written; kNever: unknown yet. Past cycles
    /// are inexact: any cycle of the past may be returned.
    [[nodiscard]] Cycle written(std::uint32_t reg) const {
        const std::uint32_t written = entries_[place(reg)].written;
        return written == kUnknown ? kNever : base_ + written;
    }
    [[nodiscard]] Producer producer(std::uint32_t reg) const {
        return static_cast<Producer>(entries_[place(reg)].producer);
    }
    /// Returns the cycle until which issued instructions read `reg`; past cycles as in written().
    [[nodiscard]] Cycle read_until(std::uint32_t reg) const {
        return base_ + entries_[place(reg)].read_until;
    }

    /// An instruction writes `reg` at cycle `at` (kNever: unknown yet); no instruction reads the
    /// old value after it.
    void write(std::uint32_t reg, Cycle at, Producer by) {
        const std::uint32_t written = at == kNever ? kUnknown : since_base(at);
        entries_[place(reg)] = {written, 0, static_cast<std::uint32_t>(by)};
    }
    /// Sets the cycle at which the pending write of `reg` happens.
    void arrive(std::uint32_t reg, Cycle at) {
        const std::uint32_t written = since_base(at);
        entries_[place(reg)].written = written;
    }
    /// Records that an instruction reads `reg` until cycle `until`.
    void read(std::uint32_t reg, Cycle until) {
        const std::uint32_t end = since_base(until);
        Entry& entry = entries_[place(reg)];
        if (end > entry.read_until) entry.read_until = end;
    }

private:
    struct Entry {
        std::uint32_t written = 0;
        std::uint32_t read_until : 30;
        std::uint32_t producer : 2;
        Entry() : read_until(0), producer(0) {}
        Entry(std::uint32_t at, std::uint32_t until, std::uint32_t by)
            : written(at), read_until(until), producer(by) {}
    };
    static_assert(sizeof(Entry) == 8);
    static constexpr Cycle kSpan = 2 * kMostAhead;
    static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
    static constexpr std::uint32_t kColumns = 8;

    [[nodiscard]] std::size_t place(std::uint32_t reg) const {
        return std::size_t{reg % kColumns} * rows_ + reg / kColumns;
    }
    [[nodiscard]] std::uint32_t since_base(Cycle at) {
        if (at <= base_) return 0;
        if (at - base_ >= kSpan) move_base(at - kMostAhead);
        return static_cast<std::uint32_t>(at - base_);
    }
    /// Moves the base forward; cycles before the new base are past and are clamped to it.
    void move_base(Cycle to) {
        const Cycle shift = to - base_;
        const auto moved = [shift](std::uint32_t cycle) {
            return cycle > shift ? static_cast<std::uint32_t>(cycle - shift) : 0;
        };
        for (Entry& entry : entries_) {
            if (entry.written != kUnknown) entry.written = moved(entry.written);
            entry.read_until = moved(entry.read_until);
        }
        base_ = to;
    }

    std::uint32_t registers_ = 0, rows_ = 0;
    Cycle base_ = 0;
    std::vector<Entry> entries_;
};

}  // namespace tessera
