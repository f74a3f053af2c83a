// Naive reference of the rename table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <numeric>
#include <vector>

#include "testbenches/rename_table/rename_driver.h"

namespace tessera::testbench {

/// Rename table written down as a map, a list of held references and a list of free units. The
/// references of a unit are counted anew each time: its mappings and those held beside them. The
/// table "records the new mapping of destination register"; a hit "replaces the destination
/// register with the one indicated by the LHB entry" (Duplo IV-B).
class NaiveRename {
public:
    explicit NaiveRename(const RenameOrganisation& organisation)
        : organisation_(organisation), physical_(organisation.physical) {
        free_.assign(organisation.free_order.begin(), organisation.free_order.end());
        if (!free_.empty()) return;
        free_.resize(physical_);
        std::iota(free_.begin(), free_.end(), 0U);
    }

    RenameResult perform(const RenameOperation& operation) {
        using Kind = RenameOperation::Kind;
        RenameResult result;
        result.physical = operation.physical;
        switch (operation.kind) {
            case Kind::kMap:
                map(operation.architectural, result);
                break;
            case Kind::kShare:
                result.changes_free_list = is_free(operation.physical);
                free_.remove(operation.physical);
                map_[operation.architectural] = operation.physical;
                break;
            case Kind::kDetach:
                detach(operation.architectural, result);
                break;
            case Kind::kRetain:
                held_.push_back(operation.physical);
                break;
            case Kind::kDrop:
                drop(operation.physical, result);
                break;
            case Kind::kFirst:
                result.refused = !is_free(operation.physical);
                if (result.refused) break;
                free_.remove(operation.physical);
                free_.push_front(operation.physical);
                break;
            case Kind::kEnd:
                detach(operation.architectural, result);
                if (result.physical != RenameResult::kNone) drop(result.physical, result);
                break;
        }
        if (result.physical != RenameResult::kNone) result.references = references(result.physical);
        result.free_units = free_units();
        result.mapped_units = static_cast<std::uint32_t>(map_.size());
        return result;
    }

    [[nodiscard]] bool is_mapped(std::uint32_t architectural) const {
        return map_.count(architectural) != 0;
    }
    [[nodiscard]] bool is_free(std::uint32_t physical) const {
        return std::find(free_.begin(), free_.end(), physical) != free_.end();
    }
    [[nodiscard]] std::uint32_t references(std::uint32_t physical) const {
        const auto mappings =
            std::count_if(map_.begin(), map_.end(),
                          [physical](const auto& mapping) { return mapping.second == physical; });
        const auto held = std::count(held_.begin(), held_.end(), physical);
        return static_cast<std::uint32_t>(mappings + held);
    }
    /// References held beside the mappings, one entry each.
    [[nodiscard]] const std::vector<std::uint32_t>& held() const { return held_; }
    [[nodiscard]] const std::map<std::uint32_t, std::uint32_t>& mappings() const { return map_; }
    [[nodiscard]] std::uint32_t physical_units() const { return physical_; }
    [[nodiscard]] std::uint32_t free_units() const {
        return static_cast<std::uint32_t>(free_.size());
    }

private:
    void map(std::uint32_t architectural, RenameResult& result) {
        result.physical = RenameResult::kNone;
        result.refused = free_.empty() && !organisation_.growing;
        if (result.refused) return;
        if (free_.empty()) {  // the pool doubles
            for (std::uint32_t i = physical_; i < 2 * physical_; ++i) free_.push_back(i);
            physical_ *= 2;
        }
        result.physical = map_[architectural] = free_.front();
        free_.pop_front();
    }
    void detach(std::uint32_t architectural, RenameResult& result) {
        const auto mapping = map_.find(architectural);
        result.physical = RenameResult::kNone;
        if (mapping == map_.end()) return;
        result.physical = mapping->second;
        held_.push_back(mapping->second);
        map_.erase(mapping);
    }
    void drop(std::uint32_t physical, RenameResult& result) {
        const auto held = std::find(held_.begin(), held_.end(), physical);
        result.refused = held == held_.end();
        if (result.refused) return;
        held_.erase(held);
        result.changes_free_list = references(physical) == 0;
        if (result.changes_free_list) free_.push_back(physical);
    }

    const RenameOrganisation organisation_;
    std::uint32_t physical_;
    std::map<std::uint32_t, std::uint32_t> map_;  ///< architectural to physical
    std::vector<std::uint32_t> held_;
    std::list<std::uint32_t> free_;
};

}  // namespace tessera::testbench
