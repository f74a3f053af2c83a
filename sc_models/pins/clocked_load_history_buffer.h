// Cycle model of the RTL's load history buffer.
#pragma once

#include <cstdint>

#include "sc_models/cosim/load_history_buffer_rtl.h"
#include "sc_models/duplo/load_history_buffer.h"
#include "sc_models/pins/stalling_pipeline.h"

namespace tessera {

/// Load history buffer (Duplo IV-B) with the handshakes of rtl/load_history_buffer: a result
/// appears kLatency cycles after its operation; a set-up waits until the pipeline is empty and then
/// takes a cycle for each row of as many entries as the RTL has ways.
class ClockedLoadHistoryBuffer {
public:
    using Inputs = LoadHistoryBufferRtl::Inputs;
    using Outputs = LoadHistoryBufferRtl::Outputs;
    using Parameters = LoadHistoryBufferRtl::Parameters;

    explicit ClockedLoadHistoryBuffer(const Parameters& parameters = {})
        : parameters_(parameters) {}

    /// Outputs in a cycle with these inputs. An output without its valid is 0.
    [[nodiscard]] Outputs outputs(const Inputs& in) const;
    /// Applies the rising edge.
    void edge(const Inputs& in);
    void reset();

    [[nodiscard]] const LoadHistoryBuffer& core() const { return core_; }
    [[nodiscard]] bool names(std::uint32_t phys) const { return core_.names(PhysRegId{phys}); }
    /// Whether an organisation is set up.
    [[nodiscard]] bool ready() const { return ready_; }
    [[nodiscard]] bool idle() const { return results_.empty(); }

private:
    [[nodiscard]] Outputs operate(const Inputs& in);
    void set_up(const Inputs& in);

    Parameters parameters_;
    LoadHistoryBuffer core_{1, 1, false};
    StallingPipeline<Outputs, LoadHistoryBufferRtl::kLatency> results_;
    bool ready_ = false, error_ = false;
    std::uint32_t rows_ = 0;       ///< of the organisation
    std::uint32_t rows_left_ = 0;  ///< to be emptied
};

}  // namespace tessera
