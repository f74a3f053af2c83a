// When the registers of a warp are written and read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Scoreboard of a warp: for the first register of each operand, when it is written
/// (read-after-write), by what, and until when it is read (write-after-read).
///
/// There are some hundred registers a warp and thousands of warps, and every instruction looks at a
/// few. So that the host's caches hold those, an entry has eight bytes, with cycles counted from a
/// base, and registers eight apart lie side by side: the tiles of sums, or the fragments, of
/// 16x16x16 products take eight each. Nothing may be written or read kMostAhead cycles ahead or
/// more.
class RegisterScoreboard {
public:
    static constexpr Cycle kMostAhead = Cycle{1} << 29U;
    /// Who writes a register, to name the stall of who waits for it.
    enum class Producer : std::uint8_t { kNone, kMemory, kTensor, kAlu };

    /// `registers` of them, all written and read by cycle `now`.
    void reset(std::uint32_t registers, Cycle now) {
        registers_ = registers;
        rows_ = (registers + kColumns - 1) / kColumns;
        entries_.assign(std::size_t{rows_} * kColumns, Entry{});
        base_ = now;
    }
    /// All of them written and read by cycle `now`.
    void clear(Cycle now) {
        std::fill(entries_.begin(), entries_.end(), Entry{});
        base_ = now;
    }
    [[nodiscard]] std::uint32_t registers() const { return registers_; }

    /// When the value of `reg` is there; kNever: not known yet. What is past may be any cycle of
    /// the past.
    [[nodiscard]] Cycle written(std::uint32_t reg) const {
        const std::uint32_t written = entries_[place(reg)].written;
        return written == kUnknown ? kNever : base_ + written;
    }
    [[nodiscard]] Producer producer(std::uint32_t reg) const {
        return static_cast<Producer>(entries_[place(reg)].producer);
    }
    /// Until when instructions that have issued read `reg`; as written().
    [[nodiscard]] Cycle read_until(std::uint32_t reg) const {
        return base_ + entries_[place(reg)].read_until;
    }

    /// An instruction writes `reg` at cycle `at` (kNever: not known yet), and nobody reads what was
    /// there.
    void write(std::uint32_t reg, Cycle at, Producer by) {
        const std::uint32_t written = at == kNever ? kUnknown : since_base(at);
        entries_[place(reg)] = {written, 0, static_cast<std::uint32_t>(by)};
    }
    /// What writes `reg` does so at cycle `at`.
    void arrive(std::uint32_t reg, Cycle at) {
        const std::uint32_t written = since_base(at);
        entries_[place(reg)].written = written;
    }
    /// An instruction reads `reg` until cycle `until`.
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
    /// What lies before the new base, and so is past, becomes the base.
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
