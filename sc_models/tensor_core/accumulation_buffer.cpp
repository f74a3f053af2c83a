#include "sc_models/tensor_core/accumulation_buffer.h"

#include <algorithm>

#include <fmt/format.h>

#include "sc_models/common/error.h"
#include "sc_models/tensor_core/feop.h"

namespace tessera {
namespace {

constexpr std::uint32_t kBitsPerWord = 64;
constexpr std::uint32_t kDenseMinLatency = 2;

/// Replaces -0, which would make skipped zeros visible as an accumulator's first value.
std::uint32_t without_negative_zero(std::uint32_t bits) {
    return bits == 0x80000000U ? 0U : bits;
}

void set_bit(std::vector<std::uint64_t>& bits, std::uint32_t index) {
    bits[index / kBitsPerWord] |= std::uint64_t{1} << (index % kBitsPerWord);
}
void clear_bit(std::vector<std::uint64_t>& bits, std::uint32_t index) {
    bits[index / kBitsPerWord] &= ~(std::uint64_t{1} << (index % kBitsPerWord));
}
bool test_bit(const std::vector<std::uint64_t>& bits, std::uint32_t index) {
    return (bits[index / kBitsPerWord] >> (index % kBitsPerWord) & 1U) != 0;
}
bool any_bit(const std::vector<std::uint64_t>& bits) {
    return std::any_of(bits.begin(), bits.end(), [](std::uint64_t word) { return word != 0; });
}

}  // namespace

AccumulationBuffer::AccumulationBuffer(const AccumulationBufferConfig& config) : config_(config) {
    if (!has_accumulation_map(config.banks)) {
        throw ConfigError(fmt::format(
            "accumulation buffer: banks: got {}, expected a power of two from 16 to 256",
            config.banks));
    }
    if (config.depth_entries == 0) {
        throw ConfigError("accumulation buffer: depth_entries: got 0, expected at least 1");
    }
    if (config.adder_latency_cycles == 0) {
        throw ConfigError("accumulation buffer: adder_latency_cycles: got 0, expected at least 1");
    }
    words_ = kTileElements / config.banks;
    for (std::uint32_t row = 0; row < kTileSize; ++row) {
        for (std::uint32_t column = 0; column < kTileSize; ++column) {
            map_[row * kTileSize + column] = bank_word(config.map, config.banks, row, column);
        }
    }
    const bool fifos = config.collector == CollectorKind::kFifo;
    const std::uint32_t bit_words = (config.banks + kBitsPerWord - 1) / kBitsPerWord;
    memory_.resize(kTileElements);
    busy_until_.resize(kTileElements);
    slots_.resize(fifos ? 1 : config.depth_entries);
    for (std::uint32_t i = 0; i < slots_.size(); ++i) by_age_.push_back(i);
    fifos_.resize(config.banks);
    fifo_entries_.resize(fifos ? std::size_t{config.banks} * config.depth_entries : 0);
    filled_.resize(bit_words);
    popped_.resize(bit_words);
    dense_stages_.resize(config.adder_latency_cycles - 1);
}

void AccumulationBuffer::reset() {
    std::fill(busy_until_.begin(), busy_until_.end(), 0);
    std::fill(fifos_.begin(), fifos_.end(), Fifo{});
    std::fill(filled_.begin(), filled_.end(), 0);
    for (Dense& stage : dense_stages_) stage.valid = false;
    dense_register_.valid = false;
    occupied_ = 0;
    adding_until_ = 0;
    draining_ = false;
}

std::uint32_t AccumulationBuffer::value(std::uint32_t row, std::uint32_t column) const {
    const BankWord place = map_[row * kTileSize + column];
    return memory_[place.bank * words_ + place.word];
}

void AccumulationBuffer::set_value(std::uint32_t row, std::uint32_t column, std::uint32_t bits) {
    const BankWord place = map_[row * kTileSize + column];
    memory_[place.bank * words_ + place.word] = bits;
}

bool AccumulationBuffer::dense_adding() const {
    return std::any_of(dense_stages_.begin(), dense_stages_.end(),
                       [](const Dense& stage) { return stage.valid; });
}

bool AccumulationBuffer::empty() const {
    return !dense_register_.valid && occupied_ == 0 && !any_bit(filled_) && !sparse_adding() &&
           !dense_adding();
}

const AccumulationBuffer::Outputs& AccumulationBuffer::step(const Inputs& in) {
    show_outputs();
    const bool sparse_may_start = !dense_adding();
    step_dense(in.result_ready != 0);
    if (config_.collector == CollectorKind::kFifo) {
        issue_from_fifos();
        if (sparse_may_start) fill_fifos();
    } else if (sparse_may_start) {
        issue_from_slots();
    }
    const bool room = !dense_register_.valid && occupied_ < slots_.size();
    out_.op_ready = static_cast<std::uint32_t>(!draining_ && room);
    if (in.op_valid != 0 && out_.op_ready != 0) accept(in);
    if (in.preload_valid != 0 && out_.preload_ready != 0) preload(in);
    step_drain(in);
    ++cycle_;
    return out_;
}

void AccumulationBuffer::show_outputs() {
    const bool is_empty = empty();
    out_.idle = static_cast<std::uint32_t>(is_empty && !draining_);
    out_.preload_ready = out_.idle;
    out_.drain_ready = static_cast<std::uint32_t>(!draining_);
    out_.row_valid = static_cast<std::uint32_t>(is_empty && draining_);
    out_.row_word = drain_word_;
    if (out_.row_valid != 0) {
        for (std::uint32_t bank = 0; bank < kOhmmaProducts; ++bank) {
            out_.row_data[bank] = memory_[bank * words_ + drain_word_];
        }
    }
    out_.result_valid = 0;
    if (dense_stages_.empty()) return;
    const Dense& oldest = dense_stages_.back();
    if (!oldest.valid || !oldest.last) return;
    out_.result_valid = 1;
    out_.result_word = oldest.word;
    out_.result_data = oldest.data;
}

void AccumulationBuffer::step_dense(bool result_ready) {
    const bool pending = dense_register_.valid;
    if (!pending && !dense_adding()) return;
    if (out_.result_valid != 0 && !result_ready) return;
    const bool interlock =
        !dense_register_.first &&
        std::any_of(dense_stages_.begin(), dense_stages_.end(), [this](const Dense& stage) {
            return stage.valid && stage.word == dense_register_.word;
        });
    const bool go =
        pending && !interlock && occupied_ == 0 && !any_bit(filled_) && !sparse_adding();
    std::rotate(dense_stages_.begin(), dense_stages_.end() - 1, dense_stages_.end());
    dense_stages_.front().valid = go;
    if (!go) return;
    for (std::uint32_t bank = 0; config_.values && bank < kOhmmaProducts; ++bank) {
        std::uint32_t& word = memory_[bank * words_ + dense_register_.word];
        const std::uint32_t addend =
            dense_register_.first ? without_negative_zero(dense_register_.c[bank]) : word;
        word = fp32_add(addend, dense_register_.data[bank]);
        dense_stages_.front().data[bank] = word;
    }
    dense_stages_.front().word = dense_register_.word;
    dense_stages_.front().last = dense_register_.last;
    dense_register_.valid = false;
}

bool AccumulationBuffer::issue(std::uint16_t address, std::uint32_t product) {
    if (cycle_ < busy_until_[address]) return false;
    if (config_.values) memory_[address] = fp32_add(memory_[address], product);
    busy_until_[address] = cycle_ + config_.adder_latency_cycles;
    adding_until_ = busy_until_[address];
    ++issued_;
    return true;
}

void AccumulationBuffer::issue_from_fifos() {
    for (std::uint32_t w = 0; w < filled_.size(); ++w) {
        popped_[w] = 0;
        for (std::uint64_t left = filled_[w]; left != 0; left &= left - 1) {
            const auto bank = w * kBitsPerWord + static_cast<std::uint32_t>(__builtin_ctzll(left));
            Fifo& fifo = fifos_[bank];
            const Entry& head = fifo_entries_[bank * config_.depth_entries + fifo.head];
            if (!issue(head.address, head.product)) continue;
            fifo.head = fifo.head + 1 == config_.depth_entries ? 0 : fifo.head + 1;
            if (--fifo.count == 0) clear_bit(filled_, bank);
            set_bit(popped_, bank);
        }
    }
}

void AccumulationBuffer::fill_fifos() {
    if (occupied_ == 0) return;
    Pending& pending = slots_.front();
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < pending.size; ++i) {
        const Entry& entry = pending.entries[i];
        Fifo& fifo = fifos_[entry.bank];
        const std::uint32_t popped = test_bit(popped_, entry.bank) ? 1 : 0;
        if (fifo.count + popped >= config_.depth_entries) {
            pending.entries[kept++] = entry;
            continue;
        }
        std::uint32_t tail = fifo.head + fifo.count++;
        if (tail >= config_.depth_entries) tail -= config_.depth_entries;
        fifo_entries_[entry.bank * config_.depth_entries + tail] = entry;
        set_bit(filled_, entry.bank);
    }
    pending.size = kept;
    if (kept == 0) occupied_ = 0;
}

void AccumulationBuffer::issue_from_slots() {
    std::fill(popped_.begin(), popped_.end(), 0);
    for (std::uint32_t age = 0; age < occupied_; ++age) {
        Pending& pending = slots_[by_age_[age]];
        std::uint32_t kept = 0;
        for (std::uint32_t i = 0; i < pending.size; ++i) {
            const Entry& entry = pending.entries[i];
            // A bank considers only its oldest entry, even if that entry has to wait.
            const bool oldest = !test_bit(popped_, entry.bank);
            set_bit(popped_, entry.bank);
            if (oldest && issue(entry.address, entry.product)) continue;
            pending.entries[kept++] = entry;
        }
        pending.size = kept;
    }
    const auto in_use_end = by_age_.begin() + occupied_;
    const auto freed = std::stable_partition(
        by_age_.begin(), in_use_end, [this](std::uint32_t s) { return slots_[s].size != 0; });
    occupied_ = static_cast<std::uint32_t>(freed - by_age_.begin());
}

void AccumulationBuffer::accept(const Inputs& in) {
    if (in.op_dense != 0) {
        accept_dense(in);
        return;
    }
    accept_sparse(in, slots_[by_age_[occupied_++]]);
}

void AccumulationBuffer::accept_sparse(const Inputs& in, Pending& pending) const {
    pending.size = 0;
    for (std::uint32_t i = 0; i < kOhmmaRows; ++i) {
        if ((in.op_row_valid >> i & 1U) == 0) continue;
        const BankWord* row = &map_[std::size_t{in.op_row[i]} * kTileSize];
        for (std::uint32_t j = 0; j < kOhmmaColumns; ++j) {
            if ((in.op_column_valid >> j & 1U) == 0) continue;
            const BankWord place = row[in.op_column[j]];
            pending.entries[pending.size++] = {
                place.bank, static_cast<std::uint16_t>(place.bank * words_ + place.word),
                in.op_product[i * kOhmmaColumns + j]};
        }
    }
}

void AccumulationBuffer::accept_dense(const Inputs& in) {
    need_rtl_banks("a dense OHMMA");
    if (config_.adder_latency_cycles < kDenseMinLatency) {
        throw ConfigError(
            "accumulation buffer: a dense OHMMA needs adder_latency_cycles of 2 or more");
    }
    dense_register_.valid = true;
    dense_register_.first = in.op_first != 0;
    dense_register_.last = in.op_last != 0;
    dense_register_.word = in.op_word;
    dense_register_.data = in.op_product;
    if (dense_register_.first) dense_register_.c = in.op_c;
}

void AccumulationBuffer::preload(const Inputs& in) {
    need_rtl_banks("preload");
    for (std::uint32_t bank = 0; bank < kOhmmaProducts; ++bank) {
        memory_[bank * words_ + in.preload_word] = without_negative_zero(in.preload_data[bank]);
    }
}

void AccumulationBuffer::step_drain(const Inputs& in) {
    if (out_.row_valid != 0 && in.row_ready != 0) {
        for (std::uint32_t bank = 0; drain_clear_ && bank < kOhmmaProducts; ++bank) {
            memory_[bank * words_ + drain_word_] = 0;
        }
        draining_ = ++drain_word_ != words_;
    }
    if (in.drain_valid == 0 || out_.drain_ready == 0) return;
    need_rtl_banks("a drain");
    draining_ = true;
    drain_clear_ = in.drain_clear != 0;
    drain_word_ = 0;
}

void AccumulationBuffer::need_rtl_banks(const char* what) const {
    if (config_.banks == kOhmmaProducts) return;
    throw ConfigError(
        fmt::format("accumulation buffer: {} needs 128 banks, got {}", what, config_.banks));
}

}  // namespace tessera
