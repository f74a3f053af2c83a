// Cycle-accurate accumulation buffer of a sub-core's outer-product tensor cores.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sc_models/tensor_core/accumulation_map.h"
#include "sc_models/tensor_core/feop_array.h"

namespace tessera {

/// 4 KB of FP32 accumulators in banks of one read and one write port, each with its own FP32 adder
/// and operand collector (dual-side sparse tensor core paper, V-B2 and Figures 18 to 20). Holds a
/// 32x32 tile. One `step` is one clock cycle; inputs and outputs are those of the RTL block of the
/// same name, which has 128 banks, the XOR map, FIFOs of 8 and an adder latency of 2.
///
/// An OHMMA of 8 rows x 16 columns enters an input register (op_valid and op_ready).
///
/// Sparse: entry (i, j) belongs to element (row[i], column[j]), if both are valid. In every cycle
/// every bank takes from the register as many of its entries, in row order, as its FIFO had room
/// for at the beginning of the cycle; the register is free again when it is empty, and may be
/// refilled at the same clock edge. Every bank issues the head of its FIFO, unless that word's last
/// addition was issued less than `adder_latency_cycles` ago. Additions to one element thus happen
/// in the order of the OHMMAs: results are those of a sequential loop over k.
///
/// Dense: entry (i, j) goes to `word` of bank 16 i + j, past the collector; `first` takes operand
/// `c` (-0 as +0) instead of the stored word and needs no interlock, `last` also outputs the sums
/// at the result port. A result that is not taken stalls the adders. Dense and sparse work do not
/// overlap: an OHMMA of the other kind waits in the input register until the collector and the
/// adders are empty. Rows, columns and valid masks are ignored.
///
/// Preload writes one word of all banks (-0 as +0), when idle. A drain, accepted unless another is
/// in progress, waits for all OHMMAs accepted before it or in its own cycle, then reads words 0 to
/// 7 of all banks, at most one per cycle, and clears them to +0 on request. A preload in the cycle
/// of an OHMMA or drain comes before it. `reset` empties everything but keeps the words.
///
/// Dense OHMMAs, preload and drain require 128 banks.
class AccumulationBuffer {
public:
    struct Inputs {
        std::uint32_t op_valid = 0;
        std::uint32_t op_dense = 0;
        std::uint32_t op_first = 0;                            ///< dense
        std::uint32_t op_last = 0;                             ///< dense
        std::uint32_t op_word = 0;                             ///< dense, 0..7
        std::uint32_t op_row_valid = 0;                        ///< sparse, bit i: row[i] counts
        std::uint32_t op_column_valid = 0;                     ///< sparse, bit j: column[j] counts
        std::array<std::uint32_t, kOhmmaRows> op_row{};        ///< 0..31
        std::array<std::uint32_t, kOhmmaColumns> op_column{};  ///< 0..31, the valid ones distinct
        std::array<std::uint32_t, kOhmmaProducts>
            op_product{};                                  ///< FP32 bits of (i, j) at 16 i + j
        std::array<std::uint32_t, kOhmmaProducts> op_c{};  ///< dense and first
        std::uint32_t preload_valid = 0;
        std::uint32_t preload_word = 0;  ///< 0..7
        std::array<std::uint32_t, kOhmmaProducts> preload_data{};
        std::uint32_t drain_valid = 0;
        std::uint32_t drain_clear = 0;
        std::uint32_t row_ready = 0;
        std::uint32_t result_ready = 0;
    };
    struct Outputs {
        std::uint32_t op_ready = 0;  ///< depends on result_ready of the same cycle
        std::uint32_t preload_ready = 0;
        std::uint32_t drain_ready = 0;
        std::uint32_t row_valid = 0;
        std::uint32_t row_word = 0;
        std::array<std::uint32_t, kOhmmaProducts> row_data{};  ///< by bank
        std::uint32_t result_valid = 0;
        std::uint32_t result_word = 0;
        std::array<std::uint32_t, kOhmmaProducts> result_data{};
        std::uint32_t idle = 0;  ///< holds no data and no operation is in progress
    };

    /// Throws ConfigError for a configuration that is not realisable in hardware.
    explicit AccumulationBuffer(const AccumulationBufferConfig& config);

    /// Advances one clock cycle. The reference is valid until the next call. Data is meaningful
    /// only together with its valid signal.
    const Outputs& step(const Inputs& in);
    void reset();

    /// Accumulator of (row, column) as FP32 bits.
    [[nodiscard]] std::uint32_t value(std::uint32_t row, std::uint32_t column) const;
    void set_value(std::uint32_t row, std::uint32_t column, std::uint32_t bits);
    /// Sparse additions issued so far.
    [[nodiscard]] std::uint64_t issued() const { return issued_; }
    [[nodiscard]] const AccumulationBufferConfig& config() const { return config_; }

private:
    struct Entry {
        std::uint16_t bank = 0;
        std::uint16_t address = 0;  ///< bank * words + word
        std::uint32_t product = 0;
    };
    /// Remaining entries of a sparse OHMMA, in row order.
    struct Pending {
        std::array<Entry, kOhmmaProducts> entries;
        std::uint32_t size = 0;
    };
    struct Fifo {
        std::uint32_t head = 0;
        std::uint32_t count = 0;
    };
    /// A dense OHMMA.
    struct Dense {
        bool valid = false;
        bool first = false;
        bool last = false;
        std::uint32_t word = 0;
        std::array<std::uint32_t, kOhmmaProducts> data{};  ///< products, later sums
        std::array<std::uint32_t, kOhmmaProducts> c{};
    };

    [[nodiscard]] bool sparse_adding() const { return cycle_ < adding_until_; }
    [[nodiscard]] bool dense_adding() const;
    [[nodiscard]] bool empty() const;
    void show_outputs();
    void step_dense(bool result_ready);
    void issue_from_fifos();
    void fill_fifos();
    void issue_from_slots();
    /// Issues the addition unless the word's last addition is still in progress.
    bool issue(std::uint16_t address, std::uint32_t product);
    void accept(const Inputs& in);
    void accept_sparse(const Inputs& in, Pending& pending) const;
    void accept_dense(const Inputs& in);
    void step_drain(const Inputs& in);
    void preload(const Inputs& in);
    void need_rtl_banks(const char* what) const;

    AccumulationBufferConfig config_;
    std::uint32_t words_;  ///< of a bank
    std::array<BankWord, kTileElements> map_{};
    std::vector<std::uint32_t> memory_;      ///< by address
    std::vector<std::uint64_t> busy_until_;  ///< by address: cycle of the next addition
    std::uint64_t cycle_ = 0;
    std::uint64_t adding_until_ = 0;  ///< cycle before which sparse work is in the adders
    std::uint64_t issued_ = 0;

    // With FIFOs, the input register is the only slot.
    std::vector<Pending> slots_;
    std::vector<std::uint32_t> by_age_;  ///< indices of slots, occupied ones first
    std::uint32_t occupied_ = 0;         ///< slots in use
    std::vector<Fifo> fifos_;            ///< by bank
    std::vector<Entry> fifo_entries_;    ///< bank * depth + position
    std::vector<std::uint64_t> filled_;  ///< bit per bank: its FIFO is not empty
    std::vector<std::uint64_t> popped_;  ///< bit per bank: in this cycle

    Dense dense_register_;
    std::vector<Dense> dense_stages_;  ///< behind the issue, youngest first

    bool draining_ = false;
    bool drain_clear_ = false;
    std::uint32_t drain_word_ = 0;
    Outputs out_;
};

}  // namespace tessera
