// Which implementation of a block runs: its model, its RTL, or both in lock-step.
#pragma once

#include <string>
#include <string_view>

#include "sc_models/config/config_visitor.h"
#include "sc_models/config/fault_plan.h"
#include "sc_models/config/knob.h"

namespace tessera {

enum class Implementation {
    kTlm,  ///< the model
    kRtl,  ///< the Verilated RTL in its place
    kBoth  ///< both, compared at every operation; the first difference ends the run
};

/// Blocks that have RTL, as they stand inside the GPU.
struct ImplConfig {
    Knob<Implementation> id_generator = Implementation::kTlm;
    Knob<Implementation> load_history_buffer = Implementation::kTlm;
    Knob<Implementation> feop_array = Implementation::kTlm;
    Knob<Implementation> accumulation_buffer = Implementation::kTlm;
    Knob<Implementation> bitmap_unit = Implementation::kTlm;
    Knob<std::string> fault;  ///< "BLOCK:KIND:BIT@CYCLE", empty: none

    /// The blocks of the LDST unit, and those of the outer-product tensor cores.
    [[nodiscard]] bool detection_rtl() const {
        return id_generator != Implementation::kTlm || load_history_buffer != Implementation::kTlm;
    }
    [[nodiscard]] bool tensor_rtl() const {
        return dense_tensor_rtl() || bitmap_unit != Implementation::kTlm;
    }
    /// Those that dense products use, too.
    [[nodiscard]] bool dense_tensor_rtl() const {
        return feop_array != Implementation::kTlm || accumulation_buffer != Implementation::kTlm;
    }

    /// The fault meant for the RTL of `block` ("feop_array"), or none. Throws ConfigError if the
    /// text of `fault` cannot be read.
    [[nodiscard]] FaultPlan fault_of(std::string_view block) const;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
