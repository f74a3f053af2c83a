#include "sc_models/opportunistic/output_ledger.h"

#include <fmt/format.h>

namespace tessera {
void OutputLedger::start_kernel(const KernelInfo& info) {
    kernel_ = info.name;
    outputs_ = info.outputs;
    output_count_ = info.output_count;
    expected_ = info.operations_per_output;
    partial_ = info.partial;
    counts_.assign(info.output_bytes / kFloatBytes, 0);
}

void OutputLedger::add(Address output, const LaneLayout& layout, std::uint32_t operations) {
    for (std::uint32_t lane = 0; lane < layout.lanes(); ++lane) {
        const Address at =
            output +
            static_cast<Address>(std::int64_t{layout.offset(LaneLayout::Operand::kOutput, lane)});
        counts_.at((at - outputs_) / kFloatBytes) += operations;
    }
}

void OutputLedger::check(std::vector<std::string>& violations) const {
    std::uint64_t complete = 0, wrong = 0, first = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (counts_[i] == expected_) {
            ++complete;
        } else if (partial_ && counts_[i] < expected_) {
            continue;  // belongs to a CTA that was left out
        } else if (counts_[i] != 0 && wrong++ == 0) {
            first = i;
        }
    }
    if (wrong > 0) {
        violations.push_back(
            fmt::format("{}: {} outputs did not receive each of their {} vector operations once, "
                        "the first is number {} with {}",
                        kernel_, wrong, expected_, first, counts_[first]));
    } else if (!partial_ && complete != output_count_) {
        violations.push_back(fmt::format("{}: {} of {} outputs received their vector operations",
                                         kernel_, complete, output_count_));
    }
}

}  // namespace tessera
