// Configuration of the sparse side of the outer-product tensor cores.
#pragma once

#include <cstdint>

#include "sc_models/common/config_visitor.h"
#include "sc_models/common/knob.h"
#include "sc_models/tensor_core/accumulation_buffer.h"

namespace tessera {

/// How exactly the accumulation buffer's cycles are found.
enum class AccumulationDetail : std::uint8_t {
    kCount,     ///< L0: the buffer keeps up with every OHMMA
    kMemo,      ///< L1: a table by popcounts, made with the collector when the run begins
    kExact,     ///< L2: the fullest bank of every OHMMA, without a collector
    kCollector  ///< L3: the collector, cycle by cycle
};

/// What an OHMMA condenses.
enum class OhmmaGranularity : std::uint8_t {
    k8x16,  ///< both tensor cores of the pair together
    k8x8    ///< each tensor core its own half of 16 columns; two of these go in one OHMMA
};

enum class SpwmmaIssue : std::uint8_t {
    kSequencer,  ///< OHMMAs that are off take no time
    kPredicated  ///< an OHMMA that is off takes its issue slot, one cycle
};

struct SpwmmaConfig {
    Knob<AccumulationDetail> accumulation = AccumulationDetail::kMemo;
    Knob<OhmmaGranularity> granularity = OhmmaGranularity::k8x16;
    Knob<SpwmmaIssue> issue = SpwmmaIssue::kSequencer;
    Knob<double> ohmma_cycles = 1;
    Knob<double> bohmma_cycles = 0;
    Knob<std::uint32_t> latency_cycles = 6;
    Knob<std::uint32_t> swap_cycles = 8;
    AccumulationBufferConfig buffer;

    void bind(ConfigVisitor& v);
    void bind_buffer(ConfigVisitor& v);
};

}  // namespace tessera
