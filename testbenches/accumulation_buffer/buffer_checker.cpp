#include "testbenches/accumulation_buffer/buffer_checker.h"

#include <fmt/format.h>
#include <algorithm>
#include <set>

namespace tessera::testbench {
namespace {

using Kind = BufferOperation::Kind;

/// Products of a sparse OHMMA for its fullest bank.
std::uint32_t fullest_bank(const BufferOperation& o) {
    std::array<std::uint32_t, kBanks> products{};
    for (std::uint32_t i = 0; i < o.row.size(); ++i) {
        for (std::uint32_t j = 0; j < o.column.size(); ++j) {
            if ((o.row_valid >> i & 1U) == 0 || (o.column_valid >> j & 1U) == 0) continue;
            ++products[NaiveBuffer::bank_of(o.row[i], o.column[j])];
        }
    }
    return *std::max_element(products.begin(), products.end());
}

bool distinct_rows(const BufferOperation& o) {
    std::set<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < o.row.size(); ++i) {
        if ((o.row_valid >> i & 1U) != 0 && !rows.insert(o.row[i]).second) return false;
    }
    return true;
}

bool is_nan(std::uint32_t bits) {
    return (bits & 0x7fffffffU) > 0x7f800000U;
}

}  // namespace

BufferChecker::BufferChecker(Session& session, BufferDriver& driver)
    : session_(session), driver_(driver), bins_{session.coverage} {
    driver.operations().on_result = [this](const BufferOperation& operation,
                                           const BufferResult& got, Cycle begin,
                                           Cycle end) { check(operation, got, begin, end); };
}

void BufferChecker::issue(const BufferOperation& operation, Cycle at) {
    Expected expected;
    const bool drains = operation.kind == Kind::kDrain || operation.kind == Kind::kDrainAndClear;
    const NaiveBuffer::Row sums = naive_.perform(operation);
    if (operation.kind == Kind::kDense && operation.last) {
        expected.sums.push_back(sums);
        expected.first_word = operation.word;
    }
    for (std::uint32_t word = 0; drains && word < kWords; ++word) {
        expected.sums.push_back(naive_.row(word));
    }
    if (operation.kind == Kind::kDrainAndClear) naive_.clear();
    if (operation.kind == Kind::kSparse) {
        expected.fullest = fullest_bank(operation);
        expected.distinct_rows = distinct_rows(operation);
    }
    count(operation, expected);
    expected_.push_back(std::move(expected));
    driver_.operations().issue(operation, at);
}

void BufferChecker::drain() {
    driver_.operations().drain();
    if (expected_.empty()) return;
    session_.violations({fmt::format("{} operations have not ended", expected_.size())});
    expected_.clear();
}

void BufferChecker::count(const BufferOperation& o, const Expected& expected) {
    Coverage& c = session_.coverage;
    const bool dense = o.kind == Kind::kDense;
    if (dense || o.kind == Kind::kSparse) {
        c.hit_if(bins_.turn, dense != was_dense_);
        was_dense_ = dense;
    }
    if (o.kind == Kind::kSparse) {
        c.hit(bins_.sparse);
        c.hit_if(bins_.empty, expected.fullest == 0);
        c.hit_if(bins_.conflict, expected.fullest == 2);
        c.hit_if(bins_.full_conflict, expected.fullest == 8 && expected.distinct_rows);
        c.hit_if(bins_.repeated_row, expected.fullest > 0 && !expected.distinct_rows);
    }
    c.hit_if(bins_.first, dense && o.first);
    c.hit_if(bins_.last, dense && o.last);
    c.hit_if(bins_.middle, dense && !o.first && !o.last);
    c.hit_if(bins_.preload, o.kind == Kind::kPreload);
    c.hit_if(bins_.drain, o.kind == Kind::kDrain);
    c.hit_if(bins_.clear, o.kind == Kind::kDrainAndClear);
    if (o.kind == Kind::kPreload) {
        c.hit_if(bins_.negative_zero,
                 std::find(o.data.begin(), o.data.end(), 0x80000000U) != o.data.end());
    }
    for (const NaiveBuffer::Row& row : expected.sums) {
        c.hit_if(bins_.not_a_number, std::any_of(row.begin(), row.end(), is_nan));
        c.hit_if(bins_.underflow, std::any_of(row.begin(), row.end(), [](std::uint32_t bits) {
                     return (bits & 0x7f800000U) == 0 && (bits & 0x7fffffffU) != 0;
                 }));
    }
}

void BufferChecker::check(const BufferOperation& operation, const BufferResult& got, Cycle begin,
                          Cycle end) {
    if (expected_.empty()) return;
    const Expected expected = std::move(expected_.front());
    expected_.pop_front();
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(end);
    constexpr std::array<const char*, 5> kNotes = {
        "sparse OHMMA of cycle {}, rows {:02x}, columns {:04x}", "dense OHMMA of cycle {}",
        "preload of cycle {}", "drain of cycle {}", "drain and clear of cycle {}"};
    board.note(kNotes[static_cast<std::size_t>(operation.kind)], begin, operation.row_valid,
               operation.column_valid);
    board.expect_count("rows of sums", expected.sums.size(), got.sums.size());
    for (std::size_t n = 0; n < std::min(expected.sums.size(), got.sums.size()); ++n) {
        board.expect_count("word of sums", expected.first_word + n, got.words[n]);
        if (expected.sums[n] == got.sums[n]) {
            board.passed(kBanks);
            continue;
        }
        for (std::size_t bank = 0; bank < kBanks; ++bank) {
            const std::uint32_t sum = expected.sums[n][bank], other = got.sums[n][bank];
            if (is_nan(sum) && is_nan(other)) continue;
            board.expect("sum of bank", bank, sum, other);
        }
    }
    check_time(operation, expected, got, begin, end);
}

/// An OHMMA in an empty buffer: one cycle into the FIFOs, one for each product of the fullest bank,
/// and the latency of the adder.
void BufferChecker::check_time(const BufferOperation& operation, const Expected& expected,
                               const BufferResult& got, Cycle begin, Cycle end) {
    const AccumulationBufferConfig& config = session_.config().tensor_core.spwmma.buffer;
    if (operation.kind == Kind::kSparse) {
        const bool fits = config.depth_entries >= expected.fullest;
        if (!got.alone || got.busy == 0 || !expected.distinct_rows || !fits) return;
        const Cycle adds =
            expected.fullest == 0 ? 0 : expected.fullest - 1 + config.adder_latency_cycles;
        session_.scoreboard.expect_count("cycles of a sparse OHMMA in an empty buffer", 2 + adds,
                                         got.busy);
        session_.latency.add(fmt::format("sparse OHMMA, fullest bank {}", expected.fullest),
                             got.busy);
        return;
    }
    if (!got.sums.empty()) {
        session_.latency.add(operation.kind == Kind::kDense ? "dense result" : "drain",
                             end - begin);
    }
}

}  // namespace tessera::testbench
