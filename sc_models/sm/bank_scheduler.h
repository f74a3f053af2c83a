// Schedule of the requests of one warp memory instruction over cycles and L1 banks.
#pragma once

#include <cstdint>

#include "sc_models/common/divisor.h"
#include "sc_models/common/types.h"
#include "sc_models/common/xor_fold.h"
#include "sc_models/config/memory_config.h"

namespace tessera {

/// Maps an address to an L1 bank: its interleave unit modulo the banks or, if hashed, the
/// exclusive-or of all base-`banks` digits of the unit, which spreads power-of-two pitches. `banks`
/// must be a power of two if hashed; xor_next uses the two lowest digits only.
class BankMap {
public:
    explicit BankMap(const L1Config& l1)
        : interleave_(l1.bank_interleave_bytes),
          banks_(l1.banks),
          hash_(l1.bank_hash),
          digit_bits_(index_bits(l1.banks)) {}
    [[nodiscard]] std::uint32_t bank(Address address) const {
        const Address unit = address / interleave_;
        switch (hash_) {
            case BankHash::kXor:
                return static_cast<std::uint32_t>(xor_fold(unit, digit_bits_));
            case BankHash::kXorNext:
                return static_cast<std::uint32_t>((unit ^ unit >> digit_bits_) &
                                                  (banks_.value() - 1));
            default:
                return static_cast<std::uint32_t>(unit % banks_);
        }
    }

private:
    Divisor interleave_, banks_;
    BankHash hash_;
    std::uint32_t digit_bits_;
};

/// Assigns the requests of one instruction to cycles: requests go in order, up to `per_cycle` in a
/// cycle, each bank at most once in a cycle; the first request that does not fit opens the next
/// cycle. Supports at most 64 banks.
class BankScheduler {
public:
    BankScheduler(Cycle start, std::uint32_t per_cycle) : cycle_(start), per_cycle_(per_cycle) {}

    /// Returns the cycle in which a request to `bank` would go.
    [[nodiscard]] Cycle peek(std::uint32_t bank) const { return fits(bank) ? cycle_ : cycle_ + 1; }
    /// Sends a request to `bank`; returns its cycle.
    Cycle take(std::uint32_t bank) {
        if (!fits(bank)) open(cycle_ + 1);
        used_ |= std::uint64_t{1} << bank;
        ++count_;
        return cycle_;
    }
    /// Delays the request just sent, and all requests behind it, to `cycle` at the earliest.
    void stall_until(Cycle cycle) {
        if (cycle > cycle_) open(cycle);
    }
    /// Returns the first cycle that is free for the next instruction (at least one cycle is spent).
    [[nodiscard]] Cycle end() const { return cycle_ + 1; }

private:
    [[nodiscard]] bool fits(std::uint32_t bank) const {
        return count_ < per_cycle_ && ((used_ >> bank) & 1) == 0;
    }
    void open(Cycle cycle) {
        cycle_ = cycle;
        used_ = 0;
        count_ = 0;
    }

    Cycle cycle_;
    std::uint32_t per_cycle_;
    std::uint64_t used_ = 0;
    std::uint32_t count_ = 0;
};

}  // namespace tessera
