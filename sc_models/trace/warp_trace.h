// Packed instructions of traced warps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sc_models/trace/instruction_table.h"

namespace tessera {

// A warp is a string of variable-length integers (7 bits a byte, low ones first). An instruction is
//   v+1 [base]                           variant v of the table
//   0 instruction mask [0 offset... base]  what is not in the table: a pattern given in full
//                      [p+1 base]          or pattern p of the table
// where bases are differences to the base before in the same warp, zigzag-coded, as are offsets
// (to the lane before, first active lane left out). An HMMA takes one or two bytes, a regular
// memory instruction about six.

/// One warp of a ThreadBlock, which must outlive it.
class WarpTrace {
public:
    WarpTrace() = default;
    WarpTrace(const InstructionTable* table, const std::uint8_t* begin, const std::uint8_t* end,
              std::uint32_t instructions)
        : table_(table), begin_(begin), end_(end), instructions_(instructions) {}

    /// Reads from the first instruction to the last.
    class Cursor {
    public:
        Cursor() = default;
        explicit Cursor(const WarpTrace& warp)
            : table_(warp.table_), at_(warp.begin_), end_(warp.end_) {}

        /// Reads the next instruction; returns false at the end. Its pointers stay valid as long as
        /// the ThreadBlock, except that the next call overwrites an unshared pattern.
        [[nodiscard]] bool next(TraceInstruction& out) {
            if (at_ == end_) return false;
            const std::uint64_t code = integer();
            if (code == 0) {
                unshared(out);
                return true;
            }
            const InstructionVariant& variant =
                table_->variant(static_cast<std::uint32_t>(code - 1));
            out.what = variant.what;
            out.lanes = variant.lanes;
            out.active_mask = variant.active_mask;
            if (variant.lanes != nullptr) out.base = base();
            return true;
        }

    private:
        std::uint64_t integer() {
            std::uint64_t value = *at_++;
            if (value < 0x80) return value;
            value &= 0x7f;
            for (std::uint32_t shift = 7;; shift += 7) {
                const std::uint64_t byte = *at_++;
                value |= (byte & 0x7f) << shift;
                if (byte < 0x80) return value;
            }
        }
        std::uint64_t zigzag() {
            const std::uint64_t value = integer();
            return (value >> 1) ^ (Address{0} - (value & 1));
        }
        Address base() { return base_ += zigzag(); }
        void unshared(TraceInstruction& out);

        const InstructionTable* table_ = nullptr;
        const std::uint8_t* at_ = nullptr;
        const std::uint8_t* end_ = nullptr;
        Address base_ = 0;
        std::unique_ptr<LanePattern> pattern_;  ///< the current unshared pattern; null before the
                                                ///< first
    };

    [[nodiscard]] Cursor cursor() const { return Cursor(*this); }
    [[nodiscard]] std::uint32_t instructions() const { return instructions_; }
    [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(end_ - begin_); }

private:
    const InstructionTable* table_ = nullptr;
    const std::uint8_t* begin_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    std::uint32_t instructions_ = 0;
};

/// Encodes the format that Cursor reads, one warp after the other into one buffer.
class WarpEncoder {
public:
    explicit WarpEncoder(InstructionTable& table) : table_(table) {}

    void clear() { size_ = 0; }
    void begin_warp() { base_ = 0; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] const std::uint8_t* data() const { return bytes_.data(); }

    /// Appends a variant that accesses no memory.
    void append(std::uint32_t variant) {
        reserve();
        integer(variant + std::uint64_t{1});
    }
    void append(std::uint32_t variant, Address base) {
        append(variant);
        this->base(base);
    }
    /// Appends any line; enters it into the table, whose errors it passes on. Returns the line's
    /// pattern in `lanes` (mask 0: no memory).
    InstructionTable::Entry append(const InstructionLine& line, LanePattern& lanes);

private:
    static constexpr std::size_t kLongestInteger = 10;
    static constexpr std::size_t kLongestInstruction = (kThreadsPerWarp + 5) * kLongestInteger;

    /// Reserves space for one instruction.
    void reserve() {
        if (bytes_.size() - size_ < kLongestInstruction) bytes_.resize(2 * size_ + 4096);
    }
    void integer(std::uint64_t value) {
        while (value >= 0x80) {
            bytes_[size_++] = static_cast<std::uint8_t>(value | 0x80);
            value >>= 7;
        }
        bytes_[size_++] = static_cast<std::uint8_t>(value);
    }
    void zigzag(std::uint64_t difference) {
        integer(difference << 1 ^ (Address{0} - (difference >> 63)));
    }
    void base(Address address) {
        zigzag(address - base_);
        base_ = address;
    }

    InstructionTable& table_;
    std::vector<std::uint8_t> bytes_;
    std::size_t size_ = 0;
    Address base_ = 0;
};

}  // namespace tessera
