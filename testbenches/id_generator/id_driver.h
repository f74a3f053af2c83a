// Operations of the ID generator, and drivers that send them to an implementation.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/duplo/id_generator.h"
#include "testbenches/harness/operation_driver.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Chunks of one fragment load whose ids are wanted.
struct IdOperation {
    Address address = 0;
    std::uint32_t row_pitch = 0;   ///< bytes from one row of the fragment to the next
    std::uint32_t group_rows = 1;  ///< rows of one id: 1, 8 or 16
    std::uint32_t ids = 1;         ///< at most 16 / group_rows
};
using IdResult = std::vector<DataId>;

/// Implementation of an ID generator behind an interface of operations.
class IdDriver {
public:
    IdDriver() = default;
    virtual ~IdDriver() = default;
    IdDriver(const IdDriver&) = delete;
    IdDriver& operator=(const IdDriver&) = delete;

    /// Returns whether the implementation has ids of groups of rows.
    [[nodiscard]] virtual bool has_groups() const = 0;
    /// Takes a packet, while no operation is under way. Throws ConfigError for an invalid packet.
    virtual void program(const ConvolutionPacket& packet) = 0;
    [[nodiscard]] virtual OperationDriver<IdOperation, IdResult>& operations() = 0;
};

/// Returns the packet that reaches an implementation, another one if an error of its interface is
/// planted.
[[nodiscard]] inline ConvolutionPacket planted(const Session& session, ConvolutionPacket packet) {
    if (session.plants("shifted_base")) packet.base += kFragmentRowBytes;
    if (session.plants("lost_zero_rule")) packet.zero_rule = false;
    return packet;
}

/// Driver of the functional core.
class CoreIdDriver final : public IdDriver {
public:
    /// `session` chooses the error to plant.
    explicit CoreIdDriver(Session& session)
        : session_(session),
          operations_("core", session.clock,
                      [this](const IdOperation& operation) { return perform(operation); }) {}
    [[nodiscard]] bool has_groups() const override { return true; }
    void program(const ConvolutionPacket& packet) override {
        if (programmed_ && session_.plants("stale_packet")) return;
        programmed_ = true;
        core_.program(planted(session_, packet),
                      session_.plants("paper_formula")   ? IdFormula::kPaper
                      : session_.plants("notes_formula") ? IdFormula::kNotes
                                                         : IdFormula::kCorrected);
    }
    [[nodiscard]] OperationDriver<IdOperation, IdResult>& operations() override {
        return operations_;
    }

private:
    [[nodiscard]] IdResult perform(const IdOperation& operation) const {
        IdResult ids(kFragmentRows);
        core_.generate(operation.address, operation.row_pitch, operation.group_rows, ids.data());
        ids.resize(operation.ids);
        return ids;
    }

    Session& session_;
    IdGenerator core_;
    CoreDriver<IdOperation, IdResult> operations_;
    bool programmed_ = false;
};

}  // namespace tessera::testbench
