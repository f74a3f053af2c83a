// Operations of the load history buffer, and drivers that send them to an implementation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sc_models/duplo/load_history_buffer.h"
#include "testbenches/harness/operation_driver.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Organisation of a load history buffer.
struct HistoryOrganisation {
    std::uint32_t entries = 0;  ///< 0: without limit
    std::uint32_t ways = 1, shift = 0;
    bool fold = false, keeps = false;
    std::uint32_t registers = 1;  ///< physical registers that entries can name
};

/// Fields that identify a value; two loads of equal ones are duplicates.
struct HistoryValue {
    std::uint64_t element = 0;
    std::uint32_t batch = 0;
    std::uint32_t group = 0;    ///< tag of a group of rows
    std::uint32_t owner = 0;    ///< sharing domain
    std::uint32_t process = 0;  ///< kernel tag

    friend bool operator==(const HistoryValue& a, const HistoryValue& b) {
        return a.element == b.element && a.batch == b.batch && a.group == b.group &&
               a.owner == b.owner && a.process == b.process;
    }
};

/// Key of a value as model and RTL take it.
[[nodiscard]] LhbKey key_of(const HistoryValue& value);

struct HistoryOperation {
    enum class Kind : std::uint8_t { kLookup, kInsert, kRelease, kClear };
    Kind kind = Kind::kLookup;
    HistoryValue value = {};  ///< of lookups and insertions
    std::uint32_t phys = 0;   ///< register of insertions and releases
    bool recurs = false;      ///< insertions: the value will be loaded again
};

/// Changes what reaches an implementation if an error of its interface is planted.
[[nodiscard]] HistoryOrganisation planted(const Session& session, HistoryOrganisation organisation);
[[nodiscard]] HistoryValue planted(const Session& session, HistoryValue value);

struct HistoryResult {
    bool found = false;      ///< lookup: hit; insertion: replaced an entry; release: cleared one
    bool same_key = false;   ///< the replaced entry had the same value
    bool kept_out = false;   ///< not inserted, since all entries of the set are retained
    std::uint32_t phys = 0;  ///< register of the hit or the replaced entry; 0 if not found
    std::optional<std::size_t> entries =
        {};  ///< valid entries, where the implementation shows them
};

/// Implementation of a load history buffer behind an interface of operations.
class HistoryDriver {
public:
    HistoryDriver() = default;
    virtual ~HistoryDriver() = default;
    HistoryDriver(const HistoryDriver&) = delete;
    HistoryDriver& operator=(const HistoryDriver&) = delete;

    /// Returns whether the implementation has this organisation.
    [[nodiscard]] virtual bool supports(const HistoryOrganisation& organisation) const = 0;
    /// Empties and organises the buffer, while no operation is under way. Throws ConfigError for
    /// an impossible organisation.
    virtual void program(const HistoryOrganisation& organisation) = 0;
    [[nodiscard]] virtual OperationDriver<HistoryOperation, HistoryResult>& operations() = 0;
};

/// Driver of the functional core.
class CoreHistoryDriver final : public HistoryDriver {
public:
    /// `session` chooses the error to plant.
    explicit CoreHistoryDriver(Session& session);
    [[nodiscard]] bool supports(const HistoryOrganisation& /*organisation*/) const override {
        return true;
    }
    void program(const HistoryOrganisation& organisation) override;
    [[nodiscard]] OperationDriver<HistoryOperation, HistoryResult>& operations() override {
        return operations_;
    }

private:
    [[nodiscard]] HistoryResult perform(HistoryOperation operation);
    [[nodiscard]] HistoryResult execute(const HistoryOperation& operation);

    Session& session_;
    std::unique_ptr<LoadHistoryBuffer> core_;
    CoreDriver<HistoryOperation, HistoryResult> operations_;
    bool keeps_ = false;
    std::uint64_t releases_ = 0;
};

}  // namespace tessera::testbench
