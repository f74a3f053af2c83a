// Operations of the rename table, and drivers that send them to an implementation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/duplo/rename_table.h"
#include "testbenches/harness/operation_driver.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Sizes of a rename table and the order of its free list.
struct RenameOrganisation {
    std::uint32_t architectural = 0, physical = 0;
    bool growing = false;                        ///< the pool doubles instead of being exhausted
    std::vector<std::uint32_t> free_order = {};  ///< empty: ascending
};

struct RenameOperation {
    enum class Kind : std::uint8_t {
        kMap,     ///< maps an architectural unit to the first free physical one
        kShare,   ///< maps an architectural unit to a given physical one
        kDetach,  ///< ends a mapping and keeps its reference
        kRetain,  ///< adds a reference
        kDrop,    ///< removes a reference
        kFirst,   ///< moves a free unit to the front of the free list
        kEnd      ///< ends a mapping and removes its reference
    };
    Kind kind = Kind::kMap;
    std::uint32_t architectural = 0;  ///< of kMap, kShare, kDetach, kEnd
    std::uint32_t physical = 0;       ///< of kShare, kRetain, kDrop, kFirst
};

struct RenameResult {
    static constexpr std::uint32_t kNone = ~0U;
    bool refused = false;            ///< no free unit, no reference to drop, or unit not free
    bool changes_free_list = false;  ///< kShare: unit was free; kDrop, kEnd: unit became free
    std::uint32_t physical = kNone;  ///< unit of the operation; kNone: detached nothing
    // Counts after the operation, where the implementation shows them.
    std::optional<std::uint32_t> references = {};  ///< to that unit
    std::optional<std::uint32_t> free_units = {}, mapped_units = {};
};

/// Implementation of a rename table behind an interface of operations.
class RenameDriver {
public:
    RenameDriver() = default;
    virtual ~RenameDriver() = default;
    RenameDriver(const RenameDriver&) = delete;
    RenameDriver& operator=(const RenameDriver&) = delete;

    /// Returns whether the implementation has these sizes and this order of the free list.
    [[nodiscard]] virtual bool supports(const RenameOrganisation& organisation) const = 0;
    /// Returns whether the implementation has operations of this kind.
    [[nodiscard]] virtual bool supports(RenameOperation::Kind kind) const = 0;
    /// Unmaps and frees all units, while no operation is under way. Throws ConfigError for an
    /// organisation that the implementation lacks.
    virtual void program(const RenameOrganisation& organisation) = 0;
    /// Adds an operation. It begins at cycle `at` or later.
    virtual void issue(const RenameOperation& operation, Cycle at) = 0;
    /// Simulates until no event is left.
    virtual void drain() = 0;
    /// Appends a line if the table's own counts contradict each other; all references must be
    /// mappings.
    virtual void check(std::vector<std::string>& /*violations*/) const {}

    /// Called for each step of an operation, in the order in which the table's contents change:
    /// the operation itself, or the kDetach and the kDrop of a kEnd. `last`: the operation is done.
    std::function<void(const RenameOperation& step, const RenameResult& result, Cycle at,
                       bool last)>
        on_result;
    /// Called with the numbers of free and mapped units at the beginning of a cycle, by
    /// implementations that show them in every cycle.
    std::function<void(std::uint32_t free_units, std::uint32_t mapped_units, Cycle at)> on_counts;
};

/// Driver of the functional core.
class CoreRenameDriver final : public RenameDriver {
public:
    /// `session` chooses the error to plant.
    explicit CoreRenameDriver(Session& session);
    [[nodiscard]] bool supports(const RenameOrganisation& /*organisation*/) const override {
        return true;
    }
    [[nodiscard]] bool supports(RenameOperation::Kind /*kind*/) const override { return true; }
    void program(const RenameOrganisation& organisation) override;
    void issue(const RenameOperation& operation, Cycle at) override {
        operations_.issue(operation, at);
    }
    void drain() override { operations_.drain(); }
    void check(std::vector<std::string>& violations) const override;

private:
    [[nodiscard]] RenameResult perform(const RenameOperation& operation);
    [[nodiscard]] bool planted(const RenameOperation& operation, RenameResult& result);
    void execute(const RenameOperation& operation, RenameResult& result);

    Session& session_;
    RenameTable table_;
    CoreDriver<RenameOperation, RenameResult> operations_;
    std::uint64_t drops_ = 0, shares_ = 0;
};

}  // namespace tessera::testbench
