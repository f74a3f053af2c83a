// Naive reference of a DRAM channel: banks with an open row each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/config/memory_config.h"
#include "testbenches/harness/naive_address_map.h"

namespace tessera::testbench {

/// Row of a bank.
struct DramRow {
    std::uint32_t bank = 0;
    std::uint64_t row = 0;
};

/// Plays accesses in the order in which they get their column commands. Exact, in DRAM cycles, for
/// accesses to one bank at a time that meet no refresh.
class NaiveDram {
public:
    enum class Row { kHit, kEmpty, kConflict };
    struct Service {
        Row row = Row::kHit;
        bool refreshed = false;  ///< a refresh has closed the bank's row
        Cycle data_end = 0;      ///< first cycle after the data on the bus
    };

    NaiveDram(const DramConfig& config, std::uint32_t sector_bytes)
        : config_(config),
          burst_(std::max<Cycle>(config.t_ccd_cycles, (sector_bytes + config.bytes_per_clock - 1) /
                                                          config.bytes_per_clock)),
          turns_(config.t_wtr_cycles != DramConfig::kNoTurnaround),
          banks_(config.banks) {}

    [[nodiscard]] Cycle burst() const { return burst_; }
    /// Returns whether turning the data bus takes time.
    [[nodiscard]] bool turns() const { return turns_; }
    [[nodiscard]] bool refreshes() const { return config_.t_refi_cycles != 0; }
    [[nodiscard]] DramRow locate(Address address) const {
        const std::uint64_t page = address / config_.row_bytes;
        const std::uint64_t row = page / config_.banks;
        return {static_cast<std::uint32_t>(page % config_.banks ^ naive_fold(row, config_.banks)),
                row};
    }
    /// Returns the address of a row's first byte.
    [[nodiscard]] Address address_of(const DramRow& row) const {
        const std::uint64_t bank = row.bank ^ naive_fold(row.row, config_.banks);
        return (row.row * config_.banks + bank) * config_.row_bytes;
    }
    /// Returns whether `row` is the open one of its bank.
    [[nodiscard]] bool is_open(const DramRow& row) const {
        return banks_[row.bank].open && banks_[row.bank].row == row.row;
    }

    /// Returns whether no refresh takes place in [at, at + cycles).
    [[nodiscard]] bool is_undisturbed(Cycle at, Cycle cycles) const {
        if (!refreshes()) return true;
        const Cycle runs = config_.t_refi_cycles - config_.t_rfc_cycles;
        return at % config_.t_refi_cycles + cycles <= runs;
    }
    Service access(const DramRow& row, Cycle arrival, bool write) {
        Bank& bank = banks_[row.bank];
        Service service;
        service.refreshed = bank.open && interval_of(bank.activated) != interval_of(arrival);
        if (service.refreshed) bank = {};
        if (bank.open && bank.row != row.row) {
            service.row = Row::kConflict;
            const Cycle precharged =
                std::max({arrival, bank.activated + config_.t_ras_cycles, bank.precharge_from});
            activate(bank, row.row, precharged + config_.t_rp_cycles);
        } else if (!bank.open) {
            service.row = Row::kEmpty;
            activate(bank, row.row, arrival);
        }
        const Cycle column =
            std::max({arrival, bank.activated + config_.t_rcd_cycles, bus_free_,
                      write ? Cycle{0} : read_from_, groups() ? group_free_ : Cycle{0}});
        bus_free_ = column + burst_;
        group_free_ = column + config_.t_ccd_l_cycles;
        bank.precharge_from = column + config_.t_ccd_cycles;
        if (write && turns_) {
            const Cycle data_end = column + config_.t_cwl_cycles + burst_;
            read_from_ = data_end + config_.t_wtr_cycles;
            bank.precharge_from = data_end + config_.t_wr_cycles;
        }
        service.data_end = column + config_.t_cl_cycles + burst_;
        return service;
    }
    /// Returns cycles after which an access and the one behind it to its bank are over.
    [[nodiscard]] Cycle span() const {
        const Cycle row = std::max<Cycle>(config_.t_ras_cycles, config_.t_rcd_cycles + burst_) +
                          config_.t_rp_cycles;
        const Cycle write =
            turns_ ? config_.t_cwl_cycles + config_.t_wr_cycles + config_.t_wtr_cycles : 0;
        return 3 * row + config_.t_cl_cycles + burst_ + write + config_.t_faw_cycles +
               4 * config_.t_rrd_cycles;
    }

private:
    struct Bank {
        bool open = false;
        std::uint64_t row = 0;
        Cycle activated = 0, precharge_from = 0;
    };
    static void activate(Bank& bank, std::uint64_t row, Cycle at) { bank = {true, row, at, at}; }
    [[nodiscard]] bool groups() const { return config_.bank_groups > 1; }
    [[nodiscard]] std::uint64_t interval_of(Cycle at) const {
        return refreshes() ? at / config_.t_refi_cycles : 0;
    }

    const DramConfig config_;
    const Cycle burst_;
    const bool turns_;
    std::vector<Bank> banks_;
    Cycle bus_free_ = 0, group_free_ = 0;
    Cycle read_from_ = 0;  ///< end of the turnaround after the last write
};

}  // namespace tessera::testbench
