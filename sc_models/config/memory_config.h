// Configuration of the memory hierarchy below the LDST units.
#pragma once

#include <cstdint>

#include "sc_models/config/engine/config_visitor.h"
#include "sc_models/config/engine/knob.h"

namespace tessera {

inline constexpr std::uint32_t kMaxLineSectors = 8;                ///< sector masks have one byte
inline constexpr std::uint32_t kMaxMshrEntries = (1U << 16U) - 1;  ///< indices have 16 bits

enum class IndexHash { kNone, kXor };
/// IndexHash, and kXorNext, which uses only the index bits and those right above them, as in
/// GPGPU-Sim.
enum class BankHash { kNone, kXor, kXorNext };
/// Time at which a missing sector's line takes a way and evicts another: when the miss is sent, or
/// when it returns.
enum class L1Allocation { kOnMiss, kOnFill };

/// L1 data cache: sectored, write-through, no write-allocate. Its size is the part of the unified
/// L1 that shared memory does not use.
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
        12;                                  ///< sum of tag lookup, request out and fill back in
    Knob<std::uint32_t> mshr_entries = 256;  ///< outstanding sectors
    Knob<std::uint32_t> mshr_targets = 64;   ///< accesses served by one outstanding sector
    static constexpr std::uint32_t kUnlimited = 0;
    Knob<std::uint32_t> returns_per_cycle = kUnlimited;  ///< accesses that receive fill data
    Knob<std::uint32_t> request_queue_entries = 16;      ///< requests before the tag lookup
    Knob<std::uint32_t> miss_queue_entries = 256;        ///< requests on the way to the crossbar
    Knob<std::uint32_t> sectors_per_request = 4;  ///< neighbouring missing sectors per request

    /// Number of sets of a cache of `capacity_bytes`. Throws ConfigError unless it is an integer.
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
    Knob<std::uint32_t> hit_latency_cycles = 80;  ///< for a miss: half before, half after DRAM
    Knob<std::uint32_t> mshr_entries = 192;       ///< outstanding sectors per slice
    static constexpr std::uint32_t kUnlimited = 0;
    Knob<std::uint32_t> atomic_words_per_cycle = kUnlimited;  ///< for a slice's atomic-add unit
    /// Capacity of all slices. Reads with peek(), because callers only estimate and do not
    /// simulate.
    [[nodiscard]] std::uint64_t capacity_bytes() const {
        return std::uint64_t{slices.peek()} * sets_per_slice.peek() * ways.peek() *
               line_bytes.peek();
    }

    // Used by the approximately-timed model only:
    Knob<std::uint32_t> request_queue_entries = 16;    ///< requests before the tag lookup
    Knob<std::uint32_t> response_queue_entries = 512;  ///< reads after lookup and before the
                                                       ///< response
    Knob<std::uint32_t> miss_queue_entries = 64;       ///< requests on the way to DRAM

    void bind(ConfigVisitor& v);
};

/// DRAM: channels of banks with open rows. Timing in DRAM clock cycles, with the terms of JEDEC
/// HBM2 (CAS latency etc.).
struct DramConfig {
    Knob<std::uint32_t> channels = 48;  ///< HBM2 pseudo channels: 3 stacks x 16
    Knob<std::uint32_t> clock_mhz = 850;
    Knob<std::uint32_t> bytes_per_clock = 16;  ///< per channel: 64 bit, both edges
    Knob<std::uint32_t> banks = 16;
    Knob<std::uint32_t> row_bytes = 1024;
    Knob<std::uint32_t> controller_latency_cycles = 196;  ///< core cycles, sum of both ways
    Knob<std::uint32_t> t_rcd_cycles = 12;
    Knob<std::uint32_t> t_rp_cycles = 12;
    Knob<std::uint32_t> t_cl_cycles = 12;
    Knob<std::uint32_t> t_ras_cycles = 28;
    Knob<std::uint32_t> t_ccd_cycles = 1;
    Knob<std::uint32_t> queue_entries =
        64;  ///< requests that may be reordered to serve open rows first
    Knob<std::uint32_t> efficiency_percent = 100;  ///< percentage of the data bus's time usable for
                                                   ///< data
    /// Approximately-timed only: row hits that may overtake the oldest request of their bank.
    Knob<std::uint32_t> row_hit_cap = 32;
    // Rules that are disabled by default (memory/core/dram_timing.h).
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
