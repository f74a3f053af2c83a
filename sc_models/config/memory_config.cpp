#include "sc_models/config/memory_config.h"

#include <string>

#include "sc_models/common/error.h"
#include "sc_models/config/key_conditions.h"

namespace tessera {

namespace {

constexpr KeyCondition kTlb = {"tlb.entries above 0",
                               [](const Config& c) { return c.tlb.entries > 0; }};
constexpr KeyCondition kBankGroups = {"dram.bank_groups above 1",
                                      [](const Config& c) { return c.dram.bank_groups > 1; }};
constexpr KeyCondition kTurnaround = {"dram.t_wtr_cycles set", [](const Config& c) {
                                          return c.dram.t_wtr_cycles != DramConfig::kNoTurnaround;
                                      }};
constexpr KeyCondition kRefresh = {"dram.t_refi_cycles set", [](const Config& c) {
                                       return c.dram.t_refi_cycles != DramConfig::kNoRule;
                                   }};

constexpr auto kMaxLatency = 100'000U;

void bind_hash(ConfigVisitor& v, std::string_view key, IndexHash& hash, std::string_view help) {
    v.choice(key, hash, {{"none", IndexHash::kNone}, {"xor", IndexHash::kXor}}, help);
}

void bind_replacement(ConfigVisitor& v, Replacement& replacement) {
    v.choice("replacement", replacement,
             {{"lru", Replacement::kLru},
              {"fifo", Replacement::kFifo},
              {"random", Replacement::kRandom}},
             "Which line of a full set a missing one replaces: the least recently used, the one "
             "that came first, or any.");
}

}  // namespace

std::uint32_t L1Config::sets(std::uint32_t capacity_bytes) const {
    const std::uint32_t set_bytes = ways * line_bytes;
    if (capacity_bytes == 0 || capacity_bytes % set_bytes != 0) {
        throw ConfigError("l1.ways: " + std::to_string(ways) + " ways of " +
                          std::to_string(line_bytes) + "-byte lines do not divide the " +
                          std::to_string(capacity_bytes) +
                          " bytes that sm.shared_memory_kib leaves of sm.unified_l1_kib");
    }
    return capacity_bytes / set_bytes;
}

void L1Config::bind(ConfigVisitor& v) {
    v.integer("ways", ways, 1, 64,
              "Associativity of the L1 cache; its size is sm.unified_l1_kib - "
              "sm.shared_memory_kib.");
    v.integer("line_bytes", line_bytes, 32, 4096,
              "Bytes that share an L1 tag, a power of two (Volta: 128).");
    v.integer("sector_bytes", sector_bytes, 32, 128,
              "Bytes fetched at a time, a power of two; at most 8 sectors a line (Volta: 32).");
    bind_replacement(v, replacement);
    v.choice(
        "allocation", allocation,
        {{"on_miss", L1Allocation::kOnMiss}, {"on_fill", L1Allocation::kOnFill}},
        "When a missing sector's line takes its way in the L1, pushing out another: as the miss is "
        "sent or as its data returns.");
    v.choice("stores", stores, {{"around", L1Stores::kAround}, {"allocate", L1Stores::kAllocate}},
             "Whether a store takes a line of the L1: never, or as on Accel-Sim's V100, with the "
             "sectors that it fills. Either way it goes through to L2.");
    bind_hash(v, "set_hash", set_hash, "Whether the set index folds in upper address bits.");
    v.integer("banks", banks, 1, 64,
              "Data banks of the L1, each serving one access a cycle; a power of two (4 x 32 bytes "
              "give Volta's 128 bytes a cycle).");
    v.integer("bank_interleave_bytes", bank_interleave_bytes, 32, 4096,
              "Neighbouring bytes that lie in one L1 bank, a power of two.");
    v.choice(
        "bank_hash", bank_hash,
        {{"none", BankHash::kNone}, {"xor", BankHash::kXor}, {"xor_next", BankHash::kXorNext}},
        "Whether the bank index folds in upper address bits: all of them, or those right above "
        "it (as GPGPU-Sim's bitwise-xor hash does).");
    v.integer("hit_latency_cycles", hit_latency_cycles, 1, kMaxLatency,
              "L1 lookup to data in the register file (Duplo V-D: 28).");
    v.integer("miss_latency_cycles", miss_latency_cycles, 1, kMaxLatency,
              "Tag lookup, request out and fill back in, together, beside the way through the "
              "crossbar.");
    v.integer("mshr_entries", mshr_entries, 1, kMaxMshrEntries,
              "Sectors that may be outstanding at an L1; beyond them misses wait.");
    v.integer("mshr_targets", mshr_targets, 1, 65536,
              "Accesses that one outstanding sector of an L1 can serve; beyond them accesses "
              "wait.");
    v.integer_or(
        "returns_per_cycle", returns_per_cycle, 1, 64, "unlimited", kUnlimited,
        "Sectors that waited for fills, merged ones counted each, that reach the registers "
        "a cycle (GPGPU-Sim: 1).");
    v.integer("request_queue_entries", request_queue_entries, 1, 65536,
              "Requests an L1 holds before their tag lookup; a full queue stops the LDST unit.");
    v.integer("miss_queue_entries", miss_queue_entries, 1, 65536,
              "Requests of an L1 that may be on their way to the crossbar.");
    v.integer("sectors_per_request", sectors_per_request, 1, kMaxLineSectors,
              "Neighbouring sectors of a line that one access misses and one request asks L2 for "
              "(Volta: 4; Accel-Sim asks for each on its own, 1).");
}

void TlbConfig::bind(ConfigVisitor& v) {
    v.integer("entries", entries, 0, 4096,
              "Pages whose addresses an SM knows (V100: 16); 0: translation takes no time.");
    v.acts_if(kTlb).integer("page_kib", page_kib, 4, 1048576, "Size of a page (V100: 2048).");
    v.acts_if(kTlb).integer(
        "miss_latency_cycles", miss_latency_cycles, 0, 100000,
        "What a page that is not known adds to a request; those behind it wait.");
}

void L2Config::bind(ConfigVisitor& v) {
    v.integer("slices", slices, 1, 1024,
              "L2 slices, a multiple of dram.channels (Titan V: 48); each belongs to one channel.");
    v.integer("sets_per_slice", sets_per_slice, 1, 65536,
              "Sets of one slice (Duplo Table III: 32).");
    v.integer("ways", ways, 1, 64,
              "Associativity (Duplo Table III: 24; 48 slices x 32 sets x 24 ways x 128 bytes are "
              "its 4.5 MiB).");
    v.integer("line_bytes", line_bytes, 32, 4096,
              "Bytes that share an L2 tag, a power of two (Volta: 128).");
    v.integer("sector_bytes", sector_bytes, 32, 128,
              "Bytes fetched at a time, equal to l1.sector_bytes (Volta: 32).");
    bind_replacement(v, replacement);
    bind_hash(v, "set_hash", set_hash, "Whether the set index folds in upper address bits.");
    bind_hash(v, "slice_hash", slice_hash,
              "Whether the choice of the slice folds in upper address bits, so that strides spread "
              "over slices.");
    v.integer("slice_interleave_bytes", slice_interleave_bytes, 32, 1 << 20,
              "Neighbouring bytes that lie in one slice, a power of two of at least "
              "l2.line_bytes.");
    v.integer("hit_latency_cycles", hit_latency_cycles, 1, kMaxLatency,
              "Arrival at a slice to its response; with L1 and crossbar it makes Duplo Table III's "
              "120 cycles (12 + 14 + 80 + 14).");
    v.integer("mshr_entries", mshr_entries, 1, kMaxMshrEntries,
              "Sectors that may be outstanding at a slice; beyond them misses wait.");
    v.integer_or("atomic_words_per_cycle", atomic_words_per_cycle, 1, 1024, "unlimited", kUnlimited,
                 "FP32 words that a slice's atomic-add unit adds a cycle, one atomic after the "
                 "other.");
    v.integer("request_queue_entries", request_queue_entries, 1, 65536,
              "Requests a slice holds before their tag lookup; while it is full, further ones stay "
              "in the crossbar.");
    v.acts_if(acts::kApproximatelyTimed)
        .integer("response_queue_entries", response_queue_entries, 1, 65536,
                 "Reads a slice may have looked up and not yet answered.");
    v.acts_if(acts::kApproximatelyTimed)
        .integer("miss_queue_entries", miss_queue_entries, 8, 65536,
                 "Requests of a slice that may be on their way to DRAM, beside the write-backs of "
                 "fills.");
}

void DramConfig::bind(ConfigVisitor& v) {
    v.integer("channels", channels, 1, 1024, "Memory channels (Titan V: 24 of 128 bit).");
    v.integer("clock_mhz", clock_mhz, 1, 20000,
              "DRAM clock (850 MHz; 24 channels x 32 bytes x 850 MHz = 652.8 GB/s, Duplo Table "
              "III).");
    v.integer("bytes_per_clock", bytes_per_clock, 1, 1024,
              "Bytes that one channel moves a DRAM clock: 128 bit on both edges.");
    v.integer("banks", banks, 1, 1024,
              "Banks of a channel, a power of two, each with one open row.");
    v.integer("row_bytes", row_bytes, 64, 1 << 20,
              "Bytes of an open row, a power of two of at least l2.line_bytes.");
    v.integer("controller_latency_cycles", controller_latency_cycles, 0, kMaxLatency,
              "L2 miss to the DRAM command queue and data back to L2, together, in core cycles.");
    v.integer("t_rcd_cycles", t_rcd_cycles, 0, 10000,
              "Row activation to the first column command, in DRAM cycles (HBM2).");
    v.integer("t_rp_cycles", t_rp_cycles, 0, 10000,
              "Precharge to the next activation of the bank, in DRAM cycles (HBM2).");
    v.integer("t_cl_cycles", t_cl_cycles, 0, 10000,
              "Column command to data, in DRAM cycles (HBM2).");
    v.integer("t_ras_cycles", t_ras_cycles, 0, 10000,
              "Row activation to its precharge at the earliest, in DRAM cycles (HBM2).");
    v.integer("t_ccd_cycles", t_ccd_cycles, 1, 10000,
              "Distance of two column commands of a channel, in DRAM cycles (HBM2).");
    v.integer("queue_entries", queue_entries, 1, 65536,
              "Requests of a channel that its scheduler may reorder to serve open rows first; with "
              "t_wtr_cycles so many reads and so many writes.");
    v.integer(
        "efficiency_percent", efficiency_percent, 1, 100,
        "Share of its data bus's time that a channel can use, for what takes the rest and has "
        "no rule here.");
    v.acts_if(acts::kApproximatelyTimed)
        .integer("row_hit_cap", row_hit_cap, 1, 65536,
                 "Row hits that may overtake the oldest request of their bank.");
    v.integer("bank_groups", bank_groups, 1, 1024,
              "Groups of banks, a power of two; column commands to one group are t_ccd_l apart.");
    v.acts_if(kBankGroups)
        .integer("t_ccd_l_cycles", t_ccd_l_cycles, 1, 10000,
                 "Distance of two column commands to one bank group, in DRAM cycles (tCCD_L).");
    v.integer_or("t_rrd_cycles", t_rrd_cycles, 1, 10000, "none", kNoRule,
                 "Distance of two activations in a channel, in DRAM cycles (tRRD).");
    v.integer_or("t_faw_cycles", t_faw_cycles, 1, 10000, "none", kNoRule,
                 "Time in which a channel activates at most four rows, in DRAM cycles (tFAW).");
    v.integer_or("t_wtr_cycles", t_wtr_cycles, 0, 10000, "none", kNoTurnaround,
                 "End of a write's data to the next read command, in DRAM cycles (tWTR); with it "
                 "the data bus takes time to turn, and writes go in batches. none: reads and "
                 "writes follow each other freely.");
    v.acts_if(kTurnaround)
        .integer("t_cwl_cycles", t_cwl_cycles, 0, 10000,
                 "Write command to its data, in DRAM cycles (tCWL).");
    v.acts_if(kTurnaround)
        .integer("t_wr_cycles", t_wr_cycles, 0, 10000,
                 "End of a write's data to the precharge of its bank, in DRAM cycles (tWR).");
    v.acts_if(kTurnaround)
        .integer("write_drain_high", write_drain_high, 1, 65536,
                 "Writes that wait in a channel's queue when they begin to go before its reads.");
    v.acts_if(kTurnaround)
        .integer("write_drain_low", write_drain_low, 0, 65535,
                 "Writes left in the queue when reads go first again.");
    v.integer_or("t_refi_cycles", t_refi_cycles, 1, 1000000, "none", kNoRule,
                 "Distance of two refreshes of all banks, in DRAM cycles (tREFI).");
    v.acts_if(kRefresh).integer(
        "t_rfc_cycles", t_rfc_cycles, 1, 100000,
        "A refresh, in which the channel stands still, in DRAM cycles (tRFC).");
}

}  // namespace tessera
