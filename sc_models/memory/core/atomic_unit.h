// Atomic-add unit (FP32) of an L2 slice.
#pragma once

#include <cstdint>
#include <cstring>
#include <tlm>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/tlm/memory_port.h"

namespace tessera {

/// Returns the atomic kind of a transaction; kNone without an AccessInfo.
[[nodiscard]] inline AtomicKind atomic_kind(const tlm::tlm_generic_payload& transaction) {
    const auto* const info = transaction.get_extension<AccessInfo>();
    return info == nullptr ? AtomicKind::kNone : info->atomic;
}

/// Reports to the sender of an atomic that it has been executed and that its result, if any, takes
/// `return_cycles` through this level; no effect on other requests.
inline void answer_atomic(AccessInfo& info, Cycle return_cycles) {
    if (info.atomic == AtomicKind::kNone) return;
    info.added = true;
    if (info.atomic == AtomicKind::kFetchAdd) info.return_cycles = return_cycles;
}

/// Common part, for both levels of timing, of a slice's atomic-add unit: one atomic at a time, its
/// words at atomic_words_per_cycle (opportunistic computing, III-B: results are added up at a
/// memory location). Adds are rounded to nearest even, words in ascending order, atomics in the
/// order in which the slice serves them.
class AtomicUnit {
public:
    AtomicUnit(const L2Config& config, StatGroup& stats) : rate_(config.atomic_words_per_cycle) {
        if (rate_ == L2Config::kUnlimited) return;
        stats.counter("atomics", atomics_, "requests", "atomic adds carried out");
        stats.counter("atomic_words", words_, "words", "FP32 words they added");
        stats.counter("atomic_wait_cycles", wait_cycles_, "cycles",
                      "atomic adds waited for the unit");
    }

    [[nodiscard]] bool limited() const { return rate_ != L2Config::kUnlimited; }
    /// Returns the cycles the unit is busy with an atomic of `bytes` bytes.
    [[nodiscard]] Cycle cycles(std::uint32_t bytes) const {
        return ceil_div(ceil_div(bytes, kWordBytes), rate_);
    }
    void count(std::uint32_t bytes) {
        ++atomics_;
        words_ += ceil_div(bytes, kWordBytes);
    }
    void count_wait(Cycle cycles) { wait_cycles_ += cycles; }
    /// Moves the transaction's data: an atomic's words are added to memory's, other bytes are
    /// copied. `debug(command, data)` moves the bytes at the transaction's address from or to
    /// memory.
    template <class Debug>
    void move_data(tlm::tlm_generic_payload& transaction, Debug&& debug) {
        if (transaction.is_write() && atomic_kind(transaction) != AtomicKind::kNone) {
            add(transaction, debug);
        } else {
            debug(transaction.get_command(), transaction.get_data_ptr());
        }
    }

private:
    static constexpr std::uint32_t kWordBytes = 4;

    template <class Debug>
    void add(tlm::tlm_generic_payload& transaction, Debug&& debug) {
        const unsigned bytes = transaction.get_data_length();
        old_.resize(bytes);
        sum_.resize(bytes);
        debug(tlm::TLM_READ_COMMAND, old_.data());
        unsigned char* const data = transaction.get_data_ptr();
        for (unsigned at = 0; at + kWordBytes <= bytes; at += kWordBytes) {
            float left = 0, right = 0;
            std::memcpy(&left, old_.data() + at, sizeof left);
            std::memcpy(&right, data + at, sizeof right);
            left += right;
            std::memcpy(sum_.data() + at, &left, sizeof left);
        }
        debug(tlm::TLM_WRITE_COMMAND, sum_.data());
        if (atomic_kind(transaction) == AtomicKind::kFetchAdd) {
            std::memcpy(data, old_.data(), bytes);
        }
    }

    std::uint32_t rate_;
    std::uint64_t atomics_ = 0, words_ = 0, wait_cycles_ = 0;
    std::vector<unsigned char> old_, sum_;
};

}  // namespace tessera
