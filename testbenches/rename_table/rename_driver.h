// Operations of the rename table, and the driver that executes them on its functional core.
#pragma once

#include <cstdint>
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
        kFirst    ///< moves a free unit to the front of the free list
    };
    Kind kind = Kind::kMap;
    std::uint32_t architectural = 0;  ///< of kMap, kShare, kDetach
    std::uint32_t physical = 0;       ///< of kShare, kRetain, kDrop, kFirst
};

struct RenameResult {
    static constexpr std::uint32_t kNone = ~0U;
    bool refused = false;            ///< no free unit, no reference to drop, or unit not free
    bool changes_free_list = false;  ///< kShare: unit was free; kDrop: unit became free
    std::uint32_t physical = kNone;  ///< unit of the operation; kNone: detached nothing
    std::uint32_t references = 0;    ///< to that unit
    std::uint32_t free_units = 0, mapped_units = 0;
};

/// Sends operations to a rename table.
class RenameDriver {
public:
    /// `session` chooses the error to plant.
    explicit RenameDriver(Session& session);
    /// Unmaps and frees all units, while no operation is under way.
    void program(const RenameOrganisation& organisation);
    [[nodiscard]] OperationDriver<RenameOperation, RenameResult>& operations() {
        return operations_;
    }
    /// Appends a line if the table's own counts contradict each other; all references must be
    /// mappings.
    void check(std::vector<std::string>& violations) const;

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
