#include "testbenches/load_history_buffer/history_stimulus.h"

#include <fmt/format.h>

namespace tessera::testbench {
namespace {

using Kind = HistoryOperation::Kind;
enum : std::size_t { kCycle, kOperation, kElement, kBatch, kRegister, kProcess };
constexpr std::array<Kind, 5> kKinds = {Kind::kLookup, Kind::kLookup, Kind::kInsert, Kind::kRelease,
                                        Kind::kClear};
constexpr std::uint64_t kLoad = 0;

constexpr std::uint64_t kElements = std::uint64_t{1} << 48U;
constexpr std::uint64_t kBatches = 1024;  ///< "the 10-bit batch ID" (Duplo IV-B)
constexpr std::uint64_t kProcesses = 256;

}  // namespace

std::vector<Column> history_columns() {
    return {{"cycle", Column::Kind::kNumber, "earliest cycle, not before that of the line above"},
            {"operation",
             Column::Kind::kChoice,
             "load is a lookup, and an insertion if it misses;",
             {"load", "lookup", "insert", "release", "clear"}},
            {"element_id", Column::Kind::kAddress, "below 2^48", {}, true},
            {"batch_id", Column::Kind::kNumber, "image, below 1024", {}, true},
            {"register", Column::Kind::kNumber, "physical; of load, insert and release", {}, true},
            {"process", Column::Kind::kNumber, "kernel tag, below 256", {}, true}};
}

std::vector<HistoryFileOperation> history_operations(const Stimulus& stimulus,
                                                     std::uint32_t registers) {
    std::vector<HistoryFileOperation> operations;
    const auto need = [&stimulus](const StimulusRow& row, std::size_t column, std::uint64_t end) {
        if (row[column] < end) return;
        stimulus.fail(row, column, fmt::format("got {}, expected below {}", row[column], end));
    };
    for (const StimulusRow& row : stimulus.rows()) {
        need(row, kElement, kElements);
        need(row, kBatch, kBatches);
        need(row, kRegister, registers);
        need(row, kProcess, kProcesses);
        HistoryFileOperation read;
        read.row = &row;
        read.at = row[kCycle];
        read.inserts_on_miss = row[kOperation] == kLoad;
        read.operation.kind = kKinds[row[kOperation]];
        read.operation.phys = static_cast<std::uint32_t>(row[kRegister]);
        read.operation.value.element = row[kElement];
        read.operation.value.batch = static_cast<std::uint32_t>(row[kBatch]);
        read.operation.value.process = static_cast<std::uint32_t>(row[kProcess]);
        operations.push_back(read);
    }
    return operations;
}

void refuse_register(const Stimulus& stimulus, const HistoryFileOperation& operation,
                     const HistoryValue& named) {
    stimulus.fail(*operation.row, kRegister,
                  fmt::format("got {}, which the entry of element {} of image {} names, expected "
                              "another register or a release before",
                              operation.operation.phys, named.element, named.batch));
}

HistoryValues::HistoryValues(Session& session, const HistoryOrganisation& organisation)
    : session_(session),
      organisation_(organisation),
      pool_(organisation.entries == 0 ? 64 : 2 * std::uint64_t{organisation.entries}) {}

HistoryValue HistoryValues::draw() {
    HistoryValue value;
    const std::uint64_t dice = session_.below(8);
    if (dice < 2) {
        value = recent_[session_.below(recent_.size())];
    } else if (dice == 2) {
        value = near_miss();
    } else {
        value.element = session_.below(pool_) << organisation_.shift;
        value.batch = static_cast<std::uint32_t>(session_.below(2));
    }
    recent_[session_.below(recent_.size())] = value;
    return value;
}

/// Returns a recent value with one bit of one field inverted.
HistoryValue HistoryValues::near_miss() {
    HistoryValue value = recent_[session_.below(recent_.size())];
    const auto bit = [this](std::uint64_t bits) { return 1U << session_.below(bits); };
    switch (session_.below(5)) {
        case 0:
            value.element ^= std::uint64_t{1} << session_.below(48);
            break;
        case 1:
            value.batch ^= bit(10);
            break;
        case 2:
            value.group ^= bit(32);
            break;
        case 3:
            value.owner ^= bit(24);
            break;
        default:
            value.process ^= bit(8);
    }
    return value;
}

}  // namespace tessera::testbench
