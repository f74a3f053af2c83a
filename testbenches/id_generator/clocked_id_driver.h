// Driver of the ID generator behind its pins.
#pragma once

#include <deque>
#include <memory>

#include "sc_models/cosim/id_generator_rtl.h"
#include "testbenches/harness/clocked_block.h"
#include "testbenches/harness/clocked_driver.h"
#include "testbenches/harness/stall_check.h"
#include "testbenches/id_generator/id_driver.h"

namespace tessera::testbench {

/// Drives the pins of the ID generator cycle by cycle, one address a cycle, with stalls at its
/// output.
class ClockedIdDriver final : public IdDriver {
public:
    using Block = ClockedBlock<IdGeneratorRtl::Inputs, IdGeneratorRtl::Outputs>;
    ClockedIdDriver(Session& session, std::unique_ptr<Block> block);
    [[nodiscard]] bool has_groups() const override { return false; }
    void program(const ConvolutionPacket& packet) override;
    [[nodiscard]] OperationDriver<IdOperation, IdResult>& operations() override {
        return operations_;
    }

private:
    using Rtl = IdGeneratorRtl;
    using Driver = ClockedDriver<IdOperation, IdResult>;
    [[nodiscard]] Driver::Events step(const IdOperation* offered, Cycle now);
    void take_id(const Rtl::Outputs& out, Driver::Events& events);

    Session& session_;
    const std::unique_ptr<Block> block_;
    StallCheck stalls_;
    Driver operations_;
    std::uint32_t sent_ = 0;            ///< addresses of the offered operation
    std::uint8_t tag_ = 0;              ///< of the next address
    std::uint8_t next_tag_ = 0;         ///< of the next id
    std::deque<std::uint32_t> wanted_;  ///< ids of the operations under way
    IdResult ids_;                      ///< of the oldest one
};

}  // namespace tessera::testbench
