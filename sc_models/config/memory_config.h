// Configuration of the memory hierarchy below the LDST units.
#pragma once

#include <cstdint>

#include "sc_models/config/config_visitor.h"
#include "sc_models/config/knob.h"

namespace tessera {

inline constexpr std::uint32_t kMaxLineSectors = 8;                ///< a sector has a bit in a byte
inline constexpr std::uint32_t kMaxMshrEntries = (1U << 16U) - 1;  ///< an index has 16 bits

enum class IndexHash { kNone, kXor };
/// As IndexHash; kXorNext takes the index bits and those right above them only, as GPGPU-Sim does.
enum class BankHash { kNone, kXor, kXorNext };
/// When a missing sector's line takes a way, pushing out another: as the miss is sent, or as it
/// returns.
enum class L1Allocation { kOnMiss, kOnFill };

/// L1 data cache: sectored, write-through, no write-allocate. Its size is what
/// the unified L1 leaves beside shared memory.
struct L1Config {
    Knob<std::uint32_t> ways = 4;
    Knob<std::uint32_t> line_bytes = 128;
    Knob<std::uint32_t> sector_bytes = 32;
    Knob<L1Allocation> allocation = L1Allocation::kOnMiss;
    Knob<IndexHash> set_hash = IndexHash::kNone;
    Knob<std::uint32_t> banks = 4;
    Knob<std::uint32_t> bank_interleave_bytes = 32;
    Knob<BankHash> bank_hash = BankHash::kXor;
    Knob<std::uint32_t> hit_latency_cycles = 28;  ///< lookup to data in the register file
    Knob<std::uint32_t> miss_latency_cycles =
        12;                                  ///< tag lookup, request out and fill back in, together
    Knob<std::uint32_t> mshr_entries = 256;  ///< outstanding sectors
    Knob<std::uint32_t> mshr_targets = 64;   ///< accesses one outstanding sector serves
    static constexpr std::uint32_t kUnlimited = 0;
    Knob<std::uint32_t> returns_per_cycle = kUnlimited;  ///< accesses that fills give their data
    Knob<std::uint32_t> request_queue_entries = 16;      ///< requests before the tag lookup
    Knob<std::uint32_t> miss_queue_entries = 256;        ///< requests on their way to the crossbar
    Knob<std::uint32_t> sectors_per_request =
        4;  ///< neighbouring missing sectors one request asks for

    /// Sets of a cache of `capacity_bytes`. Throws ConfigError unless they are whole sets.
    [[nodiscard]] std::uint32_t sets(std::uint32_t capacity_bytes) const;
    void bind(ConfigVisitor& v);
};

/// First TLB of an SM, between its L1 and the crossbar (memory/core/tlb.h).
struct TlbConfig {
    Knob<std::uint32_t> entries = 0;  ///< 0: addresses need no translation
    Knob<std::uint32_t> page_kib = 2048;
    Knob<std::uint32_t> miss_latency_cycles = 654;

    void bind(ConfigVisitor& v);
};

/// L2: slices of a sectored, write-back, write-allocate cache.
struct L2Config {
    Knob<std::uint32_t> slices = 48;
    Knob<std::uint32_t> sets_per_slice = 32;
    Knob<std::uint32_t> ways = 24;
    Knob<std::uint32_t> line_bytes = 128;
    Knob<std::uint32_t> sector_bytes = 32;
    Knob<IndexHash> set_hash = IndexHash::kXor;
    Knob<IndexHash> slice_hash = IndexHash::kXor;
    Knob<std::uint32_t> slice_interleave_bytes = 256;
    Knob<std::uint32_t> hit_latency_cycles = 80;  ///< of a miss: half before, half after DRAM
    Knob<std::uint32_t> mshr_entries = 192;       ///< outstanding sectors of a slice
    static constexpr std::uint32_t kUnlimited = 0;
    Knob<std::uint32_t> atomic_words_per_cycle = kUnlimited;  ///< of a slice's atomic-add unit
    /// Of all slices, for what weighs runs: no use of the keys.
    [[nodiscard]] std::uint64_t capacity_bytes() const {
        return std::uint64_t{slices.peek()} * sets_per_slice.peek() * ways.peek() *
               line_bytes.peek();
    }

    // Approximately-timed only:
    Knob<std::uint32_t> request_queue_entries = 16;    ///< requests before the tag lookup
    Knob<std::uint32_t> response_queue_entries = 512;  ///< reads looked up and not yet answered
    Knob<std::uint32_t> miss_queue_entries = 64;       ///< requests on their way to DRAM

    void bind(ConfigVisitor& v);
};

/// DRAM: channels of banks with open rows. Timing in DRAM clock cycles (CAS latency and so on as in
/// JEDEC HBM2's terms).
struct DramConfig {
    Knob<std::uint32_t> channels = 48;  ///< HBM2 pseudo channels: 3 stacks x 16
    Knob<std::uint32_t> clock_mhz = 850;
    Knob<std::uint32_t> bytes_per_clock = 16;  ///< of one channel: 64 bit, both edges
    Knob<std::uint32_t> banks = 16;
    Knob<std::uint32_t> row_bytes = 1024;
    Knob<std::uint32_t> controller_latency_cycles = 196;  ///< core cycles, both ways together
    Knob<std::uint32_t> t_rcd_cycles = 12;
    Knob<std::uint32_t> t_rp_cycles = 12;
    Knob<std::uint32_t> t_cl_cycles = 12;
    Knob<std::uint32_t> t_ras_cycles = 28;
    Knob<std::uint32_t> t_ccd_cycles = 1;
    Knob<std::uint32_t> queue_entries =
        64;  ///< requests that may be reordered to serve open rows first
    Knob<std::uint32_t> efficiency_percent = 100;  ///< of the data bus's time that data can take
    /// Approximately-timed only: row hits that may overtake the oldest request of their bank.
    Knob<std::uint32_t> row_hit_cap = 32;
    // Rules that are off as the struct stands (memory/core/dram_timing.h).
    static constexpr std::uint32_t kNoRule = 0;
    static constexpr std::uint32_t kNoTurnaround = ~std::uint32_t{0};
    Knob<std::uint32_t> bank_groups = 1;
    Knob<std::uint32_t> t_ccd_l_cycles = 2;
    Knob<std::uint32_t> t_rrd_cycles = kNoRule;
    Knob<std::uint32_t> t_faw_cycles = kNoRule;
    Knob<std::uint32_t> t_wtr_cycles = kNoTurnaround;
    Knob<std::uint32_t> t_cwl_cycles = 4;
    Knob<std::uint32_t> t_wr_cycles = 14;
    Knob<std::uint32_t> write_drain_high = 56;  ///< requests
    Knob<std::uint32_t> write_drain_low = 32;   ///< requests
    Knob<std::uint32_t> t_refi_cycles = kNoRule;
    Knob<std::uint32_t> t_rfc_cycles = 221;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
