#include "testbenches/load_history_buffer/history_driver.h"

namespace tessera::testbench {
namespace {

using Kind = HistoryOperation::Kind;

}  // namespace

LhbKey key_of(const HistoryValue& value) {
    DataId id;
    id.element = value.element;
    id.batch = value.batch;
    id.extra = value.group;
    return LhbKey::make(id, value.owner, static_cast<std::uint8_t>(value.process));
}

HistoryOrganisation planted(const Session& session, HistoryOrganisation organisation) {
    if (session.plants("wrong_shift")) organisation.shift += 2;
    if (session.plants("one_way")) organisation.ways = 1;
    return organisation;
}

HistoryValue planted(const Session& session, HistoryValue value) {
    if (session.plants("no_batch")) value.batch = 0;
    return value;
}

CoreHistoryDriver::CoreHistoryDriver(Session& session)
    : session_(session),
      operations_("core", session.clock,
                  [this](const HistoryOperation& operation) { return perform(operation); }) {}

void CoreHistoryDriver::program(const HistoryOrganisation& organisation) {
    HistoryOrganisation o = planted(session_, organisation);
    if (session_.plants("small_buffer") && o.entries > o.ways) o.entries -= o.ways;
    core_ = std::make_unique<LoadHistoryBuffer>(o.entries, o.ways, o.fold, o.keeps);
    core_->program(o.shift, o.registers);
    keeps_ = o.keeps;
}

/// Executes an operation, or loses or changes it where an error is planted.
HistoryResult CoreHistoryDriver::perform(HistoryOperation operation) {
    operation.value = planted(session_, operation.value);
    const bool lost = (operation.kind == Kind::kClear && session_.plants("lost_clear")) ||
                      (operation.kind == Kind::kRelease && session_.plants("lost_release") &&
                       ++releases_ % 16 == 0);
    HistoryResult result;
    if (!lost) result = execute(operation);
    result.entries = core_->size();
    return result;
}

HistoryResult CoreHistoryDriver::execute(const HistoryOperation& operation) {
    HistoryResult result;
    const PhysRegId phys{operation.phys};
    switch (operation.kind) {
        case Kind::kLookup: {
            const PhysRegId found = core_->find(key_of(operation.value));
            result.found = found.valid();
            if (result.found) result.phys = found.value();
            break;
        }
        case Kind::kInsert: {
            // A lost release leaves an entry that names the register, which insert() excludes.
            if (core_->names(phys) && core_->find(key_of(operation.value)) != phys) {
                static_cast<void>(core_->release(phys));
            }
            if (keeps_) core_->set_recurs(phys, operation.recurs);
            const auto replaced = core_->insert(key_of(operation.value), phys);
            result.found = replaced.phys.valid();
            if (result.found) result.phys = replaced.phys.value();
            result.same_key = replaced.same_key;
            result.kept_out = replaced.kept_out;
            break;
        }
        case Kind::kRelease:
            result.found = core_->release(phys);
            break;
        case Kind::kClear:
            core_->clear();
            break;
    }
    return result;
}

}  // namespace tessera::testbench
