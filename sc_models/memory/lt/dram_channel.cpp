#include "sc_models/memory/lt/dram_channel.h"

#include "sc_models/tlm/transaction.h"

namespace tessera {

namespace {

/// Core cycles between two searches for row commands that cannot change any more.
constexpr Cycle kLogInterval = 1024;

}  // namespace

DramChannel::DramChannel(const sc_core::sc_module_name& name, const DramContext& context,
                         const ClockDomain& clock, Observers observers)
    : sc_module(name),
      target("target"),
      sector_bytes_(context.sector_bytes),
      to_banks_(context.config.controller_latency_cycles / 2),
      from_banks_(context.config.controller_latency_cycles - to_banks_),
      time_(clock),
      to_dram_(clock.frequency_mhz(), context.config.clock_mhz),
      to_core_(context.config.clock_mhz, clock.frequency_mhz()),
      map_(context.map),
      image_(context.image),
      values_(context.values),
      core_(context.config, context.sector_bytes),
      wave_(observers.wave) {
    target.serve_with(*this);
    stats_.register_in(context.statistics);
    if (observers.dram != nullptr) {
        log_ = std::make_unique<DramCommandLog>(*observers.dram, context.config,
                                                context.sector_bytes, [this] { finish_log(); });
        core_.set_log(*log_);
    }
    if (wave_ != nullptr) {
        data_bus_ = wave_->add(this->name(), "data_bus", 1);
        row_miss_ = wave_->add(this->name(), "row_miss", 1);
        id_ = wave_->add(this->name(), "id", kAccessIdBits);
    }
}

Cycle DramChannel::serve(tlm::tlm_generic_payload& transaction, AccessInfo* info, Cycle arrival) {
    if (time_.now() != advanced_to_) {
        advanced_to_ = time_.now();
        core_.advance(to_dram_.convert(advanced_to_));
        if (log_ && advanced_to_ >= logged_to_ + kLogInterval) log_commands();
    }
    const auto service =
        core_.access(map_.channel_local(transaction.get_address()),
                     to_dram_.convert(arrival + to_banks_), transaction.is_write());
    count(transaction, service);
    if (values_ && moves_bytes(info)) move_data(transaction);
    if (info != nullptr) info->served_by = ServedBy::kDram;
    if (log_) {
        log_->column(map_.channel_local(transaction.get_address()), transaction.is_write(),
                     service.data_end, access_id(info));
    }
    const Cycle data_end = to_core_.convert(service.data_end);
    busy_until_ = std::max(busy_until_, data_end);
    if (wave_ != nullptr) {
        const Cycle data_begin = to_core_.convert(service.data_end - core_.burst_cycles());
        wave_->pulse(data_bus_, data_begin, data_end - data_begin);
        wave_->set(id_, data_begin, access_id(info));
        if (service.row != RowOutcome::kHit) wave_->pulse(row_miss_, arrival + to_banks_, 1);
    }
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
    return transaction.is_read() ? std::max(data_end + from_banks_, time_.now()) : arrival;
}

/// Logs the commands before the present, which no later request changes.
void DramChannel::log_commands() {
    logged_to_ = advanced_to_;
    const Cycle now = to_dram_.convert(advanced_to_);
    core_.log_rows(now);
    log_->advance(now);
}

/// Logs the commands that are left at the end of a run.
void DramChannel::finish_log() {
    core_.log_rows(kNever);
    log_->advance(to_dram_.convert(busy_until_));
}

void DramChannel::count(const tlm::tlm_generic_payload& transaction,
                        const DramCore::Service& service) {
    if (transaction.is_read()) {
        ++stats_.reads;
        stats_.bytes_read += transaction.get_data_length();
    } else {
        ++stats_.writes;
        stats_.bytes_written += transaction.get_data_length();
    }
    stats_.count(service.row);
    stats_.turnarounds += service.turned ? 2 : 0;
    stats_.bus_busy_cycles += core_.burst_cycles();
}

void DramChannel::move_data(tlm::tlm_generic_payload& transaction) {
    if (transaction.is_read()) {
        image_.read(transaction.get_address(), transaction.get_data_ptr(),
                    transaction.get_data_length());
    } else {
        image_.write(transaction.get_address(), transaction.get_data_ptr(),
                     transaction.get_data_length());
    }
}

unsigned int DramChannel::transport_dbg(int /*port*/, tlm::tlm_generic_payload& transaction) {
    if (transaction.get_command() == tlm::TLM_IGNORE_COMMAND) return 0;
    move_data(transaction);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
    return transaction.get_data_length();
}

void DramChannel::check(std::vector<std::string>& violations) const {
    stats_.check(name(), core_.burst_cycles(), violations);
}

}  // namespace tessera
