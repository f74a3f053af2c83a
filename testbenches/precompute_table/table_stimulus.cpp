#include "testbenches/precompute_table/table_stimulus.h"

#include <fmt/format.h>

#include "sc_models/pins/precompute_table_pins.h"

namespace tessera::testbench {
namespace {

/// Columns of a file.
enum : std::size_t { kCycle, kOperation, kInputVector, kWeightVector, kGeometry, kEntries };
constexpr Address kRtlAddresses = Address{1} << PrecomputeTableRtl::kAddressBits;
constexpr std::uint32_t kRtlGeometries = 1U << PrecomputeTableRtl::kGeometryBits;

}  // namespace

TableOperation TableStimulus::operation_of(const Stimulus& stimulus, const StimulusRow& row) const {
    for (const std::size_t column : {kGeometry, kEntries}) {
        if (row[column] <= ~std::uint32_t{0}) continue;
        stimulus.fail(row, column, fmt::format("got {}, expected below 2^32", row[column]));
    }
    const auto need_below = [&](std::size_t column, std::uint64_t end) {
        if (!behind_pins() || row[column] < end) return;
        stimulus.fail(row, column,
                      fmt::format("got {:#x}, expected below {:#x} with --impl {}", row[column],
                                  end, session_.implementation()));
    };
    need_below(kInputVector, kRtlAddresses);
    need_below(kWeightVector, kRtlAddresses);
    need_below(kGeometry, kRtlGeometries);
    return {row[kCycle],
            static_cast<Action>(row[kOperation]),
            {row[kInputVector], row[kWeightVector], static_cast<std::uint32_t>(row[kGeometry])},
            static_cast<std::uint32_t>(row[kEntries])};
}

TableOperation TableStimulus::draw() {
    const std::uint32_t entries = session_.config().opportunistic.pt_entries;
    TableOperation operation;
    const std::uint64_t kind = session_.below(64);
    operation.action = kind < 22   ? Action::kPredict
                       : kind < 34 ? Action::kLookup
                       : kind < 48 ? Action::kStart
                       : kind < 63 ? Action::kFinish
                                   : Action::kEliminate;
    operation.entries = static_cast<std::uint32_t>(session_.below(4));
    operation.key = {session_.below(entries) * 4, session_.below(3) * 4,
                     static_cast<std::uint32_t>(session_.below(2))};
    if (operation.action == Action::kPredict) {
        if (recent_.size() > entries) recent_.clear();
        recent_.push_back(operation.key);
    } else if (!recent_.empty() && session_.below(8) != 0) {
        operation.key = recent_[session_.below(recent_.size())];
    }
    return operation;
}

PrecomputeKey TableStimulus::largest_key() const {
    if (behind_pins()) return {kRtlAddresses - 1, kRtlAddresses - 1, kRtlGeometries - 1};
    return {~Address{0}, ~Address{0}, ~std::uint32_t{0}};
}

}  // namespace tessera::testbench
