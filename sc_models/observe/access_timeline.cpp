#include "sc_models/observe/access_timeline.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

namespace tessera {
namespace {

constexpr std::uint32_t kIdBits = 48;
constexpr unsigned kSmShift = 32;  ///< bits 32 to 47 of an id are the SM

/// Returns the level of a block in the order of kLevels; empty: the block has none.
std::optional<std::size_t> level_of(std::string_view scope, std::string_view block) {
    const auto begins = [block](std::string_view text) {
        return block.substr(0, text.size()) == text;
    };
    if (block == "ldst") return 0;
    if (block == "l1" || scope.find(".l1") != std::string_view::npos) return 1;
    if (begins("crossbar") || begins("mesh")) return 2;
    if (begins("l2_")) return 3;
    if (begins("dram_")) return 4;
    return std::nullopt;
}

}  // namespace

WaveRecorder::Signal AccessTimeline::add(std::string_view scope, std::string_view name,
                                         std::uint32_t width_bits) {
    const Signal forwarded = wave_ == nullptr ? kNoSignal : wave_->add(scope, name, width_bits);
    const std::string_view block = scope.substr(scope.rfind('.') + 1);
    const bool is_id =
        width_bits == kIdBits &&
        (name == "id" || (name.substr(0, 3) == "sm_" && name.substr(name.size() - 3) == "_id"));
    const std::optional<std::size_t> level = level_of(scope, block);
    if (!is_id || !level) return forwarded;
    if (*level == 0) {
        const std::size_t digits = scope.rfind("sm", scope.rfind('.')) + 2;
        const std::uint64_t sm = std::stoull(std::string(scope.substr(digits)));
        auto& rows = rows_[sm];
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i] = timeline_.add_track(fmt::format("SM {}", sm),
                                          fmt::format("access: {}", kLevels[i]));
        }
    }
    hops_.push_back({std::string(block), *level, forwarded});
    return kFirstHop + static_cast<Signal>(hops_.size() - 1);
}

void AccessTimeline::set(Signal signal, Cycle at, std::uint64_t value) {
    if (signal < kFirstHop || signal == kNoSignal) {
        if (wave_ != nullptr) wave_->set(signal, at, value);
        return;
    }
    const Hop& hop = hops_[signal - kFirstHop];
    if (wave_ != nullptr) wave_->set(hop.forwarded, at, value);
    const auto rows = rows_.find(value >> kSmShift);
    if (value == 0 || rows == rows_.end()) return;
    const TimelineRecorder::Track row = rows->second[hop.level];
    timeline_.span(row, "access", at, at + 1,
                   fmt::format("{{\"id\":{},\"block\":\"{}\"}}", value, hop.block));
    timeline_.flow(row, at, value);
}

WaveRecorder::DumpPlan AccessTimeline::add_dump(std::string_view scope,
                                                std::function<void()> close) {
    return wave_ == nullptr ? DumpPlan{} : wave_->add_dump(scope, std::move(close));
}

}  // namespace tessera
