#include "testbenches/load_history_buffer/history_stimulus.h"

#include <fmt/format.h>

#include "testbenches/harness/organisations.h"

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
constexpr std::uint32_t kAutoShift = 4;  ///< of rows of 16 channels or more

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
    for (const StimulusRow& row : stimulus.rows()) {
        stimulus.need_below(row, kElement, kElements);
        stimulus.need_below(row, kBatch, kBatches);
        stimulus.need_below(row, kRegister, registers);
        stimulus.need_below(row, kProcess, kProcesses);
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

HistoryOrganisation configured_history(const DuploConfig& config) {
    HistoryOrganisation o;
    o.entries = config.lhb_entries;
    o.ways = config.lhb_ways;
    o.shift = config.lhb_shift_bits == DuploConfig::kAutoShift ? kAutoShift : config.lhb_shift_bits;
    o.fold = config.lhb_fold;
    o.registers = o.entries == 0 ? 512 : o.entries + o.entries / 2 + 8;
    return o;
}

std::vector<HistoryOrganisation> history_organisations(const Session& session,
                                                       const HistoryDriver& driver) {
    return organisations_of<HistoryDriver, HistoryOrganisation>(
        session, driver, configured_history(session.config().duplo),
        {HistoryOrganisation{16, 1, 0, false, false, 40},
         HistoryOrganisation{32, 4, 4, true, false, 64},
         HistoryOrganisation{64, 8, 0, false, false, 96},
         HistoryOrganisation{24, 4, 1, true, false, 40},
         HistoryOrganisation{8, 2, 0, false, true, 40},
         HistoryOrganisation{0, 1, 4, false, false, 512}});
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
