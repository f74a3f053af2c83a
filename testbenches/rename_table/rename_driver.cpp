#include "testbenches/rename_table/rename_driver.h"

#include <stdexcept>

#include "sc_models/common/error.h"

namespace tessera::testbench {
namespace {

using Kind = RenameOperation::Kind;

}  // namespace

CoreRenameDriver::CoreRenameDriver(Session& session)
    : session_(session),
      operations_("core", session.clock,
                  [this](const RenameOperation& operation) { return perform(operation); }) {
    operations_.on_result = [this](const RenameOperation& operation, const RenameResult& result,
                                   Cycle begin,
                                   Cycle /*end*/) { on_result(operation, result, begin, true); };
}

void CoreRenameDriver::program(const RenameOrganisation& organisation) {
    RenameOrganisation o = organisation;
    if (session_.plants("small_pool")) --o.physical;
    table_.reset(o.architectural, o.physical, o.growing);
    if (session_.plants("small_pool")) return;
    if (session_.plants("last_freed")) {
        for (std::uint32_t i = o.physical; i-- > 0;) o.free_order.push_back(i);
    }
    if (!o.free_order.empty()) table_.set_free_order(o.free_order);
}

void CoreRenameDriver::check(std::vector<std::string>& violations) const {
    try {
        table_.check();
    } catch (const CheckError& error) {
        violations.emplace_back(error.what());
    }
}

RenameResult CoreRenameDriver::perform(const RenameOperation& operation) {
    RenameResult result;
    try {
        if (operation.physical >= table_.physical_units()) throw std::logic_error("no such unit");
        if (!planted(operation, result)) execute(operation, result);
    } catch (const std::logic_error&) {
        result.refused = true;
    }
    const bool valid = result.physical < table_.physical_units();
    if (valid) result.references = table_.count(PhysRegId{result.physical});
    result.free_units = table_.free_units();
    result.mapped_units = table_.mapped_units();
    return result;
}

/// Executes an operation wrongly if an error is planted; returns whether it did.
bool CoreRenameDriver::planted(const RenameOperation& operation, RenameResult& result) {
    const PhysRegId phys{operation.physical};
    if (operation.kind == Kind::kDrop) {
        ++drops_;
        result.physical = operation.physical;
        if (session_.plants("lost_drop") && drops_ % 16 == 0) return true;
        if (session_.plants("double_drop") && drops_ % 16 == 0 && table_.count(phys) > 1) {
            static_cast<void>(table_.drop(phys));
        }
    }
    if (operation.kind == Kind::kShare && session_.plants("fresh_share") && ++shares_ % 16 == 0) {
        result.physical = table_.map_new(operation.architectural).value();
        return true;
    }
    if (operation.kind == Kind::kDetach && session_.plants("early_free")) {
        const PhysRegId old = table_.detach(operation.architectural);
        if (old.valid()) {
            result.physical = old.value();
            static_cast<void>(table_.drop(old));
        }
        return true;
    }
    return false;
}

void CoreRenameDriver::execute(const RenameOperation& operation, RenameResult& result) {
    const PhysRegId phys{operation.physical};
    result.physical = operation.physical;
    switch (operation.kind) {
        case Kind::kMap:
            result.physical = RenameResult::kNone;
            result.physical = table_.map_new(operation.architectural).value();
            break;
        case Kind::kShare:
            result.changes_free_list = table_.share(operation.architectural, phys);
            break;
        case Kind::kDetach: {
            const PhysRegId old = table_.detach(operation.architectural);
            result.physical = old.valid() ? old.value() : RenameResult::kNone;
            break;
        }
        case Kind::kRetain:
            table_.retain(phys);
            break;
        case Kind::kDrop:
            result.changes_free_list = table_.drop(phys);
            break;
        case Kind::kFirst:
            table_.put_first(phys);
            break;
        case Kind::kEnd: {
            const PhysRegId old = table_.detach(operation.architectural);
            result.physical = old.valid() ? old.value() : RenameResult::kNone;
            result.changes_free_list = old.valid() && table_.drop(old);
            break;
        }
    }
}

}  // namespace tessera::testbench
