#include "sc_models/memory/core/dram_command_log.h"

#include <utility>

namespace tessera {

std::vector<DramParameter> dram_parameters(const DramConfig& config, std::uint32_t sector_bytes) {
    const DramTiming timing(config, sector_bytes);
    constexpr std::uint64_t kNone = DramParameter::kNoRule;
    const auto if_set = [](std::uint64_t value) { return value == 0 ? kNone : value; };
    const auto if_turning = [&](std::uint64_t value) { return timing.turns_bus ? value : kNone; };
    const std::uint64_t t_wtr = if_turning(config.t_wtr_cycles);
    const bool refreshes = timing.t_refi != 0;
    return {{"clock_mhz", config.clock_mhz},
            {"channels", config.channels},
            {"bank_groups", config.bank_groups},
            {"banks", config.banks},
            {"row_bytes", config.row_bytes},
            {"request_bytes", sector_bytes},
            {"burst", ceil_div(sector_bytes, config.bytes_per_clock)},
            {"tCL", config.t_cl_cycles},
            {"tCWL", timing.write_latency},
            {"tRCD", config.t_rcd_cycles},
            {"tRP", config.t_rp_cycles},
            {"tRAS", config.t_ras_cycles},
            {"tRC", std::uint64_t{config.t_ras_cycles} + config.t_rp_cycles},
            {"tCCD_S", config.t_ccd_cycles},
            {"tCCD_L", timing.bank_groups > 1 ? config.t_ccd_l_cycles : kNone},
            {"tRRD_S", if_set(timing.t_rrd)},
            {"tRRD_L", if_set(timing.t_rrd)},
            {"tFAW", if_set(timing.t_faw)},
            {"tRTP", config.t_ccd_cycles},
            {"tWR", if_turning(timing.turns_bus ? config.t_wr_cycles : 0)},
            {"tWTR_S", t_wtr},
            {"tWTR_L", t_wtr},
            {"bus_turn", if_turning(2)},
            {"tREFI", if_set(timing.t_refi)},
            {"tRFC", if_set(timing.t_rfc)},
            {"postponed_refreshes", refreshes ? 0 : kNone},
            {"refresh_closes_rows", refreshes ? 1 : kNone}};
}

DramCommandLog::DramCommandLog(DramCommandRecorder& recorder, const DramConfig& config,
                               std::uint32_t sector_bytes, std::function<void()> close)
    : recorder_(recorder),
      timing_(config, sector_bytes),
      clock_(timing_),
      map_(config),
      row_bytes_(config.row_bytes),
      next_refresh_(timing_.t_refi == 0 ? kNever : timing_.t_refi - timing_.t_rfc),
      channel_(recorder.add_channel(dram_parameters(config, sector_bytes), std::move(close))) {}

void DramCommandLog::record(DramCommandKind kind, std::uint32_t bank, std::uint64_t row,
                            Cycle cycle) {
    DramCommand command;
    command.cycle = cycle;
    command.kind = kind;
    command.bank_group = timing_.group_of(bank);
    command.bank = bank;
    command.row = row;
    recorder_.record(channel_, command);
}

void DramCommandLog::precharge(std::uint32_t bank, Cycle running) {
    record(DramCommandKind::kPrecharge, bank, 0, clock_.time(running));
}

void DramCommandLog::activate(std::uint32_t bank, std::uint64_t row, Cycle running) {
    record(DramCommandKind::kActivate, bank, row, clock_.time(running));
}

void DramCommandLog::column(Address address, bool write, Cycle data_end, std::uint64_t id) {
    const auto [row, bank] = map_.locate(address);
    DramCommand command;
    command.cycle = data_end - timing_.to_data_end(write);
    command.kind = write ? DramCommandKind::kWrite : DramCommandKind::kRead;
    command.bank_group = timing_.group_of(bank);
    command.bank = bank;
    command.row = row;
    command.column = static_cast<std::uint32_t>(address % row_bytes_);
    command.id = id;
    recorder_.record(channel_, command);
}

void DramCommandLog::advance(Cycle now) {
    for (; next_refresh_ <= now; next_refresh_ += timing_.t_refi) {
        record(DramCommandKind::kRefresh, 0, 0, next_refresh_);
    }
    recorder_.advance(channel_, now);
}

}  // namespace tessera
