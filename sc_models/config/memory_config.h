// Configuration of the memory hierarchy below the LDST units.
#pragma once

#include <cstdint>

#include "sc_models/config/engine/config_visitor.h"

namespace tessera {

inline constexpr std::uint32_t kMaxLineSectors = 8;                ///< sector masks have one byte
inline constexpr std::uint32_t kMaxMshrEntries = (1U << 16U) - 1;  ///< indices have 16 bits

/// Policy by which a missing line takes the way of another (memory/core/replacement_policy.h).
enum class Replacement { kLru, kFifo, kRandom };
enum class IndexHash { kNone, kXor };
/// IndexHash, and kXorNext, which uses only the index bits and those right above them, as in
/// GPGPU-Sim.
enum class BankHash { kNone, kXor, kXorNext };
/// Time at which a missing sector's line takes a way and evicts another: when the miss is sent, or
/// when it returns.
enum class L1Allocation { kOnMiss, kOnFill };

/// Effect of a store on an L1 that lacks its line: none, or the line takes a way, and the sectors
/// that the store fills are present.
enum class L1Stores { kAround, kAllocate };

/// L1 data cache: sectored, write-through. Its size is the part of the unified
/// L1 that shared memory does not use.
struct L1Config {
    std::uint32_t ways = 4;
    std::uint32_t line_bytes = 128;
    std::uint32_t sector_bytes = 32;
    Replacement replacement = Replacement::kLru;
    L1Allocation allocation = L1Allocation::kOnMiss;
    L1Stores stores = L1Stores::kAround;
    IndexHash set_hash = IndexHash::kNone;
    std::uint32_t banks = 4;
    std::uint32_t bank_interleave_bytes = 32;
    BankHash bank_hash = BankHash::kXor;
    std::uint32_t hit_latency_cycles = 28;   ///< lookup to data in the register file
    std::uint32_t miss_latency_cycles = 12;  ///< sum of tag lookup, request out and fill back in
    std::uint32_t mshr_entries = 256;        ///< outstanding sectors
    std::uint32_t mshr_targets = 64;         ///< accesses served by one outstanding sector
    static constexpr std::uint32_t kUnlimited = 0;
    std::uint32_t returns_per_cycle = kUnlimited;  ///< accesses that receive fill data
    std::uint32_t request_queue_entries = 16;      ///< requests before the tag lookup
    std::uint32_t miss_queue_entries = 256;        ///< requests on the way to the crossbar
    std::uint32_t sectors_per_request = 4;         ///< neighbouring missing sectors per request

    /// Number of sets of a cache of `capacity_bytes`. Throws ConfigError unless it is an integer.
    [[nodiscard]] std::uint32_t sets(std::uint32_t capacity_bytes) const;
    void bind(ConfigVisitor& v);
};

/// First TLB of an SM, between its L1 and the crossbar (memory/core/tlb.h).
struct TlbConfig {
    std::uint32_t entries = 0;  ///< 0: addresses need no translation
    std::uint32_t page_kib = 2048;
    std::uint32_t miss_latency_cycles = 654;

    void bind(ConfigVisitor& v);
};

/// L2: slices of a sectored, write-back, write-allocate cache.
struct L2Config {
    std::uint32_t slices = 48;
    std::uint32_t sets_per_slice = 32;
    std::uint32_t ways = 24;
    std::uint32_t line_bytes = 128;
    std::uint32_t sector_bytes = 32;
    Replacement replacement = Replacement::kLru;
    IndexHash set_hash = IndexHash::kXor;
    IndexHash slice_hash = IndexHash::kXor;
    std::uint32_t slice_interleave_bytes = 256;
    std::uint32_t hit_latency_cycles = 80;  ///< for a miss: half before, half after DRAM
    std::uint32_t mshr_entries = 192;       ///< outstanding sectors per slice
    static constexpr std::uint32_t kUnlimited = 0;
    std::uint32_t atomic_words_per_cycle = kUnlimited;  ///< for a slice's atomic-add unit
    /// Capacity of all slices.
    [[nodiscard]] std::uint64_t capacity_bytes() const {
        return std::uint64_t{slices} * sets_per_slice * ways * line_bytes;
    }

    // Used by the approximately-timed model only:
    std::uint32_t request_queue_entries = 16;    ///< requests before the tag lookup
    std::uint32_t response_queue_entries = 512;  ///< reads after lookup and before the
                                                 ///< response
    std::uint32_t miss_queue_entries = 64;       ///< requests on the way to DRAM

    void bind(ConfigVisitor& v);
};

/// DRAM: channels of banks with open rows. Timing in DRAM clock cycles, with the terms of JEDEC
/// HBM2 (CAS latency etc.).
struct DramConfig {
    std::uint32_t channels = 48;  ///< HBM2 pseudo channels: 3 stacks x 16
    std::uint32_t clock_mhz = 850;
    std::uint32_t bytes_per_clock = 16;  ///< per channel: 64 bit, both edges
    std::uint32_t banks = 16;
    std::uint32_t row_bytes = 1024;
    std::uint32_t controller_latency_cycles = 196;  ///< core cycles, sum of both ways
    std::uint32_t t_rcd_cycles = 12;
    std::uint32_t t_rp_cycles = 12;
    std::uint32_t t_cl_cycles = 12;
    std::uint32_t t_ras_cycles = 28;
    std::uint32_t t_ccd_cycles = 1;
    std::uint32_t queue_entries = 64;  ///< requests that may be reordered to serve open rows first
    std::uint32_t efficiency_percent = 100;  ///< percentage of the data bus's time
                                             ///< usable for data
    /// Approximately-timed only: row hits that may overtake the oldest request of their bank.
    std::uint32_t row_hit_cap = 32;
    // Rules that are disabled by default (memory/core/dram_timing.h).
    static constexpr std::uint32_t kNoRule = 0;
    static constexpr std::uint32_t kNoTurnaround = ~std::uint32_t{0};
    std::uint32_t bank_groups = 1;
    std::uint32_t t_ccd_l_cycles = 2;
    std::uint32_t t_rrd_cycles = kNoRule;
    std::uint32_t t_faw_cycles = kNoRule;
    std::uint32_t t_wtr_cycles = kNoTurnaround;
    std::uint32_t t_cwl_cycles = 4;
    std::uint32_t t_wr_cycles = 14;
    std::uint32_t write_drain_high = 56;  ///< requests
    std::uint32_t write_drain_low = 32;   ///< requests
    std::uint32_t t_refi_cycles = kNoRule;
    std::uint32_t t_rfc_cycles = 221;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
