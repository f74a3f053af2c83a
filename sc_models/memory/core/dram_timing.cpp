#include "sc_models/memory/core/dram_timing.h"

#include <string>

#include "sc_models/common/error.h"

namespace tessera {

namespace {

[[noreturn]] void refuse(const std::string& key, std::uint64_t got, const std::string& expected) {
    throw ConfigError("dram." + key + ": got " + std::to_string(got) + ", expected " + expected);
}

void expect_shape(const DramConfig& config, std::uint32_t sector_bytes) {
    if (!is_power_of_two(config.banks)) refuse("banks", config.banks, "a power of two");
    if (!is_power_of_two(config.bank_groups) || config.bank_groups > config.banks) {
        refuse("bank_groups", config.bank_groups,
               "a power of two of at most dram.banks = " + std::to_string(config.banks));
    }
    if (!is_power_of_two(config.row_bytes) || config.row_bytes < sector_bytes) {
        refuse("row_bytes", config.row_bytes,
               "a power of two that is at least l2.sector_bytes = " + std::to_string(sector_bytes));
    }
}

/// Idle cycles of the data bus from a read's data to a write's (Ramulator 2, HBM2: nCL + nBL + 2 -
/// nCWL).
constexpr Cycle kBusTurn = 2;

}  // namespace

DramTiming::DramTiming(const DramConfig& config, std::uint32_t sector_bytes)
    : t_rcd(config.t_rcd_cycles),
      t_rp(config.t_rp_cycles),
      t_cl(config.t_cl_cycles),
      t_ras(config.t_ras_cycles),
      t_ccd(config.t_ccd_cycles),
      burst(std::max(t_ccd, ceil_div(sector_bytes, config.bytes_per_clock))),
      bank_groups(config.bank_groups),
      t_ccd_l(bank_groups > 1 ? std::max<Cycle>(burst, config.t_ccd_l_cycles) : burst),
      t_rrd(config.t_rrd_cycles),
      t_faw(config.t_faw_cycles),
      t_refi(config.t_refi_cycles),
      t_rfc(t_refi == 0 ? 0 : config.t_rfc_cycles),
      turns_bus(config.t_wtr_cycles != DramConfig::kNoTurnaround),
      write_to_precharge(t_ccd),
      write_latency(t_cl) {
    expect_shape(config, sector_bytes);
    // A row closed by a refresh must be opened, read and closed before the next refresh.
    const Cycle busy = t_rfc + t_rcd + t_rp + std::max(t_rrd, t_faw) + burst;
    if (t_refi != 0 && t_refi <= busy) {
        refuse(
            "t_refi_cycles", t_refi,
            "more than a refresh and an access take (tRFC + tRCD + tRP + tRRD or tFAW + burst = " +
                std::to_string(busy) + ")");
    }
    if (!turns_bus) return;
    write_latency = config.t_cwl_cycles;
    write_to_read = write_latency + burst + config.t_wtr_cycles;
    const Cycle read_data_over = t_cl + burst + kBusTurn;
    read_to_write = std::max(burst, read_data_over - std::min(read_data_over, write_latency));
    write_to_precharge = write_latency + burst + config.t_wr_cycles;
    drain_high = config.write_drain_high;
    drain_low = config.write_drain_low;
    if (drain_high > config.queue_entries) {
        refuse("write_drain_high", drain_high,
               "at most dram.queue_entries = " + std::to_string(config.queue_entries));
    }
    if (drain_low >= drain_high) {
        refuse("write_drain_low", drain_low,
               "less than dram.write_drain_high = " + std::to_string(drain_high));
    }
}

}  // namespace tessera
